// Whether an index returns a page's rows in their order, so that the database visits no row outside the page.

import { unreachable } from '#base'
import type { CompareOp, Field, LinksField, Resource, StoredField, ToManyField } from '#model'
import { membersOf } from '#model'
import type { ComparedField, ComparedValue, OrderKey, PageRead, Where } from '#plan'
import { isByColumns } from './order-keys.ts'
import type { ColumnField, LeadingField } from './sql-row.ts'

/** The list that the page reads; null: all rows of the type. */
export type PageList = ToManyField | LinksField | null

/** Whether an index returns exactly the page's rows, in their order. No index knows which rows are deleted. */
export function isInOrder(read: PageRead, of: Resource, scope: PageList): boolean {
  if (read.distinct !== undefined || read.deleted !== undefined) return false
  const parts = conjuncts(read.where)
  const equal = parts.filter((part) => equality(part, of) !== null)
  const columns = equal.map((part) => equality(part, of)!)
  if (!givesInOrder(read.order, of, scope, columns)) return false
  const ranges = rangesOfFirstKey(read, scope, columns)
  return parts.every((part) => equal.includes(part) || ranges.includes(part))
}

/** The conditions of the filter that an index covers while it returns the rows in their order: as many as possible. The
 *  database must check every other condition on each row. Null: there is no such index. */
export function coveredByIndex(read: PageRead, of: Resource, scope: PageList): Where[] | null {
  const { where, order, distinct, deleted } = read
  // All rows that pass are compared with each other.
  if (distinct !== undefined || deleted !== undefined) return null
  // The word index collects all its matches before the first row is checked, however many there are.
  if (conjuncts(where).some(({ kind }) => kind === 'search')) return null
  const equal = covered(where, of, (columns) => givesInOrder(order, of, scope, columns))
  if (equal === null) return null
  const columns = equal.map((part) => equality(part, of)!)
  return [...equal, ...rangesOfFirstKey(read, scope, columns)]
}

/** The first field of the index that has just the rows of a filter or of a list, in the order of the page. Null if the database can't
 *  read another index in that order, among other rows; or if two filters have such an index: it knows better which has fewer rows. */
export function leadingField(read: PageRead, of: Resource, scope: PageList): LeadingField | null {
  if (read.of !== of || scope?.kind === 'links') return null
  const parts = coveredByIndex(read, of, scope)
  const filtered = fieldsOfFilter(read, of)
  if (parts === null || isOneRow(of, filtered)) return null
  const list = scope === null ? [] : [scope.via]
  const fixed = [...parts.flatMap((part) => equality(part, of) ?? []), ...list]
  const keys = keysBeside(read.order, fixed)
  const leading = indexesOf(of).find((index) => serves(index, fixed, keys))?.[0]
  if (fixed.length === 0 || leading === undefined) return null
  // An index that has the first key in order is enough: the database sorts the rows by the others in portions.
  const others = choices([...new Set([...filtered, ...list])]).filter(
    (some) => !some.includes(leading) && hasIndexFor(some, keys.slice(0, 1), of),
  )
  const isOnlyChoice = others.length > 0 && others.flat().every((field) => fixed.includes(field))
  return isOnlyChoice ? { field: leading, direction: keys[0]!.direction } : null
}

/** Whether the index of the link table has just the linked rows, in the order of the page, and no index of a filter has. */
export function isFoundByLink(read: PageRead, of: Resource, scope: PageList): boolean {
  if (read.of !== of || scope?.kind !== 'links' || coveredByIndex(read, of, scope) === null) return false
  const filtered = [...new Set(fieldsOfFilter(read, of))]
  if (isOneRow(of, filtered)) return false
  return !choices(filtered).some((some) => some.length > 0 && hasIndexFor(some, keysBeside(read.order, some), of))
}

function fieldsOfFilter({ where }: PageRead, of: Resource): ColumnField[] {
  return conjuncts(where)
    .flatMap((part) => equality(part, of) ?? [])
    .slice(0, maxCoveredConditions)
}

/** The value that all rows of the page have as this key, because the filter compares it for equality. */
export function fixedValue(where: Where | null, key: OrderKey): ComparedValue | null {
  if (key.kind !== 'field' || key.guard !== undefined) return null
  return conjuncts(where).find((part) => comparesColumn(part, ['eq'], key.field))?.parameter ?? null
}

/** Whether an index returns the rows in the order of the page. */
export function hasOrderIndex({ where, order }: PageRead, of: Resource): boolean {
  return covered(where, of, (columns) => givesInOrder(order, of, null, columns)) !== null
}

/** Whether the index alone skips the rows before an offset of such a page. It does not where a row may be hidden, where each link
 *  leads to its row, and where NULLs are a range of their own, which reads the skipped rows. */
