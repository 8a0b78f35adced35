// `twain import`: creates rows from a file.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { didYouMean } from '#base'
import type { Model } from '#model'
import {
  BadFile,
  type DataFormat,
  dataFormats,
  type ImportOutcome,
  type ImportResult,
  type ImportService,
  importsPath,
  importTarget,
  PortionTooSlow,
  type RowFailure,
  readColumnMap,
  runImport,
} from '#transfer'
import { CommandFailed } from '../report/explain-error.ts'
import type { Logs } from '../report/logs.ts'
import { rowBar } from '../report/progress-bar.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { defaultSchema } from '../settings/default-schema.ts'
import { connect, type OperatorConnection, type OperatorReply } from '../transfer/operator-connection.ts'

type ImportCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Returns the exit code. */
export async function importCommand(line: ImportCommandLine, surface: Terminal, logs: Logs): Promise<number> {
  const { file, options, settings } = line
  const mistakes: string[] = []
  const format = formatOf(file, options, mistakes)
  const map = readColumnMap(options.get('map')?.split('\n') ?? [], mistakes)
  const type = options.get('type')
  if (type === undefined) mistakes.push('--type TYPE is missing: twain import posts.csv --type Post')
  const size = await sizeOf(file, mistakes)
  if (mistakes.length > 0 || format === null || type === undefined) return usage(mistakes, surface)
  const connection = await connect({
    settings,
    schemaFile: options.get('schema') ?? defaultSchema(),
    server: options.get('server') ?? null,
    surface,
    logs,
  })
  const bar = rowBar(surface)
  const started = performance.now()
  try {
    const target = importTarget(connection.model, type, options.has('keep-ids'))
    if (target === null) return usage([unknownType(type, connection.model)], surface)
    const name = `${target.of.name} ${basename(file)}`
    if (options.has('again')) await connection.send('DELETE', nameQuery(name))
    const isDryRun = options.has('dry-run')
    const result = await runImport(importServiceOf(connection), {
      name,
      format,
      target,
      map,
      isDryRun,
      open: () => createReadStream(file, { highWaterMark: 1024 * 1024 }),
      onFailure: (failure) => {
        bar.clear()
        surface.err(failureText(failure))
      },
      onProgress: (position, rows, pass) => bar.show(position, size, rows, pass === 2 ? 'references' : target.of.name),
      stop: surface.stop,
    })
    bar.clear()
    surface.out(summary(result, { file, type: target.of.name, isDryRun, ms: performance.now() - started }))
    return result.kind === 'done' ? 0 : 1
  } catch (error) {
    bar.clear()
    if (!(error instanceof BadFile)) throw error
    return usage([`${file} ${error.message}`], surface)
  } finally {
    await connection.close()
  }
}

function usage(mistakes: readonly string[], surface: Terminal): number {
  for (const mistake of mistakes) surface.err(`error ${mistake}\n`)
  surface.err('\nSee twain import --help.\n')
  return 2
}

function formatOf(file: string, options: ReadonlyMap<string, string>, mistakes: string[]): DataFormat | null {
  const named = options.get('format') ?? extensions[extname(file).toLowerCase()]
  const format = dataFormats.find((one) => one === named) ?? null
  if (format === null) mistakes.push(`The format of ${file} is unknown. Say --format csv, ndjson or json.`)
  return format
}

const extensions: Readonly<Record<string, DataFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
}

async function sizeOf(file: string, mistakes: string[]): Promise<number> {
  try {
    const found = await stat(file)
    if (found.isFile()) return found.size
    mistakes.push(`${file} is no file.`)
  } catch (error) {
    mistakes.push(`${file} can't be read: ${(error as Error).message}`)
  }
  return 0
}

function unknownType(type: string, { resources }: Model): string {
  const names = resources.map(({ name }) => name)
  return `There is no type "${type}" with rows.${didYouMean(type, names) || ` The types are ${names.join(', ')}.`}`
}

function nameQuery(name: string): string {
  return `${importsPath}?name=${encodeURIComponent(name)}`
}

function importServiceOf(connection: OperatorConnection): ImportService {
  return {
    async find(name) {
      return answerOf(await connection.send('GET', nameQuery(name)))
    },
    async write(portion) {
      const reply = await connection.send('POST', importsPath, JSON.stringify(portion))
      if (reply.status === 503) throw new PortionTooSlow(problemIn(reply))
      return answerOf<ImportOutcome>(reply)
    },
  }
}

function answerOf<T>(reply: OperatorReply): T {
  if (reply.status === 200) return JSON.parse(reply.text) as T
  throw new CommandFailed(problemIn(reply))
}

function problemIn({ status, text }: OperatorReply): string {
  try {
    const { detail, hint } = JSON.parse(text) as { detail?: string; hint?: string }
    if (detail !== undefined) return hint === undefined ? detail : `${detail} ${hint}`
  } catch {}
  return `The service answered ${status}: ${text}`
}

function failureText({ line, problems }: RowFailure): string {
  return problems.map(({ path, message }) => `line ${line}: ${path === '' ? '' : `${path}: `}${message}\n`).join('')
}

interface ImportedFile {
  file: string
  type: string
  isDryRun: boolean
  ms: number
}

function summary(result: ImportResult, { file, type, isDryRun, ms }: ImportedFile): string {
  const { kind, rows, failed, earlier, line } = result
  const bad = `${failed} bad ${failed === 1 ? 'row' : 'rows'}`
  if (isDryRun) {
    return failed === 0
      ? `${file}: all ${rows} rows can be imported as ${type}. Nothing was written.\n`
      : `${file}: ${bad}, ${rows} good. Nothing was written.\n`
  }
  const before = earlier === null ? '' : ` ${earlier.rows} were imported before.`
  if (kind === 'done') {
    if (rows === 0 && earlier !== null) {
      return `${file}: nothing is left to import; its ${earlier.rows} rows were imported before. --again imports them again.\n`
    }
    return `${file}: imported ${rows} ${type} in ${(ms / 1000).toFixed(1)} s.${before}\n`
  }
  const next = 'Run the command again to go on from there.'
  if (kind === 'stopped') return `${file}: stopped after line ${line}; imported ${rows} ${type}.${before} ${next}\n`
  return `${file}: ${bad}; imported ${rows} ${type}, up to line ${line}.${before} Correct the file from there on. ${next}\n`
}
