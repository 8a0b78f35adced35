// Times as HTTP says them (RFC 9110, 5.6.7): in seconds of UTC, in one form, and in two old ones that are still read.

const forms = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
]

/** In milliseconds since 1970; null when it is no such time, which is then as if it were not said (RFC 9110, 13.1.3). */
export function parseHttpDate(text: string | undefined): number | null {
  if (text === undefined || !forms.some((form) => form.test(text))) return null
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? null : time
}

/** The second that the moment is in. */
export function httpDate(time: number): string {
  return new Date(time).toUTCString()
}
