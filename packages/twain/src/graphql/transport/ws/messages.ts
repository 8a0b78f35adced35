// The messages of the protocol `graphql-transport-ws` (graphql-ws, PROTOCOL.md), read from text.

import { isRecord, parseJson } from '#base'

export type ClientMessage =
  | { type: 'connection_init'; payload: Readonly<Record<string, unknown>> }
  | { type: 'ping' }
  | { type: 'pong' }
  | { type: 'subscribe'; id: string; payload: unknown }
  | { type: 'complete'; id: string }

/** Why a line is closed, in the protocol's own numbers and in ours (RFC 6455, 7.4.2: 4000–4999 are for private use). */
export const closeCodes = {
  badRequest: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  wrongProtocol: 4406,
  initTimeout: 4408,
  subscriberExists: 4409,
  tooManyInits: 4429,
  internal: 4500,
  /** Clients come again by themselves after these. */
  restart: 1012,
  tryAgainLater: 1013,
} as const

/** A sentence instead of the message where it is none. */
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
      if (!isId(id)) return invalid(type, 'id', 'a text')
      return isRecord(payload) && typeof payload.query === 'string' ? { type, id, payload } : asPersisted(id, payload)
    case 'complete':
      return isId(id) ? { type, id } : invalid(type, 'id', 'a text')
    default:
      return 'Invalid message: its type is none that a client sends.'
  }
}

/** A document may be named by its hash; else there must be a text. */
function asPersisted(id: string, payload: unknown): ClientMessage | string {
  const isNamed = isRecord(payload) && (isRecord(payload.extensions) || typeof payload.documentId === 'string')
  const isNone = isRecord(payload) && (payload.query === undefined || payload.query === null)
  return isNamed && isNone ? { type: 'subscribe', id, payload } : invalid('subscribe', 'payload.query', 'a text')
}

function invalid(type: string, member: string, wanted: string): string {
  return `Invalid ${type} message: ${member} must be ${wanted}.`
}

/** Long ones would be sent back with every event. */
const maxIdLength = 256

function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= maxIdLength
}
