// The next moment of a cron expression in a time zone.
//
// 1. A local time that the clocks skip happens at the moment to which it is shifted: 02:30 is 03:30 on the day when clocks go from
//    02:00 to 03:00.
// 2. A local time that happens twice counts once, the first time.
// 3. Two local times that become the same moment are one tick.

import { canonicalTimeZone, zoneOffset } from '#base'
import type { Cron } from './parse-cron.ts'

const dayMs = 86_400_000

/** The calendar repeats its leap days and weekdays after at most 40 years. */
const maxDays = 366 * 40

/** The first tick after a moment. Both are milliseconds since 1970; null: there is none. */
export function nextTick(cron: Cron, timeZone: string, after: number): number | null {
  // Local times are milliseconds since 1970 as if they were UTC. A shifted time may be an hour later than it says.
  const firstDay = Math.floor((after + zoneOffset(timeZone, after)) / dayMs) * dayMs - dayMs
  for (let day = firstDay; day < firstDay + maxDays * dayMs; day += dayMs) {
    const date = new Date(day)
    if (!cron.isOnDay(date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay())) continue
    const ticks = ticksOn(day, cron, timeZone).filter((tick) => tick > after)
    if (ticks.length > 0) return Math.min(...ticks)
  }
  return null
}

function ticksOn(day: number, { hours, minutes }: Cron, timeZone: string): number[] {
  // Offsets are at most 14 hours, so these moments are before and after the whole day.
  const before = zoneOffset(timeZone, day - dayMs)
  const behind = zoneOffset(timeZone, day + 2 * dayMs)
  return hours.flatMap((hour) =>
    minutes.map((minute) => momentOf(day + hour * 3_600_000 + minute * 60_000, before, behind, timeZone)),
  )
}

function momentOf(local: number, before: number, behind: number, timeZone: string): number {
  if (before === behind) return local - before
  const isReal = (offset: number) => zoneOffset(timeZone, local - offset) === offset
  const moments = [before, behind].filter(isReal).map((offset) => local - offset)
  return moments.length === 0 ? local - before : Math.min(...moments)
}

export function isTimeZone(name: unknown): name is string {
  return typeof name === 'string' && canonicalTimeZone(name) !== null
}
