// Time parts in the SQL of PostgreSQL. Most rows need no zone: around noon the local date is the date of UTC, and in the middle
// of a month so is the month. For all others `width_bucket` finds the interval of the zone by a binary search.
//
// PostgreSQL has no year 0. In the years 0 and 10,000 the zone's rules have no offset, so their texts are never parsed.

import type { StoredType, TimePart } from '#model'
import type { BindZone, TimeKeySql } from '../../sql/aggregates/aggregate-dialect.ts'

export function timeKey(part: TimePart, type: StoredType, column: string, zone: BindZone): TimeKeySql {
  switch (part) {
    case 'HOUR':
      return {
        value: `CASE WHEN ${column} >= ${zone('wholeHoursFrom')} THEN left(${column}, 13) ELSE ${localHour(column, zone)} END`,
        json: (value) => hourText(value, zone),
      }
    case 'DAY':
      return { value: local(), json: (value) => value }
    case 'WEEK':
      return { value: week(local()), json: monday }
    case 'MONTH':
      return { value: month(), json: (value) => `${value} || '-01'` }
    case 'QUARTER':
      return { value: quarter(month()), json: (value) => `${value} || '-01'` }
    case 'YEAR':
      return { value: year(), json: (value) => `${value} || '-01-01'` }
  }

  /** Binds the zone only where it is used. */
  function local(): string {
    return isDate(type) ? `left(${column}, 10)` : localDate(column, zone)
  }
  function month(): string {
    if (isDate(type)) return `left(${column}, 7)`
    return `CASE WHEN ${isUtc(zone)} OR substr(${column}, 9, 2) BETWEEN '02' AND '27' THEN left(${column}, 7) ELSE left(${local()}, 7) END`
  }
  function year(): string {
    if (isDate(type)) return `left(${column}, 4)`
    return `CASE WHEN ${isUtc(zone)} OR substr(${column}, 6, 5) BETWEEN '01-02' AND '12-30' THEN left(${column}, 4) ELSE left(${local()}, 4) END`
  }
}

function isDate(type: StoredType): boolean {
  return type.kind === 'scalar' && type.name === 'Date'
}

/** The zone of requests that name none. */
function isUtc(zone: BindZone): string {
  return `${zone('name')} = 'UTC'`
}

function localDate(column: string, zone: BindZone): string {
  const isSame = `${column} >= '1970' AND substr(${column}, 12) BETWEEN ${zone('sameDayFrom')} AND ${zone('sameDayUntil')}`
  return (
    `CASE WHEN ${isUtc(zone)} OR ${isSame} OR ${hasNoOffset(column)} THEN left(${column}, 10) ` +
    `ELSE to_char(${column}::timestamp + ${offset(column, zone)} * interval '1 minute', 'YYYY-MM-DD') END`
  )
}

/** The first year of the calendar and its last two days (`base/time-zones/zone-rules.ts`). */
function hasNoOffset(column: string): string {
  return `${column} < '0001-01-02' OR ${column} >= '9999-12-30'`
}

/** Minutes that local time is ahead of UTC. The zone of a text is no part of its `timestamp`: that is UTC. */
function offset(moment: string, zone: BindZone): string {
  return `(${zone('offsets')})[width_bucket(${moment}::timestamp, ${zone('starts')})]`
}

/** Weeks since the first Monday of the year 1. Weekdays repeat after 400 years, so the year 0 is counted as the year 400. */
function week(date: string): string {
  return (
    `CASE WHEN ${date} >= '0001' THEN (${date}::date - date '0001-01-01') / 7 ` +
    `ELSE (('04' || substr(${date}, 3))::date - date '0401-01-01' - 6) / 7 END`
  )
}

/** The first two days of the calendar belong to a week that begins before it. */
function monday(week: string): string {
  const day = (from: string) => `to_char(date '${from}' + 7 * ${week}, 'YYYY-MM-DD')`
  return (
    `CASE WHEN ${week} >= 0 THEN ${day('0001-01-01')} WHEN ${week} = -53 THEN '0000-01-01' ` +
    `ELSE '00' || substr(${day('0401-01-01')}, 3) END`
  )
}

function quarter(month: string): string {
  return `left(${month}, 5) || substr('010101040404070707101010', 2 * right(${month}, 2)::integer - 1, 2)`
}

/** When the local hour begins in UTC, and its offset: `2026-04-04T14:30+10:30`. */
function localHour(column: string, zone: BindZone): string {
  const minutes = `${offset(column, zone)} * interval '1 minute'`
  const start = `date_trunc('hour', ${column}::timestamp + ${minutes}) - ${minutes}`
  return (
    `CASE WHEN ${hasNoOffset(column)} THEN left(${column}, 13) || ':00Z' ` +
    `ELSE to_char(${start}, 'YYYY-MM-DD"T"HH24:MI') || (${offsetText(offset(column, zone))}) END`
  )
}

/** `+02:00`; UTC is `Z`. */
function offsetText(minutes: string): string {
  const size = (sql: string) => `lpad((${sql})::text, 2, '0')`
  const digits = `${size(`abs(${minutes}) / 60`)} || ':' || ${size(`abs(${minutes}) % 60`)}`
  return `CASE WHEN ${minutes} = 0 THEN 'Z' ELSE CASE WHEN ${minutes} < 0 THEN '-' ELSE '+' END || ${digits} END`
}

/** The local hour as a DateTime with its offset, of what `localHour` makes or of an hour of UTC. */
function hourText(hour: string, zone: BindZone): string {
  const start = `(left(${hour}, 13) || coalesce(nullif(substr(${hour}, 14, 3), ''), ':00'))`
  const own = `(substr(${hour}, 17, 1) || '1')::integer * (substr(${hour}, 18, 2)::integer * 60 + substr(${hour}, 21, 2)::integer)`
  const minutes = `CASE WHEN length(${hour}) = 13 THEN ${offset(start, zone)} WHEN right(${hour}, 1) = 'Z' THEN 0 ELSE ${own} END`
  const local = `to_char(${start}::timestamp + o * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI')`
  return (
    `CASE WHEN ${hasNoOffset(hour)} THEN left(${hour}, 13) || ':00:00.000Z' ELSE ` +
    `(SELECT ${local} || ':00.000' || ${offsetText('o')} FROM (SELECT ${minutes} AS o OFFSET 0) AS o) END`
  )
}
