// Estimates the work of a read, so that only reads that are proved short run on the main thread.
//
// 1. The unit is one visited row: a microsecond or a few. A page is short if an index returns its rows in order and every
//    visited row is in the page: it has no filter, or one of equalities on the first columns of that index and of bounds on the
//    next. Any other page may visit the whole table. A nested page counts for each row of the page around it. Ten entries that an
//    index skips before an offset count as one row.
// 2. The database evaluates a filter for each row: four conditions count as one more row, and so do four values of an `in`
//    list.
// 3. Rows may be wide. A kilobyte that is turned into JSON, or searched for a text, counts as a row (`estimate-bytes.ts`).
//
// The highest row number stands for the size of a table: it is never too low.

import { unreachable } from '#base'
import { type Abstract, membersOf, type Resource } from '#model'
import {
  type CountOptions,
  type GroupedField,
  type GroupRead,
  type Guard,
  groupedFields,
  type HistoryRead,
  type OrderKey,
  type PageBounds,
  type PageRead,
  type PageShape,
  type Parameter,
  type ReadPlan,
  type RowRead,
  rowsOf,
  type Selection,
  type SubscriptionPlan,
  someCondition,
  type TypeSelection,
  type Where,
} from '#plan'
import { countConditions } from '#plan/build'
import { mayOmitEntries } from '../sql/history/history.ts'
import { coveredByIndex, isInOrder, type PageList, skipsInIndex } from '../sql/index-order.ts'
import { exactCount, sampleSize } from '../sql/page-counts.ts'
import { hasTexts, kilobyte, ofTexts, type Sizes, selectedBytes, widest } from './estimate-bytes.ts'

/** The values are the canonical ones of the bound plan. */
export type Estimate = (values: readonly unknown[], sizes: Sizes) => number

/** Null: the work does not depend on the number or the width of rows, so the read is always short. */
export function estimate(plan: ReadPlan): Estimate | null {
  return new Estimator(false).ofRead(plan)
}

/** The same for a statement that counts the rows its filters reject (`sqlite/read/read-cost.ts`), without those rows. */
export function estimateCounted(plan: ReadPlan): Estimate | null {
  return new Estimator(true).ofRead(plan)
}

/** The work for one row that such a statement rejects. */
export function estimateMiss(plan: ReadPlan): Estimate {
  const estimator = new Estimator(true)
  estimator.ofRead(plan)
  return estimator.ofMiss()
}

/** The work of reading a written row back. The row itself does not count: it came in a request body, or was as wide before. */
export function estimateReadBack(of: Resource, selection: readonly Selection[]): Estimate | null {
  return new Estimator(false).ofPicks(selection, of)
}

/** The work of projecting a change: the row is in memory, and every read checks the same rules. */
export function estimateSubscription({ of, where, selections }: SubscriptionPlan): Estimate | null {
  return new Estimator(false).ofRow(of, where ?? undefined, selections)
}

/** A filter, and the type of its rows. */
interface EstimatedFilter {
  where: Where
  of: Resource | Abstract
}

class Estimator {
  readonly #counted: boolean
  readonly #filters: EstimatedFilter[] = []
  /** What groups read of each row, and histories of each entry. */
  #values = 0
  /** A row that was just written is not read in a way that counts. */
  #isRead = false

  constructor(counted: boolean) {
    this.#counted = counted
  }

  ofRead(plan: ReadPlan): Estimate | null {
    this.#isRead = true
    if (plan.kind === 'one') return this.#ofOne(plan)
    const { within } = plan
    const page = plan.kind === 'groups' ? this.#ofGroups(plan) : this.#ofMany(plan, within?.field ?? null)
    const owner = within === null ? null : this.#ofGuard(within.guard, within.field.owner)
    return sum([owner, page])
  }

