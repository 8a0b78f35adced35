// What a request wants beside its rows, as the engine is told it.

import type { Wants } from '#engine'
import type { Asked } from '../request/parsed-request.ts'

const defaultRepresentation: Wants = { whole: true }
const chosenFields: Wants = { whole: false }

/** Only what the request chose itself is judged by depth and cost. */
export function wants(asked: Asked): Wants {
  const chosen = isWhole(asked) ? defaultRepresentation : chosenFields
  return asked.once === undefined ? chosen : { ...chosen, once: asked.once }
}

/** Of a write that answers with no row. */
export function wantsOfWrite({ once }: Asked): Wants {
  return once === undefined ? defaultRepresentation : { ...defaultRepresentation, once }
}

/** Whether nobody chose what is answered. */
export function isWhole({ query: { words } }: Asked): boolean {
  return words.fields === undefined
}
