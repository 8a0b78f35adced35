// Dates in headers.

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
