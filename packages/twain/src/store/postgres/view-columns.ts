// The columns of views on PostgreSQL: how their SELECT sees stored values, and how its values become columns of a row.

import type { ScalarName, StoredField } from '#model'
import type { ViewSql } from '../views/view-source.ts'
import { columnType, ordered } from './scalar-columns.ts'

const text = (column: string) => ordered(`CAST(${column} AS text)`)

/** As `encodeExact` of `sql/encode.ts` has it: a key whose order as a text is that of the numbers, and the number. */
function exactText(column: string): string {
  const number = `trim_scale(CAST(${column} AS numeric))`
  const size = `CAST(abs(${number}) AS text)`
  const digits = `lpad(CAST(length(split_part(${size}, '.', 1)) AS text), 3, '0') || replace(${size}, '.', '')`
  const below = `'0' || translate(${digits}, '0123456789', '9876543210') || '~'`
  return ordered(
    `((CASE WHEN ${number} < 0 THEN ${below} ELSE '1' || ${digits} END) || ' ' || CAST(${number} AS text))`,
  )
}

/** Of a text as it is stored, and of a time of PostgreSQL. */
function timeText(column: string): string {
  const time = `CAST(CAST(${column} AS text) AS timestamptz) AT TIME ZONE 'UTC'`
  return ordered(`to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
}

const asStored: Partial<Record<ScalarName, (column: string) => string>> = {
  DateTime: timeText,
  Date: (column) => ordered(`CAST(CAST(CAST(${column} AS text) AS date) AS text)`),
  Decimal: exactText,
  BigInt: exactText,
}

export const postgresViews: ViewSql = {
  store: 'postgres',
  table: (name) => name,
  shown: ({ type }, column) =>
    isExact(type) ? `CAST(substr(${column}, strpos(${column}, ' ') + 1) AS numeric)` : column,
  stored({ type }: StoredField, column) {
    const convert = type.kind === 'scalar' ? asStored[type.name] : undefined
    if (convert !== undefined) return convert(column)
    const is = columnType(type)
    return is.startsWith('text') ? text(column) : `CAST(${column} AS ${is})`
  },
  text,
}

function isExact(type: StoredField['type']): boolean {
  return type.kind === 'scalar' && (type.name === 'Decimal' || type.name === 'BigInt')
}
