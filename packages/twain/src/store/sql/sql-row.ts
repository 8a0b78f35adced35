// A row of a statement: the alias of its table, and the columns that the statement uses.

import type { ReferenceField, Resource, StoredField } from '#model'
import type { OrderKey } from '#plan'
import { columnOf, type Layout, storageTypeOf, wholeLayout } from '../tables/layout.ts'
import { quoteName, quoteText } from '../tables/quote.ts'

export type ColumnField = StoredField | ReferenceField
export type LeadingEquality = (column: string, value: string) => string

/** The field with which the index must begin that finds the rows of a page, and its direction in front of the keys of the order. */
export interface LeadingField {
  field: ColumnField
  direction: OrderKey['direction']
}

export class SqlRow {
  readonly alias: string
  readonly resource: Resource
  readonly layout: Layout
  /** Every column that was used, so that a subquery around the table can select just these. */
  readonly used: Set<string>

  /** Whether the row could be of another type: then `Type:id` names one exactly. */
  readonly several: boolean

  constructor(alias: string, resource: Resource, layout: Layout, several = false, used = new Set<string>()) {
    this.used = used
    this.several = several
    this.alias = alias
    this.resource = resource
    this.layout = layout
  }

  column(column: string): string {
    this.used.add(column)
    return `${this.alias}.${quoteName(column)}`
  }

  get id(): string {
    return this.column('id')
  }

  get version(): string {
    return this.column('_version')
  }

  stored(field: StoredField): string {
    const own = this.own(field)
    return own.name === 'id' ? this.id : this.column(columnOf(this.layout, own).name)
  }

  /** The column of the keys of the field's texts; null: there is none, and the key is computed. */
  textKey(field: StoredField): string | null {
    const own = this.own(field)
    const key = this.layout.tables.get(own.owner)?.keys?.get(own)
    return key === undefined ? null : this.column(key)
  }

  reference(field: ReferenceField): { id: string; type: string | null } {
    const { name: id, type } = columnOf(this.layout, this.own(field))
    return { id: this.column(id), type: type === null ? null : this.column(type) }
  }

  /** This type's own field. A filter or an order over an interface or a union names the field of the first member type.
   *  Internal columns of files have no such field. */
  own<F extends { name: string }>(field: F): F {
    return (this.resource.fields.get(field.name) as F | undefined) ?? field
  }

  /** The condition that a column of the row has this value. */
  equals(column: string, value: string): string {
    return `${column} = ${value}`
  }

  /** The condition under which the row has a value for this field at all; null: always. */
  presence(_field: StoredField | ReferenceField): string | null {
    return null
  }

  /** The later states of a logged row. A rule that hides a value of one of them hides the logged value too. */
  get later(): readonly LaterRow[] {
    return []
  }

  /** Whether this is a row as it was: it may refer to rows that are deleted by now. */
  get isPast(): boolean {
    return false
  }

  /** Whether the row is deleted: nothing tells any more what its lists had. */
  get isGone(): boolean {
    return false
  }

  /** Of a row that may be deleted: the row as things are, and as they were before rows were hidden. Else null. */
  get states(): readonly [SqlRow, SqlRow] | null {
    return null
  }

  /** Whether this is the row before a change. */
  get isPrevious(): boolean {
    return false
  }

  /** The present name of the type. */
  get typeNamed(): string {
    return quoteText(this.resource.name)
  }

  /** The name that rows store. */
  get typeName(): string {
    return quoteText(storageTypeOf(this.layout, this.resource))
  }
}

/** A later state of a logged row, and the condition that there is none. */
export interface LaterRow {
  row: SqlRow
  isAbsent: string
}

/** A row whose id is an expression other than its own column: a parameter, or a column that refers to it. */
export class SqlRowById extends SqlRow {
  readonly #id: string
  readonly #referrer: SqlRow | null

  /** `referrer`: the row that has the column. */
  constructor(id: string, resource: Resource, layout: Layout, alias = '', referrer: SqlRow | null = null) {
    super(alias, resource, layout)
    this.#id = id
    this.#referrer = referrer
  }

  override equals(column: string, value: string): string {
    return this.#referrer?.equals(column, value) ?? super.equals(column, value)
  }

  override get id(): string {
    return this.#id
  }
}

/** A row that the database must find by an index that begins with this column (`Dialect.leadingEquality`). */
export class SeekRow extends SqlRow {
  /** What `ORDER BY` must begin with. */
  readonly order: string
  readonly #leading: string
  readonly #equality: LeadingEquality

  constructor(alias: string, resource: Resource, layout: Layout, leading: LeadingField, equality: LeadingEquality) {
    super(alias, resource, layout)
    const { field, direction } = leading
    this.#leading = field.kind === 'reference' ? this.reference(field).id : (this.textKey(field) ?? this.stored(field))
    this.order = `${this.#leading} ${direction}`
    this.#equality = equality
  }

  override equals(column: string, value: string): string {
    return column === this.#leading ? this.#equality(column, value) : super.equals(column, value)
  }
}

/** A row of a page with deleted rows. */
export class RestorableRow extends SqlRow {
  readonly #states: readonly [SqlRow, SqlRow]

  constructor(alias: string, resource: Resource, layout: Layout, current?: RestorableRow) {
    super(alias, resource, layout, false, current?.used)
    const stateIn = (each: Layout) => new SqlRow(alias, resource, each, false, this.used)
    this.#states = current?.states ?? [stateIn(layout), stateIn(wholeLayout(layout))]
  }

  override get states(): readonly [SqlRow, SqlRow] {
    return this.#states
  }

  /** The same row, with filters over the rows as they were before rows were hidden. */
  asBefore(): RestorableRow {
    return new RestorableRow(this.alias, this.resource, wholeLayout(this.layout), this)
  }
}

/** The row of a page. `deleted`: whether the page may have deleted rows. */
export function pageRow({ deleted }: { deleted?: unknown }, alias: string, resource: Resource, layout: Layout): SqlRow {
  return deleted === undefined ? new SqlRow(alias, resource, layout) : new RestorableRow(alias, resource, layout)
}
