// Finds the fields of the model at a path of the response, for errors about denied fields.

import type { AnyField } from '#model'
import {
  type ConnectionSelection,
  type EdgeSelection,
  type PageRead,
  type ReadPlan,
  rowsBelow,
  type Selection,
} from '#plan'

/** `keys` are the response keys from the root, without list indexes. Over an interface or a union the result can have a field
 *  of each type. */
export function selectedFields(plan: ReadPlan | readonly Selection[], keys: readonly string[]): AnyField[] {
  let level = levelOf(plan)
  let found: readonly PlanMember[] = []
  for (const key of keys) {
    found = level.filter((member) => member.key === key)
    level = found.flatMap(membersIn)
  }
  return [...new Set(found.flatMap((member) => ('field' in member ? [member.field] : [])))]
}

/** What can stand at a response key. */
export type PlanMember = Selection | ConnectionSelection | EdgeSelection

/** What is selected at the top. */
export function levelOf(plan: ReadPlan | readonly Selection[]): readonly PlanMember[] {
  if (!('kind' in plan)) return plan
  if (plan.kind === 'groups') return [] // a value that is denied counts as null: there is no error
  return plan.kind === 'one' ? plan.selections : inShape(plan.shape)
}

function inShape(shape: PageRead['shape']): readonly PlanMember[] {
  return shape.kind === 'list' ? shape.types.flatMap(({ selections }) => selections) : shape.selections
}

/** The selections below. A field inside a value has no rules of its own. */
export function membersIn(member: PlanMember): readonly PlanMember[] {
  switch (member.kind) {
    case 'node':
      return member.types.flatMap(({ selections }) => selections)
    case 'many':
      return inShape(member.read.shape)
    case 'edges':
      return member.selections
    case 'pageInfo':
    case 'totalCount':
    case 'cursor':
      return []
    default:
      return rowsBelow(member).flatMap(({ selections }) => selections)
  }
}
