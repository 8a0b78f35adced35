// Local times for the groups of SQLite. Moments are canonical DateTimes in UTC.

import { intervalAt, zoneRules } from '#base'

const minuteMs = 60_000
const hourMs = 3_600_000

/** The local time, in the form of a DateTime. */
export function localTime(moment: string, timeZone: string): string {
  const offset = offsetAt(moment, timeZone)
  return offset === 0 ? moment : new Date(Date.parse(moment) + offset * minuteMs).toISOString()
}

/** The local hour of a zone whose hours are not those of UTC: when it begins in UTC, and its offset. `2026-04-04T14:30+10:30`. */
export function localHour(moment: string, timeZone: string): string {
  const offset = offsetAt(moment, timeZone)
  const local = Date.parse(moment) + offset * minuteMs
  const start = Math.floor(local / hourMs) * hourMs - offset * minuteMs
  return new Date(start).toISOString().slice(0, 16) + offsetText(offset)
}

/** The local hour as a DateTime with its offset, of what `localHour` returns or of an hour of UTC. */
export function hourText(hour: string, timeZone: string): string {
  const isOfUtc = hour.length === 'YYYY-MM-DDTHH'.length
  const start = isOfUtc ? `${hour}:00:00.000Z` : `${hour.slice(0, 16)}:00.000Z`
  const offset = isOfUtc ? offsetAt(start, timeZone) : minutesOf(hour.slice(16))
  const local = new Date(Date.parse(start) + offset * minuteMs).toISOString()
  return local.slice(0, -1) + offsetText(offset)
}

function offsetAt(moment: string, timeZone: string): number {
  const rules = zoneRules(timeZone)
  return rules.offsets[intervalAt(rules, moment)] ?? 0
}

/** `+02:00`; UTC is `Z`. */
function offsetText(minutes: number): string {
  if (minutes === 0) return 'Z'
  const size = Math.abs(minutes)
  const [hours, rest] = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'))
  return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`
}

function minutesOf(offset: string): number {
  if (offset === 'Z') return 0
  const size = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4))
  return offset.startsWith('-') ? -size : size
}
