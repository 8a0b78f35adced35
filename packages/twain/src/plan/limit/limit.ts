// The size of a plan. Depth and cost use the weights of GraphQL documents (docs/reference/graphql.md#limits).
// Depth counts nested selections; `edges`, `node` and `pageInfo` add nothing.

import { ApiError, unreachable, withHint } from '#base'
import { type CustomResultType, listFactor, type StoredType, weights } from '#model'
import {
  type ConnectionSelection,
  type CustomCall,
  type CustomResult,
  type EntrySelection,
  type GroupRead,
  type GroupSelection,
  type HistoryRead,
  isSetField,
  isSetList,
  nestedSets,
  type OrderKey,
  type PageRead,
  type Parameter,
  type Plan,
  type Selection,
  type SetMember,
  type SubscriptionPlan,
  type TypeSelection,
  type ValueSelection,
  type WritePlan,
} from '../plan.ts'
import { aggregateScan } from './aggregate-scan.ts'
import type { Limits } from './limits.ts'

type LimitedPlan = Plan | SubscriptionPlan | CustomCall

/** Throws an ApiError if the plan exceeds a limit with these page sizes. Returns whether it is within the limits for all page
 *  sizes, so that it need not be measured again. */
export function limit(plan: LimitedPlan, values: readonly unknown[], limits: Limits): boolean {
  if (exceededLimit(measure(plan), limits) === null) return true
  const measured = measure(plan, values)
  const error = exceededLimit(measured, limits)
  if (error === null) return false
  const scan = error.code === 'QUERY_TOO_COSTLY' ? scanHint(plan) : ''
  throw withHint(error, `${scan}${smallerPage(plan, values, measured, limits) ?? error.hint}`)
}

function scanHint(plan: LimitedPlan): string {
  const hint = plan.kind === 'many' || plan.kind === 'groups' ? aggregateScan(plan, true)?.hint : null
  return typeof hint === 'string' ? `${hint} ` : ''
}

/** In REST only the collection itself has a page size, not the lists inside it. */
function smallerPage(
  plan: LimitedPlan,
  values: readonly unknown[],
  { depth, cost }: PlanMeasure,
  limits: Limits,
): string | undefined {
  if (plan.kind !== 'many' || (limits.depth > 0 && depth > limits.depth)) return undefined
  const size = plan.page.kind === 'offset' ? plan.page.limit : plan.page.first
  const ofOne = measure(plan, values.with(size.index, 1)).cost
  const ofRow = (cost - ofOne) / (listFactor(values[size.index]) - 1)
  const rows = Math.floor((limits.cost - ofOne) / ofRow) + 1
  if (!(rows >= 1)) return undefined // NaN: it is a page of one row
  const parameter = plan.page.kind === 'offset' ? 'limit' : 'first'
  return `Make the page of ${plan.of.list} smaller: with ${parameter}=${rows} it is within the limit. Or select fewer fields. ${costRule}`
}

/** The error names the measure, the limit, and how it is counted. Null: both are within the limits. */
export function exceededLimit({ depth, cost }: PlanMeasure, limits: Limits): ApiError | null {
  if (limits.depth > 0 && depth > limits.depth) {
    return new ApiError('QUERY_TOO_DEEP', `The query is ${depth} levels deep; at most ${limits.depth} are allowed.`, {
      hint: 'Split it into two queries: read the deeper rows by the ids that the first query returns. The setting limits.depth sets the limit.',
    })
  }
  if (limits.cost > 0 && cost > limits.cost) {
    return new ApiError('QUERY_TOO_COSTLY', `The query costs ${cost}; at most ${limits.cost} is allowed.`, {
      hint: `Select fewer fields. ${costRule}`,
    })
  }
  return null
}

export const costRule = `A scalar costs ${weights.scalar}, an object ${weights.object}, and a list multiplies everything below it by its page size, at most by ${weights.list}. The setting limits.cost sets the limit.`

export interface PlanMeasure {
  depth: number
  cost: number
}

