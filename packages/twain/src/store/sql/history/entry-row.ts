// The row of an entry of the change log, before or after its change: a row whose columns are members of the entry's images.
//
// An entry has the whole row after an update, and of the row before it the changed columns only. What the images lack has the
// fallback of `logged-rows.ts`.

import type { Resource } from '#model'
import { type Layout, tableOf, withoutKeys } from '../../tables/layout.ts'
import { contentOf } from '../deleted-row.ts'
import type { Dialect, Member } from '../dialect.ts'
import { SqlRow } from '../sql-row.ts'

export class EntryRow extends SqlRow {
  readonly #image: 'before' | 'after'
  readonly #dialect: Dialect

  constructor(alias: string, image: 'before' | 'after', of: Resource, layout: Layout, dialect: Dialect) {
    super(alias, of, withoutKeys(layout))
    this.#image = image
    this.#dialect = dialect
  }

  override get isPast(): boolean {
    return true
  }

  override column(column: string): string {
    if (column === 'id') return `${this.alias}.id`
    if (column === '_version') return `${this.alias}.version`
    const content = contentOf(column, this, { sql: `${this.alias}.time` })
    return this.#member(this.#image, { path: [column], ...content })
  }

  /** A list of links; NULL if the change is not about it. */
  links(name: string): string {
    return this.#dialect.recordMember(`${this.alias}.${this.#image}`, { path: [name], type: idList })
  }

  /** Whether the change wrote the field: SQL over the columns that it has in the log. */
  isChanged(columns: readonly string[]): string {
    const { alias } = this
    const isSet = columns.map((column) => `${this.#member('after', { path: [column], type: 'id' })} IS NOT NULL`)
    const isOther = columns.map((column) => this.#dialect.hasMember(`${alias}.before`, column))
    const created = `${alias}.kind = 'created' AND (${isSet.join(' OR ')})`
    return `(${created} OR ${alias}.kind = 'updated' AND (${isOther.join(' OR ')}))`
  }

  #member(image: 'before' | 'after', member: Omit<Member, 'as'>): string {
    const after = this.#dialect.recordMember(`${this.alias}.after`, member)
    if (image === 'after') return after
    return this.#dialect.recordMember(`${this.alias}.before`, { ...member, fallback: { sql: after } })
  }
}

export const idList = { kind: 'list', of: { kind: 'scalar', name: 'ID' }, itemRequired: true } as const

/** The columns of a field in the log. */
export function loggedColumns(of: Resource, layout: Layout, name: string): string[] {
  for (const [field, { name: column, type }] of tableOf(layout, of).columns) {
    if (field.name === name) return type === null ? [column] : [column, type]
  }
  throw new Error(`${of.name}.${name} has no column`)
}
