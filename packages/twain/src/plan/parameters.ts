// All slots of a plan, found by one walk and remembered: plans are asked again and again.

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
  setFields,
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
      plan.selections.forEach(visitPick)
      break
    case 'many':
      visitMany(plan)
      break
    case 'write':
      visitWrite(plan)
      plan.answer.forEach(visitPick)
      break
    case 'call':
      visitOwn(plan)
      break
    case 'batch':
      plan.writes.forEach(visitWrite)
      plan.writes[0]?.answer.forEach(visitPick)
      break
    case 'subscription':
      if (plan.where !== null) visitWhere(plan.where)
      plan.selections.forEach(visitPick)
      break
  }
  return parameters

  function visitWrite({ id, set, ifVersion, preconditions }: WritePlan): void {
    if (id !== null) parameters.push(id)
    for (const { parameter } of setFields(set)) parameters.push(parameter)
    if (ifVersion !== null) parameters.push(ifVersion)
    if (preconditions !== undefined) visitGiven(preconditions)
  }

  function visitGiven({ versions, otherVersions, unmodified }: Preconditions): void {
    for (const parameter of [versions, otherVersions, unmodified?.since])
      if (parameter !== undefined) parameters.push(parameter)
  }

  function visitMany({ within, where, page, shape }: PageRead): void {
    if (within !== null) parameters.push(within.id)
    if (where !== null) visitWhere(where)
    if (page.kind === 'offset') parameters.push(page.limit, page.offset)
    else parameters.push(page.first, ...(page.after ?? []).filter((key) => key !== null))
    if (shape.kind === 'list') shape.types.forEach(visitCase)
    else shape.selections.forEach(visitConnectionPick)
  }

  function visitWhere(where: Where): void {
    if (where.kind === 'compare' && 'index' in where.parameter) parameters.push(where.parameter)
    else if (where.kind === 'search') parameters.push(where.parameter)
    else if (where.kind === 'and' || where.kind === 'or') where.of.forEach(visitWhere)
    else if (where.kind === 'not') visitWhere(where.of)
    else if (where.kind === 'through') visitWhere(where.where)
    else if ((where.kind === 'some' || where.kind === 'none') && where.where !== null) visitWhere(where.where)
  }

  function visitCase({ selections }: TypeSelection): void {
    selections.forEach(visitPick)
  }

  function visitPick(selection: Selection): void {
    if (selection.kind === 'one') selection.types.forEach(visitCase)
    else if (selection.kind === 'many') visitMany(selection.read)
    else if (selection.kind === 'computed') visitOwn(selection)
  }

  /** What says which rows own code named is filled in when it has; the rest of that read is this request's. */
  function visitOwn({ args, result }: ComputedSelection | CustomCall): void {
    for (const { parameter } of args) parameters.push(parameter)
    if (result.kind === 'rows' && result.read.shape.kind === 'list') result.read.shape.types.forEach(visitCase)
  }

  function visitConnectionPick(selection: ConnectionSelection): void {
    if (selection.kind !== 'edges') return
    for (const edge of selection.selections) if (edge.kind === 'node') edge.types.forEach(visitCase)
  }
}
