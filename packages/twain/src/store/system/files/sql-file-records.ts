// The rows of files in SQL, on either database.
//
// 1. The database's own catalog says which columns refer to files, each time anew: columns of other schema versions count
//    too, also those that a newer node has created since this one started.
// 2. SQLite has one writer: a write that refers to a file and the statement that deletes it run one after the other. On
//    PostgreSQL the foreign key decides: of two concurrent transactions one is rolled back and runs again.
// 3. The cleanup marks a file when it first finds it unreferenced; a write that refers to the file clears the mark. So a
//    marked file has been unreferenced since then.

import type { IdempotencyKey, Viewer } from '#base/http'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { WriteDialect } from '../../sql/write-dialect.ts'
import type { StoreClock } from '../../store-clock.ts'
import { quoteName } from '../../tables/quote.ts'
import { claimKey, findResult, readResult } from '../idempotency-table.ts'
import { type SystemQuery, systemQuery, toText } from '../system-tables.ts'
import type { FileChunks, FileRecord, FileRecords, SweepPortion, SweepResult } from './file-records.ts'

export interface FileRecordOptions {
  dialect: WriteDialect
  clock: StoreClock
  /** Selects `table`, `column` and `to` of every foreign key. */
  foreignKeys: string
  /** Runs all of the statements or none; returns the rows of each. */
  run(...statements: Query[]): Promise<QueryRows[]>
  /** Null if this database stores no bytes. */
  chunks: FileChunks | null
  /** Called with the viewer whose file was added. */
  wrote(viewer: Viewer): void
}

export class SqlFileRecords implements FileRecords {
  readonly chunks: FileChunks | null
  readonly #parts: FileRecordOptions
  readonly #query: SystemQuery
  readonly #sql: ReturnType<typeof statementsFor>
  #cleanup: CleanupStatements | null = null

  constructor(parts: FileRecordOptions) {
    this.chunks = parts.chunks
    this.#parts = parts
    this.#query = systemQuery(parts.dialect)
    this.#sql = statementsFor(parts)
  }

  async add(record: FileRecord, viewer: Viewer): Promise<void> {
    try {
      await this.#parts.run({ sql: this.#sql.add, parameters: parametersOf(record) })
    } finally {
      this.#parts.wrote(viewer)
    }
  }

