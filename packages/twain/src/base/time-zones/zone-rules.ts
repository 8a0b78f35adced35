// The offsets of a time zone as a list of intervals, for databases to look up.
//
// 1. Node computes the list from its zone data, once for each zone: about 20 ms. No database needs zone data of its own, and all
//    databases agree.
// 2. Offsets are whole minutes: `DateTime` can't express others. Few zones had seconds, the last one until 1972.
// 3. The clock changes of this century are those that the rules of today would bring. After it the last offset stays.
// 4. In the first year of the calendar and on its last two days local time is UTC: a local date has four digits of a year.

import { zoneOffset } from './zone-offset.ts'

export interface ZoneRules {
  /** When each interval begins, as a canonical DateTime, in order. Before the first, local time is UTC. */
  starts: readonly string[]
  /** Minutes that local time is ahead of UTC in each interval. */
  offsets: readonly number[]
  /** Between these times of day in UTC the local date is the date of UTC, from 1970 on: `02:00:00.000Z`. */
  sameDayFrom: string
  sameDayUntil: string
  /** From this moment on each hour of UTC is one local hour with one offset; `~` if there is no such moment. */
  wholeHoursFrom: string
}

const minuteMs = 60_000
const dayMs = 86_400_000

const calendarStart = '0001-01-02T00:00:00.000Z'
const calendarEnd = '9999-12-30T00:00:00.000Z'
/** A text after every DateTime. */
const never = '~'

/** How far apart the moments are whose offsets are compared. The shortest summer time on record had 7 days; rules that are only
 *  foreseen have none below four weeks. */
const probes = [
  { from: Date.UTC(1840, 0), until: Date.UTC(1900, 0), step: 60 * dayMs },
  { from: Date.UTC(1900, 0), until: Date.UTC(2038, 0), step: 6 * dayMs },
  { from: Date.UTC(2038, 0), until: Date.UTC(2100, 0), step: 28 * dayMs },
]

const known = new Map<string, ZoneRules>()

/** `timeZone` is canonical (`canonicalTimeZone`). */
export function zoneRules(timeZone: string): ZoneRules {
  let rules = known.get(timeZone)
  if (rules === undefined) {
    rules = computeRules(timeZone)
    known.set(timeZone, rules)
  }
  return rules
}

/** The index of the interval that holds a canonical DateTime; -1: before the first. */
export function intervalAt({ starts }: Pick<ZoneRules, 'starts'>, moment: string): number {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= moment) low = middle + 1
    else high = middle
  }
  return low - 1
}

function computeRules(timeZone: string): ZoneRules {
  const first = { start: calendarStart, offset: minutesAt(timeZone, probes[0]!.from) }
  const last = { start: calendarEnd, offset: 0 }
  const intervals = [first, ...transitionsOf(timeZone), last]
  const starts = intervals.map(({ start }) => start)
  const offsets = intervals.map(({ offset }) => offset)
  return { starts, offsets, ...sameDay(starts, offsets), wholeHoursFrom: wholeHoursFrom(starts, offsets) }
}

function transitionsOf(timeZone: string): { start: string; offset: number }[] {
  if (isFixed(timeZone)) return []
  const transitions: { start: string; offset: number }[] = []
  let offset = minutesAt(timeZone, probes[0]!.from)
  for (const { from, until, step } of probes) {
    for (let before = from; before < until; before += step) {
      const after = Math.min(before + step, until)
      let at = before
      // A step may hold several transitions, as long as its ends differ.
      while (minutesAt(timeZone, after) !== offset) {
        at = firstChange(timeZone, at, after, offset)
        offset = minutesAt(timeZone, at)
        transitions.push({ start: new Date(at).toISOString(), offset })
      }
    }
  }
  return transitions
}

function isFixed(timeZone: string): boolean {
  return timeZone === 'UTC' || /^[+-]/.test(timeZone)
}

/** The first moment with another offset. Clocks change at whole seconds. */
function firstChange(timeZone: string, from: number, until: number, offset: number): number {
  let [low, high] = [from / 1000, until / 1000]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (minutesAt(timeZone, middle * 1000) === offset) low = middle
    else high = middle
  }
  return high * 1000
}

function minutesAt(timeZone: string, moment: number): number {
  return Math.round(zoneOffset(timeZone, moment) / minuteMs) + 0 // −0 becomes 0
}

function sameDay(starts: readonly string[], offsets: readonly number[]) {
  const recent = offsets.slice(Math.max(0, intervalAt({ starts }, '1970')))
  const from = Math.max(0, -Math.min(...recent)) * minuteMs
  const until = dayMs - Math.max(0, Math.max(...recent)) * minuteMs - 1
  return { sameDayFrom: timeOfDay(from), sameDayUntil: timeOfDay(until) }
}

function timeOfDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11)
}

function wholeHoursFrom(starts: readonly string[], offsets: readonly number[]): string {
  const isWhole = (index: number) => offsets[index]! % 60 === 0 && starts[index]!.endsWith(':00:00.000Z')
  let index = starts.length
  while (index > 0 && isWhole(index - 1)) index--
  if (index === 0) return '0000'
  return index === starts.length ? never : starts[index]!
}