export function skipsInIndex({ where, order }: PageRead, of: Resource, scope: PageList): boolean {
  if (of.softDelete !== undefined || scope?.kind === 'links') return false
  const isColumn = (key: OrderKey) => key.kind === 'field' && key.field.required
  return order.every(isColumn) && conjuncts(where).every(({ kind }) => kind === 'compare')
}

/** Whether a page can begin at the row that an index finds behind its offset: then no bound of the filter is a second beginning. */
export function findsFirstRow(read: PageRead, of: Resource, scope: PageList): boolean {
  if (!isInOrder(read, of, scope) || !skipsInIndex(read, of, scope)) return false
  if (new Set(read.order.map(({ direction }) => direction)).size > 1) return false
  return conjuncts(read.where).every((part) => equality(part, of) !== null)
}

/** Whether an index has all that the filter and the order of such a page ask for. */
export function findsIds(read: PageRead, of: Resource, scope: PageList): boolean {
  if (!isInOrder(read, of, scope) || of.softDelete !== undefined || scope?.kind === 'links') return false
  // A reference to a row that may be deleted is a condition of that row too.
  const isInIndex = (part: Where) =>
    part.kind === 'compare' || (part.kind === 'through' && membersOf(part.field.to).every(isNeverHidden))
  return read.order.every(({ kind }) => kind === 'field') && conjuncts(read.where).every(isInIndex)
}

function isNeverHidden({ softDelete }: Resource): boolean {
  return softDelete === undefined
}

const lowerBounds: readonly CompareOp[] = ['gt', 'gte']
const upperBounds: readonly CompareOp[] = ['lt', 'lte']

/** The bounds of the filter where a cursor is one too: the database should seek by the cursor, behind which the page begins. */
export function boundsBesideCursor({ where, order, page }: PageRead, of: Resource): Where[] {
  if (page.kind !== 'keyset' || page.after === null) return []
  const equal = conjuncts(where).map((part) => equality(part, of))
  const first = firstKey(order, equal)
  if (first === undefined) return []
  const ops = first.direction === 'ASC' ? lowerBounds : upperBounds
  return conjuncts(where).filter((part) => comparesColumn(part, ops, first.field))
}

/** The bounds of the filter on the first sort key: the index begins and ends there. One bound for each side, since the database
 *  seeks by one and checks another on each row. So after a cursor, which is a bound itself, only the other side remains. */
function rangesOfFirstKey({ where, order, page }: PageRead, scope: PageList, equal: readonly ColumnField[]): Where[] {
  const first = firstKey(order, equal)
  // NULLs are read by themselves, and no bound ends them. Of links only the link table is in order.
  if (first === undefined || !first.field.required || scope?.kind === 'links') return []
  const begin = first.direction === 'ASC' ? lowerBounds : upperBounds
  const end = first.direction === 'ASC' ? upperBounds : lowerBounds
  const isAfterCursor = page.kind === 'keyset' && page.after !== null
  const boundOf = (ops: readonly CompareOp[]) => conjuncts(where).find((part) => comparesColumn(part, ops, first.field))
  return [isAfterCursor ? undefined : boundOf(begin), boundOf(end)].filter((part) => part !== undefined)
}

/** The first sort key by which the rows differ. */
function firstKey(order: readonly OrderKey[], equal: readonly (ColumnField | null)[]): FieldOrder | undefined {
  return order.filter((key) => key.kind === 'field').find(({ field }) => !equal.includes(field))
}

function comparesColumn(part: Where, ops: readonly CompareOp[], field: Field): part is Where & { kind: 'compare' } {
  return part.kind === 'compare' && ops.includes(part.op) && part.target.field === field && isColumn(part.target)
}

/** The same for a list that a filter searches, in any order. */
export function coveredInList(where: Where | null, of: Resource, list: ToManyField | LinksField): Where[] {
  const holds = (columns: ColumnField[]): boolean =>
    list.kind === 'links'
      ? columns.every(({ name }) => name === 'id')
      : indexesOf(of).some((index) => serves(index, [...columns, list.via], []))
  return covered(where, of, holds) ?? []
}

/** The same for rows that are grouped, in any order; and the condition that is left. */
export function coveredInGroups(
  where: Where | null,
  of: Resource,
  list: PageList,
): { covered: Where[]; remaining: Where | null } {
  const holds = (columns: ColumnField[]): boolean =>
    isOneRow(of, columns) || indexesOf(of).some((index) => serves(index, columns, [])) || columns.length === 0
  const found = list === null ? (covered(where, of, holds) ?? []) : coveredInList(where, of, list)
  const remaining = conjuncts(where).filter((part) => !found.includes(part))
  return { covered: found, remaining: remaining.length === 0 ? null : { kind: 'and', of: remaining } }
}

