// The id of a request: that of the client's header if it is safe to repeat, else a generated one.

import { randomBytes } from '#base/time'

/** Unique for this process, so that a counter completes the id. */
const processId = randomBytes(9).toString('base64url')
let generatedCount = 0

/** Characters that need no escaping in a header, a log entry or a URL. */
const safeId = /^[\w.:~@+=/-]{1,128}$/

export function requestId(header: string | undefined): string {
  if (header !== undefined && safeId.test(header)) return header
  return `${processId}-${(++generatedCount).toString(36)}`
}
