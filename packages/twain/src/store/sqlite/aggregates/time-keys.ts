// Time parts in the SQL of SQLite. Most rows need no zone: around noon the local date is the date of UTC, and in the middle of
// a month so is the month. All others take a function of Twain.

import type { StoredType, TimePart } from '#model'
import type { BindZone, TimeKeySql } from '../../sql/aggregates/aggregate-dialect.ts'

export function timeKey(part: TimePart, type: StoredType, column: string, zone: BindZone): TimeKeySql {
  switch (part) {
    case 'HOUR':
      return {
        value: `CASE WHEN ${column} >= ${zone('wholeHoursFrom')} THEN substr(${column}, 1, 13) ELSE twain_hour(${column}, ${zone('name')}) END`,
        json: (value) => `twain_hour_text(${value}, ${zone('name')})`,
      }
    case 'DAY':
      return { value: `substr(${local()}, 1, 10)`, json: (value) => value }
    case 'WEEK':
      // The first days of the calendar belong to a week that begins before it.
      return {
        value: `max(date(substr(${local()}, 1, 10), '-6 days', 'weekday 1'), '0000-01-01')`,
        json: (value) => value,
      }
    case 'MONTH':
      return { value: month(), json: (value) => `${value} || '-01'` }
    case 'QUARTER':
      return {
        value: `substr(${month()}, 1, 5) || substr('010101040404070707101010', 2 * substr(${month()}, 6) - 1, 2)`,
        json: (value) => `${value} || '-01'`,
      }
    case 'YEAR':
      return { value: year(), json: (value) => `${value} || '-01-01'` }
  }

  /** Binds the zone only where it is used. */
  function local(): string {
    return isDate(type) ? column : localDate(column, zone)
  }
  function month(): string {
    const whole = `substr(${column}, 1, 7)`
    if (isDate(type)) return whole
    return `CASE WHEN ${isUtc(zone)} OR substr(${column}, 9, 2) BETWEEN '02' AND '27' THEN ${whole} ELSE substr(${local()}, 1, 7) END`
  }
  function year(): string {
    const whole = `substr(${column}, 1, 4)`
    if (isDate(type)) return whole
    return `CASE WHEN ${isUtc(zone)} OR substr(${column}, 6, 5) BETWEEN '01-02' AND '12-30' THEN ${whole} ELSE substr(${local()}, 1, 4) END`
  }
}

function isDate(type: StoredType): boolean {
  return type.kind === 'scalar' && type.name === 'Date'
}

/** The zone of requests that name none. */
function isUtc(zone: BindZone): string {
  return `${zone('name')} = 'UTC'`
}

/** A text that begins with the local date. */
function localDate(column: string, zone: BindZone): string {
  const isSame = `${column} >= '1970' AND substr(${column}, 12) BETWEEN ${zone('sameDayFrom')} AND ${zone('sameDayUntil')}`
  return `CASE WHEN ${isUtc(zone)} OR ${isSame} THEN ${column} ELSE twain_local(${column}, ${zone('name')}) END`
}
