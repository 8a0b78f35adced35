// A permanent redirect to another path of this server.

import type { HttpReply, HttpRequest } from './messages.ts'

/** 301 for GET and HEAD; 308 keeps any other method (RFC 9110, 15.4.2 and 15.4.9). */
export function redirectReply({ method, query }: Pick<HttpRequest, 'method' | 'query'>, target: string): HttpReply {
  const location = query === '' ? target : `${target}?${query}`
  return { status: method === 'GET' || method === 'HEAD' ? 301 : 308, headers: { location }, body: null }
}
