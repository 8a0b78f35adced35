// Whether existing rows violate a new schema, also one that may break clients: a required field without a value, duplicates
// in a unique field, a value that the enum no longer has.

import { unreachable } from '#base'
import type { Model, Resource, StoredField, StoredType } from '#model'
import type { Difference } from '#model/compare'
import { findLackingRows, type LackingRows, type RowCheck } from './lacking-rows.ts'
import { isLive } from './layout.ts'
import { quoteName } from './quote.ts'
import type { StorageNames } from './storage-names.ts'
import { storageCode } from './storage-names.ts'

export interface SchemaChange {
  before: Model
  after: Model
  names: StorageNames
  /** The names of its parts in earlier schemas. */
  earlierNames: StorageNames
}

/** A difference that rows violate. */
export interface RowViolation {
  difference: Difference
  /** Null if no value is missing: there are wrong ones. */
  lacking: LackingRows | null
}

/** Null: the rows fit. */
export function* findViolation(difference: Difference, change: SchemaChange): RowCheck<RowViolation | null> {
  const lacking = yield* findLacking(difference, change)
  if (lacking !== null) return { difference, lacking }
  return (yield* hasWrongRows(difference, change)) ? { difference, lacking: null } : null
}

/** The rows that have no value for a field that the new schema requires; null: the difference requires none, or all have it. */
export function* findLacking({ path, rows }: Difference, change: SchemaChange): RowCheck<LackingRows | null> {
  if (rows !== 'none' && rows !== 'filled') return null
  const [type = '', field = ''] = path.split('.')
  const table = change.names.tables[type]
  if (table === undefined) return null
  if (rows === 'none') return yield* findLackingRows({ type, field }, table.name, returningColumn(type, field, change))
  const column = table.columns[field]
  return column === undefined ? null : yield* findLackingRows({ type, field }, table.name, column.name)
}

function* hasWrongRows({ path, rows }: Difference, change: SchemaChange): RowCheck<boolean> {
  const [type = '', member = ''] = path.split('.')
  const table = change.names.tables[type]
  const columns = table?.columns ?? {}
  const columnOf = (field: string) => columns[field]?.name ?? returningColumn(type, field, change) ?? []
  switch (rows) {
    case 'stay':
    case 'dropped':
    case 'none':
    case 'filled':
      return false
    case 'unique':
      if (table === undefined) return false
      return (yield selectDuplicates(table, member.split('+').flatMap(columnOf))).length > 0
    case 'unused':
      for (const select of selectHolders(type, member, change)) if ((yield select).length > 0) return true
      return false
    default:
      return unreachable(rows)
  }
}

/** The retired column of a field that comes back. */
function returningColumn(type: string, field: string, { names, earlierNames }: SchemaChange): string | null {
  const column = earlierNames.tables[type]?.columns[field]?.name
  const isRetired = column !== undefined && Object.hasOwn(names.tables[type]?.columns ?? {}, `-${column}`)
  return isRetired ? column : null
}

/** A new field has the same value in all rows. Values are compared as text, since PostgreSQL does not compare JSON. The unique
 *  values of hidden rows are free (`indexes.ts`). */
function selectDuplicates(
  { name, hides }: Pick<StorageNames['tables'][string], 'name' | 'hides'>,
  columns: readonly string[],
): string {
  const there = columns.map(quoteName)
  const live = hides === true ? [isLive] : []
  const from = `SELECT 1 FROM ${quoteName(name)}`
  if (there.length === 0) return `${from}${live.map((one) => ` WHERE ${one}`).join('')} LIMIT 1 OFFSET 1`
  const values = there.map((column) => `CAST(${column} AS text)`).join(', ')
  const all = [...live, ...there.map((column) => `${column} IS NOT NULL`)].join(' AND ')
  return `${from} WHERE ${all} GROUP BY ${values} HAVING count(*) > 1 LIMIT 1`
}

/** SELECTs of the rows that hold the enum value, or a value of the value type, or refer to a type that is no longer a member. */
function* selectHolders(typeName: string, member: string, { before, after, names }: SchemaChange): Generator<string> {
  const type = before.types.get(typeName)
  for (const resource of before.resources) {
    const table = names.tables[resource.name]
    const now = after.types.get(resource.name)
    if (table === undefined || now?.kind !== 'resource') continue
    for (const field of resource.fields.values()) {
      const column = table.columns[field.name]
      const same = now.fields.get(field.name)
      if (column === undefined || same === undefined) continue
      const select = `SELECT 1 FROM ${quoteName(table.name)} WHERE ${quoteName(column.name)}`
      // A hidden row with the value can't be restored (`write/rows/restore-row.ts`).
      const live = ` AND ${isLive} LIMIT 1`
      if (field.kind === 'stored' && type?.kind === 'enum' && containsType(field, typeName)) {
        // Inside a list or a value it is JSON; a text with the same characters refuses the start too.
        const code = storageCode(names, typeName, member)
        yield field.type.kind === 'enum'
          ? `${select} = '${code}'${live}`
          : `${selectByText(table.name, column.name)} LIKE '%"${code}"%'${live}`
      } else if (field.kind === 'stored' && type?.kind === 'value' && containsType(field, typeName)) {
        yield `${select} IS NOT NULL LIMIT 1`
      } else if (type?.kind === 'resource' && column.type !== null && excludesType(same, typeName)) {
        yield `SELECT 1 FROM ${quoteName(table.name)} WHERE ${quoteName(column.type)} = '${storageTypeName(typeName, names)}' LIMIT 1`
      }
    }
    yield* selectLinks(resource, now, typeName, names)
  }
}

function* selectLinks(before: Resource, after: Resource, typeName: string, names: StorageNames): Generator<string> {
  for (const field of before.fields.values()) {
    const link = names.links[`${before.name}.${field.name}`]
    const same = after.fields.get(field.name)
    if (link === undefined || link.rightType === null || same === undefined || !excludesType(same, typeName)) continue
    yield `SELECT 1 FROM ${quoteName(link.name)} WHERE ${quoteName(link.rightType)} = '${storageTypeName(typeName, names)}' LIMIT 1`
  }
}

function storageTypeName(typeName: string, { tables }: StorageNames): string {
  return tables[typeName]?.type ?? typeName
}

/** Whether a reference leads to an interface or a union without this type. */
function excludesType(field: NonNullable<ReturnType<Resource['fields']['get']>>, typeName: string): boolean {
  if (field.kind !== 'reference' && field.kind !== 'links') return false
  return field.to.kind === 'abstract' && !field.to.members.some((member) => member.name === typeName)
}

function containsType(field: StoredField, typeName: string): boolean {
  const seen = new Set<string>()
  const holds = (type: StoredType): boolean => {
    if (type.kind === 'list') return holds(type.of)
    if (type.kind === 'enum') return type.enum.name === typeName
    if (type.kind !== 'value') return false
    if (type.value.name === typeName) return true
    if (seen.has(type.value.name)) return false
    seen.add(type.value.name)
    return [...type.value.fields.values()].some((inner) => holds(inner.type))
  }
  return holds(field.type)
}

function selectByText(table: string, column: string): string {
  return `SELECT 1 FROM ${quoteName(table)} WHERE CAST(${quoteName(column)} AS text)`
}
