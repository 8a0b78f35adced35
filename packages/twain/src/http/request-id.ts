// The id of a request: the client's own where it is one that can be told everywhere, else one of ours.

import { randomBytes } from 'node:crypto'

/** No other process has it, so that a number behind it is enough. */
const process = randomBytes(9).toString('base64url')
let made = 0

/** What a header, a log line and a URL can hold as it is. */
const sane = /^[\w.:~@+=/-]{1,128}$/

export function requestId(given: string | undefined): string {
  if (given !== undefined && sane.test(given)) return given
  return `${process}-${(++made).toString(36)}`
}

/** `traceparent` of W3C Trace Context, where it is one: it is passed through to the log. */
export function traceOf(given: string | undefined): string | null {
  return given !== undefined && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(given) ? given : null
}
