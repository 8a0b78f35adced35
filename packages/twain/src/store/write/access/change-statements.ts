// The statements that write one version of a row together with its entry in the change log. The database makes the image of
// the row (`changes/row-images.ts`).
//
// 1. The statement of the row has the id as ?1, and its own values behind it.
// 2. PostgreSQL writes row and entry with one statement: it saves a message. SQLite runs two.
// 3. A deleted row has its image before the change. The log has the positions: it may come before the row's own statement.

import type { RowImages } from '../../changes/row-images.ts'
import type { SqlValue } from '../../sql/encode.ts'
import type { LoggedChangeKey, Query } from '../../sql/query.ts'
import { newRows } from '../../sql/read.ts'
import type { WriteDialect } from '../../sql/write-dialect.ts'
import { quoteText } from '../../tables/quote.ts'

/** What the log stores of a change beside the image of the row. */
export interface ChangeEntry {
  kind: 'created' | 'updated' | 'deleted'
  /** The version after the change. */
  version: number
  time: string
  /** Who made the change, and through which client. */
  by: string
  via: string | null
  /** The `traceparent` of the work that made it. */
  trace: string | null
  /** Of an update: the previous values of the changed columns and lists, as a JSON text. */
  before: string | null
  /** The changed lists of links after the change, as a JSON text; null if there are none. */
  links: string | null
}

/** The parameters of the entry of a created row: version, time, author, client and trace. */
const entryWidth = 5

export class ChangeStatements {
  readonly #resource: string
  readonly #table: string
  readonly #dialect: WriteDialect
  readonly #images: RowImages
  readonly #image: string
  /** The texts of entries with a statement of their own. */
  readonly #logs = new Map<string, string>()
  #severalLogs: string | undefined

  /** `resource`: the storage name of the type; `table`: the quoted name of its table. */
  constructor(resource: string, table: { name: string; quoted: string }, dialect: WriteDialect, images: RowImages) {
    this.#resource = resource
    this.#table = table.quoted
    this.#dialect = dialect
    this.#images = images
    this.#image = images.of(table.name)
  }

  /** The text of the row's statement, to be remembered: with `parameters` values, the id first. */
  text(statement: string, parameters: number, kind: ChangeEntry['kind'], hasLinks: boolean): string {
    if (!this.#images.loggedWithRow) return this.#dialect.text(statement)
    const returning = `${statement} RETURNING ${this.#image} AS image`
    return this.#dialect.text(
      `WITH w AS (${returning}) ${this.#insert('w.image', kind, hasLinks, parameters + 1)} FROM w`,
    )
  }

  /** The beginning of a statement that creates and logs a row. A SELECT that reads the row, as `newRows`, follows. Null: the database has no
   *  such statement. No field has a name with a blank. */
  beginning(insert: string, parameters: number): string | null {
    if (!this.#images.loggedWithRow) return null
    const returning = `${insert} RETURNING t.*, ${this.#image} AS "row image"`
    const log = this.#insert(`${newRows}."row image"`, 'created', false, parameters + 1)
    return this.#dialect.text(`WITH ${newRows} AS (${returning}), twain_logged AS (${log} FROM ${newRows}) `)
  }

  /** The same for so many rows, where `insert` has `width` parameters for each: those of the row, and then those of `queries`. */
  beginningOfSeveral(insert: string, count: number, width: number): string {
    const entries = Array.from({ length: count }, (_, row) => {
      const place = (index: number) => `?${row * width + index}`
      const [first, last] = [width - entryWidth + 1, width]
      const values = [place(1), ...Array.from({ length: last - first + 1 }, (_each, index) => place(first + index))]
      return `(${(row > 0 ? values : values.map((value, index) => `CAST(${value} AS ${index === 1 ? 'bigint' : 'text'})`)).join(', ')})`
    })
    const log = insertEntry(
      `SELECT ${quoteText(this.#resource)}, e.id, 'created', e.version, e.time, e.by, e.via, e.trace, NULL, w."row image" ` +
        `FROM ${newRows} AS w JOIN twain_entry AS e ON e.id = w.id`,
    )
    return this.#dialect.text(
      `WITH twain_entry (id, version, time, by, via, trace) AS (VALUES ${entries.join(', ')}), ` +
        `${newRows} AS (${insert} RETURNING t.*, ${this.#image} AS "row image"), twain_logged AS (${log}) `,
    )
  }

