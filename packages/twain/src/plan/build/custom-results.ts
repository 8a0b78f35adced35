// How both doors plan what own code answers.

import type { Argument, ComputedField, Resource, StoredField } from '#model'
import type {
  BoundArgument,
  ConnectionSelection,
  CustomResult,
  PageRead,
  PageShape,
  Plan,
  Selection,
  SubscriptionPlan,
  TypeSelection,
  Where,
} from '../plan.ts'
import { planOrder } from './order.ts'
import { offsetPage } from './page.ts'
import type { PlanBuilder } from './plan-builder.ts'

/** Keys of what own code is given of a row: no name of GraphQL or of a field has an @. */
const hiddenPrefix = '@'

export function isHiddenKey(key: string): boolean {
  return key.startsWith(hiddenPrefix)
}

/** What own code is given of each row, beside its id. */
export function computedInputs({ from }: ComputedField): Selection[] {
  return from.map((field): Selection => {
    const key = `${hiddenPrefix}${field.name}`
    return field.kind === 'reference' ? { kind: 'id', key, field } : { kind: 'field', key, field }
  })
}

/** `leafOf` gives what the request says; undefined where it says nothing. */
export function planArguments(
  args: readonly Argument[],
  builder: PlanBuilder,
  place: string,
  leafOf: (name: string) => unknown,
): BoundArgument[] {
  return args.map((argument) => {
    const parameter = builder.parameter(
      { kind: 'argument', argument },
      leafOf(argument.name),
      place === '' ? argument.name : `${place}.${argument.name}`,
    )
    return { argument, parameter: parameter }
  })
}

/** By which a row that own code named is known again. */
export const idKey = `${hiddenPrefix}id`

/** Rows whose ids own code names: a page of those, as their viewer may see them. */
export function planNamedRows(
  of: Resource,
  builder: PlanBuilder,
  place: string,
  cases: () => TypeSelection[],
): CustomResult {
  const id = of.fields.get('id') as StoredField
  const ids = builder.parameter({ kind: 'types', type: id.type }, [], place) // filled in when they are named
  const order = planOrder([], of, builder)
  const page = offsetPage(1, 0, builder, { limit: place, offset: place })
  const where: Where = { kind: 'compare', target: { kind: 'target', field: id, inside: [] }, op: 'in', parameter: ids }
  const named = cases().map((one) => ({
    ...one,
    selections: [...one.selections, { kind: 'field', key: idKey, field: id } as const],
  }))
  const shape: PageShape = { kind: 'list', types: named }
  return { kind: 'rows', read: { kind: 'many', of, within: null, where, order, page, shape }, ids }
}

/** A row of several types says which it is where own code answers for some: what it is given is not alike. */
export function addTypeKeys(cases: TypeSelection[]): TypeSelection[] {
  if (cases.length < 2 || !cases.some(({ selections }) => selections.some(selectionUsesCustomCode))) return cases
  return cases.map(({ of, selections }) => ({
    of,
    selections: [...selections, { kind: 'constant', key: typeKey, value: of.name }],
  }))
}

export const typeKey = `${hiddenPrefix}type`

/** Whether own code answers something of the plan. */
export function usesCustomCode(plan: Plan | SubscriptionPlan): boolean {
  switch (plan.kind) {
    case 'one':
    case 'subscription':
      return plan.selections.some(selectionUsesCustomCode)
    case 'many':
      return pageUsesCustomCode(plan)
    case 'write':
      return plan.answer.some(selectionUsesCustomCode)
    case 'batch':
      return plan.writes[0]?.answer.some(selectionUsesCustomCode) === true
  }
}

function pageUsesCustomCode({ shape }: PageRead): boolean {
  const cases = shape.kind === 'list' ? shape.types : shape.selections.flatMap(nodeTypes)
  return cases.some(({ selections }) => selections.some(selectionUsesCustomCode))
}

/** The rows of a connection. */
function nodeTypes(selection: ConnectionSelection): readonly TypeSelection[] {
  return selection.kind === 'edges'
    ? selection.selections.flatMap((edge) => (edge.kind === 'node' ? edge.types : []))
    : []
}

function selectionUsesCustomCode(selection: Selection): boolean {
  switch (selection.kind) {
    case 'computed':
      return true
    case 'one':
      return selection.types.some((one) => one.selections.some(selectionUsesCustomCode))
    case 'many':
      return pageUsesCustomCode(selection.read)
    default:
      return false
  }
}
