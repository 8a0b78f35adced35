// The next moment of a cron expression in a time zone.
//
// 1. A local time that the clocks skip happens at the moment to which it is shifted: 02:30 is 03:30 on the day when clocks go from
//    02:00 to 03:00.
// 2. A local time that happens twice counts once, the first time.
// 3. Two local times that become the same moment are one tick.

import type { Cron } from './parse-cron.ts'

const dayMs = 86_400_000

/** The calendar repeats its leap days and weekdays after at most 40 years. */
const maxDays = 366 * 40

/** The first tick after a moment. Both are milliseconds since 1970; null: there is none. */
export function nextTick(cron: Cron, timeZone: string, after: number): number | null {
  const zone = zoneOf(timeZone)
  // Local times are milliseconds since 1970 as if they were UTC. A shifted time may be an hour later than it says.
  const firstDay = Math.floor((after + offsetAt(zone, after)) / dayMs) * dayMs - dayMs
  for (let day = firstDay; day < firstDay + maxDays * dayMs; day += dayMs) {
    const date = new Date(day)
    if (!cron.isOnDay(date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay())) continue
    const ticks = ticksOn(day, cron, zone).filter((tick) => tick > after)
    if (ticks.length > 0) return Math.min(...ticks)
  }
  return null
}

function ticksOn(day: number, { hours, minutes }: Cron, zone: Intl.DateTimeFormat): number[] {
  // Offsets are at most 14 hours, so these moments are before and after the whole day.
  const before = offsetAt(zone, day - dayMs)
  const behind = offsetAt(zone, day + 2 * dayMs)
  return hours.flatMap((hour) =>
    minutes.map((minute) => momentOf(day + hour * 3_600_000 + minute * 60_000, before, behind, zone)),
  )
}

function momentOf(local: number, before: number, behind: number, zone: Intl.DateTimeFormat): number {
  if (before === behind) return local - before
  const isReal = (offset: number) => offsetAt(zone, local - offset) === offset
  const moments = [before, behind].filter(isReal).map((offset) => local - offset)
  return moments.length === 0 ? local - before : Math.min(...moments)
}

const zones = new Map<string, Intl.DateTimeFormat>()

function zoneOf(timeZone: string): Intl.DateTimeFormat {
  let zone = zones.get(timeZone)
  if (zone === undefined) {
    const numeric = 'numeric'
    zone = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
    })
    zones.set(timeZone, zone)
  }
  return zone
}

export function isTimeZone(name: unknown): name is string {
  try {
    return typeof name === 'string' && zoneOf(name) !== undefined
  } catch {
    return false
  }
}

/** Local time minus UTC, in milliseconds. */
function offsetAt(zone: Intl.DateTimeFormat, moment: number): number {
  const parts: Record<string, number> = {}
  for (const { type, value } of zone.formatToParts(moment)) parts[type] = Number(value)
  const { year, month, day, hour, minute, second } = parts as Record<string, number>
  const whole = Math.floor(moment / 1000) * 1000
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - whole
}
