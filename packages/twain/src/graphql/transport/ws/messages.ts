// The messages that clients send in the protocol `graphql-transport-ws` (graphql-ws, PROTOCOL.md).

import { isRecord, parseJson } from '#base'

export type ClientMessage =
  | { type: 'connection_init'; payload: Readonly<Record<string, unknown>> }
  | { type: 'ping' }
  | { type: 'pong' }
  | { type: 'subscribe'; id: string; payload: unknown }
  | { type: 'complete'; id: string }

/** The close codes of the protocol, and two of RFC 6455 (registry of section 11.7) after which clients reconnect. */
export const closeCodes = {
  badRequest: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  wrongProtocol: 4406,
  initTimeout: 4408,
  subscriberExists: 4409,
  tooManyInits: 4429,
  internal: 4500,
  /** Clients reconnect by themselves after these. */
  restart: 1012,
  tryAgainLater: 1013,
} as const

/** Returns an error message if the text is not a valid message. */
export function readMessage(text: string): ClientMessage | string {
  const json = parseJson(text)
  if (!json.ok) return 'Invalid message: it is not JSON.'
  if (!isRecord(json.value)) return 'Invalid message: it is not an object.'
  const { type, id, payload } = json.value
  switch (type) {
    case 'connection_init':
      if (payload !== undefined && payload !== null && !isRecord(payload)) return invalid(type, 'payload', 'an object')
      return { type, payload: (payload as Record<string, unknown> | null | undefined) ?? {} }
    case 'ping':
    case 'pong':
      if (payload !== undefined && payload !== null && !isRecord(payload)) return invalid(type, 'payload', 'an object')
      return { type }
    case 'subscribe':
      if (!isId(id)) return invalid(type, 'id', 'a string')
      return invalidMember(payload) ?? readSubscribe(id, payload)
    case 'complete':
      return isId(id) ? { type, id } : invalid(type, 'id', 'a string')
    default:
      return 'Invalid message: clients send no message of this type.'
  }
}

/** The optional members of `payload`. A message with a wrong one is invalid, as one without `query` is. */
function invalidMember(payload: unknown): string | null {
  if (!isRecord(payload)) return null
  const { variables, extensions, operationName } = payload
  if (isPresent(variables) && !isRecord(variables)) return invalid('subscribe', 'payload.variables', 'an object')
  if (isPresent(extensions) && !isRecord(extensions)) return invalid('subscribe', 'payload.extensions', 'an object')
  const isName = !isPresent(operationName) || typeof operationName === 'string'
  return isName ? null : invalid('subscribe', 'payload.operationName', 'a string')
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function readSubscribe(id: string, payload: unknown): ClientMessage | string {
  return isRecord(payload) && typeof payload.query === 'string'
    ? { type: 'subscribe', id, payload }
    : asPersisted(id, payload)
}

/** Without `query` the payload must name a persisted document. */
function asPersisted(id: string, payload: unknown): ClientMessage | string {
  const isNamed = isRecord(payload) && (isRecord(payload.extensions) || typeof payload.documentId === 'string')
  const isNone = isRecord(payload) && (payload.query === undefined || payload.query === null)
  return isNamed && isNone ? { type: 'subscribe', id, payload } : invalid('subscribe', 'payload.query', 'a string')
}

function invalid(type: string, member: string, expected: string): string {
  return `Invalid ${type} message: ${member} must be ${expected}.`
}

/** Each event repeats the id. */
const maxIdLength = 256

function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= maxIdLength
}
