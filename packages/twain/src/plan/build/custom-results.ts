// Plans computed fields and custom operations, for all adapters.

import type { ComputedField, CustomOperation, Resource, StoredField } from '#model'
import type {
  BoundArgument,
  CustomResult,
  PageShape,
  Plan,
  Selection,
  SubscriptionPlan,
  TypeSelection,
  Where,
} from '../plan.ts'
import { rootSelections, someSelection } from '../visit-plan.ts'
import { planOrder } from './order.ts'
import { offsetPage } from './page.ts'
import type { PlanBuilder } from './plan-builder.ts'

/** Prefix of the keys that hold the inputs of custom code: no field and no GraphQL name has an @. */
const hiddenPrefix = '@'

export function isHiddenKey(key: string): boolean {
  return key.startsWith(hiddenPrefix)
}

/** The inputs that custom code gets of each row, beside its id. */
export function computedInputs({ from }: ComputedField): Selection[] {
  return from.map((field): Selection => {
    const key = `${hiddenPrefix}${field.name}`
    return field.kind === 'reference' ? { kind: 'id', key, field } : { kind: 'field', key, field }
  })
}

/** `leafOf` gives the value of the request; undefined: the request has none. */
export function planArguments(
  of: ComputedField | CustomOperation,
  builder: PlanBuilder,
  place: string,
  leafOf: (name: string) => unknown,
): BoundArgument[] {
  return of.args.map((argument) => {
    const { name } = argument
    const parameter = builder.argument(argument, of, leafOf(name), place === '' ? name : `${place}.${name}`)
    return { argument, parameter }
  })
}

/** The key of the id by which a named row is found in the result. */
export const idKey = `${hiddenPrefix}id`

/** A page of the rows whose ids custom code names, as the viewer may see them. */
export function planNamedRows(
  of: Resource,
  builder: PlanBuilder,
  place: string,
  types: () => TypeSelection[],
): CustomResult {
  const id = of.fields.get('id') as StoredField
  const ids = builder.parameter({ kind: 'types', type: id.type }, [], place) // bound once custom code has named them
  const order = planOrder([], of, builder)
  const page = offsetPage(1, 0, builder, { limit: place, offset: place })
  const where: Where = { kind: 'compare', target: { kind: 'target', field: id, inside: [] }, op: 'in', parameter: ids }
  const named = types().map((one) => ({
    ...one,
    selections: [...one.selections, { kind: 'field', key: idKey, field: id } as const],
  }))
  const shape: PageShape = { kind: 'list', types: named }
  return { kind: 'rows', read: { kind: 'many', of, within: null, where, order, page, shape }, ids }
}

/** Adds the type's name to rows that can be of several types with computed fields: their inputs differ. */
export function addTypeKeys(types: TypeSelection[]): TypeSelection[] {
  if (types.length < 2 || !types.some(({ selections }) => someSelection(selections, isComputed))) return types
  return types.map(({ of, selections }) => ({
    of,
    selections: [...selections, { kind: 'constant', key: typeKey, value: of.name }],
  }))
}

export const typeKey = `${hiddenPrefix}type`

/** Whether the plan selects a computed field. */
export function usesCustomCode(plan: Plan | SubscriptionPlan): boolean {
  return rootSelections(plan).some((selections) => someSelection(selections, isComputed))
}

function isComputed({ kind }: Selection): boolean {
  return kind === 'computed'
}
