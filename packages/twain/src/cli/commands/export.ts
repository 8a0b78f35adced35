// `twain export`: writes the rows of one type into a file, or everything into a folder.

import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Resource } from '#model'
import { type DataFormat, dataFormats } from '#records'
import { type ExportPage, exportsPath, filesPath, rowPrinter } from '#transfer'
import { CommandFailed } from '../report/explain-error.ts'
import type { Logs } from '../report/logs.ts'
import { rowBar } from '../report/progress-bar.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { bytesFolder, fileNameOf, formatOfName } from '../transfer/data-files.ts'
import { connect, type OperatorConnection, unknownType } from '../transfer/operator-connection.ts'
import { answerOf, problemIn } from '../transfer/operator-replies.ts'

type ExportCommandLine = Pick<CommandLine & { kind: 'run' }, 'options' | 'settings'>

/** Returns the exit code. */
export async function exportCommand(line: ExportCommandLine, surface: Terminal, logs: Logs): Promise<number> {
  const { options } = line
  const [type, to] = [options.get('type'), options.get('to')]
  const format = formatOf(options)
  if (format === null) return usage('--format must be csv, ndjson or json.', surface)
  if (type === undefined && to === undefined) {
    return usage('Say what to export: --type TYPE for one type, or --to FOLDER for everything.', surface)
  }
  const connection = await connect(line, surface, logs)
  try {
    if (type === undefined) return await exportAll(to!, format, connection, surface)
    const of = connection.model.resources.find(({ name }) => name === type)
    if (of === undefined) return usage(unknownType(type, connection.model), surface)
    if (to === undefined) await exportType(of, format, surface.out, connection, surface)
    else surface.err(`${to}: ${await exportToFile(of, format, to, connection, surface)} ${type}\n`)
    return 0
  } finally {
    await connection.close()
  }
}

function usage(mistake: string, surface: Terminal): number {
  surface.err(`error ${mistake}\n\nSee twain export --help.\n`)
  return 2
}

/** Null: there is no such format. */
function formatOf(options: ReadonlyMap<string, string>): DataFormat | null {
  const named = options.get('format')
  if (named !== undefined) return dataFormats.find((one) => one === named) ?? null
  return formatOfName(options.get('to') ?? '') ?? 'ndjson'
}

async function exportAll(
  folder: string,
  format: DataFormat,
  connection: OperatorConnection,
  surface: Terminal,
): Promise<number> {
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length > 0) throw new CommandFailed(`${folder} is not empty. Name a new folder with --to.`)
  const { resources, file } = connection.model
  for (const of of resources) {
    const rows = await exportToFile(of, format, join(folder, fileNameOf(of.name, format)), connection, surface)
    surface.err(`${of.name}: ${rows}\n`)
  }
  if (file !== null) {
    const list = join(folder, fileNameOf(file.resource.name, 'ndjson'))
    const files = await exportToFile(file.resource, 'ndjson', list, connection, surface, (rows) =>
      exportBytes(rows as { id: string }[], folder, connection),
    )
    surface.err(`${file.resource.name}: ${files}\n`)
  }
  return 0
}

async function exportBytes(
  files: readonly { id: string }[],
  folder: string,
  connection: OperatorConnection,
): Promise<void> {
  mkdirSync(join(folder, bytesFolder), { recursive: true })
  for (const { id } of files) {
    const reply = await connection.send('GET', `${filesPath}?${new URLSearchParams({ id })}`)
    if (reply.status !== 200) throw new CommandFailed(problemIn(reply))
    writeFileSync(join(folder, bytesFolder, id), reply.bytes)
  }
}

async function exportToFile(
  of: Resource,
  format: DataFormat,
  file: string,
  connection: OperatorConnection,
  surface: Terminal,
  onRows?: (rows: ExportPage['rows']) => Promise<void>,
): Promise<number> {
  const descriptor = openSync(file, 'w')
  try {
    const write = (text: string) => void writeSync(descriptor, text)
    return await exportType(of, format, write, connection, surface, onRows)
  } finally {
    closeSync(descriptor)
  }
}

/** Returns the number of rows. */
async function exportType(
  of: Resource,
  format: DataFormat,
  write: (text: string) => void,
  connection: OperatorConnection,
  surface: Terminal,
  onRows?: (rows: ExportPage['rows']) => Promise<void>,
): Promise<number> {
  const printer = rowPrinter(format, of)
  const bar = rowBar(surface)
  let count = 0
  write(printer.begin())
  for (let after: string | null = ''; after !== null; ) {
    const query = new URLSearchParams({ type: of.name, after })
    const page: ExportPage = answerOf(await connection.send('GET', `${exportsPath}?${query}`))
    if (page.rows.length > 0) write(printer.rows(page.rows))
    await onRows?.(page.rows)
    count += page.rows.length
    bar.show(null, count, of.name)
    if (surface.stop.aborted) throw new CommandFailed('The export was stopped; the file is not complete.')
    after = page.next
  }
  write(printer.end())
  bar.clear()
  return count
}
