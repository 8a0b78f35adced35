// The root field of a mutation → a write. The selections of the written row are planned once and cached with the operation: the
// engine finds the compiled read by their identity. The input is planned for each request, unless an earlier create has set the same fields.
//
// The order of parameters is the same as in REST: the selections, the id, the input in its order, the version.

import type { Resource } from '#model'
import type {
  BoundPlan,
  BulkWrite,
  Limits,
  Parameter,
  RowLocator,
  Selection,
  SetMember,
  WriteBatch,
  WriteKind,
  WritePlan,
} from '#plan'
import {
  expectPossibleNewId,
  PlanBuilder,
  PlannedCreates,
  planCreates,
  planDeletion,
  planInput,
  planKey,
  planRedelivery,
  planReversion,
  planUpsert,
  type RequestKeyPart,
  readKeyArgument,
  resolveValues,
  type UnboundValues,
  type Visibility,
  withKey,
  withoutKey,
} from '#plan/build'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { keyArgument } from '../schema/key-types.ts'
import type { MutationRootField } from '../schema/root-fields.ts'
import { bulkActions, planBulkField } from './plan-bulk.ts'
import { FieldArguments, type PlanContext } from './plan-context.ts'
import { planSelections } from './plan-selection.ts'

export interface PlannedWriteField extends UnboundValues {
  kind: 'write'
  action: MutationRootField['kind']
  of: Resource
  by: MutationRootField['by']
  visibility: Visibility
  /** The selections of the written row; empty for a delete. */
  selections: Selection[]
  /** The selected fields of `DeleteResult`, `BulkResult` or `RowResult`. */
  resultFields: readonly SelectedField[]
  /** Those of each `errors` among them, by its key. */
  nestedFields: ReadonlyMap<string, readonly SelectedField[]>
  /** Creates of this field. */
  creates: PlannedCreates
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planWrite(
  { kind, of, by }: MutationRootField,
  field: SelectedField,
  context: PlanContext,
  limits: Limits,
): PlannedWriteField {
  const { builder } = context
  const hasResult = resultKinds.has(kind)
  const selections = hasResult
    ? emptySelections(kind, of)
    : planSelections(of, subselections(field), context, field.key)
  builder.finish(limits)
  const resultFields = hasResult ? context.collect(subselections(field), isResultType) : []
  const definitions = context.schema.getMutationType()?.getFields()[field.name]?.args ?? []
  return {
    kind: 'write',
    action: kind,
    of,
    by,
    visibility: builder.visibility,
    selections,
    ...builder.unbound(),
    resultFields,
    nestedFields: new Map(
      resultFields
        .filter(({ name }) => name === 'errors')
        .map((errors) => [errors.key, context.collect(subselections(errors), (type) => type === 'RowProblem')]),
    ),
    creates: new PlannedCreates(),
    bindArguments: (variables) => new FieldArguments(field.node, definitions, variables),
  }
}

/** They return a result and no row. */
const resultKinds: ReadonlySet<MutationRootField['kind']> = new Set(['delete', 'updateAll', 'deleteAll', 'createEach'])

const emptyOf = new WeakMap<Resource, Selection[]>()

/** Nothing is read back of a row. One list for each type, by which the store knows the statement that it compiled. */
function emptySelections(kind: MutationRootField['kind'], of: Resource): Selection[] {
  if (kind !== 'createEach') return []
  const known = emptyOf.get(of) ?? []
  emptyOf.set(of, known)
  return known
}

function isResultType(type: string): boolean {
  return type === 'DeleteResult' || type === 'BulkResult' || type === 'RowResult'
}

/** The kind of write, for the rules. */
export function writeKindOf({ action, of }: PlannedWriteField): WriteKind {
  if (action === 'createAll' || action === 'createEach') return { of, action: 'create' }
  if (action === 'updateAll' || action === 'deleteAll') return { of, action: bulkActions[action] }
  return { of, action: action === 'redeliver' || action === 'revert' ? 'update' : action }
}

/** Whether a bulk write is only tried. */
export function isDryRun(root: PlannedWriteField, variables: VariableValues): boolean {
  const isBulk = root.action === 'updateAll' || root.action === 'deleteAll'
  return isBulk && root.bindArguments(variables).value('dryRun') === true
}

/** One row of `createEachPost`. Throws an ApiError with all problems of its input. */
export function bindEach(
  { of, selections, visibility, creates }: PlannedWriteField,
  input: unknown,
  limits: Limits,
): BoundPlan<WritePlan> {
  const known = creates.bind(input, [])
  if (known !== null) return known
  const builder = new PlanBuilder(visibility, undefined, limits.transaction)
  const set = planInput(input, of, 'create', builder, '', false)
  builder.finish(limits)
  const plan: WritePlan = { kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer: selections }
  return creates.keep(input, 0, builder.bind(plan, builder.requestValues))
}

/** The write of this request. Throws an ApiError with all problems of its input. */
export function bindWrite(
  root: PlannedWriteField,
  variables: VariableValues,
  limits: Limits,
): BoundPlan<WritePlan | WriteBatch | BulkWrite> {
  const { action, of, by, selections, visibility, creates } = root
  const before = resolveValues(root.requestValues, variables)
  const args = root.bindArguments(variables)
  const input = action === 'create' ? args.value('input') : undefined
  const known = action === 'create' ? creates.bind(input, before) : null
  if (known !== null) return known
  const builder = new PlanBuilder(visibility, undefined, limits.transaction)
  builder.addPlanned(root, before)
  if (action === 'createAll') {
    const plan = planCreates(args.value('inputs') as unknown[], of, selections, builder, 'inputs', limits.bulk)
    builder.finish(limits)
    return builder.bind(plan, builder.requestValues)
  }
  if (action === 'createEach') throw new Error('each of its rows is bound by itself')
  if (action === 'updateAll' || action === 'deleteAll') {
    const plan = planBulkField(action, of, args, builder, limits)
    return builder.bind(plan, builder.requestValues)
  }
  if (action === 'redeliver') {
    const input = { delivery: args.value('delivery') }
    const plan = planRedelivery(args.value('webhook'), input, of, selections, builder)
    builder.finish(limits)
    return builder.bind(plan, builder.requestValues)
  }
  const key = by === 'key' ? readKeyArgument(args.value(keyArgument), of, builder, keyArgument) : null
  if (action === 'upsert') {
    const plan = planUpsert(key ?? [], args.value('create'), args.value('update'), of, selections, builder)
    builder.finish(limits)
    return builder.bind(plan, builder.requestValues)
  }
  const locator = key === null ? locateById(action, args, builder) : planKey(key, of, builder)
  const set =
    action === 'create' ? planInput(input, of, action, builder, '', false) : planSet(action, of, args, key, builder)
  const revert = action === 'revert' ? { revert: planReversion(of, args.value('version'), builder) } : null
  const ifVersion = versionParameter(args.value('ifVersion'), builder)
  builder.finish(limits)
  const isFinal = action === 'delete' && args.value('purge') === true
  const plan: WritePlan = {
    kind: 'write',
    action: isFinal ? 'purge' : action === 'revert' ? 'update' : action,
    of,
    ...locator,
    set,
    ...revert,
    ifVersion,
    answer: selections,
  }
  const bound = builder.bind(plan, builder.requestValues)
  return action === 'create' ? creates.keep(input, before.length, bound) : bound
}

function locateById(action: string, args: FieldArguments, builder: PlanBuilder): RowLocator {
  return { id: action === 'create' ? null : idParameter(action, args.value('id'), builder) }
}

function idParameter(action: string, value: unknown, builder: PlanBuilder): Parameter {
  if (action === 'replace') expectPossibleNewId(String(value), builder)
  return builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, value, 'id')
}

