// Measures and time parts in the SQL of PostgreSQL, whose `numeric` adds exactly.

import { unreachable } from '#base'
import { type FieldMeasure, isExactNumber, type StoredType } from '#model'
import type { AggregateDialect, MeasureSql } from '../../sql/aggregates/aggregate-dialect.ts'
import { averagePlaces, quotientPlaces } from '../../sql/aggregates/exact-values.ts'
import { noStorageCodes } from '../../tables/storage-codes.ts'
import { floatJson, shortestDecimal } from '../float-json.ts'
import { jsonValue } from '../scalar-columns.ts'
import { timeKey } from './time-keys.ts'

export const postgresAggregates: AggregateDialect = {
  fence: ' OFFSET 0',
  measure,
  count: () => number('count(*)'),
  timeKey,
}

function measure(measure: FieldMeasure, type: StoredType, column: string): MeasureSql {
  switch (measure) {
    case 'countDistinct':
      return number(`count(DISTINCT ${column})`)
    case 'sum':
      return { value: sum(type, column), encoding: { kind: 'exact' }, json: isFloat(type) ? doubleJson : exactJson }
    case 'avg':
      return {
        value: average(type, column),
        encoding: { kind: 'exact' },
        json: isFloat(type) ? doubleJson : (value) => exactJson(roundHalfEven(value)),
      }
    case 'min':
    case 'max':
      return {
        value: `${measure}(${column})`,
        encoding: { kind: 'column', type, codes: noStorageCodes },
        json: (value) => jsonValue(type, value),
      }
    default:
      return unreachable(measure)
  }
}

function number(value: string): MeasureSql {
  return { value, encoding: { kind: 'number' }, json: (count) => count }
}

function sum(type: StoredType, column: string): string {
  if (isExactNumber(type)) return `sum(${jsonValue(type, column)}::numeric)`
  return isFloat(type) ? floatSum(column) : `sum(${column})::numeric`
}

/** Doubles of at most four decimals and 15 digits are added as whole numbers, which takes a third of the time. Of so many digits only
 *  one decimal is this double. */
function floatSum(x: string): string {
  const hasFewDigits = `abs(${x}) < 1e11 AND round(${x} * 1e4) / 1e4 = ${x}`
  const few = `coalesce(sum((${x} * 1e4)::bigint) FILTER (WHERE ${hasFewDigits}), 0) * 0.0001`
  const others = `coalesce(sum(${shortestDecimal(x)}) FILTER (WHERE NOT (${hasFewDigits})), 0)`
  return `CASE WHEN count(${x}) > 0 THEN ${few} + ${others} END`
}

/** With so many digits that different averages stay different. `div` is exact, `/` is not. */
function average(type: StoredType, column: string): string {
  return `div((${sum(type, column)}) * 1e${quotientPlaces}, count(${column})) * 1e-${quotientPlaces}`
}

function exactJson(value: string): string {
  return `trim_scale(${value})::text`
}

/** Of two equally near numbers the one whose last digit is even; `round` takes the larger one. */
function roundHalfEven(value: string): string {
  const whole = `trunc(${value}, ${averagePlaces})`
  const rest = `abs(${value} - ${whole})`
  const half = `5e-${averagePlaces + 1}`
  const isUp = `${rest} > ${half} OR ${rest} = ${half} AND ${whole} * 1e${averagePlaces} % 2 <> 0`
  return `(${whole} + CASE WHEN ${isUp} THEN sign(${value}) * 1e-${averagePlaces} ELSE 0 END)`
}

/** PostgreSQL refuses numbers below the smallest double instead of rounding them to 0. Half of that number is a tie. */
function doubleJson(value: string): string {
  const double = `(CASE WHEN abs(${value}) < 2.4703282292062328e-324 THEN 0 ELSE ${value} END)::double precision`
  return `(SELECT ${floatJson('d')} FROM (SELECT ${double} AS d OFFSET 0) AS d)`
}

function isFloat(type: StoredType): boolean {
  return type.kind === 'scalar' && type.name === 'Float'
}
