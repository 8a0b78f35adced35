// Imports one file of rows, and prints what becomes of it.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { monotonicTime } from '#base/time'
import type { ColumnMap, DataFormat, RowFailure } from '#records'
import {
  type ImportOptions,
  type ImportOutcome,
  type ImportResult,
  type ImportService,
  importsPath,
  PortionTooSlow,
  runImport,
} from '#transfer'
import { rowBar } from '../report/progress-bar.ts'
import type { Terminal } from '../report/terminal.ts'
import type { OperatorConnection } from './operator-connection.ts'
import { answerOf, problemIn } from './operator-replies.ts'

export interface ImportedFile {
  file: string
  format: DataFormat
  target: ImportOptions['target']
  map: ColumnMap
  isDryRun: boolean
  isFirstPassOnly: boolean
  /** Whether to begin at the beginning, although some of it was imported before. */
  isAgain: boolean
}

/** Throws BadFile. */
export async function importFile(
  imported: ImportedFile,
  connection: OperatorConnection,
  surface: Terminal,
): Promise<ImportResult> {
  const { file, format, target, map, isDryRun, isFirstPassOnly } = imported
  const type = target.of.name
  const name = `${type} ${basename(file)}`
  if (imported.isAgain) await connection.send('DELETE', nameQuery(name))
  const { size } = await stat(file)
  const bar = rowBar(surface)
  const started = monotonicTime()
  try {
    const result = await runImport(importServiceOf(connection), {
      name,
      format,
      target,
      map,
      isDryRun,
      isFirstPassOnly,
      open: () => createReadStream(file, { highWaterMark: 1024 * 1024 }),
      onFailure: (failure) => {
        bar.clear()
        surface.err(failureText(failure))
      },
      onProgress: (position, rows, pass) =>
        bar.show({ position, size }, rows, pass === 2 ? `${type}: references` : type),
      stop: surface.stop,
    })
    bar.clear()
    surface.out(summary(result, imported, monotonicTime() - started))
    return result
  } finally {
    bar.clear()
  }
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
      const reply = await connection.sendValue('POST', importsPath, portion)
      if (reply.status === 503) throw new PortionTooSlow(problemIn(reply))
      return answerOf<ImportOutcome>(reply)
    },
  }
}

function failureText({ line, problems }: RowFailure): string {
  return problems.map(({ path, message }) => `line ${line}: ${path === '' ? '' : `${path}: `}${message}\n`).join('')
}

function summary(result: ImportResult, { file, target, isDryRun }: ImportedFile, milliseconds: number): string {
  const { kind, rows, failed, earlier, line } = result
  const type = target.of.name
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
    return `${file}: imported ${rows} ${type} in ${(milliseconds / 1000).toFixed(1)} s.${before}\n`
  }
  const next = 'Run the command again to go on from there.'
  if (kind === 'stopped') return `${file}: stopped after line ${line}; imported ${rows} ${type}.${before} ${next}\n`
  return `${file}: ${bad}; imported ${rows} ${type}, up to line ${line}.${before} Correct the file from there on. ${next}\n`
}
