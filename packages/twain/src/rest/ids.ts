// The id of a path (docs/rest.md, R3).

import type { Draft, Slot } from '#plan'
import { Sourced } from '#plan'
import { type Asked, notFound } from './asked.ts'

export function isPossibleId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id)
}

/** What no row can have as its id is looked up nowhere. */
export function expectPossibleId(asked: Asked): void {
  if (!isPossibleId(asked.id)) throw notFound(asked)
}

export function idSlot(asked: Asked, draft: Draft): Slot {
  const leaf = new Sourced(asked.id, ({ id }: Asked) => id)
  return draft.slot({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, leaf, 'id')
}
