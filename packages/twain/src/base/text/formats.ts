// The formats of `@constraint(format:)`, named as in JSON Schema, and the check of each.

import { isIPv4, isIPv6 } from 'node:net'
import { canonicalDateTime, isDate, isTime } from './dates.ts'

export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => text.length <= 254 && emailPattern.test(text),
  uri: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/.test(text) && URL.canParse(text),
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
