// How many rows each table has and how wide they are, refreshed at most once a second. Tables that nobody reads cost nothing.
//
// 1. A small table is measured here, by the lengths in each row's header: half a microsecond a row.
// 2. A large table is scanned once in a reader process. Until then its last rows stand for it, and later writes are added as
//    they come.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { monotonicTime } from '#base/time'
import type { Link, Resource } from '#model'
import type { StorageFailures } from '../../observe/storage-failures.ts'
import { isWide, type RowBytes, type Sizes } from '../../read/estimate-bytes.ts'
import { joined } from '../../sql/statement-builder.ts'
import { type Layout, sourceOf, type Table } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'

const refreshIntervalMs = 1000
const maxMeasuredRows = 2000
const sampleRows = 100
/** A read of more rows is long in any case. */
const maxCountedRows = 20_001

/** Runs a statement in a reader process. */
type ReadElsewhere = (sql: string) => Promise<unknown[] | null>

interface RowCount {
  sql: string
  /** Null before the first use. */
  statement: StatementSync | null
  rows: number
  countedAt: number
}

interface RowWidth {
  /** SQL that measures the last rows, as many as are bound. */
  lastRows: string
  /** The same, prepared; null before the first use. */
  statement: StatementSync | null
  /** Measures all rows. */
  sql: string
  bytes: RowBytes
  measuredAt: number
  /** The measured widths of a large table; null before the first read. */
  ofLargeTable: { widest: number; average: number } | null
}

const nothing: RowBytes = { all: 0, widest: 0, average: 0 }

export class TableSizes implements Sizes {
  readonly #database: DatabaseSync
  readonly #failures: StorageFailures
  readonly #counts = new Map<Resource | Link, RowCount>()
  /** Only for tables with columns that can be wide. */
  readonly #widths = new Map<Resource, RowWidth>()
  readonly #elsewhere: ReadElsewhere
  readonly #log: RowCount = {
    sql: 'SELECT max(seq) - min(seq) + 1 AS rows FROM (SELECT min(seq) AS seq FROM twain_change UNION ALL SELECT max(seq) FROM twain_change)',
    statement: null,
    rows: 0,
    countedAt: -refreshIntervalMs,
  }

  constructor(database: DatabaseSync, layout: Layout, elsewhere: ReadElsewhere, failures: StorageFailures) {
    this.#database = database
    this.#failures = failures
    this.#elsewhere = elsewhere
    for (const [of, table] of [...layout.tables, ...layout.links]) {
      if ('view' in of) continue // its rows can't be counted without running it
      const sql =
        'isNumbered' in table
          ? `SELECT count(*) AS rows FROM (SELECT 1 FROM ${quoteName(table.name)} LIMIT ${maxCountedRows})`
          : `SELECT max(_n) AS rows FROM ${quoteName(table.name)}`
      this.#counts.set(of, { sql, statement: null, rows: 0, countedAt: -refreshIntervalMs })
    }
    for (const [of, table] of layout.tables) {
      const width = 'view' in of ? null : widthOf(table)
      if (width === null) continue
      const columns = `avg(${width}), max(${width}), count(*)`
      const sql = `SELECT ${columns} FROM ${sourceOf(table)}`
      const lastRows = `SELECT ${columns} FROM (SELECT * FROM ${sourceOf(table)}${newestFirst(table)} LIMIT CAST(? AS INTEGER))`
      const unmeasured = { statement: null, bytes: nothing, measuredAt: -refreshIntervalMs, ofLargeTable: null }
      this.#widths.set(of, { lastRows, sql, ...unmeasured })
    }
  }

  rows(of: Resource | Link): number {
    const count = this.#counts.get(of)
    if (count === undefined) return maxCountedRows
    if (monotonicTime() - count.countedAt > refreshIntervalMs) this.#count(count)
    return count.rows
  }

  changes(): number {
    if (monotonicTime() - this.#log.countedAt > refreshIntervalMs) this.#count(this.#log)
    return this.#log.rows
  }

  bytes(of: Resource): RowBytes {
    const measured = this.#widths.get(of)
    if (measured === undefined) return nothing
    if (monotonicTime() - measured.measuredAt > refreshIntervalMs) this.#measure(of, measured)
    return measured.bytes
  }

  /** Adds the bytes that a write brings. */
  note(of: Resource, bytes: number): void {
    const measured = this.#widths.get(of)
    if (measured === undefined) return
    const { all, widest, average } = measured.bytes
    measured.bytes = { all: all + bytes, widest: Math.max(widest, bytes), average }
    if (measured.ofLargeTable !== null) measured.ofLargeTable.widest = Math.max(measured.ofLargeTable.widest, bytes)
  }

  #count(count: RowCount): void {
    count.countedAt = monotonicTime()
    count.statement ??= this.#database.prepare(count.sql)
    const { statement } = count
    count.rows = this.#failures.reading(() => Number((statement.get() as { rows: number | null }).rows ?? 0))
  }

  #measure(of: Resource, measured: RowWidth): void {
    measured.measuredAt = monotonicTime()
    const isSmall = this.rows(of) <= maxMeasuredRows
    const last = this.#measureLast(measured, isSmall ? maxMeasuredRows : sampleRows)
    if (isSmall) {
      measured.bytes = last
      return
    }
    if (measured.ofLargeTable === null) this.#measureElsewhere(measured, last)
    const { widest, average } = measured.ofLargeTable!
    const all = Number.POSITIVE_INFINITY
    measured.bytes = { all, widest: Math.max(widest, last.widest), average: Math.max(average, last.average) }
  }

  #measureLast(measured: RowWidth, rows: number): RowBytes {
    if (measured.statement === null) {
      measured.statement = this.#database.prepare(measured.lastRows)
      measured.statement.setReturnArrays(true)
    }
    const { statement } = measured
    return read(this.#failures.reading(() => statement.get(rows) as unknown as unknown[]))
  }

  #measureElsewhere(measured: RowWidth, { widest, average }: RowBytes): void {
    const known = { widest, average }
    measured.ofLargeTable = known
    this.#elsewhere(measured.sql).then(
      (row) => {
        const all = read(row ?? [])
        known.widest = Math.max(known.widest, all.widest)
        known.average = all.average
        measured.measuredAt = -refreshIntervalMs
      },
      () => {}, // it timed out, or the store is closed: the last widths stay
    )
  }
}

/** The rows of a type of the server itself are measured in any order. */
function newestFirst({ source }: Table): string {
  return source === undefined ? ' ORDER BY _n DESC' : ''
}

function read([average, widest, rows]: unknown[]): RowBytes {
  return { average: Number(average ?? 0), widest: Number(widest ?? 0), all: Number(average ?? 0) * Number(rows ?? 0) }
}

/** SQL of the bytes of the wide columns of a row; SQLite finds them without reading the texts. Null: no wide columns. */
function widthOf(table: Table): string | null {
  const lengths: string[] = []
  for (const [field, column] of table.columns) {
    if (field.kind === 'stored' && isWide(field.type))
      lengths.push(`coalesce(octet_length(${quoteName(column.name)}), 0)`)
  }
  return lengths.length === 0 ? null : joined(lengths, '+')
}
