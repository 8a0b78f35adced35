// The ticket of a request, where it has one: `?ticket=` of an event stream. Elsewhere the word is nobody's, or a field's.

import { type HttpRequest, validationError } from '#base'

export type TicketRequest = Pick<HttpRequest, 'headers'> & Partial<Pick<HttpRequest, 'path' | 'query' | 'context'>>

const streams: ReadonlySet<string | undefined> = new Set(['/changes', '/graphql'])
const form = /(?:^|&)ticket=([^&]*)/g

/** Null: there is none. Throws where it says who asks in two ways, or is no stream. */
export function readTicket({ path, query, headers }: TicketRequest): string | null {
  if (query === undefined || !query.includes('ticket=') || !streams.has(path)) return null
  const [ticket, ...more] = Array.from(query.matchAll(form), ([, value]) => value!)
  if (ticket === undefined) return null
  if (more.length > 0) throw wrong('is given more than once.')
  if (headers.authorization !== undefined) throw wrong('goes without an authorization header.')
  if (headers.accept?.includes('text/event-stream') !== true) throw wrong('is for streams (Accept: text/event-stream).')
  return ticket
}

function wrong(message: string) {
  return validationError([{ path: 'ticket', code: 'UNKNOWN', message }])
}
