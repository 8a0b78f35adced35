// All slots of a plan, found by one walk and remembered: plans are asked again and again.

import {
  type Call,
  type Case,
  type ComputedPick,
  type ConnectionPick,
  type Given,
  type Many,
  type Pick,
  type Plan,
  type Slot,
  setFields,
  type Watch,
  type Where,
  type Write,
} from './plan.ts'

const known = new WeakMap<Plan | Watch | Call, readonly Slot[]>()

export function slotsOf(plan: Plan | Watch | Call): readonly Slot[] {
  const remembered = known.get(plan)
  if (remembered !== undefined) return remembered
  const slots = collect(plan)
  known.set(plan, slots)
  return slots
}

function collect(plan: Plan | Watch | Call): Slot[] {
  const slots: Slot[] = []
  switch (plan.kind) {
    case 'one':
      slots.push(plan.id)
      plan.pick.forEach(visitPick)
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
    case 'watch':
      if (plan.where !== null) visitWhere(plan.where)
      plan.pick.forEach(visitPick)
      break
  }
  return slots

  function visitWrite({ id, set, ifVersion, given }: Write): void {
    if (id !== null) slots.push(id)
    for (const { slot } of setFields(set)) slots.push(slot)
    if (ifVersion !== null) slots.push(ifVersion)
    if (given !== undefined) visitGiven(given)
  }

  function visitGiven({ versions, otherVersions, unmodified }: Given): void {
    for (const slot of [versions, otherVersions, unmodified?.since]) if (slot !== undefined) slots.push(slot)
  }

  function visitMany({ within, where, page, shape }: Many): void {
    if (within !== null) slots.push(within.id)
    if (where !== null) visitWhere(where)
    if (page.kind === 'offset') slots.push(page.limit, page.offset)
    else slots.push(page.first, ...(page.after ?? []).filter((key) => key !== null))
    if (shape.kind === 'list') shape.cases.forEach(visitCase)
    else shape.pick.forEach(visitConnectionPick)
  }

  function visitWhere(where: Where): void {
    if (where.kind === 'compare' && 'index' in where.slot) slots.push(where.slot)
    else if (where.kind === 'search') slots.push(where.slot)
    else if (where.kind === 'and' || where.kind === 'or') where.of.forEach(visitWhere)
    else if (where.kind === 'not') visitWhere(where.of)
    else if (where.kind === 'through') visitWhere(where.where)
    else if ((where.kind === 'some' || where.kind === 'none') && where.where !== null) visitWhere(where.where)
  }

  function visitCase({ pick }: Case): void {
    pick.forEach(visitPick)
  }

  function visitPick(pick: Pick): void {
    if (pick.kind === 'one') pick.cases.forEach(visitCase)
    else if (pick.kind === 'many') visitMany(pick.read)
    else if (pick.kind === 'computed') visitOwn(pick)
  }

  /** What says which rows own code named is filled in when it has; the rest of that read is this request's. */
  function visitOwn({ args, result }: ComputedPick | Call): void {
    for (const { slot } of args) slots.push(slot)
    if (result.kind === 'rows' && result.read.shape.kind === 'list') result.read.shape.cases.forEach(visitCase)
  }

  function visitConnectionPick(pick: ConnectionPick): void {
    if (pick.kind !== 'edges') return
    for (const edge of pick.pick) if (edge.kind === 'node') edge.cases.forEach(visitCase)
  }
}
