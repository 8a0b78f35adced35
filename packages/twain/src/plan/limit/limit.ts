// The size of a plan and of its filters. Depth and cost use the weights of GraphQL documents (docs/reference/graphql.md#limits).
// Depth counts nested selections; `edges`, `node` and `pageInfo` add nothing.

import { ApiError, unreachable } from '#base'
import { type CustomResultType, membersOf, type StoredType, weights } from '#model'
import type {
  ConnectionSelection,
  CustomCall,
  CustomResult,
  PageRead,
  Plan,
  Selection,
  SubscriptionPlan,
  TypeSelection,
  ValueSelection,
  Where,
} from '../plan.ts'
import type { Limits } from './limits.ts'

/** Throws an ApiError if the plan exceeds a limit. */
export function limit(plan: Plan | SubscriptionPlan | CustomCall, limits: Limits): void {
  const error = exceededLimit(measure(plan), limits)
  if (error !== null) throw error
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
      hint: `A scalar costs ${weights.scalar}, an object ${weights.object}, and a list multiplies everything below it by ${weights.list}, whatever the page size. The setting limits.cost sets the limit.`,
    })
  }
  return null
}

export interface PlanMeasure {
  depth: number
  cost: number
}

export function measure(plan: Plan | SubscriptionPlan | CustomCall): PlanMeasure {
  switch (plan.kind) {
    case 'one':
    case 'subscription':
      return nested(ofSelections(plan.selections))
    case 'many':
      return ofPage(plan)
    case 'write':
      return nested(ofSelections(plan.answer))
    case 'call':
      return ofCustomResult(plan.operation, plan.result)
    case 'batch':
      return listed(nested(ofSelections(plan.writes[0]?.answer ?? [])))
  }
}

const scalar: PlanMeasure = { depth: 0, cost: weights.scalar }

/** A field; `@cost` sets its own cost. */
interface CostSource {
  cost?: number
}

function leaf({ cost = weights.scalar }: CostSource): PlanMeasure {
  return { depth: 0, cost }
}

function ofPage({ shape }: PageRead, field: CostSource = {}): PlanMeasure {
  if (shape.kind === 'list') return listed(nested(ofTypes(shape.types), field))
  return nested(sum(shape.selections.map(ofConnection)), field)
}

function ofConnection(selection: ConnectionSelection): PlanMeasure {
  switch (selection.kind) {
    case 'edges': {
      const parts = selection.selections.map((edge) => (edge.kind === 'node' ? flat(ofTypes(edge.types)) : scalar))
      return listed(flat(sum(parts)))
    }
    case 'pageInfo':
      return flat(sum(selection.selections.map(() => scalar)))
    default:
      return scalar
  }
}

/** A row has one type only, so the most expensive type counts. */
function ofTypes(types: readonly TypeSelection[]): PlanMeasure {
  const measures = types.map((one) => ofSelections(one.selections))
  return {
    depth: Math.max(0, ...measures.map(({ depth }) => depth)),
    cost: Math.max(0, ...measures.map(({ cost }) => cost)),
  }
}

function ofSelections(selections: readonly Selection[]): PlanMeasure {
  return sum(selections.map(ofSelection))
}

function ofSelection(selection: Selection): PlanMeasure {
  switch (selection.kind) {
    case 'field':
      return ofType(selection.field.type, leaf(selection.field))
    case 'value':
      return ofType(selection.field.type, nested(ofValueSelections(selection.selections), selection.field))
    case 'transitions':
      return listed(scalar)
    case 'one':
      return nested(ofTypes(selection.types), selection.field)
    case 'many':
      return ofPage(selection.read, selection.field)
    case 'computed':
      return ofCustomResult(selection.field, selection.result)
    default:
      return scalar
  }
}

/** A value of custom code costs as much as a stored one. */
function ofCustomResult(field: CostSource & { type: CustomResultType }, result: CustomResult): PlanMeasure {
  const { type } = field
  if (type.kind === 'stored')
    return ofType(
      type.type,
      result.kind === 'value' ? nested(ofValueSelections(result.selections), field) : leaf(field),
    )
  if (result.kind !== 'rows' || result.read.shape.kind !== 'list') throw new Error('rows are read as a list')
  const row = nested(ofTypes(result.read.shape.types), field)
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

function listed({ depth, cost }: PlanMeasure): PlanMeasure {
  return { depth, cost: cost * weights.list }
}

/** The size of a filter: its comparisons and its joins, since a SQL statement can hold only so many. A join to an interface or
 *  a union counts for each of its types, because the statement repeats the inner filter for each. */
export function countConditions(where: Where): number {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.reduce((sum, part) => sum + countConditions(part), 0)
    case 'not':
      return countConditions(where.of)
    case 'through':
    case 'some':
    case 'none':
      return membersOf(where.field.to).length * (1 + (where.where === null ? 0 : countConditions(where.where)))
    case 'compare':
    case 'search':
    case 'null':
    case 'constant':
    case 'viewer':
    case 'type':
      return 1
    default:
      return unreachable(where)
  }
}
