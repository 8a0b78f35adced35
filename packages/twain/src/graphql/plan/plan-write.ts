// A mutation's root field → a write. What is answered of the row is planned once and kept with the operation (the engine
// knows a compiled answer by the identity of its picks); what is set is read for each request.
//
// Slots, as in the REST door: those of the answer first, then the id, what is set in its order, and the version.

import type { Resource } from '#model'
import type { BoundPlan, Limits, Parameter, Selection, SetMember, WriteBatch, WritePlan } from '#plan'
import { expectPossibleNewId, PlanBuilder, planCreates, planInput, resolveValues, type Visibility } from '#plan/build'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { MutationRootField } from '../schema/root-fields.ts'
import { FieldArguments, type PlanContext } from './plan-context.ts'
import { planSelections } from './plan-selection.ts'

export interface PlannedWrite {
  kind: 'write'
  action: MutationRootField['kind']
  of: Resource
  visibility: Visibility
  /** What is asked of the row that was written, with its slots; nothing for a delete. */
  selections: Selection[]
  requestValues: readonly unknown[]
  places: readonly string[]
  /** What is asked of a delete's result. */
  deleteResult: readonly SelectedField[]
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planWrite(
  { kind, of }: MutationRootField,
  field: SelectedField,
  context: PlanContext,
  limits: Limits,
): PlannedWrite {
  const { builder } = context
  const isDelete = kind === 'delete'
  const answer = isDelete ? [] : planSelections(of, subselections(field), context, field.key)
  builder.finish(limits)
  const definitions = context.schema.getMutationType()?.getFields()[field.name]?.args ?? []
  return {
    kind: 'write',
    action: kind,
    of,
    visibility: builder.visibility,
    selections: answer,
    requestValues: builder.requestValues,
    places: builder.places,
    deleteResult: isDelete ? context.collect(subselections(field), (type) => type === 'DeleteResult') : [],
    bindArguments: (variables) => new FieldArguments(field.node, definitions, variables),
  }
}

/** The write of this request. Throws a Fault that names all that is wrong with its input. */
export function bindWrite(
  root: PlannedWrite,
  variables: VariableValues,
  limits: Limits,
): BoundPlan<WritePlan | WriteBatch> {
  const { action, of, selections: answer, visibility } = root
  const builder = new PlanBuilder(visibility, undefined, limits.transaction)
  builder.requestValues.push(...resolveValues(root.requestValues, variables))
  builder.places.push(...root.places)
  const given = root.bindArguments(variables)
  if (action === 'createAll') {
    const plan = planCreates(given.value('inputs') as unknown[], of, answer, builder, 'inputs')
    builder.finish(limits)
    return { plan, values: builder.requestValues, places: builder.places }
  }
  const id = action === 'create' ? null : idParameter(action, given.value('id'), builder)
  const set = planSet(action, of, given, builder)
  const ifVersion = versionParameter(given.value('ifVersion'), builder)
  builder.finish(limits)
  return {
    plan: { kind: 'write', action, of, id, set, ifVersion, answer },
    values: builder.requestValues,
    places: builder.places,
  }
}

function idParameter(action: string, value: unknown, builder: PlanBuilder): Parameter {
  if (action === 'replace') expectPossibleNewId(String(value), builder)
  return builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, value, 'id')
}

function versionParameter(value: unknown, builder: PlanBuilder): Parameter | null {
  return value === undefined || value === null ? null : builder.parameter({ kind: 'version' }, value, 'ifVersion')
}

function planSet(action: WritePlan['action'], of: Resource, given: FieldArguments, builder: PlanBuilder): SetMember[] {
  switch (action) {
    case 'delete':
      return []
    case 'create':
    case 'replace':
      return planInput(given.value('input'), of, action, builder, '', false)
    case 'update':
      return planInput(mergeChanges(given, builder), of, action, builder, '', false)
  }
}

/** The fields one by one and those in `input`, as one; naming a field in both is a mistake. */
function mergeChanges(given: FieldArguments, builder: PlanBuilder): unknown {
  const changed = new Map<string, unknown>()
  for (const name of given.names()) {
    if (name === 'id' || name === 'input' || name === 'ifVersion') continue
    const value = given.value(name)
    if (value !== undefined) changed.set(name, value)
  }
  const input = given.value('input') ?? {}
  if (typeof input !== 'object' || Array.isArray(input)) return input
  for (const [name, value] of Object.entries(input)) {
    if (changed.has(name)) builder.problem(name, 'UNKNOWN', 'is given twice, by itself and in "input".')
    changed.set(name, value)
  }
  return Object.fromEntries(changed)
}
