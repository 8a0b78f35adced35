// The id of a path (docs/reference/rest.md, R3).

import { type Draft, isPossibleId, type Slot, Sourced } from '#plan'
import { type Asked, notFound } from './parsed-request.ts'

/** What no row can have as its id is looked up nowhere. */
export function expectPossibleId(asked: Asked): void {
  if (!isPossibleId(asked.id)) throw notFound(asked)
}

export function idSlot(asked: Asked, draft: Draft): Slot {
  const leaf = new Sourced(asked.id, ({ id }: Asked) => id)
  return draft.slot({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, leaf, 'id')
}