  /** The fields of one row, each once, are short work whatever they hold: the limit on the length of a result is enough. */
  #ofOne({ of, guard, selections }: RowRead): Estimate | null {
    const selected = selectedBytes(of, selections)
    const bytes: Estimate | null = selected === null || selected.isPlain ? null : (_, sizes) => selected.work(1, sizes)
    return sum([this.#ofGuard(guard, of), this.ofPicks(selections, of), bytes])
  }

  ofRow(of: Resource, where: Where | undefined, selection: readonly Selection[]): Estimate | null {
    return sum([this.#ofGuard(where, of), this.ofPicks(selection, of)])
  }

  ofPicks(selections: readonly Selection[], of: Resource): Estimate | null {
    return sum(selections.map((selection) => this.#ofPick(selection, of)))
  }

  /** The work of the filters for one row, rejected or not. */
  ofMiss(): Estimate {
    const filters = this.#filters
    const conditions = filters.reduce((all, { where }) => all + ofConditions(where) - 1, 1 + this.#values)
    const searching = filters.filter(({ where }) => hasTexts(where))
    return (values, sizes) => {
      let pages = 0
      for (const { of } of filters) {
        for (const type of membersOf(of)) pages = Math.max(pages, sizes.bytes(type).average / (4 * kilobyte))
      }
      let work = conditions + pages
      for (const { where, of } of searching) work += ofTexts(where, 1, widest(of, sizes), values, sizes)
      return work
    }
  }

  #ofPick(selection: Selection, of: Resource): Estimate | null {
    switch (selection.kind) {
      case 'constant':
      case 'version':
      case 'globalId':
      case 'url':
        return null
      case 'field':
      case 'value':
        return this.#ofGuard(selection.guard, of)
      case 'transitions':
        return sum(
          [selection.guard, ...(selection.open ?? []).map(({ when }) => when)].map((guard) => this.#ofGuard(guard, of)),
        )
      case 'id':
        return sum([this.#ofGuard(selection.guard, of), this.#ofCases(selection.targets ?? [])])
      case 'computed':
        return sum([this.#ofGuard(selection.guard, of), this.ofPicks(selection.from, of)])
      case 'one':
        return sum([
          this.#ofGuard(selection.guard, of),
          this.#ofCases(selection.types),
          ofWide(selection.types, () => 1),
        ])
      case 'many':
        return sum([this.#ofGuard(selection.guard, of), this.#ofMany(selection.read, selection.field)])
      case 'groups':
        return sum([this.#ofGuard(selection.guard, of), this.#ofGroups(selection.read)])
      case 'changes':
        return this.#ofHistory(selection.read)
      default:
        return unreachable(selection)
    }
  }

  /** Each entry of the page has two images, of which each field is a part. The row may have any number of entries that the viewer
   *  can't read; a counted statement counts them. */
  #ofHistory(read: HistoryRead): Estimate {
    const { of, guard, first, fields } = read
    const rule = this.#ofGuard(guard, of)
    const each = 1 + fields.length
    const maySkip = this.#isRead && mayOmitEntries(read)
    if (maySkip) this.#values += each
    return (values, sizes) => {
      const page = Number(values[first.index]) + 1
      const entries = maySkip && !this.#counted ? Math.max(page, sizes.changes()) : page
      return entries * (each + 2 * (rule?.(values, sizes) ?? 0))
    }
  }

  /** The type of the row is unknown: all types count. */
  #ofCases(cases: readonly TypeSelection[]): Estimate | null {
    return sum(cases.map(({ of, guard, selections }) => sum([this.#ofGuard(guard, of), this.ofPicks(selections, of)])))
  }

  /** Rows visited to decide whether one row passes. */
  #ofGuard(guard: Guard | undefined, of: Resource | Abstract): Estimate | null {
    if (guard === undefined) return null
    this.#filters.push({ where: guard, of })
    if (!hasLists(guard)) return null
    return this.#counted ? null : (_, sizes) => ofFilter(guard, 1, sizes)
  }

  #ofMany(read: PageRead, scope: PageList): Estimate | null {
    const { page, shape, where } = read
    if (where?.kind === 'constant' && !where.is) return null
    const size: Parameter = page.kind === 'offset' ? page.limit : page.first
    const cases = rowsOf(shape)
    const counted = countIn(shape)
    const keys = read.order.map((key) => (key.kind === 'field' ? this.#ofGuard(key.guard, read.of) : null))
    const below = sum([this.#ofCases(cases), ...keys])
    const each: Estimate | null =
      below === null ? null : (values, sizes) => Number(values[size.index]) * below(values, sizes)
    const wide = ofWide(cases, (values) => Number(values[size.index]))
    return sum([this.#ofRows(read, scope), counted === null ? null : this.#ofTotal(read, scope, counted), each, wide])
  }

  /** An estimate without a filter visits few rows, however many there are. */
  #ofTotal(read: PageRead, scope: PageList, { isEstimated }: CountOptions): Estimate {
    const all = this.#ofCount(read)
    const { of, where, distinct, deleted } = read
    const isFiltered = where !== null || scope !== null || distinct !== undefined || deleted !== undefined
    if (isEstimated !== true || isFiltered) return all
    const most = (exactCount + sampleSize) * membersOf(of).length
    return (values, sizes) => Math.min(all(values, sizes), most)
  }

  /** All rows are measured, unless the statement counts them. Each value that is read costs as much as a row, and so does each row
   *  that a value is behind. */
  #ofGroups(read: GroupRead): Estimate | null {
    const { of, where } = read
    if (where?.kind === 'constant' && !where.is) return null
    const fields = groupedFields(read)
    this.#values += fields.reduce((all, { through }) => all + 1 + through.length, 0)
    const guards = fields.flatMap(({ guard, through }) => [
      { of, guard },
      ...through.flatMap((step) => [
        { of, guard: step.guard },
        { of: step.field.to, guard: step.rows },
      ]),
    ])
    const rules = guards.flatMap(({ guard, of: type }) => (guard === undefined ? [] : [{ where: guard, of: type }]))
    this.#filters.push(...(where === null ? [] : [{ where, of }]), ...rules)
    // The word index collects all its matches before the first row is counted.
    const isSearched = where !== null && someCondition(where, ({ kind }) => kind === 'search')
    if (this.#counted && !isSearched) return null
    const rows = this.#ofCount({ of, where, order: [] })
    const values = this.#values
    return (known, sizes) => (1 + values) * rows(known, sizes)
  }

  /** Rows visited to find the page. */
  #ofRows(read: PageRead, scope: PageList): Estimate {
    const { page, of, where } = read
    if (where !== null) this.#filters.push({ where, of })
    if (of.kind === 'abstract' || !this.#isShort(read, of, scope)) return this.#ofCount(read)
    const looked: Estimate =
      page.kind === 'keyset'
        ? (values) => Number(values[page.first.index]) + 1
        : ofOffset(page, of, skipsInIndex(read, of, scope) ? 1 / skippedPerRow : 1)
    if (where === null) return looked
    const conditions = ofConditions(where)
    if (!hasTexts(where)) return conditions === 1 ? looked : (values, sizes) => conditions * looked(values, sizes)
    return (values, sizes) => {
      const rows = looked(values, sizes)
      const { all, widest } = sizes.bytes(of)
      return conditions * rows + ofTexts(where, rows, Math.min(all, rows * widest), values, sizes)
    }
  }

  #isShort(read: PageRead, of: Resource, scope: PageList): boolean {
    return this.#counted ? coveredByIndex(read, of, scope) !== null : isInOrder(read, of, scope)
  }

  /** All rows of the types that are read, and what the filter and the sort keys visit. */
  #ofCount({ of, where, order, distinct = [] }: Pick<PageRead, 'of' | 'where' | 'order' | 'distinct'>): Estimate {
    const types = membersOf(of)
    const keys = [...order, ...distinct.map(asKey)].flatMap(conditionsOfKey)
    const conditions = where === null ? keys : [where, ...keys]
    const each = conditions.reduce((all, condition) => all + ofConditions(condition) - 1, 1)
    const searching = conditions.filter(hasTexts)
    return (values, sizes) => {
      let rows = 0
      let bytes = 0
      for (const type of types) {
        rows += sizes.rows(type)
        bytes += sizes.bytes(type).all
      }
      // SQLite reads through the pages of a long text to reach a column after it.
      const scan = rows + bytes / (4 * kilobyte)
      let work = each * conditions.reduce((all, condition) => all + ofFilter(condition, rows, sizes), scan)
      for (const condition of searching) work += ofTexts(condition, rows, bytes, values, sizes)
      return work
    }
  }
}

/** A value that tells rows apart visits the same rows as a sort key. */
function asKey({ through, field, guard }: GroupedField): OrderKey {
  return { kind: 'referred', path: through, field, direction: 'ASC', ...(guard && { guard }) }
}

/** Conditions that visit as many rows as the key: its guards, the rows that its path leads to, the rows of a list. */
function conditionsOfKey(key: OrderKey): Where[] {
  if (key.kind === 'type') return []
  const guards = key.guard === undefined ? [] : [key.guard]
  if (key.kind === 'field') return guards
  let inner: Where[] =
    key.kind === 'count' ? [...guards, { kind: 'some', field: key.field, where: key.rows ?? null }] : guards
  for (const { field, guard, rows } of key.path.toReversed()) {
    const where: Where = { kind: 'and', of: rows === undefined ? inner : [rows, ...inner] }
    inner = guard === undefined ? [{ kind: 'through', field, where }] : [guard, { kind: 'through', field, where }]
  }
  return inner
}

/** How the rows of the page are counted; null: they are not. */
function countIn(shape: PageShape): CountOptions | null {
  if (shape.kind === 'list') return shape.total === true ? shape : null
  return shape.selections.find((selection) => selection.kind === 'totalCount') ?? null
}

/** An offset skips no more rows than there are. */
function ofOffset({ limit, offset }: PageBounds & { kind: 'offset' }, of: Resource, each: number): Estimate {
  return (values, sizes) => {
    const skipped = Number(values[offset.index])
    return Number(values[limit.index]) + (skipped === 0 ? 0 : each * Math.min(skipped, sizes.rows(of)))
  }
}

/** An index skips an entry in about 20 ns, without a look at its row (docs/internals/decisions/0111-slices-of-turns.md). */
const skippedPerRow = 40

/** The work of a filter for one row, in rows. */
function ofConditions(where: Where): number {
  return Math.max(1, countConditions(where) / 4)
}

/** The bytes of so many rows that go into the result. */
function ofWide(cases: readonly TypeSelection[], rows: (values: readonly unknown[]) => number): Estimate | null {
  const parts = cases.map(({ of, selections }) => selectedBytes(of, selections)).filter((part) => part !== null)
  return sum(parts.map((part) => (values, sizes) => part.work(rows(values), sizes)))
}

function hasLists(where: Where): boolean {
  return someCondition(where, (part) => {
    if (part.kind === 'search') return part.fields.some(({ guard }) => guard !== undefined && hasLists(guard))
    return part.kind === 'some' || part.kind === 'none'
  })
}

/** Rows that a filter visits beside those that it filters. A row is in one list of `many` only, so the lists of a whole table
 *  are the other table once, and the lists of links are the link table. But many rows can refer to one row, and the filter
 *  visits the list of that row for each of them. */
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
    case 'type':
      return where.where === undefined ? 0 : ofFilter(where.where, rows, sizes)
    case 'search':
      return where.fields.reduce((all, { guard }) => all + (guard === undefined ? 0 : ofFilter(guard, rows, sizes)), 0)
    case 'compare':
    case 'constant':
    case 'live':
    case 'null':
    case 'viewer':
      return 0
    default:
      return unreachable(where)
  }
}

/** Rows that a filter inside a reference or a list visits for each row there, at most. */
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