function covered(where: Where | null, of: Resource, holds: (columns: ColumnField[]) => boolean): Where[] | null {
  const equal = conjuncts(where).filter((part) => equality(part, of) !== null)
  const found = choices(equal.slice(0, maxCoveredConditions)).find((some) =>
    holds(some.map((part) => equality(part, of)!)),
  )
  return found ?? null
}

/** There are 2^n subsets of n conditions. */
const maxCoveredConditions = 5

/** All subsets of these items, the larger ones first. */
function choices<Item>(items: readonly Item[]): Item[][] {
  const all: Item[][] = [[]]
  for (const item of items) all.push(...all.map((some) => [...some, item]))
  return all.sort((a, b) => b.length - a.length)
}

function givesInOrder(
  order: readonly OrderKey[],
  of: Resource,
  scope: PageList,
  equal: readonly ColumnField[],
): boolean {
  // No index holds values of other rows, or numbers of them. Even for one row a list may be long.
  if (!isByColumns(order)) return false
  if (isOneRow(of, equal)) return true
  // A key that is hidden on some rows is an expression, not a column: SQLite sorts by it.
  if (order.some((key) => key.kind === 'field' && key.guard !== undefined)) return false
  const keys = keysBeside(order, equal)
  if (new Set(keys.map((key) => key.direction)).size > 1) return false
  // The index of the link table returns its rows by id.
  if (scope?.kind === 'links') return equal.length === 0 && isById(keys)
  const prefix = scope === null ? equal : [...equal, scope.via]
  return hasIndexFor(prefix, keys, of)
}

type FieldOrder = OrderKey & { kind: 'field' }

/** The keys by which rows differ that have equal values in these fields. */
function keysBeside(order: readonly OrderKey[], equal: readonly ColumnField[]): FieldOrder[] {
  return order.filter((key) => key.kind === 'field').filter(({ field }) => !equal.includes(field))
}

function hasIndexFor(prefix: readonly ColumnField[], keys: readonly FieldOrder[], of: Resource): boolean {
  return (prefix.length === 0 && isById(keys)) || indexesOf(of).some((index) => serves(index, prefix, keys))
}

function isById(keys: readonly FieldOrder[]): boolean {
  return keys.length === 1 && keys[0]!.field.name === 'id'
}

function isOneRow(of: Resource, equal: readonly ColumnField[]): boolean {
  if (equal.some(({ name }) => name === 'id')) return true
  return of.indexes.some(({ unique, fields }) => unique && fields.every((field) => equal.includes(field)))
}

/** The conditions that must all hold, without those that always hold. */
export function conjuncts(where: Where | null): Where[] {
  if (where === null || (where.kind === 'constant' && where.is)) return []
  return where.kind === 'and' ? where.of.flatMap(conjuncts) : [where]
}

/** The field that the condition compares for equality; null for any other condition. */
function equality(where: Where, of: Resource): ColumnField | null {
  switch (where.kind) {
    case 'viewer':
      return of.fields.get('id') as StoredField
    case 'compare':
      return where.op === 'eq' && isColumn(where.target) ? where.target.field : null
    case 'through': {
      const { field, where: inner } = where
      if (field.kind !== 'reference' || field.to.kind !== 'resource') return null
      return equality(inner, field.to)?.name === 'id' ? field : null
    }
    case 'and':
    case 'or':
    case 'not':
    case 'constant':
    case 'type':
    case 'live':
    case 'null':
    case 'some':
    case 'none':
    case 'search':
      return null
    default:
      return unreachable(where)
  }
}

/** Every index ends with the id; each reference has its own index. */
function indexesOf(of: Resource): ColumnField[][] {
  const references = [...of.fields.values()].filter((field: Field) => field.kind === 'reference')
  return [...of.indexes.map(({ fields }) => fields), ...references.map((field) => [field])]
}

function serves(index: readonly ColumnField[], prefix: readonly ColumnField[], keys: readonly FieldOrder[]): boolean {
  const head = new Set(index.slice(0, new Set(prefix).size))
  if (!prefix.every((field) => head.has(field))) return false
  const rest = [...index.slice(head.size).map(({ name }) => name), 'id']
  return keys.every(({ field, direction }, position) => {
    // SQLite sorts NULLs first. It puts NULLs of the first key last by reading the index twice, and sorts for any other key.
    const turnsNulls = direction === 'ASC' && !field.required
    return field.name === rest[position] && !(turnsNulls && position > 0)
  })
}

/** Whether the whole column is compared. */
function isColumn({ inside, json }: ComparedField): boolean {
  return inside.length === 0 && json === undefined
}