function versionParameter(value: unknown, builder: PlanBuilder): Parameter | null {
  return value === undefined || value === null ? null : builder.parameter({ kind: 'version' }, value, 'ifVersion')
}

function planSet(
  action: 'replace' | 'update' | 'delete' | 'restore' | 'revert',
  of: Resource,
  args: FieldArguments,
  key: readonly RequestKeyPart[] | null,
  builder: PlanBuilder,
): SetMember[] {
  const ownOf = (input: unknown) => (key === null ? input : withoutKey(input, key, builder, 'in key'))
  switch (action) {
    case 'delete':
      return planDeletion(of, args.value('currentPassword'), builder)
    case 'restore':
    case 'revert':
      return []
    case 'replace':
      return planInput(withKey(ownOf(args.value('input')), key ?? []), of, action, builder, '', false)
    case 'update':
      return planInput(ownOf(mergeChanges(args, key, builder)), of, action, builder, '', false)
  }
}

/** Merges the fields that are arguments of their own with those in `input`. A field in both is a mistake. */
function mergeChanges(args: FieldArguments, key: readonly RequestKeyPart[] | null, builder: PlanBuilder): unknown {
  const row = key === null ? 'id' : keyArgument
  const changed = new Map<string, unknown>()
  for (const name of args.names()) {
    if (name === row || name === 'input' || name === 'ifVersion') continue
    const value = args.value(name)
    if (value !== undefined) changed.set(name, value)
  }
  const input = args.value('input') ?? {}
  if (typeof input !== 'object' || Array.isArray(input)) return input
  for (const [name, value] of Object.entries(input)) {
    if (changed.has(name)) builder.problem(name, 'UNKNOWN', 'is present twice, as an argument and in "input".')
    changed.set(name, value)
  }
  return Object.fromEntries(changed)
}
