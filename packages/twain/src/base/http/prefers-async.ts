// `Prefer: respond-async` (RFC 7240, 4.1): the client accepts that the rest of the work is done after the answer.

import type { HttpRequest } from './messages.ts'

export function prefersAsync({ headers: { prefer } }: Pick<HttpRequest, 'headers'>): boolean {
  if (prefer === undefined) return false
  return prefer.split(/[,;]/).some((preference) => preference.trim().toLowerCase() === 'respond-async')
}