  /** The same for several new rows: the text of an INSERT with any number of them. The first placeholder of the entry is ?`first`.
   *  Returns how many rows it has written. Without `loggedWithRow`, `countOfSeveral` returns it, and `entriesOfSeveral` logs them. */
  textOfSeveral(insert: string, first: number): string {
    if (!this.#images.loggedWithRow) return this.#dialect.text(insert)
    const returning = `${insert} RETURNING t.id AS id, t._version AS version, ${this.#image} AS image`
    const log = insertEntry(
      `SELECT ${quoteText(this.#resource)}, w.id, 'created', w.version, ${entryPlaces(first)}, NULL, w.image FROM w`,
    )
    return this.#dialect.text(`WITH w AS (${returning}), logged AS (${log} RETURNING 1) SELECT count(*) FROM logged`)
  }

  /** How many rows the statement before it has written. Empty: that statement returns it. */
  get countOfSeveral(): Query[] {
    return this.#images.loggedWithRow ? [] : [{ sql: 'SELECT changes()', parameters: [] }]
  }

  /** Logs new rows of a JSON list of ids, ?1, in its order. Null: their own statement does. */
  entriesOfSeveral(ids: readonly string[], entry: ChangeEntry): Query | null {
    if (this.#images.loggedWithRow) return null
    this.#severalLogs ??= this.#dialect.text(
      insertEntry(
        `SELECT ${quoteText(this.#resource)}, t.id, 'created', t._version, ${entryPlaces(2)}, NULL, ${this.#image} ` +
          `FROM ${this.#dialect.jsonTexts('?1')} AS ids JOIN ${this.#table} AS t ON t.id = ids.value ORDER BY ids.key`,
      ),
    )
    return {
      sql: this.#severalLogs,
      parameters: [JSON.stringify(ids), ...this.entryValues(entry)],
      changes: this.createdKeys(ids),
    }
  }

  /** The values of the placeholders of `entryPlaces`. */
  entryValues({ time, by, via, trace }: ChangeEntry): SqlValue[] {
    return [time, by, via, trace]
  }

  createdKeys(ids: readonly string[]): LoggedChangeKey[] {
    return ids.map((id) => ({ type: this.#resource, id, kind: 'created' }))
  }

  /** Whether the statement of several rows logs them too. */
  get isLoggedWithRow(): boolean {
    return this.#images.loggedWithRow
  }

  /** The queries of the change: `text` is one of `text()`, with the values of its row. */
  queries(text: string, values: readonly SqlValue[], entry: ChangeEntry): Query[] {
    const { kind, version, time, by, via, trace, before, links } = entry
    const logged: SqlValue[] = [version, time, by, via, trace]
    if (kind === 'updated') logged.push(before)
    if (links !== null) logged.push(links)
    const change = { type: this.#resource, id: String(values[0]), kind }
    if (this.#images.loggedWithRow) return [{ sql: text, parameters: [...values, ...logged], change }]
    const row = { sql: text, parameters: [...values] }
    const log = { sql: this.#logText(kind, links !== null), parameters: [values[0]!, ...logged], change }
    return kind === 'deleted' ? [log, row] : [row, log]
  }

  #logText(kind: ChangeEntry['kind'], hasLinks: boolean): string {
    const key = `${kind} ${hasLinks}`
    let text = this.#logs.get(key)
    if (text === undefined) {
      const insert = this.#insert(this.#image, kind, hasLinks, 2)
      text = this.#dialect.text(`${insert} FROM ${this.#table} AS t WHERE t.id = ?1`)
      this.#logs.set(key, text)
    }
    return text
  }

  /** `first`: the number of the first placeholder of the entry. */
  #insert(image: string, kind: ChangeEntry['kind'], hasLinks: boolean, first: number): string {
    const before = kind === 'updated' ? `?${first + 5}` : kind === 'deleted' ? image : 'NULL'
    const links = `?${first + (kind === 'updated' ? 6 : 5)}`
    const after = kind === 'deleted' ? 'NULL' : hasLinks ? this.#images.merged(image, links) : image
    return insertEntry(
      `SELECT ${quoteText(this.#resource)}, ?1, '${kind}', ?${first}, ?${first + 1}, ?${first + 2}, ?${first + 3}, ?${first + 4}, ${before}, ${after}`,
    )
  }
}

function insertEntry(select: string): string {
  return `INSERT INTO twain_change (resource, id, kind, version, time, by, via, trace, before, after) ${select}`
}

/** Time, author, client and trace, from the placeholder `first`. */
function entryPlaces(first: number): string {
  return [0, 1, 2, 3].map((index) => `?${first + index}`).join(', ')
}
