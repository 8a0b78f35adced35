// `twain import`: reads a file, sends it to the service in portions, and goes on where an earlier run has stopped.
//
// 1. Each portion is one transaction, and how far the import has come is stored in it. So a killed import goes on behind the
//    last portion, and writes nothing twice.
// 2. The place in the file is a number of bytes, with the digest of these bytes. A file may grow, or be corrected behind this
//    place; a file that differs before it is refused.
// 3. References to rows that come later are set in a second pass, which reads the file again.

import { monotonicTime } from '#base/time'
import {
  BadFile,
  type ColumnMap,
  type DataFormat,
  type FileRecord,
  type InputRow,
  isBadRow,
  type RowFailure,
  rowReader,
  splitRecords,
} from '#records'
import type { ImportPosition } from '#store'
import { type ImportTarget, importColumns } from './columns.ts'
import { FileCheck } from './file-check.ts'
import type { ImportOutcome, ImportPortion } from './import-portion.ts'
import { maxPortionBytes, PortionSize } from './portion-size.ts'
import { PrefixDigest } from './prefix-digest.ts'

/** The service that rows are imported into. */
export interface ImportService {
  /** Throws PortionTooSlow if a smaller portion may succeed. */
  write(portion: ImportPortion): Promise<ImportOutcome>
  find(name: string): Promise<(ImportPosition & { time: string }) | null>
}

/** The transaction took too long; nothing of it was written. */
export class PortionTooSlow extends Error {}

export interface ImportOptions {
  /** Under this name the place in the file is stored. */
  name: string
  format: DataFormat
  target: ImportTarget
  map: ColumnMap
  isDryRun: boolean
  /** Whether to leave references to rows of other files to a later run. */
  isFirstPassOnly?: boolean
  /** Reads the file from its beginning. */
  open(): AsyncIterable<Uint8Array>
  /** Called for each bad row, in the order of the file within a portion. */
  onFailure(failure: RowFailure): void
  onProgress(position: number, rows: number, pass: 1 | 2): void
  stop: AbortSignal
}

export interface ImportResult {
  kind: 'done' | 'stopped' | 'failed'
  /** Written by this run; in a dry run those that could be. */
  rows: number
  /** Bad rows. */
  failed: number
  /** What earlier runs had written. */
  earlier: (ImportPosition & { time: string }) | null
  /** The last line that is done. */
  line: number
}

const beginning: ImportPosition = { pass: 1, position: 0, digest: '', line: 1, rows: 0, waiting: [] }

/** Throws BadFile if the file can't be read, or differs from the one that was imported so far. */
export async function runImport(service: ImportService, options: ImportOptions): Promise<ImportResult> {
  const earlier = options.isDryRun ? null : await service.find(options.name)
  const run = new ImportRun(service, options, earlier)
  return run.run()
}

class ImportRun {
  readonly #service: ImportService
  readonly #options: ImportOptions
  readonly #earlier: ImportResult['earlier']
  readonly #size = new PortionSize()
  readonly #check: FileCheck | null
  #at: ImportPosition
  /** Rows of this run that were written, or read in a dry run. */
  #rows = 0
  readonly #badLines = new Set<number>()

  constructor(service: ImportService, options: ImportOptions, earlier: ImportResult['earlier']) {
    this.#service = service
    this.#options = options
    this.#earlier = earlier
    this.#at = earlier ?? beginning
    this.#check = options.isDryRun ? new FileCheck(options.target) : null
  }

