// Encodes canonical values for PostgreSQL: as for SQLite (`sql/encode.ts`), except booleans, and lists as arrays. Every
// value is sent as text with its type in the SQL.

import type { StoredType } from '#model'
import { type Encoding, encode, numbersIn, type SqlValue, wordByWord } from '../sql/encode.ts'
import { tsQuery } from '../sql/search-query.ts'

export function encodeForPostgres(value: unknown, encoding: Encoding): SqlValue {
  switch (encoding.kind) {
    case 'column':
    case 'member':
      return isBoolean(encoding.type) && typeof value === 'boolean' ? String(value) : encode(value, encoding)
    case 'columns':
      return arrayOf(value as unknown[], { kind: 'column', type: encoding.type })
    case 'members':
      return arrayOf(value as unknown[], { kind: 'member', type: encoding.type })
    case 'ids':
      return arrayOf(value as unknown[], { kind: 'id', type: encoding.type })
    case 'search':
      return tsQuery(value as string[], numbersIn(encoding.type))
    case 'searches':
      return JSON.stringify(wordByWord(value as string[], encoding.type, tsQuery))
    default:
      return encode(value, encoding)
  }
}

function isBoolean(type: StoredType): boolean {
  return type.kind === 'scalar' && type.name === 'Boolean'
}

/** The array literal. */
function arrayOf(values: readonly unknown[], each: Encoding): string {
  const items = values.map((value) => {
    const encoded = encodeForPostgres(value, each)
    return encoded === null ? 'NULL' : `"${String(encoded).replace(/["\\]/g, '\\$&')}"`
  })
  return `{${items.join(',')}}`
}
