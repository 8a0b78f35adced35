// Request headers: `Prefer`, `Range`, and those with a date.

import type { HttpRequest } from '#base/http'

/** `Prefer: count=exact` (RFC 7240) requests the total number of rows. Unknown preferences are ignored. */
export function prefersCount({ headers: { prefer } }: HttpRequest): boolean {
  if (prefer === undefined) return false
  return prefer.split(/[,;]/).some((preference) => /^\s*count\s*=\s*"?exact"?\s*$/i.test(preference))
}

/** `Prefer: wait=20` requests a long poll of 20 seconds. 0 without the preference. */
export function preferredWaitSeconds({ headers: { prefer } }: HttpRequest): number {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,6})"?\s*$/i.exec(preference) ?? []
    if (seconds !== undefined) return Number(seconds)
  }
  return 0
}

/** `Range` with one range of bytes (RFC 9110, 14.1.2 and 14.2; docs/reference/rest.md, R106). `end` is exclusive. */
export interface ByteRange {
  start: number
  end: number
}

/** Null to send the whole file: without a range, with an invalid one, or with several, which a server may ignore. */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)$/i.exec(header?.trim() ?? '')
  if (match === null) return null
  const [, first = '', last = ''] = match
  if (first === '') {
    if (last === '') return null
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}

/** HTTP dates (RFC 9110, 5.6.7): one format is written, and that one and two obsolete formats are read. */
const forms = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
]

/** Milliseconds since 1970. Null if it is not an HTTP date; the header is then ignored (RFC 9110, 13.1.3). */
export function parseHttpDate(text: string | undefined): number | null {
  if (text === undefined || !forms.some((form) => form.test(text))) return null
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? null : time
}

/** Rounds down to the second. */
export function httpDate(time: number): string {
  return new Date(time).toUTCString()
}
