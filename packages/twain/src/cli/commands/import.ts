// `twain import`: creates rows from a file, or from a folder that `twain export` has written.

import { statSync } from 'node:fs'
import { BadFile, type DataFormat, dataFormats } from '#records'
import { conflictKey, importTarget, readColumnMap } from '#transfer'
import type { Logs } from '../report/logs.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { formatOfName } from '../transfer/data-files.ts'
import { importFile } from '../transfer/import-file.ts'
import { importFolder } from '../transfer/import-folder.ts'
import { connect, type OperatorConnection, unknownType } from '../transfer/operator-connection.ts'
import { growYoungGeneration } from './young-generation.ts'

type ImportCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Returns the exit code. */
export async function importCommand(line: ImportCommandLine, surface: Terminal, logs: Logs): Promise<number> {
  const { file, options } = line
  const mistakes: string[] = []
  const isFolder = isFolderAt(file, mistakes)
  const plan = isFolder ? folderPlan(options, mistakes) : filePlan(file, options, mistakes)
  if (mistakes.length > 0) return usage(mistakes, surface)
  growYoungGeneration()
  const connection = await connect(line, surface, logs)
  try {
    return await plan(connection, surface)
  } catch (error) {
    if (!(error instanceof BadFile)) throw error
    return usage([`${file} ${error.message}`], surface)
  } finally {
    await connection.close()
  }

  type Plan = (connection: OperatorConnection, surface: Terminal) => Promise<number>

  function folderPlan(options: ImportCommandLine['options'], mistakes: string[]): Plan {
    for (const name of ['type', 'format', 'map', 'on-conflict', 'dry-run']) {
      if (options.has(name)) mistakes.push(`--${name} is for one file, and ${file} is a folder.`)
    }
    return async (connection, surface) =>
      (await importFolder(file, options.has('again'), connection, surface)) === 'done' ? 0 : 1
  }
}

function filePlan(file: string, options: ImportCommandLine['options'], mistakes: string[]) {
  const format = formatOf(file, options, mistakes)
  const map = readColumnMap(options.get('map')?.split('\n') ?? [], mistakes)
  const type = options.get('type') ?? ''
  if (options.has('on-conflict') && options.has('keep-ids'))
    mistakes.push('--on-conflict finds rows by a unique key, and --keep-ids by their ids. Say one of them.')
  if (type === '') mistakes.push('--type TYPE is missing: twain import posts.csv --type Post')
  return async (connection: OperatorConnection, surface: Terminal): Promise<number> => {
    const target = importTarget(connection.model, type, options.has('keep-ids'))
    if (target === null || format === null) return usage([unknownType(type, connection.model)], surface)
    const conflict = options.get('on-conflict')
    const onConflict = conflict === undefined ? null : conflictKey(target.of, conflict)
    if (typeof onConflict === 'string') return usage([onConflict], surface)
    const isDryRun = options.has('dry-run')
    const isAgain = options.has('again') && !isDryRun
    const imported = { file, format, target: { ...target, onConflict }, map, isDryRun, isAgain, isFirstPassOnly: false }
    const { kind } = await importFile(imported, connection, surface)
    return kind === 'done' ? 0 : 1
  }
}

function usage(mistakes: readonly string[], surface: Terminal): number {
  for (const mistake of mistakes) surface.err(`error ${mistake}\n`)
  surface.err('\nSee twain import --help.\n')
  return 2
}

function formatOf(file: string, options: ReadonlyMap<string, string>, mistakes: string[]): DataFormat | null {
  const named = options.get('format')
  const format = named === undefined ? formatOfName(file) : (dataFormats.find((one) => one === named) ?? null)
  if (format === null) mistakes.push(`The format of ${file} is unknown. Say --format csv, ndjson or json.`)
  return format
}

function isFolderAt(file: string, mistakes: string[]): boolean {
  try {
    return statSync(file).isDirectory()
  } catch (error) {
    mistakes.push(`${file} can't be read: ${(error as Error).message}`)
    return false
  }
}
