// What a store must read for an aggregate or for distinct rows: a part of an index, or all rows. It follows from the request and
// from the indexes of the schema, so it tells nothing about rows that the viewer can't read.

import { isIndexable, membersOf, type ReferenceField, type Resource, type StoredField, weights } from '#model'
import type { GroupedField, GroupRead, PageRead, Where } from '../plan.ts'

export interface AggregateScan {
  /** What it adds to the cost of the request. */
  cost: number
  /** What would lower the cost; null: it can't be lower. */
  hint: string | null
}

/** Null: the read is no aggregate. `isRoot`: not a list of a row, whose reference back has an index. */
export function aggregateScan(read: GroupRead | PageRead, isRoot: boolean): AggregateScan | null {
  if (read.kind === 'many' && read.distinct === undefined) return null
  if (!isRoot || read.within !== null || membersOf(read.of).every((member) => isServed(read, member)))
    return { cost: weights.aggregate, hint: null }
  return { cost: weights.scan, hint: hintOf(read) }
}

function hintOf(read: GroupRead | PageRead): string {
  const { of } = read
  const what = `This aggregate of ${of.list} reads all rows and costs ${weights.scan}`
  if (membersOf(of).some(({ view }) => view !== undefined)) return `${what}, like each aggregate of a view.`
  const index = helpfulIndex(read)
  return index === null
    ? `${what}. With a filter by a field that has an index, it costs ${weights.aggregate}.`
    : `${what}. With an index it costs ${weights.aggregate}: ${index}.`
}

/** An index finds the rows of the filter, or returns the rows in the order of the keys. */
function isServed(read: GroupRead | PageRead, of: Resource): boolean {
  if (of.view !== undefined) return false
  if (isNarrowed(read.where, of)) return true
  const wanted = [...fixedFields(read.where), ...keyFields(read)]
  return wanted.length > 0 && startsAnIndex(of, wanted)
}

/** Whether an index finds the rows that match, so that the store does not visit the others. */
function isNarrowed(where: Where | null, of: Resource): boolean {
  if (where === null) return false
  switch (where.kind) {
    case 'and':
      return where.of.some((part) => isNarrowed(part, of))
    case 'or':
      return where.of.every((part) => isNarrowed(part, of))
    case 'search':
      return true
    case 'compare':
      return [...fixedFields(where), ...rangeFields(where)].some((field) => startsAnIndex(of, [field]))
    case 'through':
      if (where.field.kind !== 'reference') return false
      return membersOf(where.field.to).every((to) => isNarrowed(where.where, to))
    case 'type':
      return where.of !== of || isNarrowed(where.where ?? null, of)
    default:
      return false
  }
}

type IndexedField = StoredField | ReferenceField

/** The index that would serve the read: `@index(with: ["status"]) on Order.country`. Null: it is there, or none would. */
export function helpfulIndex(read: GroupRead | PageRead): string | null {
  const { of } = read
  if (of.kind !== 'resource' || of.view !== undefined) return null
  const [range] = rangeFields(read.where)
  const wanted = new Set<IndexedField>([
    ...fixedFields(read.where),
    ...(range === undefined ? keyFields(read) : [range]),
  ])
  const fields = [...wanted].filter((field) => field.owner === of && isIndexable(field))
  const [first, ...others] = fields
  if (first === undefined || startsAnIndex(of, fields)) return null
  const names = others.map(({ name }) => `"${name}"`).join(', ')
  return `${others.length === 0 ? '@index' : `@index(with: [${names}])`} on ${of.name}.${first.name}`
}

/** The index that would return the rows of a page in its order. Null: it is there, a filter finds the rows, or none would help. */
export function helpfulOrderIndex({ of, where, order: [key] }: PageRead): string | null {
  if (of.kind !== 'resource' || of.view !== undefined || key?.kind !== 'field' || isNarrowed(where, of)) return null
  const { field } = key
  return !isIndexable(field) || startsAnIndex(of, [field]) ? null : `@index on ${of.name}.${field.name}`
}

/** What rows are grouped by, as far as an index could have it: no part of a time, no field of another row. */
function keyFields(read: GroupRead | PageRead): IndexedField[] {
  const keys: readonly (GroupedField | null)[] =
    read.kind === 'many'
      ? (read.distinct ?? [])
      : (read.by ?? []).map(({ target, part }) => (part === null ? target : null))
  return keys.flatMap((key): IndexedField[] => {
    if (key === null) return []
    const [step, ...further] = key.through
    if (step === undefined) return [key.field]
    return further.length === 0 && step.field.kind === 'reference' && key.field.name === 'id' ? [step.field] : []
  })
}

/** The fields that every row of the result has the same value in, or one of a few. */
function fixedFields(where: Where | null): IndexedField[] {
  if (where?.kind === 'and') return where.of.flatMap(fixedFields)
  if (where?.kind === 'compare')
    return isWhole(where) && (where.op === 'eq' || where.op === 'in') ? [where.target.field] : []
  if (where?.kind !== 'through' || where.field.kind !== 'reference') return []
  return fixedFields(where.where).some(({ name }) => name === 'id') ? [where.field] : []
}

/** The fields of which the result has a range. */
function rangeFields(where: Where | null): IndexedField[] {
  if (where?.kind === 'and') return where.of.flatMap(rangeFields)
  return where?.kind === 'compare' && isWhole(where) && ranges.has(where.op) ? [where.target.field] : []
}

const ranges: ReadonlySet<string> = new Set(['lt', 'lte', 'gt', 'gte'])

function isWhole({ target }: Where & { kind: 'compare' }): boolean {
  return target.inside.length === 0 && target.json === undefined
}

/** Whether an index begins with these fields, in any order. The ids and every reference have one. */
function startsAnIndex({ indexes }: Resource, fields: readonly IndexedField[]): boolean {
  const names = new Set(fields.map(({ name }) => name))
  const [first] = fields
  if (names.size === 1 && (first!.kind === 'reference' || first!.name === 'id')) return true
  return indexes.some(
    (index) => index.fields.slice(0, names.size).filter(({ name }) => names.has(name)).length === names.size,
  )
}
