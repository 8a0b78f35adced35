// The rows that a subscription's statement reads for a change: the images before and after it, and the later states of the row.
//
// 1. An entry may be older than a field. Then the field has its default; a time that the server sets is that of the change.
//    A required field without a default is left out, like a field that the viewer may not read.
// 2. What a rule hides now is not shown by an older image. So each guard of the row and of its fields must also hold for the
//    row as it is now; of a deleted row, for its last version.

import type { ReferenceField, Resource, StoredField } from '#model'
import { columnOf, type Layout, withoutKeys } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import { contentOf, DeletedRow, fallbackOf } from './deleted-row.ts'
import type { Member } from './dialect.ts'
import { type LaterRow, SqlRow } from './sql-row.ts'
import type { StatementBuilder } from './statement-builder.ts'
import { from } from './where.ts'

/** Stands for the image itself among its columns; no column has this name. */
const wholeImage = ''

/** One of the two images of each change: `b` before it, `a` after it. */
export class ImageRow extends SqlRow {
  readonly #image: 'a' | 'b'
  readonly #later: () => readonly LaterRow[]

  constructor(alias: string, image: 'a' | 'b', of: Resource, layout: Layout, later: () => readonly LaterRow[]) {
    super(alias, of, withoutKeys(layout))
    this.#image = image
    this.#later = later
  }

  override get later(): readonly LaterRow[] {
    return this.#later()
  }

  override get isPast(): boolean {
    return true
  }

  override get isPrevious(): boolean {
    return this.#image === 'b'
  }

  /** A delete has no row after it. */
  asLater(): LaterRow {
    return { row: this, isAbsent: `${this.column(wholeImage)} IS NULL` }
  }

  override column(column: string): string {
    super.column(column)
    return `${this.alias}.${quoteName(this.#image + column)}`
  }

  override presence(field: StoredField | ReferenceField): string | null {
    const own = this.own(field)
    if (own.name === 'id' || !own.required || fallbackOf(own, this.layout) !== undefined) return null
    return `${this.column(columnOf(this.layout, own).name)} IS NOT NULL`
  }

  /** The members that the statement uses. */
  members(): Member[] {
    return [...this.used].map((column): Member => {
      const as = this.#image + column
      if (column === 'id') return { path: ['i'], type: 'id', as }
      if (column === '_version') return { path: ['v'], type: 'version', as }
      if (column === wholeImage) return { path: [this.#image], type: 'id', as }
      return { path: [this.#image, column], as, ...contentOf(column, this, { path: ['t'] }) }
    })
  }
}

/** The row of each change as it is now, and as it was when it was deleted (2). Neither exists if the change is the last one:
 *  the image is then the row as it is now. */
export class LaterRows {
  readonly #now: SqlRow
  readonly #last: DeletedRow
  #isUsed = false

  constructor(of: Resource, layout: Layout, statement: StatementBuilder) {
    this.#now = new SqlRow(statement.alias(), of, layout)
    this.#last = new DeletedRow(statement.alias(), of, layout, statement.dialect)
  }

  get rows(): readonly LaterRow[] {
    this.#isUsed = true
    return [this.#now, this.#last].map((row) => ({ row, isAbsent: `${row.alias}.id IS NULL` }))
  }

  /** Joins the later rows to the changes, if the statement uses them. */
  join(image: ImageRow): string {
    if (!this.#isUsed) return ''
    const now = this.#now
    const last = this.#last.alias
    const isNow = `${now.id} = ${image.id} AND ${now.version} <> ${image.version}`
    const isLast = `${this.#last.isOf(image.id)} AND ${last}.version > ${image.version}`
    return ` LEFT JOIN ${from(now)} ON ${isNow} LEFT JOIN ${this.#last.source} ON ${isLast}`
  }
}