  async run(): Promise<ImportResult> {
    if (this.#at.pass === 1) {
      const end = await this.#pass(1)
      if (end !== 'done') return this.#result(end)
      this.#report(this.#check?.finish() ?? [])
      if (this.#badLines.size > 0) return this.#result('failed')
      const { isDryRun, isFirstPassOnly } = this.#options
      if (isDryRun || isFirstPassOnly || this.#at.waiting.length === 0) return this.#result('done')
    }
    const end = await this.#pass(2)
    if (end === 'done') await this.#finishSecondPass()
    return this.#result(end)
  }

  /** Reads the file once, from where the pass has come to. While the service writes a portion, the next one is read. */
  async #pass(pass: 1 | 2): Promise<ImportResult['kind']> {
    const { stop } = this.#options
    const digest = new PrefixDigest()
    let sent: Promise<boolean> | null = null
    try {
      for await (const batch of this.#batches(pass, digest)) {
        if (sent !== null && !(await sent)) return 'failed'
        if (stop.aborted) return 'stopped'
        sent = this.#send(pass, batch, digest)
        sent.catch(() => {}) // it is awaited behind the next batch
      }
    } catch (error) {
      await sent?.catch(() => {})
      throw error
    }
    return sent === null || (await sent) ? 'done' : 'failed'
  }

  async *#batches(pass: 1 | 2, digest: PrefixDigest): AsyncGenerator<readonly BatchedRow[]> {
    const { format, target, map, open } = this.#options
    const reader = rowReader(format, importColumns(target, map))
    const start = this.#at.pass === pass ? this.#at : beginning
    let batch: BatchedRow[] = []
    let bytes = 0
    let position = 0
    let isFirst = true
    for await (const records of splitRecords(digest.watch(open()), format)) {
      for (const record of records) {
        const isHeader = isFirst && format === 'csv'
        isFirst = false
        if (record.end > start.position && position <= start.position) expectSame(start, digest)
        if (record.end <= start.position && !isHeader) digest.advance(record.end)
        else {
          const row = reader.read(record)
          if (row !== null) batch.push({ row, record })
          bytes += record.text.length
        }
        position = record.end
        if (batch.length < this.#size.rows && bytes < maxPortionBytes) continue
        yield batch
        batch = []
        bytes = 0
      }
    }
    if (position <= start.position && start.position > 0) {
      if (position < start.position) throw fileDiffers(start)
      expectSame(start, digest)
    }
    if (batch.length > 0) yield batch
  }

  /** False: a row is bad, so that nothing of the portion was written. A dry run goes on. */
  async #send(pass: 1 | 2, batch: readonly BatchedRow[], digest: PrefixDigest): Promise<boolean> {
    let left = batch
    while (left.length > 0) {
      const some = left.slice(0, this.#size.rows)
      const started = monotonicTime()
      let isWritten: boolean
      try {
        isWritten = await this.#sendPortion(pass, some, digest)
      } catch (error) {
        if (error instanceof PortionTooSlow && this.#size.halve()) continue
        throw error
      }
      if (!isWritten && !this.#options.isDryRun) return false
      this.#size.took(some.length, monotonicTime() - started)
      left = left.slice(some.length)
    }
    return true
  }

  async #sendPortion(pass: 1 | 2, batch: readonly BatchedRow[], digest: PrefixDigest): Promise<boolean> {
    const { name, target, isDryRun } = this.#options
    const unread = batch.map(({ row }) => row).filter(isBadRow)
    const rows = batch.flatMap(({ row }) => (isBadRow(row) ? [] : [row]))
    const { end, endLine } = batch.at(-1)!.record
    const { position, waiting } = this.#at
    const to = {
      pass,
      position: end,
      digest: digest.upTo(end),
      line: endLine,
      rows: this.#at.rows + (pass === 1 ? rows.length : 0),
    }
    const from = { pass: this.#at.pass, position }
    const step = isDryRun || unread.length > 0 ? null : { name, from, to }
    const duplicates = this.#check?.add(rows) ?? []
    const key = target.onConflict?.fields.map((field) => field.name)
    const onConflict = key === undefined ? {} : { onConflict: key }
    const portion: ImportPortion = { type: target.of.name, rows, pass, waiting, ...onConflict, step }
    const outcome = await this.#service.write(portion)
    const failures = this.#check?.withoutKnown(outcome.failures, rows) ?? outcome.failures
    this.#check?.wait(outcome.waiting, rows)
    const all = byLine([...unread, ...duplicates, ...failures])
    this.#report(all)
    if (all.length === 0 || isDryRun) {
      const more = outcome.waiting.map(({ path }) => path.split('.')[0]!)
      this.#at = { ...to, waiting: [...new Set([...waiting, ...more])] }
      this.#rows += pass === 1 ? batch.length : 0
      digest.advance(end)
      this.#options.onProgress(end, this.#at.rows, pass)
    }
    return all.length === 0
  }

  /** The next rows of a file that grows are created again. */
  async #finishSecondPass(): Promise<void> {
    const { name, target } = this.#options
    const { position, digest, line, rows } = this.#at
    const step = { name, from: { pass: 2, position }, to: { pass: 1, position, digest, line, rows } } as const
    await this.#service.write({ type: target.of.name, rows: [], pass: 1, waiting: [], step })
  }

  #report(failures: readonly RowFailure[]): void {
    for (const failure of failures) {
      this.#badLines.add(failure.line)
      this.#options.onFailure(failure)
    }
  }

  #result(kind: ImportResult['kind']): ImportResult {
    const failed = this.#badLines.size
    const rows = this.#options.isDryRun ? this.#rows - failed : this.#rows
    return { kind, rows, failed, earlier: this.#earlier, line: this.#at.line }
  }
}

interface BatchedRow {
  row: InputRow | RowFailure
  record: FileRecord
}

function byLine(failures: readonly RowFailure[]): RowFailure[] {
  const lines = new Map<number, RowFailure>()
  for (const { line, problems } of failures) {
    lines.set(line, { line, problems: [...(lines.get(line)?.problems ?? []), ...problems] })
  }
  return [...lines.values()].sort((a, b) => a.line - b.line)
}

function expectSame(start: ImportPosition, digest: PrefixDigest): void {
  if (start.position > 0 && digest.upTo(start.position) !== start.digest) throw fileDiffers(start)
}

function fileDiffers({ line, rows }: ImportPosition): BadFile {
  return new BadFile(
    1,
    `The file differs from the one whose first ${rows} rows were imported, up to line ${line}. ` +
      'Bring it back as it was up to there, or say --again to import it from its beginning.',
  )
}
