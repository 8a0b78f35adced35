// The checks of `@constraint(format:)` and `@constraint(pattern:)`. Formats are named as in JSON Schema.

import { isIPv4, isIPv6 } from 'node:net'
import { canonicalDateTime, isDate, isTime } from './dates.ts'

export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => text.length <= 254 && emailPattern.test(text),
  // RFC 3986 is ASCII; other characters are percent-encoded.
  uri: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:[!#-;=?-[\]_a-z~]+$/.test(text) && URL.canParse(text),
  uuid: (text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text),
  hostname: (text) => text.length <= 253 && hostnamePattern.test(text),
  ipv4: isIPv4,
  ipv6: (text) => !text.includes('%') && isIPv6(text),
  date: isDate,
  time: isTime,
  'date-time': (text) => canonicalDateTime(text) !== null,
  duration: (text) => durationPattern.test(text) && /\d/.test(text) && !text.endsWith('T'),
  regex: isRegex,
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const hostnamePattern = new RegExp(`^${label}(?:\\.${label})*$`)
const emailPattern = new RegExp(`^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${label}(?:\\.${label})*$`)
const durationPattern = /^P(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/

/** Compiling a regular expression takes time, so long ones are refused. */
function isRegex(text: string): boolean {
  if (text.length > 200) return false
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}

/** The longest text, in characters, that is matched against a pattern where the field has no maxLength. The model bounds the
 *  time of a pattern when it loads the schema file, for texts up to this length (model/directives/pattern-complexity.ts,
 *  decision 5). */
export const maxPatternTextLength = 1_000

const expressions = new Map<string, RegExp>()

/** Patterns come from the schema file, so their number is bounded. */
export function matchesPattern(text: string, pattern: string): boolean {
  let expression = expressions.get(pattern)
  if (expression === undefined) {
    expression = new RegExp(pattern, 'u')
    expressions.set(pattern, expression)
  }
  return expression.test(text)
}
