// A deleted row in its last version, from the entry of its delete in the change log. Rules judge deleted rows by it.

import { isAccountTime, type ReferenceField, type Resource, type StoredField } from '#model'
import { defaultValue } from '#plan/build'
import { type Layout, tableOf, withoutKeys } from '../tables/layout.ts'
import type { Dialect, Member } from './dialect.ts'
import { encodeColumn } from './encode.ts'
import { SqlRow } from './sql-row.ts'

/** The last version of a deleted row, from the entry of its delete. */
export class DeletedRow extends SqlRow {
  readonly #dialect: Dialect

  constructor(alias: string, of: Resource, layout: Layout, dialect: Dialect, several = false) {
    super(alias, of, withoutKeys(layout), several)
    this.#dialect = dialect
  }

  override get isPast(): boolean {
    return true
  }

  override get isGone(): boolean {
    return true
  }

  get source(): string {
    return `twain_change AS ${this.alias}`
  }

  /** The condition that the entry is the last delete of the row with this id. */
  isOf(id: string): string {
    const { alias, typeName } = this
    const deletes = `kind = 'deleted' AND resource = ${typeName} AND id = ${id}`
    return (
      `${alias}.kind = 'deleted' AND ${alias}.resource = ${typeName} AND ${alias}.id = ${id} ` +
      `AND ${alias}.version = (SELECT max(version) FROM twain_change WHERE ${deletes})`
    )
  }

  override column(column: string): string {
    if (column === 'id') return `${this.alias}.id`
    const content = contentOf(column, this, { sql: `${this.alias}.time` })
    return this.#dialect.recordMember(`${this.alias}.before`, { path: [column], ...content })
  }
}

/** The type of a logged column, and its fallback; `time` is the time of the change. */
export function contentOf(
  column: string,
  { resource, layout }: SqlRow,
  time: NonNullable<Member['fallback']>,
): Pick<Member, 'type' | 'fallback'> {
  for (const [field, { name }] of tableOf(layout, resource).columns) {
    if (name !== column || field.kind !== 'stored') continue
    const fallback = fallbackOf(field, layout, time)
    return { type: field.type, ...(fallback !== undefined && { fallback }) }
  }
  return { type: 'id' }
}

/** What stands for the field in an entry that is older than the field (invariant 1 of `logged-rows.ts`). */
export function fallbackOf(
  field: StoredField | ReferenceField,
  { codes }: Layout,
  time: Member['fallback'] = { path: ['t'] },
): Member['fallback'] {
  if (field.kind === 'reference') return undefined
  if (isAccountTime(field.auto)) return undefined
  if (field.auto !== null) return time
  const value = encodeColumn(defaultValue(field), field.type, codes)
  return value === null ? undefined : { value }
}
