// The answer at an address from which something has moved for good, to another of ours.

import type { HttpReply, HttpRequest } from './messages.ts'

/** A method other than GET and HEAD stays what it is (RFC 9110, 15.4.2 and 15.4.9). */
export function redirectReply({ method, query }: Pick<HttpRequest, 'method' | 'query'>, target: string): HttpReply {
  const location = query === '' ? target : `${target}?${query}`
  return { status: method === 'GET' || method === 'HEAD' ? 301 : 308, headers: { location }, body: null }
}
