// Dates, times and date-times as text (RFC 3339): validation, and the canonical form of times and date-times.

const dateForm = /^(\d{4})-(\d\d)-(\d\d)$/
const timeForm = /^(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/
const dateTimeForm = /^(.{10})[Tt](.+)$/
/** The form of nearly all date-times that clients send, on days that every month has. */
const canonicalForm = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** A day of the calendar: `2024-02-29`. */
export function isDate(text: string): boolean {
  const [, year, month, day] = dateForm.exec(text) ?? []
  if (!year || !month || !day) return false
  const last = [31, isLeap(Number(year)) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1]
  return last !== undefined && Number(day) >= 1 && Number(day) <= last
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** A time of day with its offset from UTC: `09:30:00.5+01:00`. */
export function isTime(text: string): boolean {
  return sinceMidnight(text) !== null
}

/** The date-time in UTC with milliseconds, so that text order is time order; null when the text is not one. */
export function canonicalDateTime(text: string): string | null {
  if (canonicalForm.test(text)) return text
  const [, date, time] = dateTimeForm.exec(text) ?? []
  const milliseconds = time === undefined ? null : sinceMidnight(time)
  if (date === undefined || milliseconds === null || !isDate(date)) return null
  const canonical = new Date(Date.parse(`${date}T00:00:00.000Z`) + milliseconds).toISOString()
  return canonical.length === 24 ? canonical : null // a year beyond 0000–9999 has another form
}

/** A time of day without an offset, with milliseconds only if it has some, so that text order is time order: `09:30:00.5` is
 *  `09:30:00.500`. Null when the text is not one. */
export function canonicalTime(text: string): string | null {
  const milliseconds = sinceMidnight(`${text}Z`)
  if (milliseconds === null) return null
  const canonical = new Date(milliseconds).toISOString().slice(11, 23)
  return canonical.endsWith('.000') ? canonical.slice(0, 8) : canonical
}

/** Milliseconds since midnight in UTC; null when the text is not a time with an offset. */
function sinceMidnight(text: string): number | null {
  const match = timeForm.exec(text)
  if (!match) return null
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [offsetHour, offsetMinute] = [Number(match[6] ?? 0), Number(match[7] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return null
  const offset = (offsetHour * 60 + offsetMinute) * (match[5] === '-' ? -1 : 1)
  const milliseconds = Number((match[4] ?? '').slice(0, 3).padEnd(3, '0'))
  return ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds
}

let knownTime = 0
let knownText = ''
let knownSecond = 0
let secondText = ''

/** The time, as of `Date.now`, as a date-time. Like `toISOString` of a Date, in a quarter of its time while the second is the same. */
export function formatDateTime(now: number): string {
  if (now === knownTime) return knownText
  const second = Math.floor(now / 1000)
  if (second !== knownSecond) {
    knownSecond = second
    secondText = new Date(second * 1000).toISOString().slice(0, -4)
  }
  knownTime = now
  knownText = `${secondText}${String(now - second * 1000).padStart(3, '0')}Z`
  return knownText
}
