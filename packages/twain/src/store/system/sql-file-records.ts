// The rows of files in SQL, on either database. SQLite has one writer: a write that refers to a file and the statement that
// deletes it run one after the other. On PostgreSQL a foreign key decides: of two concurrent transactions one is rolled back
// and runs again.

import type { IdempotencyKey, Viewer } from '#base/http'
import type { FileType } from '#model'
import type { SqlValue } from '../sql/encode.ts'
import type { Query, QueryRows } from '../sql/query.ts'
import type { WriteDialect } from '../sql/write-dialect.ts'
import { columnOf, type Layout, linkSides, tableOf } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import type { FileChunks, FileRecord, FileRecords, SweepPortion, SweepResult } from './file-records.ts'
import { claimKey, findResult, readResult } from './idempotency-table.ts'
import { type SystemQuery, systemQuery, toText } from './system-tables.ts'

export interface FileRecordOptions {
  file: FileType
  layout: Layout
  dialect: WriteDialect
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
    const { run, wrote } = this.#parts
    const time = toText(record.created)
    const answer = { file: record.id }
    try {
      // Of several concurrent requests one gets the key, and the others insert no row.
      const [, , found] = await run(
        claimKey(key, answer, time, this.#query),
        { sql: this.#sql.addOnce, parameters: [...parametersOf(record), key.id, JSON.stringify(answer)] },
        findResult(key, time, this.#query),
      )
      return readResult<typeof answer>(key, found!)!.file
    } finally {
      wrote(viewer)
    }
  }

  deleteUnheld(ids: readonly string[]): Promise<string[]> {
    return this.#texts(this.#sql.deleteUnheld, ids)
  }

  async sweep({ after, maxRows, before }: SweepPortion): Promise<SweepResult> {
    const rows = await this.#parts.run(
      { sql: this.#sql.portion, parameters: [after, maxRows] },
      { sql: this.#sql.sweep, parameters: [after, maxRows, new Date(before).toISOString()] },
    )
    const [last, seen] = rows[0]![0]!
    return { bytes: rows[1]!.map(([bytes]) => bytes as string), next: seen === maxRows ? (last as string) : '' }
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

function statementsFor({ file, layout, dialect }: FileRecordOptions) {
  const free = file.holders.map((holder) => `NOT EXISTS (${selectHolders(holder, layout)})`).join(' AND ')
  const portion = 'SELECT id, created FROM twain_file WHERE id > ?1 ORDER BY id LIMIT CAST(?2 AS INTEGER)'
  const listed = `${dialect.jsonTexts('?1')} AS l`
  return {
    add: dialect.text(`${adding} VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`),
    addOnce: dialect.text(
      `${adding} SELECT ?1, ?2, ?3, CAST(?4 AS INTEGER), ?5, ?6, ?7 FROM twain_idempotency_key WHERE id = ?8 AND result = ?9`,
    ),
    deleteUnheld: dialect.text(
      `DELETE FROM twain_file AS f WHERE id IN (SELECT value FROM ${listed}) AND ${free} RETURNING bytes`,
    ),
    portion: dialect.text(`SELECT max(id), count(*) FROM (${portion}) AS p`),
    sweep: dialect.text(
      `DELETE FROM twain_file WHERE id IN (SELECT id FROM (${portion}) AS f WHERE f.created < ?3 AND ${free}) RETURNING bytes`,
    ),
    unused: dialect.text(`SELECT value FROM ${listed} WHERE NOT EXISTS (SELECT 1 FROM twain_file WHERE bytes = value)`),
  }
}

/** Selects the rows that refer to the file `f` by this field. */
function selectHolders({ field }: FileType['holders'][number], layout: Layout): string {
  if (field.kind === 'links') {
    const { table, other } = linkSides(layout, field)
    return `SELECT 1 FROM ${quoteName(table)} WHERE ${quoteName(other)} = f.id`
  }
  return `SELECT 1 FROM ${quoteName(tableOf(layout, field.owner).name)} WHERE ${quoteName(columnOf(layout, field).name)} = f.id`
}