  async addIdempotent(record: FileRecord, viewer: Viewer, key: IdempotencyKey): Promise<string> {
    const { run, wrote, clock } = this.#parts
    const answer = { file: record.id }
    try {
      // Of several concurrent requests one gets the key, and the others insert no row.
      const [, , found] = await run(
        claimKey(key, answer, clock, this.#query),
        { sql: this.#sql.addOnce, parameters: [...parametersOf(record), key.id, JSON.stringify(answer)] },
        findResult(key, clock, this.#query),
      )
      return readResult<typeof answer>(key, found!)!.file
    } finally {
      wrote(viewer)
    }
  }

  async deleteUnheld(ids: readonly string[]): Promise<string[]> {
    return this.#texts((await this.#cleanupStatements()).deleteUnheld, ids)
  }

  async unheld(ids: readonly string[]): Promise<string[]> {
    return this.#texts((await this.#cleanupStatements()).unheld, ids)
  }

  async sweep({ after, maxRows, before, now }: SweepPortion): Promise<SweepResult> {
    const { clear, mark, sweep } = await this.#cleanupStatements()
    const [portion, , , swept] = await this.#parts.run(
      { sql: this.#sql.portion, parameters: [after, maxRows] },
      { sql: clear, parameters: [after, maxRows] },
      { sql: mark, parameters: [after, maxRows, toText(now)] },
      { sql: sweep, parameters: [after, maxRows, toText(before)] },
    )
    const [last, seen] = portion![0]!
    return { bytes: swept!.map(([bytes]) => bytes as string), next: Number(seen) === maxRows ? (last as string) : '' }
  }

  /** The statements for the columns that refer to files now (1). */
  async #cleanupStatements(): Promise<CleanupStatements> {
    const [columns] = await this.#parts.run({ sql: this.#sql.referrers, parameters: [] })
    const key = JSON.stringify(columns)
    if (this.#cleanup?.key !== key) {
      const referrers = columns!.map(([table, column]) => ({ table: String(table), column: String(column) }))
      this.#cleanup = { key, ...cleanupFor(referrers, this.#parts.dialect) }
    }
    return this.#cleanup
  }

  unused(bytes: readonly string[]): Promise<string[]> {
    return this.#texts(this.#sql.unused, bytes)
  }

  async #texts(sql: string, list: readonly string[]): Promise<string[]> {
    if (list.length === 0) return []
    const [rows] = await this.#parts.run({ sql, parameters: [JSON.stringify(list)] })
    return rows!.map(([text]) => text as string)
  }
}

const adding = 'INSERT INTO twain_file (id, name, media_type, size, bytes, uploader, created)'

function parametersOf({ id, name: called, mediaType, size, bytes, uploader, created }: FileRecord): SqlValue[] {
  return [id, called, mediaType, size, bytes, uploader, toText(created)]
}

const portion = 'SELECT id FROM twain_file WHERE id > ?1 ORDER BY id LIMIT CAST(?2 AS INTEGER)'

function statementsFor({ dialect, foreignKeys }: FileRecordOptions) {
  return {
    add: dialect.text(`${adding} VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`),
    addOnce: dialect.text(
      `${adding} SELECT ?1, ?2, ?3, CAST(?4 AS INTEGER), ?5, ?6, ?7 FROM twain_idempotency_key WHERE id = ?8 AND result = ?9`,
    ),
    portion: dialect.text(`SELECT max(id), count(*) FROM (${portion}) AS p`),
    referrers: `SELECT "table", "column" FROM (${foreignKeys}) AS k WHERE "to" = 'twain_file' ORDER BY 1, 2`,
    unused: dialect.text(
      `SELECT value FROM ${dialect.jsonTexts('?1')} AS l WHERE NOT EXISTS (SELECT 1 FROM twain_file WHERE bytes = value) AND NOT EXISTS (SELECT 1 FROM twain_image WHERE bytes = value)`,
    ),
  }
}

/** The statements of the cleanup, for one set of columns that refer to files. */
interface CleanupStatements {
  key: string
  deleteUnheld: string
  unheld: string
  clear: string
  mark: string
  sweep: string
}

function cleanupFor(
  referrers: readonly { table: string; column: string }[],
  dialect: WriteDialect,
): Omit<CleanupStatements, 'key'> {
  const holds = ({ table, column }: { table: string; column: string }) =>
    `EXISTS (SELECT 1 FROM ${quoteName(table)} AS r WHERE r.${quoteName(column)} = f.id)`
  const held = referrers.length === 0 ? '1 = 0' : `(${referrers.map(holds).join(' OR ')})`
  const inPortion = `f.id IN (${portion})`
  return {
    deleteUnheld: dialect.text(
      `DELETE FROM twain_file AS f WHERE f.id IN (SELECT value FROM ${dialect.jsonTexts('?1')} AS l) AND NOT ${held} RETURNING bytes`,
    ),
    unheld: dialect.text(
      `SELECT f.id FROM twain_file AS f WHERE f.id IN (SELECT value FROM ${dialect.jsonTexts('?1')} AS l) AND NOT ${held}`,
    ),
    clear: dialect.text(
      `UPDATE twain_file AS f SET unreferenced = NULL WHERE ${inPortion} AND f.unreferenced IS NOT NULL AND ${held}`,
    ),
    mark: dialect.text(
      `UPDATE twain_file AS f SET unreferenced = ?3 WHERE ${inPortion} AND f.unreferenced IS NULL AND NOT ${held}`,
    ),
    sweep: dialect.text(
      `DELETE FROM twain_file AS f WHERE ${inPortion} AND f.unreferenced < ?3 AND NOT ${held} RETURNING bytes`,
    ),
  }
}
