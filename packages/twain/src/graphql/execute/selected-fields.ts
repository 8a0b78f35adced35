// Which fields of the contract stand at a place of an answer: for telling about what was refused there.

import type { AnyField } from '#model'
import type { ConnectionSelection, EdgeSelection, PageRead, ReadPlan, Selection } from '#plan'

/** `keys` are those of the answer, from the root on, without the indexes of lists. Over an interface or a union there may be
 *  a field of each type. */
export function selectedFields(asked: ReadPlan | readonly Selection[], keys: readonly string[]): AnyField[] {
  let level = levelOf(asked)
  let found: readonly PlanMember[] = []
  for (const key of keys) {
    found = level.filter((member) => member.key === key)
    level = found.flatMap(membersIn)
  }
  return [...new Set(found.flatMap((member) => ('field' in member ? [member.field] : [])))]
}

/** What stands at a key of an answer. */
export type PlanMember = Selection | ConnectionSelection | EdgeSelection

/** What is asked at the top. */
export function levelOf(asked: ReadPlan | readonly Selection[]): readonly PlanMember[] {
  if (!('kind' in asked)) return asked
  return asked.kind === 'one' ? asked.selections : inShape(asked.shape)
}

function inShape(shape: PageRead['shape']): readonly PlanMember[] {
  return shape.kind === 'list' ? shape.types.flatMap(({ selections }) => selections) : shape.selections
}

/** What is inside a value is never refused by itself. */
export function membersIn(member: PlanMember): readonly PlanMember[] {
  switch (member.kind) {
    case 'one':
    case 'node':
      return member.types.flatMap(({ selections }) => selections)
    case 'many':
      return inShape(member.read.shape)
    case 'computed':
      return member.result.kind === 'rows' ? inShape(member.result.read.shape) : []
    case 'edges':
      return member.selections
    default:
      return []
  }
}
