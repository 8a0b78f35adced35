// How many rows a read may have to look at, so that what can't be proved short never runs on the main thread.
//
// A page is short when an index gives its rows in order and every row that is looked at is in the page: no filter, or one
// that is an equality on the columns which begin that index. Anything else may look at the whole table. Nested pages count
// for each row of the page around them. Tables are counted by their highest row number: a little too much, never too little.

import type { Field, Link, LinksField, ReferenceField, Resource, StoredField, ToManyField } from '#model'
import type { Case, ConnectionPick, Many, Order, Pick, Read, Slot, Where } from '#plan'

export interface Sizes {
  /** Rows of the resource's or the link's table, at least. */
  rows(of: Resource | Link): number
}

/** The values are the canonical ones of the question. */
export type Estimate = (values: readonly unknown[], sizes: Sizes) => number

type Scope = ToManyField | LinksField | null
type Column = StoredField | ReferenceField

/** Null: nothing in the plan depends on how many rows there are, it is always short. */
export function estimate(plan: Read, wantsTotal: boolean): Estimate | null {
  if (plan.kind === 'one') return ofPicks(plan.pick)
  const page = ofMany(plan, plan.within?.field ?? null)
  return wantsTotal ? sum([page, ofCount(plan)]) : page
}

function ofMany(read: Many, scope: Scope): Estimate {
  const looked = ofRows(read, scope)
  const { page, shape } = read
  const size: Slot = page.kind === 'offset' ? page.limit : page.first
  const cases = shape.kind === 'list' ? shape.cases : shape.pick.flatMap(nodesOf)
  const counted = shape.kind === 'connection' && shape.pick.some(({ kind }) => kind === 'totalCount')
  const once = counted ? sum([looked, ofCount(read)])! : looked
  const below = ofCases(cases)
  if (below === null) return once
  return (values, sizes) => once(values, sizes) + Number(values[size.index]) * below(values, sizes)
}

function nodesOf(pick: ConnectionPick): Case[] {
  if (pick.kind !== 'edges') return []
  return pick.pick.flatMap((edge) => (edge.kind === 'node' ? edge.cases : []))
}

/** Rows that are looked at to find the page. */
function ofRows(read: Many, scope: Scope): Estimate {
  const { page } = read
  if (read.of.kind === 'resource' && isInOrder(read, read.of, scope)) {
    if (page.kind === 'keyset') return (values) => Number(values[page.first.index]) + 1
    return (values) => Number(values[page.limit.index]) + Number(values[page.offset.index])
  }
  return ofCount(read)
}

/** All rows of the types that are read, and what the filter looks at beside them. */
function ofCount({ of, where }: Many): Estimate {
  const types = of.kind === 'resource' ? [of] : of.members
  return (_, sizes) => {
    let rows = 0
    for (const type of types) rows += sizes.rows(type)
    return where === null ? rows : rows + ofFilter(where, rows, sizes)
  }
}

/** Rows that a filter looks at beside those that it filters. A row is in one list of `many` only, so the lists of a whole
 *  table are the other table once, and the lists of links the link's table; but behind a reference many rows meet in one,
 *  and its list is then gone through for each of them. */
function ofFilter(where: Where, rows: number, sizes: Sizes): number {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.reduce((all, part) => all + ofFilter(part, rows, sizes), 0)
    case 'not':
      return ofFilter(where.of, rows, sizes)
    case 'through':
      return rows + rows * forEach(where.where, sizes)
    case 'some':
    case 'none': {
      const { field } = where
      const listed = sizes.rows(field.kind === 'links' ? field.link : field.to)
      return listed + (where.where === null ? 0 : listed * forEach(where.where, sizes))
    }
    default:
      return 0
  }
}

/** Rows that a filter behind a reference or a list looks at for each row there, at most. */
function forEach(where: Where, sizes: Sizes): number {
  return ofFilter(where, 1, sizes)
}

/** Whether an index gives the page's rows, all of them and in their order. */
function isInOrder({ where, order }: Many, of: Resource, scope: Scope): boolean {
  const equal = equalities(where)
  if (equal === null) return false
  if (isOneRow(of, equal)) return true
  const keys = order.filter((key) => key.kind === 'field').filter(({ field }) => !equal.includes(field))
  if (new Set(keys.map((key) => key.direction)).size > 1) return false
  // The link's own index gives its rows by their id.
  if (scope?.kind === 'links') return equal.length === 0 && isById(keys)
  const prefix = scope === null ? equal : [...equal, scope.via]
  return (prefix.length === 0 && isById(keys)) || indexesOf(of).some((index) => serves(index, prefix, keys))
}

type FieldOrder = Order & { kind: 'field' }

function isById(keys: readonly FieldOrder[]): boolean {
  return keys.length === 1 && keys[0]!.field.name === 'id'
}

function isOneRow(of: Resource, equal: readonly Column[]): boolean {
  if (equal.some(({ name }) => name === 'id')) return true
  return of.indexes.some(({ unique, fields }) => unique && fields.every((field) => equal.includes(field)))
}

/** The fields that the filter asks to be equal to something; null when it asks for anything else. */
function equalities(where: Where | null): Column[] | null {
  if (where === null) return []
  if (where.kind === 'compare') {
    return where.op === 'eq' && where.target.inside.length === 0 ? [where.target.field] : null
  }
  if (where.kind === 'through') {
    const { field, where: inner } = where
    const byId = inner.kind === 'compare' && inner.op === 'eq' && inner.target.field.name === 'id'
    return byId && field.kind === 'reference' && field.to.kind === 'resource' ? [field] : null
  }
  if (where.kind !== 'and') return null
  const parts = where.of.map(equalities)
  return parts.includes(null) ? null : parts.flatMap((part) => part ?? [])
}

/** Every index ends with the id; each reference has one of its own. */
function indexesOf(of: Resource): Column[][] {
  const references = [...of.fields.values()].filter((field: Field) => field.kind === 'reference')
  return [...of.indexes.map(({ fields }) => fields), ...references.map((field) => [field])]
}

function serves(index: readonly Column[], prefix: readonly Column[], keys: readonly FieldOrder[]): boolean {
  const head = new Set(index.slice(0, new Set(prefix).size))
  if (!prefix.every((field) => head.has(field))) return false
  const rest = [...index.slice(head.size).map(({ name }) => name), 'id']
  return keys.every(({ field, direction }, position) => {
    // SQLite's NULLs are first: it puts those of the first key last by reading the index twice, and sorts for any other.
    const turnsNulls = direction === 'ASC' && !field.required
    return field.name === rest[position] && !(turnsNulls && position > 0)
  })
}

function ofPicks(picks: readonly Pick[]): Estimate | null {
  return sum(picks.map(ofPick).filter((part) => part !== null))
}

function ofPick(pick: Pick): Estimate | null {
  if (pick.kind === 'many') return ofMany(pick.read, pick.field)
  return pick.kind === 'one' ? ofCases(pick.cases) : null
}

/** A row is of one type, but which is not known: all are counted. */
function ofCases(cases: readonly Case[]): Estimate | null {
  return sum(cases.map(({ pick }) => ofPicks(pick)).filter((part) => part !== null))
}

function sum(parts: readonly Estimate[]): Estimate | null {
  if (parts.length === 0) return null
  if (parts.length === 1) return parts[0]!
  return (values, sizes) => {
    let rows = 0
    for (const part of parts) rows += part(values, sizes)
    return rows
  }
}
