// What a request wants beside its rows, as the engine is told it.

import type { ExecuteOptions } from '#engine'
import type { ParsedRequest } from '../request/parsed-request.ts'

const defaultRepresentation: ExecuteOptions = { whole: true }
const chosenFields: ExecuteOptions = { whole: false }

/** Only what the request chose itself is judged by depth and cost. */
export function executeOptions(asked: ParsedRequest): ExecuteOptions {
  const chosen = isWhole(asked) ? defaultRepresentation : chosenFields
  return asked.idempotencyKey === undefined ? chosen : { ...chosen, idempotencyKey: asked.idempotencyKey }
}

/** Of a write that answers with no row. */
export function writeOptions({ idempotencyKey: once }: ParsedRequest): ExecuteOptions {
  return once === undefined ? defaultRepresentation : { ...defaultRepresentation, idempotencyKey: once }
}

/** Whether nobody chose what is answered. */
export function isWhole({ query: { words } }: ParsedRequest): boolean {
  return words.fields === undefined
}
