// Imports a folder that `twain export` has written: the files, and a file of rows for each type.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DataFormat } from '#records'
import { filesPath, type ImportResult, importOrder, importTarget } from '#transfer'
import { CommandFailed } from '../report/explain-error.ts'
import type { Terminal } from '../report/terminal.ts'
import { bytesFolder, formatOfName } from './data-files.ts'
import { type ImportedFile, importFile } from './import-file.ts'
import type { OperatorConnection } from './operator-connection.ts'
import { answerOf } from './operator-replies.ts'

/** Rows may refer to rows of any file, so that all files are read before the references that had to wait are set. */
export async function importFolder(
  folder: string,
  isAgain: boolean,
  connection: OperatorConnection,
  surface: Terminal,
): Promise<ImportResult['kind']> {
  const files = rowFilesIn(folder)
  const order = importOrder(connection.model).map(({ name }) => name)
  const unknown = [...files.keys()].filter((type) => type !== 'File' && !order.includes(type))
  if (unknown.length > 0)
    throw new CommandFailed(`The schema has no type ${unknown.join(', ')}, as a file of ${folder} has.`)
  const stored = files.get('File')
  if (stored !== undefined) await importBytes(folder, stored.file, connection, surface)
  const rows = order.flatMap((type): ImportedFile[] => {
    const found = files.get(type)
    const target = importTarget(connection.model, type, true)
    if (found === undefined || target === null) return []
    return [{ ...found, target, map: new Map(), isDryRun: false, isFirstPassOnly: true, isAgain }]
  })
  for (const one of rows) {
    const { kind } = await importFile(one, connection, surface)
    if (kind !== 'done') return kind
  }
  const silent: Terminal = { ...surface, out: () => {} }
  for (const one of rows) {
    const { kind } = await importFile({ ...one, isFirstPassOnly: false, isAgain: false }, connection, silent)
    if (kind !== 'done') return kind
  }
  return 'done'
}

function rowFilesIn(folder: string): Map<string, { file: string; format: DataFormat }> {
  const files = new Map<string, { file: string; format: DataFormat }>()
  for (const name of readdirSync(folder)) {
    const format = formatOfName(name)
    if (format !== null) files.set(basename(name).replace(/\.[^.]*$/, ''), { file: join(folder, name), format })
  }
  return files
}

interface StoredFile {
  id: string
  name: string
  mediaType: string
}

/** Without this, a list from somebody else could name any file of this machine. */
function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id)
}

async function importBytes(
  folder: string,
  file: string,
  connection: OperatorConnection,
  surface: Terminal,
): Promise<void> {
  const files = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as StoredFile)
  for (const { id, name, mediaType } of files) {
    if (!isId(id))
      throw new CommandFailed(
        `${file}: ${JSON.stringify(id)} is not the id of a file. The bytes are read from ${bytesFolder}/ID.`,
      )
    const bytes = join(folder, bytesFolder, id)
    if (!existsSync(bytes)) throw new CommandFailed(`${bytes} is missing: the bytes of the file "${name}".`)
    const query = new URLSearchParams({ id, name, mediaType })
    answerOf(await connection.send('POST', `${filesPath}?${query}`, Uint8Array.from(readFileSync(bytes))))
  }
  surface.out(`${file}: imported ${files.length} files.\n`)
}
