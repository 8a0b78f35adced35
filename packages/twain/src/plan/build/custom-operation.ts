// How both doors plan what own code answers.

import type { Argument, ComputedField, Resource, StoredField } from '#model'
import type { Case, ConnectionPick, GivenArgument, Many, OwnResult, Pick, Plan, Shape, Where } from '../plan.ts'
import { planOrder } from './order.ts'
import { offsetPage } from './page.ts'
import type { Draft } from './plan-builder.ts'

/** Keys of what own code is given of a row: no name of GraphQL or of a field has an @. */
const hidden = '@'

export function isHiddenKey(key: string): boolean {
  return key.startsWith(hidden)
}

/** What own code is given of each row, beside its id. */
export function pickFrom({ from }: ComputedField): Pick[] {
  return from.map((field): Pick => {
    const key = `${hidden}${field.name}`
    return field.kind === 'reference' ? { kind: 'id', key, field } : { kind: 'field', key, field }
  })
}

/** `leafOf` gives what the request says; undefined where it says nothing. */
export function planArguments(
  args: readonly Argument[],
  draft: Draft,
  place: string,
  leafOf: (name: string) => unknown,
): GivenArgument[] {
  return args.map((argument) => {
    const slot = draft.slot(
      { kind: 'argument', argument },
      leafOf(argument.name),
      place === '' ? argument.name : `${place}.${argument.name}`,
    )
    return { argument, slot }
  })
}

/** By which a row that own code named is known again. */
export const idMark = `${hidden}id`

/** Rows whose ids own code names: a page of those, as their viewer may see them. */
export function planNamedRows(of: Resource, draft: Draft, place: string, cases: () => Case[]): OwnResult {
  const id = of.fields.get('id') as StoredField
  const ids = draft.slot({ kind: 'types', type: id.type }, [], place) // filled in when they are named
  const order = planOrder([], of, draft)
  const page = offsetPage(1, 0, draft, { limit: place, offset: place })
  const where: Where = { kind: 'compare', target: { kind: 'target', field: id, inside: [] }, op: 'in', slot: ids }
  const named = cases().map((one) => ({
    ...one,
    pick: [...one.pick, { kind: 'field', key: idMark, field: id } as const],
  }))
  const shape: Shape = { kind: 'list', cases: named }
  return { kind: 'rows', read: { kind: 'many', of, within: null, where, order, page, shape }, ids }
}

/** A row of several types says which it is where own code answers for some: what it is given is not alike. */
export function markTypes(cases: Case[]): Case[] {
  if (cases.length < 2 || !cases.some(({ pick }) => pick.some(isComputed))) return cases
  return cases.map(({ of, pick }) => ({ of, pick: [...pick, { kind: 'constant', key: typeMark, value: of.name }] }))
}

export const typeMark = `${hidden}type`

/** Whether own code answers something of the plan. */
export function isOwn(plan: Plan): boolean {
  switch (plan.kind) {
    case 'one':
      return plan.pick.some(isComputed)
    case 'many':
      return hasComputed(plan)
    case 'write':
      return plan.answer.some(isComputed)
    case 'batch':
      return plan.writes[0]?.answer.some(isComputed) === true
  }
}

function hasComputed({ shape }: Many): boolean {
  const cases = shape.kind === 'list' ? shape.cases : shape.pick.flatMap(nodeCases)
  return cases.some(({ pick }) => pick.some(isComputed))
}

/** The rows of a connection. */
function nodeCases(pick: ConnectionPick): readonly Case[] {
  return pick.kind === 'edges' ? pick.pick.flatMap((edge) => (edge.kind === 'node' ? edge.cases : [])) : []
}

export function isComputed(pick: Pick): boolean {
  switch (pick.kind) {
    case 'computed':
      return true
    case 'one':
      return pick.cases.some((one) => one.pick.some(isComputed))
    case 'many':
      return hasComputed(pick.read)
    default:
      return false
  }
}
