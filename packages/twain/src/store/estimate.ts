// How many rows a read may have to look at, so that what can't be proved short never runs on the main thread.
//
// A page is short when an index gives its rows in order and every row that is looked at is in the page: no filter, or one
// that is an equality on the columns which begin that index. Anything else may look at the whole table. Nested pages count
// for each row of the page around them. Tables are counted by their highest row number: a little too much, never too little.

import { unreachable } from '#base'
import type { Link, Resource } from '#model'
import type { Case, ConnectionPick, Guard, Many, Pick, Read, Slot, Where } from '#plan'
import { heldByIndex, isInOrder, type ListOf } from './in-order.ts'

export interface Sizes {
  /** Rows of the resource's or the link's table, at least. */
  rows(of: Resource | Link): number
}

/** The values are the canonical ones of the question. */
export type Estimate = (values: readonly unknown[], sizes: Sizes) => number

/** Null: nothing in the plan depends on how many rows there are, it is always short. */
export function estimate(plan: Read, wantsTotal: boolean): Estimate | null {
  return new Estimator(false).ofRead(plan, wantsTotal)
}

/** The same for a statement that counts the rows that its filters turn away (`sqlite/miss-counter.ts`): here they are none. */
export function estimateCounted(plan: Read, wantsTotal: boolean): Estimate | null {
  return new Estimator(true).ofRead(plan, wantsTotal)
}

/** What a write answers. */
export function estimateAnswer(pick: readonly Pick[]): Estimate | null {
  return new Estimator(false).ofPicks(pick)
}

class Estimator {
  readonly #counted: boolean

  constructor(counted: boolean) {
    this.#counted = counted
  }

  ofRead(plan: Read, wantsTotal: boolean): Estimate | null {
    if (plan.kind === 'one') return sum([this.#ofGuard(plan.guard), this.ofPicks(plan.pick)])
    const page = this.#ofMany(plan, plan.within?.field ?? null)
    return sum([this.#ofGuard(plan.within?.guard), page, wantsTotal ? this.#ofCount(plan) : null])
  }

  ofPicks(picks: readonly Pick[]): Estimate | null {
    return sum(picks.map((pick) => this.#ofPick(pick)))
  }

  #ofPick(pick: Pick): Estimate | null {
    switch (pick.kind) {
      case 'constant':
      case 'version':
        return null
      case 'field':
      case 'value':
        return this.#ofGuard(pick.guard)
      case 'id':
        return sum([this.#ofGuard(pick.guard), this.#ofCases(pick.targets ?? [])])
      case 'one':
        return sum([this.#ofGuard(pick.guard), this.#ofCases(pick.cases)])
      case 'many':
        return sum([this.#ofGuard(pick.guard), this.#ofMany(pick.read, pick.field)])
      default:
        return unreachable(pick)
    }
  }

  /** A row is of one type, but which is not known: all are counted. */
  #ofCases(cases: readonly Case[]): Estimate | null {
    return sum(cases.map(({ guard, pick }) => sum([this.#ofGuard(guard), this.ofPicks(pick)])))
  }

  /** Rows that are looked at to let one row pass. */
  #ofGuard(guard: Guard | undefined): Estimate | null {
    if (guard === undefined || !hasLists(guard)) return null
    return this.#counted ? null : (_, sizes) => ofFilter(guard, 1, sizes)
  }

  #ofMany(read: Many, scope: ListOf): Estimate | null {
    const { page, shape, where } = read
    if (where?.kind === 'constant' && !where.is) return null
    const size: Slot = page.kind === 'offset' ? page.limit : page.first
    const cases = shape.kind === 'list' ? shape.cases : shape.pick.flatMap(nodesOf)
    const counts = shape.kind === 'connection' && shape.pick.some(({ kind }) => kind === 'totalCount')
    const keys = read.order.map((key) => (key.kind === 'field' ? this.#ofGuard(key.guard) : null))
    const below = sum([this.#ofCases(cases), ...keys])
    const each: Estimate | null =
      below === null ? null : (values, sizes) => Number(values[size.index]) * below(values, sizes)
    return sum([this.#ofRows(read, scope), counts ? this.#ofCount(read) : null, each])
  }

  /** Rows that are looked at to find the page. */
  #ofRows(read: Many, scope: ListOf): Estimate {
    const { page } = read
    if (read.of.kind === 'abstract' || !this.#isShort(read, read.of, scope)) return this.#ofCount(read)
    if (page.kind === 'keyset') return (values) => Number(values[page.first.index]) + 1
    return (values) => Number(values[page.limit.index]) + Number(values[page.offset.index])
  }

  #isShort(read: Many, of: Resource, scope: ListOf): boolean {
    return this.#counted ? heldByIndex(read, of, scope) !== null : isInOrder(read, of, scope)
  }

  /** All rows of the types that are read, and what the filter and the keys look at beside them. */
  #ofCount({ of, where, order }: Many): Estimate {
    const types = of.kind === 'resource' ? [of] : of.members
    const guards = order.flatMap((key) => (key.kind === 'field' && key.guard !== undefined ? [key.guard] : []))
    const conditions = where === null ? guards : [where, ...guards]
    return (_, sizes) => {
      let rows = 0
      for (const type of types) rows += sizes.rows(type)
      return conditions.reduce((all, condition) => all + ofFilter(condition, rows, sizes), rows)
    }
  }
}

function nodesOf(pick: ConnectionPick): Case[] {
  if (pick.kind !== 'edges') return []
  return pick.pick.flatMap((edge) => (edge.kind === 'node' ? edge.cases : []))
}

function hasLists(where: Where): boolean {
  switch (where.kind) {
    case 'some':
    case 'none':
      return true
    case 'and':
    case 'or':
      return where.of.some(hasLists)
    case 'not':
      return hasLists(where.of)
    case 'through':
      return hasLists(where.where)
    default:
      return false
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

function sum(estimates: readonly (Estimate | null)[]): Estimate | null {
  const parts = estimates.filter((part) => part !== null)
  if (parts.length === 0) return null
  if (parts.length === 1) return parts[0]!
  return (values, sizes) => {
    let rows = 0
    for (const part of parts) rows += part(values, sizes)
    return rows
  }
}
