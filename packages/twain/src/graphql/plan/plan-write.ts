// A mutation's root field → a write. What is answered of the row is planned once and kept with the operation (the engine
// knows a compiled answer by the identity of its picks); what is set is read for each request.
//
// Slots, as in the REST door: those of the answer first, then the id, what is set in its order, and the version.

import type { Resource } from '#model'
import {
  type Batch,
  Draft,
  expectPossibleNewId,
  type Limits,
  type Pick,
  planCreates,
  planInput,
  type Question,
  type SetMember,
  type Sight,
  type Slot,
  valuesAgain,
  type Write,
} from '#plan'
import type { Variables } from '../document/argument-values.ts'
import { below, type Selected } from '../document/selection.ts'
import type { MutationRoot } from '../schema/root-fields.ts'
import { Arguments, type PlanContext } from './plan-context.ts'
import { planPicks } from './plan-selection.ts'

export interface WriteRoot {
  kind: 'write'
  action: MutationRoot['kind']
  of: Resource
  sight: Sight
  /** What is asked of the row that was written, with its slots; nothing for a delete. */
  answer: Pick[]
  leaves: readonly unknown[]
  places: readonly string[]
  /** What is asked of a delete's result. */
  result: readonly Selected[]
  /** The field's arguments with the variables of a request. */
  given(variables: Variables): Arguments
}

export function planWrite(
  { kind, of }: MutationRoot,
  field: Selected,
  context: PlanContext,
  limits: Limits,
): WriteRoot {
  const { draft } = context
  const isDelete = kind === 'delete'
  const answer = isDelete ? [] : planPicks(of, below(field), context, field.key)
  draft.finish(limits)
  const definitions = context.schema.getMutationType()?.getFields()[field.name]?.args ?? []
  return {
    kind: 'write',
    action: kind,
    of,
    sight: draft.sight,
    answer,
    leaves: draft.leaves,
    places: draft.places,
    result: isDelete ? context.collect(below(field), (type) => type === 'DeleteResult') : [],
    given: (variables) => new Arguments(field.node, definitions, variables),
  }
}

/** The write of this request. Throws a Fault that names all that is wrong with its input. */
export function writeQuestion(root: WriteRoot, variables: Variables, limits: Limits): Question<Write | Batch> {
  const { action, of, answer, sight } = root
  const draft = new Draft(sight, undefined, limits.transaction)
  draft.leaves.push(...valuesAgain(root.leaves, variables))
  draft.places.push(...root.places)
  const given = root.given(variables)
  if (action === 'createAll') {
    const plan = planCreates(given.value('inputs') as unknown[], of, answer, draft, 'inputs')
    draft.finish(limits)
    return { plan, values: draft.leaves, places: draft.places }
  }
  const id = action === 'create' ? null : idSlot(action, given.value('id'), draft)
  const set = planSet(action, of, given, draft)
  const ifVersion = versionSlot(given.value('ifVersion'), draft)
  draft.finish(limits)
  return { plan: { kind: 'write', action, of, id, set, ifVersion, answer }, values: draft.leaves, places: draft.places }
}

function idSlot(action: string, value: unknown, draft: Draft): Slot {
  if (action === 'replace') expectPossibleNewId(String(value), draft)
  return draft.slot({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, value, 'id')
}

function versionSlot(value: unknown, draft: Draft): Slot | null {
  return value === undefined || value === null ? null : draft.slot({ kind: 'version' }, value, 'ifVersion')
}

function planSet(action: Write['action'], of: Resource, given: Arguments, draft: Draft): SetMember[] {
  switch (action) {
    case 'delete':
      return []
    case 'create':
    case 'replace':
      return planInput(given.value('input'), of, action, draft, '', false)
    case 'update':
      return planInput(changes(given, draft), of, action, draft, '', false)
  }
}

/** The fields one by one and those in `input`, as one; naming a field in both is a mistake. */
function changes(given: Arguments, draft: Draft): unknown {
  const changed = new Map<string, unknown>()
  for (const name of given.names()) {
    if (name === 'id' || name === 'input' || name === 'ifVersion') continue
    const value = given.value(name)
    if (value !== undefined) changed.set(name, value)
  }
  const input = given.value('input') ?? {}
  if (typeof input !== 'object' || Array.isArray(input)) return input
  for (const [name, value] of Object.entries(input)) {
    if (changed.has(name)) draft.problem(name, 'UNKNOWN', 'is given twice, by itself and in "input".')
    changed.set(name, value)
  }
  return Object.fromEntries(changed)
}
