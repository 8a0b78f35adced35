// Whether the change of a row may change the result of a query.
//
// 1. A row shows its type, and an aggregate the type of its rows: `OrderAggregate`, `OrderGroup`.
// 2. An empty list and a null show no type, so any change may fill them.
// 3. Filters, orders and keys of groups may go through other rows (`where: {customer: {country: …}}`). The client has no schema and
//    can't tell the types of these, so any change counts.

import type { Data, Selection, TypeMatcher, Values } from '../document/selection.ts'

export interface ChangedRow {
  readonly type: string
  /** The types of rows that have changed so far. An aggregate of another type may be one of an interface. */
  readonly seen: ReadonlySet<string>
}

export interface QueryResult {
  readonly select: Selection
  readonly values: Values
  readonly data: Data | undefined
  readonly types: TypeMatcher
}

export function dependsOn({ select, values, data, types }: QueryResult, change: ChangedRow): boolean {
  return data === undefined || fieldsDepend(select, 'Query', data)

  function fieldsDepend(of: Selection, type: string, object: Data): boolean {
    return of
      .shape(type, types, object)
      .links.some((field) => goesThroughRows(field.arguments(values)) || valueDepends(field.select!, object[field.key]))
  }

  function valueDepends(of: Selection, value: unknown): boolean {
    if (value === undefined) return false
    if (Array.isArray(value)) return value.length === 0 || value.some((item) => valueDepends(of, item))
    if (value === null) return true
    const object = value as Data
    const type = String(object.__typename)
    return type === change.type || aggregates(type) || fieldsDepend(of, type, object)
  }

  function aggregates(type: string): boolean {
    const rows = /^(.+)(Aggregate|Group)$/.exec(type)?.[1]
    if (rows === undefined) return false
    return rows === change.type || (types.matches(rows, change.type) ?? !change.seen.has(rows))
  }
}

/** Whether a filter, an order or a key of groups names a field of another row. */
function goesThroughRows({ where, by, orderBy }: Values): boolean {
  // Groups are ordered by their keys and measures, which need no further rows.
  return filtersThroughRows(where) || [by ?? orderBy].flat().some((key) => membersOf(key).some(isNested))
}

function filtersThroughRows(where: unknown): boolean {
  return Object.entries(where ?? {}).some(([name, condition]) =>
    /^(and|or|not)$/.test(name) ? [condition].flat().some(filtersThroughRows) : membersOf(condition).some(isNested),
  )
}

const membersOf = (value: unknown): unknown[] => (isObject(value) ? Object.values(value) : [])

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** `{country: {eq: "NO"}}` and `and: [{…}]`, but not the values of an operator: `in: ["NO"]`. */
const isNested = (value: unknown): boolean => (Array.isArray(value) ? value.some(isObject) : isObject(value))
