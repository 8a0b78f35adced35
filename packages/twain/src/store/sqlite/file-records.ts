// The rows of files in SQLite. All of it is the writer's: a write that is about to hold a file and the statement that forgets
// it come one after the other, so that neither misses the other.

import type { FileType } from '#model'
import type { SqlValue } from '../compile/encode.ts'
import { name } from '../compile/statement.ts'
import type { FileRecord, FileRecords, Portion, Swept } from '../files.ts'
import { columnOf, type Layout, linkSides, tableOf } from '../layout.ts'
import type { Query, Rows } from '../write/ask.ts'

const portion = 'SELECT id, created FROM twain_file WHERE id > ?1 ORDER BY id LIMIT CAST(?2 AS INTEGER)'

type Run = (...statements: Query[]) => Promise<Rows[]>

export class SqliteFileRecords implements FileRecords {
  readonly #run: Run
  readonly #forget: string
  readonly #sweep: string

  constructor(file: FileType, layout: Layout, run: Run) {
    this.#run = run
    const free = file.holders.map((holder) => `NOT EXISTS (${holdingText(holder, layout)})`).join(' AND ')
    this.#forget = `DELETE FROM twain_file AS f WHERE id IN (SELECT value FROM json_each(?)) AND ${free} RETURNING bytes`
    this.#sweep = `DELETE FROM twain_file WHERE id IN (SELECT id FROM (${portion}) AS f WHERE f.created < ?3 AND ${free}) RETURNING bytes`
  }

  async add({ id, name: called, mediaType, size, bytes, uploader, created }: FileRecord): Promise<void> {
    await this.#run({
      sql: 'INSERT INTO twain_file (id, name, media_type, size, bytes, uploader, created) VALUES (?, ?, ?, ?, ?, ?, ?)',
      parameters: [id, called, mediaType, size, bytes, uploader, new Date(created).toISOString()],
    })
  }

  forget(ids: readonly string[]): Promise<string[]> {
    return this.#texts(this.#forget, JSON.stringify(ids))
  }

  async sweep({ after, most, before }: Portion): Promise<Swept> {
    const rows = await this.#run(
      { sql: `SELECT max(id), count(*) FROM (${portion})`, parameters: [after, most] },
      { sql: this.#sweep, parameters: [after, most, new Date(before).toISOString()] },
    )
    const [last, seen] = rows[0]![0]!
    return { bytes: rows[1]!.map(([bytes]) => bytes as string), next: seen === most ? (last as string) : '' }
  }

  unused(bytes: readonly string[]): Promise<string[]> {
    const sql = 'SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM twain_file WHERE bytes = value)'
    return this.#texts(sql, JSON.stringify(bytes))
  }

  async #texts(sql: string, ...parameters: SqlValue[]): Promise<string[]> {
    const [rows] = await this.#run({ sql, parameters })
    return rows!.map(([text]) => text as string)
  }
}

/** Gives a row for each that holds the file `f` by this field. */
function holdingText({ field }: FileType['holders'][number], layout: Layout): string {
  if (field.kind === 'links') {
    const { table, other } = linkSides(layout, field)
    return `SELECT 1 FROM ${name(table)} WHERE ${name(other)} = f.id`
  }
  return `SELECT 1 FROM ${name(tableOf(layout, field.owner).name)} WHERE ${name(columnOf(layout, field).name)} = f.id`
}