/** `values` has the page sizes of a request; null: the largest that count. */
export function measure(plan: LimitedPlan, values: PageSizes = null): PlanMeasure {
  switch (plan.kind) {
    case 'one':
    case 'subscription':
      return nested(ofSelections(plan.selections, values))
    case 'many':
      return withOwner(ofPage(plan, values, plan.within?.field, true), plan)
    case 'groups':
      return withOwner(ofGroups(plan, values, plan.within?.field, true), plan)
    case 'write':
      return withNestedRows(nested(ofSelections(plan.answer, values)), setsOf(plan), values)
    case 'bulk':
      return withNestedRows(ofPage(plan.match, values), plan.write.set, values)
    case 'call':
      return ofCustomResult(plan.operation, plan.result, values)
    case 'batch':
      return withNestedRows(
        listed(nested(ofSelections(plan.writes[0]?.answer ?? [], values))),
        plan.writes.flatMap(setsOf),
        values,
      )
  }
}

function setsOf({ set, update = [] }: WritePlan): SetMember[] {
  return update.length === 0 ? set : [...set, ...update]
}

/** The row whose list it is costs as much as an object, as in a document (`user(id: …) { posts { … } }`). It adds no level. */
function withOwner({ depth, cost }: PlanMeasure, { within }: PageRead | GroupRead): PlanMeasure {
  return { depth, cost: within === null ? cost : cost + weights.object }
}

/** The values of a request by parameter index. */
type PageSizes = readonly unknown[] | null

/** Each row that is written along with the row costs as much as an object. */
function withNestedRows({ depth, cost }: PlanMeasure, set: readonly SetMember[], values: PageSizes): PlanMeasure {
  return { depth, cost: cost + nestedCost(set, values) }
}

function nestedCost(set: readonly SetMember[], values: PageSizes): number {
  let cost = 0
  for (const member of set) {
    if (isSetField(member)) continue
    for (const row of nestedSets(member)) cost += weights.object + nestedCost(row, values)
    if (!isSetList(member)) continue
    for (const parameter of [member.disconnect, member.delete, member.connect])
      if (parameter !== null) cost += weights.object * countIds(values, parameter)
  }
  return cost
}

function countIds(values: PageSizes, { index }: Parameter): number {
  return values === null ? Number.POSITIVE_INFINITY : (values[index] as string[]).length
}

const scalar: PlanMeasure = { depth: 0, cost: weights.scalar }

/** A field; `@cost` sets its own cost. */
interface CostSource {
  cost?: number
}

function leaf({ cost = weights.scalar }: CostSource): PlanMeasure {
  return { depth: 0, cost }
}

function ofPage(read: PageRead, values: PageSizes, field: CostSource = {}, isRoot = false): PlanMeasure {
  return sum([ofRows(read, values, field), ofOrder(read.order), ofScan(read, isRoot)])
}

/** What the store reads for an aggregate or for distinct rows. */
function ofScan(read: PageRead | GroupRead, isRoot: boolean): PlanMeasure {
  return { depth: 0, cost: aggregateScan(read, isRoot)?.cost ?? 0 }
}

/** Each row that an order looks up, and each list that it counts, costs as much as an object. */
function ofOrder(order: readonly OrderKey[]): PlanMeasure {
  let lookups = 0
  for (const key of order) {
    if (key.kind === 'referred' || key.kind === 'count') lookups += key.path.length + Number(key.kind === 'count')
  }
  return { depth: 0, cost: lookups * weights.object }
}

function ofRows({ shape, page }: PageRead, values: PageSizes, field: CostSource): PlanMeasure {
  const size = page.kind === 'offset' ? page.limit : page.first
  const factor = listFactor(values === null ? null : values[size.index])
  if (shape.kind === 'list') {
    const rows = listed(nested(ofTypes(shape.types, values), field), factor)
    return shape.total === true ? sum([rows, scalar]) : rows
  }
  return nested(sum(shape.selections.map((one) => ofConnection(one, values, factor))), field)
}

/** As a list of objects, plus what the store reads. */
function ofGroups(read: GroupRead, values: PageSizes, field: CostSource = {}, isRoot = false): PlanMeasure {
  const { page, selections } = read
  const group = nested(ofGroupSelections(selections), field)
  const factor = page === null ? 1 : listFactor(values === null ? null : values[page.limit.index])
  return sum([listed(group, factor), ofScan(read, isRoot)])
}

function ofGroupSelections(selections: readonly GroupSelection[]): PlanMeasure {
  return sum(selections.map((one) => (one.kind === 'object' ? nested(ofGroupSelections(one.selections)) : scalar)))
}

