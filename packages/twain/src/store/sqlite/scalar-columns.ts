// The columns of SQLite: the type of a column for each scalar, and the JSON of its value. How a value is encoded for its
// column is in `sql/encode.ts`.

import type { ScalarName, StoredType } from '#model'

interface SqliteColumn {
  type: 'INTEGER' | 'REAL' | 'TEXT'
  json(column: string): string
}

const plainText: SqliteColumn = { type: 'TEXT', json: (column) => column }
const exactNumber: SqliteColumn = { type: 'TEXT', json: (column) => `substr(${column}, instr(${column}, ' ') + 1)` }
const jsonText: SqliteColumn = { type: 'TEXT', json: (column) => `json(${column})` }

const scalarColumns: Readonly<Record<ScalarName, SqliteColumn>> = {
  Int: { type: 'INTEGER', json: (column) => column },
  Float: { type: 'REAL', json: floatJson },
  String: plainText,
  Boolean: { type: 'INTEGER', json: (column) => `json(CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)` },
  ID: plainText,
  DateTime: plainText,
  Date: plainText,
  Time: plainText,
  JSON: jsonText,
  Decimal: exactNumber,
  BigInt: exactNumber,
}

function columnOf(type: StoredType): SqliteColumn {
  if (type.kind === 'scalar') return scalarColumns[type.name]
  return type.kind === 'enum' ? plainText : jsonText
}

/** The SQL type of a column for this type. */
export function storageClass(type: StoredType): SqliteColumn['type'] {
  return columnOf(type).type
}

export function jsonValue(type: StoredType, column: string): string {
  return columnOf(type).json(column)
}

/** A number in ECMAScript's format, the same as on PostgreSQL (docs/internals/decisions/0037-floats.md). SQLite prints 4.0,
 *  1.0e-07, and often one digit more than needed. It prints whole numbers as needed if they are integers, and numbers with at
 *  most four decimals as they are. All others take a function of Twain. */
function floatJson(column: string): string {
  const isWhole = `${column} = CAST(${column} AS INTEGER) AND abs(${column}) < ${2 ** 53}`
  const hasFewDecimals = `abs(${column}) BETWEEN 1e-3 AND 1e7 AND round(${column} * 1e4) / 1e4 = ${column}`
  return (
    `CASE WHEN ${column} IS NULL THEN NULL WHEN ${isWhole} THEN CAST(${column} AS INTEGER) ` +
    `WHEN ${hasFewDecimals} THEN ${column} ELSE json(twain_float(${column})) END`
  )
}

/** A number out of JSON as its type has it: a Float that is written without a point is none of SQLite's integers, whose
 *  digits beyond 2^53 it would compare exactly. */
export function asMember(type: StoredType, member: string): string {
  return storageClass(type) === 'REAL' ? `CAST(${member} AS REAL)` : member
}
