// All parameters of a plan. The walk runs once for each plan: plans are cached and executed many times.

import {
  type ComputedSelection,
  type ConnectionSelection,
  type CustomCall,
  type PageRead,
  type Parameter,
  type Plan,
  type Preconditions,
  type Selection,
  type SubscriptionPlan,
  setParameters,
  type TypeSelection,
  type Where,
  type WritePlan,
} from './plan.ts'

const parametersByPlan = new WeakMap<Plan | SubscriptionPlan | CustomCall, readonly Parameter[]>()

export function parametersOf(plan: Plan | SubscriptionPlan | CustomCall): readonly Parameter[] {
  const remembered = parametersByPlan.get(plan)
  if (remembered !== undefined) return remembered
  const parameters = collect(plan)
  parametersByPlan.set(plan, parameters)
  return parameters
}

function collect(plan: Plan | SubscriptionPlan | CustomCall): Parameter[] {
  const parameters: Parameter[] = []
  switch (plan.kind) {
    case 'one':
      parameters.push(plan.id)
      plan.selections.forEach(visitSelection)
      break
    case 'many':
      visitPage(plan)
      break
    case 'write':
      visitWrite(plan)
      plan.answer.forEach(visitSelection)
      break
    case 'call':
      visitCustomResult(plan)
      break
    case 'batch':
      plan.writes.forEach(visitWrite)
      plan.writes[0]?.answer.forEach(visitSelection)
      break
    case 'subscription':
      if (plan.where !== null) visitWhere(plan.where)
      plan.selections.forEach(visitSelection)
      break
  }
  return parameters

  function visitWrite({ id, set, ifVersion, preconditions }: WritePlan): void {
    if (id !== null) parameters.push(id)
    parameters.push(...setParameters(set))
    if (ifVersion !== null) parameters.push(ifVersion)
    if (preconditions !== undefined) visitPreconditions(preconditions)
  }

  function visitPreconditions({ versions, otherVersions, unmodified }: Preconditions): void {
    for (const parameter of [versions, otherVersions, unmodified?.since])
      if (parameter !== undefined) parameters.push(parameter)
  }

  function visitPage({ within, where, page, shape }: PageRead): void {
    if (within !== null) parameters.push(within.id)
    if (where !== null) visitWhere(where)
    if (page.kind === 'offset') parameters.push(page.limit, page.offset)
    else parameters.push(page.first, ...(page.after ?? []).filter((key) => key !== null))
    if (shape.kind === 'list') shape.types.forEach(visitType)
    else shape.selections.forEach(visitConnection)
  }

  function visitWhere(where: Where): void {
    if (where.kind === 'compare' && 'index' in where.parameter) parameters.push(where.parameter)
    else if (where.kind === 'search') parameters.push(where.parameter)
    else if (where.kind === 'and' || where.kind === 'or') where.of.forEach(visitWhere)
    else if (where.kind === 'not') visitWhere(where.of)
    else if (where.kind === 'through') visitWhere(where.where)
    else if (where.kind === 'type' && where.where !== undefined) visitWhere(where.where)
    else if ((where.kind === 'some' || where.kind === 'none') && where.where !== null) visitWhere(where.where)
  }

  function visitType({ selections }: TypeSelection): void {
    selections.forEach(visitSelection)
  }

  function visitSelection(selection: Selection): void {
    if (selection.kind === 'one') selection.types.forEach(visitType)
    else if (selection.kind === 'many') visitPage(selection.read)
    else if (selection.kind === 'computed') visitCustomResult(selection)
  }

  /** The ids of named rows are bound once custom code has named them. The other parameters of that read belong to the request. */
  function visitCustomResult({ args, result }: ComputedSelection | CustomCall): void {
    for (const { parameter } of args) parameters.push(parameter)
    if (result.kind === 'rows' && result.read.shape.kind === 'list') result.read.shape.types.forEach(visitType)
  }

  function visitConnection(selection: ConnectionSelection): void {
    if (selection.kind !== 'edges') return
    for (const edge of selection.selections) if (edge.kind === 'node') edge.types.forEach(visitType)
  }
}
