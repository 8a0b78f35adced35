// The columns of PostgreSQL: the type of a column for each scalar, what its values are compared as, and their JSON. How a
// value is encoded for its column is in `sql/encode.ts`.

import { isExactNumber, type ScalarName, type StoredType } from '#model'
import { floatJson } from './float-json.ts'

interface PostgresColumn {
  type: string
  /** The type of parameters that are compared with the column. */
  compared: string
  json(column: string): string
}

const plainText: PostgresColumn = { type: ordered('text'), compared: 'text', json: (column) => column }
const exactNumber: PostgresColumn = { ...plainText, json: (column) => `substr(${column}, strpos(${column}, ' ') + 1)` }
/** Not jsonb, which has an order of keys of its own. JSON is compared as its text. */
const json: PostgresColumn = { type: 'json', compared: 'text', json: (column) => column }

const scalarColumns: Readonly<Record<ScalarName, PostgresColumn>> = {
  Int: native('integer'),
  Float: { ...native('double precision'), json: floatJson },
  String: plainText,
  Boolean: native('boolean'),
  ID: plainText,
  DateTime: plainText,
  Date: plainText,
  Time: plainText,
  JSON: json,
  Decimal: exactNumber,
  BigInt: exactNumber,
}

function native(type: string): PostgresColumn {
  return { type, compared: type, json: (column) => column }
}

function columnOf(type: StoredType): PostgresColumn {
  if (type.kind === 'scalar') return scalarColumns[type.name]
  return type.kind === 'enum' ? plainText : json
}

/** The type that a column of this type is declared with. */
export function columnType(type: StoredType): string {
  return columnOf(type).type
}

export function jsonValue(type: StoredType, column: string): string {
  return columnOf(type).json(column)
}

/** `exact` is what exact numbers are compared as. */
export function comparedType(type: StoredType, exact: 'text' | 'numeric'): string {
  return isExactNumber(type) ? exact : columnOf(type).compared
}

/** A text out of JSON as its type has it. */
export function asMember(type: StoredType, member: string): string {
  const is = comparedType(type, 'numeric')
  return is === 'text' ? `(${ordered(member)})` : `${member}::${is}`
}

export function ordered(sql: string): string {
  return `${sql} COLLATE "C"`
}
