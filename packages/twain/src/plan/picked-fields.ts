// Which fields of the contract stand at a place of an answer: for telling about what was refused there.

import type { Field } from '#model'
import type { ConnectionPick, EdgePick, Pick, Read, Shape } from './plan.ts'

/** `keys` are those of the answer, from the root on, without the indexes of lists. Over an interface or a union there may be
 *  a field of each type. */
export function pickedFields(asked: Read | readonly Pick[], keys: readonly string[]): Field[] {
  let level = 'kind' in asked ? (asked.kind === 'one' ? asked.pick : inShape(asked.shape)) : asked
  let found: readonly Member[] = []
  for (const key of keys) {
    found = level.filter((member) => member.key === key)
    level = found.flatMap(inside)
  }
  return [...new Set(found.flatMap((member) => ('field' in member ? [member.field] : [])))]
}

type Member = Pick | ConnectionPick | EdgePick

function inShape(shape: Shape): readonly Member[] {
  return shape.kind === 'list' ? shape.cases.flatMap(({ pick }) => pick) : shape.pick
}

/** What is inside a value is never refused by itself. */
function inside(member: Member): readonly Member[] {
  switch (member.kind) {
    case 'one':
    case 'node':
      return member.cases.flatMap(({ pick }) => pick)
    case 'many':
      return inShape(member.read.shape)
    case 'edges':
      return member.pick
    default:
      return []
  }
}
