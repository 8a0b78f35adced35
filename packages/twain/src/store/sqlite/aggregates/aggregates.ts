// Measures and time parts in the SQL of SQLite. `functions.ts` has what SQL can't compute exactly.

import { unreachable } from '#base'
import { type FieldMeasure, isExactNumber, type StoredType } from '#model'
import type { AggregateDialect, MeasureSql } from '../../sql/aggregates/aggregate-dialect.ts'
import { noStorageCodes } from '../../tables/storage-codes.ts'
import { jsonValue } from '../scalar-columns.ts'
import { timeKey } from './time-keys.ts'

export const sqliteAggregates: AggregateDialect = {
  fence: ' LIMIT -1',
  measure,
  count: () => number('count(*)'),
  timeKey,
}

function measure(measure: FieldMeasure, type: StoredType, column: string): MeasureSql {
  switch (measure) {
    case 'countDistinct':
      return number(`count(DISTINCT ${column})`)
    case 'sum':
      return sum(type, column)
    case 'avg':
      return average(type, column)
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

/** Exact sums are stored as columns store exact numbers: `<key> <number>`, which sort as the numbers do. */
const exactJson = (value: string): string => `substr(${value}, instr(${value}, ' ') + 1)`

const doubleJson = (value: string): string => `json(twain_double(${value}))`

/** SQLite adds Ints exactly: 2^32 of them are within 64 bits. */
function sum(type: StoredType, column: string): MeasureSql {
  const json = isExactNumber(type) ? exactJson : doubleJson
  if (!isInt(type)) return { value: `twain_sum(${column})`, encoding: { kind: 'exact' }, json }
  return { value: `sum(${column})`, encoding: { kind: 'integer' }, json: (value) => `CAST(${value} AS TEXT)` }
}

/** The sum is the same aggregate as that of `sum`: SQLite computes it once for both. */
function average(type: StoredType, column: string): MeasureSql {
  const total = sum(type, column).value
  return {
    value: `twain_quotient(${isInt(type) ? `CAST(${total} AS TEXT)` : total}, count(${column}))`,
    encoding: { kind: 'exact' },
    json: isInt(type) || isExactNumber(type) ? (value) => `twain_rounded(${value})` : doubleJson,
  }
}

function isInt(type: StoredType): boolean {
  return type.kind === 'scalar' && type.name === 'Int'
}