/** As a connection; `changed` is a list of small objects. */
function ofHistory({ first, selections }: HistoryRead, values: PageSizes): PlanMeasure {
  const factor = listFactor(values === null ? null : values[first.index])
  const members = selections.map((selection) => {
    if (selection.kind === 'constant') return scalar
    if (selection.kind === 'pageInfo') return flat(sum(selection.selections.map(() => scalar)))
    const edges = selection.selections.map((edge) =>
      edge.kind === 'node' ? flat(sum(edge.selections.map(ofEntryMember))) : scalar,
    )
    return listed(flat(sum(edges)), factor)
  })
  return nested(sum(members))
}

function ofEntryMember(member: EntrySelection): PlanMeasure {
  return member.kind === 'changed' ? listed(nested(sum(member.selections.map(() => scalar)))) : scalar
}

function ofConnection(selection: ConnectionSelection, values: PageSizes, factor: number): PlanMeasure {
  switch (selection.kind) {
    case 'edges': {
      const parts = selection.selections.map((edge) =>
        edge.kind === 'node' ? flat(ofTypes(edge.types, values)) : scalar,
      )
      return listed(flat(sum(parts)), factor)
    }
    case 'pageInfo':
      return flat(sum(selection.selections.map(() => scalar)))
    case 'constant':
    case 'totalCount':
      return scalar
    default:
      return unreachable(selection)
  }
}

/** A row has one type only, so the most expensive type counts. */
function ofTypes(types: readonly TypeSelection[], values: PageSizes): PlanMeasure {
  const measures = types.map((one) => ofSelections(one.selections, values))
  return {
    depth: Math.max(0, ...measures.map(({ depth }) => depth)),
    cost: Math.max(0, ...measures.map(({ cost }) => cost)),
  }
}

function ofSelections(selections: readonly Selection[], values: PageSizes): PlanMeasure {
  return sum(selections.map((one) => ofSelection(one, values)))
}

function ofSelection(selection: Selection, values: PageSizes): PlanMeasure {
  switch (selection.kind) {
    case 'field':
      return ofType(selection.field.type, leaf(selection.field))
    case 'value':
      return ofType(selection.field.type, nested(ofValueSelections(selection.selections), selection.field))
    case 'transitions':
      return listed(scalar)
    case 'one':
      return nested(ofTypes(selection.types, values), selection.field)
    case 'many':
      return ofPage(selection.read, values, selection.field)
    case 'groups':
      return ofGroups(selection.read, values, selection.field)
    case 'changes':
      return ofHistory(selection.read, values)
    case 'computed':
      return ofCustomResult(selection.field, selection.result, values)
    case 'constant':
    case 'version':
    case 'globalId':
    case 'url':
    case 'id':
      return scalar
    default:
      return unreachable(selection)
  }
}

/** A value of custom code costs as much as a stored one. */
function ofCustomResult(
  field: CostSource & { type: CustomResultType },
  result: CustomResult,
  values: PageSizes,
): PlanMeasure {
  const { type } = field
  if (type.kind === 'stored')
    return ofType(
      type.type,
      result.kind === 'value' ? nested(ofValueSelections(result.selections), field) : leaf(field),
    )
  if (result.kind !== 'rows' || result.read.shape.kind !== 'list') throw new Error('rows are read as a list')
  const row = nested(ofTypes(result.read.shape.types, values), field)
  return type.kind === 'rows' ? listed(row) : row
}

function ofValueSelections(selections: readonly ValueSelection[]): PlanMeasure {
  return sum(
    selections.map((selection) => {
      if (selection.kind === 'constant') return scalar
      const { field, selections: below } = selection
      return ofType(field.type, below === null ? leaf(field) : nested(ofValueSelections(below), field))
    }),
  )
}

function ofType(type: StoredType, inner: PlanMeasure): PlanMeasure {
  return type.kind === 'list' ? listed(inner) : inner
}

function sum(measures: readonly PlanMeasure[]): PlanMeasure {
  let depth = 0
  let cost = 0
  for (const measure of measures) {
    depth = Math.max(depth, measure.depth)
    cost += measure.cost
  }
  return { depth, cost }
}

/** An object that adds a level. */
function nested({ depth, cost }: PlanMeasure, { cost: ownCost = weights.object }: CostSource = {}): PlanMeasure {
  return { depth: depth + 1, cost: cost + ownCost }
}

/** An object that adds no level. */
function flat({ depth, cost }: PlanMeasure): PlanMeasure {
  return { depth, cost: cost + weights.object }
}

function listed({ depth, cost }: PlanMeasure, factor: number = weights.list): PlanMeasure {
  return { depth, cost: cost * factor }
}
