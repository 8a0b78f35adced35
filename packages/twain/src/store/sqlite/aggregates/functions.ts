// The functions of Twain in SQLite's SQL for aggregates. Every connection that reads has them, also in reader processes.

import type { DatabaseSync } from 'node:sqlite'
import { scaledOf, scaledText } from '#base'
import { quotientPlaces, roundHalfEven, sumOutOfRange } from '../../sql/aggregates/exact-values.ts'
import { encodeExact, type SqlValue } from '../../sql/encode.ts'
import { throwFromFunction } from '../connect/function-error.ts'
import { ExactSum } from './exact-sum.ts'
import { hourText, localHour, localTime } from './local-time.ts'

export function addAggregateFunctions(database: DatabaseSync): void {
  const deterministic = { deterministic: true }
  database.aggregate('twain_sum', {
    deterministic: true,
    start: () => new ExactSum() as never,
    step: addTo as never,
    result: resultOf as never,
  })
  database.function('twain_quotient', deterministic, (sum, count) => (sum === null ? null : quotient(sum, count)))
  database.function('twain_rounded', deterministic, (exact) => (exact === null ? null : rounded(numberOf(exact))))
  database.function('twain_double', deterministic, (exact) => (exact === null ? null : double(numberOf(exact))))
  database.function('twain_local', deterministic, (moment, zone) =>
    moment === null ? null : localTime(String(moment), String(zone)),
  )
  database.function('twain_hour', deterministic, (moment, zone) =>
    moment === null ? null : localHour(String(moment), String(zone)),
  )
  database.function('twain_hour_text', deterministic, (hour, zone) =>
    hour === null ? null : hourText(String(hour), String(zone)),
  )
}

function addTo(sum: ExactSum, value: SqlValue): ExactSum {
  if (typeof value === 'string') sum.addText(value)
  else if (typeof value === 'number') sum.addDouble(value)
  return sum
}

function resultOf(sum: ExactSum): string | null {
  return sum.isEmpty ? null : encodeExact(scaledText(sum.value()))
}

/** With so many digits that different averages stay different. */
function quotient(sum: SqlValue, count: SqlValue): string {
  const { units, places } = scaledOf(numberOf(sum))
  const more = BigInt(quotientPlaces - places)
  return encodeExact(scaledText({ units: (units * 10n ** more) / BigInt(count as number), places: quotientPlaces }))
}

function rounded(exact: string): string {
  return scaledText(roundHalfEven(scaledOf(exact)))
}

function double(exact: string): string {
  const value = Number(exact)
  if (!Number.isFinite(value)) throwFromFunction(sumOutOfRange())
  return String(value)
}

/** The number of `<key> <number>`. */
function numberOf(exact: SqlValue): string {
  const text = String(exact)
  return text.slice(text.indexOf(' ') + 1)
}
