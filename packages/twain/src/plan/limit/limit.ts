// Depth and cost of a plan, by the same weights as those of a GraphQL document (product.md, section 7).
// Depth counts nested selections; `edges`, `node` and `pageInfo` add nothing.

import { ApiError } from '#base'
import type { CustomResultType, StoredType } from '#model'
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
} from '../plan.ts'
import { type Limits, weights } from './limits.ts'

/** Throws a Fault when the plan is over a limit. */
export function limit(plan: Plan | SubscriptionPlan | CustomCall, limits: Limits): void {
  const fault = overLimit(measure(plan), limits)
  if (fault !== null) throw fault
}

/** What is said of too much: the figure, the limit, and how it is counted. Null: it is within the limits. */
export function overLimit({ depth, cost }: Measure, limits: Limits): ApiError | null {
  if (limits.depth > 0 && depth > limits.depth) {
    return new ApiError('QUERY_TOO_DEEP', `The query is ${depth} levels deep; at most ${limits.depth} are allowed.`, {
      hint: 'Ask in two steps: what is deeper by the ids that the first one gives. The setting limits.depth says how deep a query may be.',
    })
  }
  if (limits.cost > 0 && cost > limits.cost) {
    return new ApiError('QUERY_TOO_COSTLY', `The query costs ${cost}; at most ${limits.cost} is allowed.`, {
      hint: `A scalar costs ${weights.scalar}, an object ${weights.object}, and a list multiplies all below it by ${weights.list}, whatever page size is asked for. The setting limits.cost says how much is allowed.`,
    })
  }
  return null
}

export interface Measure {
  depth: number
  cost: number
}

export function measure(plan: Plan | SubscriptionPlan | CustomCall): Measure {
  switch (plan.kind) {
    case 'one':
    case 'subscription':
      return nested(ofPicks(plan.selections))
    case 'many':
      return ofMany(plan)
    case 'write':
      return nested(ofPicks(plan.answer))
    case 'call':
      return ofOwn(plan.operation, plan.result)
    case 'batch':
      return listed(nested(ofPicks(plan.writes[0]?.answer ?? [])))
  }
}

const scalar: Measure = { depth: 0, cost: weights.scalar }

/** Of which field; `@cost` says what it costs by itself. */
interface Costing {
  cost?: number
}

function leaf({ cost = weights.scalar }: Costing): Measure {
  return { depth: 0, cost }
}

function ofMany({ shape }: PageRead, field: Costing = {}): Measure {
  if (shape.kind === 'list') return listed(nested(ofCases(shape.types), field))
  return nested(sum(shape.selections.map(ofConnectionPick)), field)
}

function ofConnectionPick(selection: ConnectionSelection): Measure {
  switch (selection.kind) {
    case 'edges': {
      const parts = selection.selections.map((edge) => (edge.kind === 'node' ? flat(ofCases(edge.types)) : scalar))
      return listed(flat(sum(parts)))
    }
    case 'pageInfo':
      return flat(sum(selection.selections.map(() => scalar)))
    default:
      return scalar
  }
}

/** A row is of one type only, so of several cases the dearest counts. */
function ofCases(cases: readonly TypeSelection[]): Measure {
  const measures = cases.map((one) => ofPicks(one.selections))
  return {
    depth: Math.max(0, ...measures.map(({ depth }) => depth)),
    cost: Math.max(0, ...measures.map(({ cost }) => cost)),
  }
}

function ofPicks(selections: readonly Selection[]): Measure {
  return sum(selections.map(ofPick))
}

function ofPick(selection: Selection): Measure {
  switch (selection.kind) {
    case 'field':
      return ofType(selection.field.type, leaf(selection.field))
    case 'value':
      return ofType(selection.field.type, nested(ofValuePicks(selection.selections), selection.field))
    case 'transitions':
      return listed(scalar)
    case 'one':
      return nested(ofCases(selection.types), selection.field)
    case 'many':
      return ofMany(selection.read, selection.field)
    case 'computed':
      return ofOwn(selection.field, selection.result)
    default:
      return scalar
  }
}

/** What own code gives costs what it would if it were stored. */
function ofOwn(field: Costing & { type: CustomResultType }, result: CustomResult): Measure {
  const { type } = field
  if (type.kind === 'stored')
    return ofType(type.type, result.kind === 'value' ? nested(ofValuePicks(result.selections), field) : leaf(field))
  if (result.kind !== 'rows' || result.read.shape.kind !== 'list') throw new Error('rows are read as a list')
  const row = nested(ofCases(result.read.shape.types), field)
  return type.kind === 'rows' ? listed(row) : row
}

function ofValuePicks(selections: readonly ValueSelection[]): Measure {
  return sum(
    selections.map((selection) => {
      if (selection.kind === 'constant') return scalar
      const { field, selections: below } = selection
      return ofType(field.type, below === null ? leaf(field) : nested(ofValuePicks(below), field))
    }),
  )
}

function ofType(type: StoredType, inner: Measure): Measure {
  return type.kind === 'list' ? listed(inner) : inner
}

function sum(measures: readonly Measure[]): Measure {
  let depth = 0
  let cost = 0
  for (const measure of measures) {
    depth = Math.max(depth, measure.depth)
    cost += measure.cost
  }
  return { depth, cost }
}

/** An object whose braces count as a level. */
function nested({ depth, cost }: Measure, { cost: own = weights.object }: Costing = {}): Measure {
  return { depth: depth + 1, cost: cost + own }
}

/** An object whose braces do not. */
function flat({ depth, cost }: Measure): Measure {
  return { depth, cost: cost + weights.object }
}

function listed({ depth, cost }: Measure): Measure {
  return { depth, cost: cost * weights.list }
}
