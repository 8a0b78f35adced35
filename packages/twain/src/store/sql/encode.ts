// How SQLite stores a canonical value, which is also how a value to compare with is bound:
//
//   Boolean             0 or 1
//   Decimal, BigInt     "<key> <number>": the keys sort as texts as the numbers sort, and a blank sorts before all digits
//   value, list, JSON   JSON text
//   enum                its storage code: the first name of the value
//   all others          unchanged
//
// Inside JSON (a value type, a list) everything is plain JSON, and fields have their storage keys: their first names.

import { decimalSortKey, foldText, numberDigits, textKey, unreachable, type ZoneRules, zoneRules } from '#base'
import { wallTime } from '#base/time'
import { isAccountTime, isExactNumber, type ScalarName, type StoredField, type StoredType } from '#model'
import { defaultValue } from '#plan/build'
import type { Layout } from '../tables/layout.ts'
import { fromStorage, type StorageCodes, toStorage } from '../tables/storage-codes.ts'
import { ftsQuery } from './search/search-query.ts'

export type Encoding =
  | { kind: 'plain' } // a text: an id, the name of a type
  | { kind: 'number' } // of rows
  | { kind: 'path' } // the keys of a path inside JSON
  | { kind: 'folded' } // a text, to compare with folded texts
  | { kind: 'textKey' } // the key of a text
  | { kind: 'textKeys' }
  | { kind: 'rank' } // a text with its key, as `Dialect.rank` has it
  | { kind: 'column'; type: StoredType; codes: StorageCodes } // one value, as a column stores it
  | { kind: 'columns'; type: StoredType; codes: StorageCodes } // a list of them as a JSON text, for json_each
  | { kind: 'member'; type: StoredType; codes: StorageCodes } // one value, as `->>` returns it from JSON
  | { kind: 'members'; type: StoredType; codes: StorageCodes }
  | { kind: 'id'; type: string } // the id of a row of the named type (`Type Alias`): itself, or `Type:id`
  | { kind: 'ids'; type: string }
  | { kind: 'search'; type: string } // words, as a query on columns of these numbers: `1,2`
  | { kind: 'searches'; type: string } // for each word a list of queries, one for each group of columns: `1,2;3`
  | { kind: 'exact' } // an exact number or a double, to compare with sums and averages
  | { kind: 'integer' } // a whole number of any size, to compare with integers of the database
  | { kind: 'zone'; type: ZoneValue } // what a statement has to know of a time zone, by its name

/** Its name, or a part of its rules. */
export type ZoneValue = 'name' | keyof ZoneRules

export type SqlValue = null | number | bigint | string | Uint8Array

export function encode(value: unknown, encoding: Encoding): SqlValue {
  switch (encoding.kind) {
    case 'plain':
    case 'number':
      return value as SqlValue
    case 'path':
      return `$${(value as string[]).map((key) => `."${key}"`).join('')}`
    case 'folded':
      return foldText(value as string)
    case 'textKey':
      return value === null ? null : textKey(value as string)
    case 'textKeys':
      return JSON.stringify((value as string[]).map((text) => textKey(text)))
    case 'rank':
      return value === null ? null : `${textKey(value as string)}\0${value}`
    case 'column':
      return encodeColumn(value, encoding.type, encoding.codes)
    case 'columns':
      return JSON.stringify((value as unknown[]).map((item) => encodeColumn(item, encoding.type, encoding.codes)))
    case 'member':
      return encodeMember(value, encoding.type, encoding.codes)
    case 'members':
      return JSON.stringify((value as unknown[]).map((item) => encodeMember(item, encoding.type, encoding.codes)))
    case 'id':
      return localId(encoding.type, value as string)
    case 'ids':
      return JSON.stringify((value as string[]).map((id) => localId(encoding.type, id)))
    case 'search':
      return ftsQuery(value as string[], numbersIn(encoding.type))
    case 'searches':
      return JSON.stringify(wordByWord(value as string[], encoding.type, ftsQuery))
    case 'exact':
      return encodeExact(typeof value === 'number' ? numberDigits(value) : (value as string))
    case 'integer':
      return integerWithin64Bits(BigInt(value as string))
    case 'zone':
      return encodeZone(value as string, encoding.type)
    default:
      return unreachable(encoding)
  }
}

/** No integer of the database is as large as what lies beyond 64 bits. */
function integerWithin64Bits(value: bigint): SqlValue {
  if (BigInt.asIntN(64, value) === value) return value
  return value < 0n ? -Infinity : Infinity
}

/** Lists are arrays of JSON. */
function encodeZone(timeZone: string, value: ZoneValue): SqlValue {
  if (value === 'name') return timeZone
  const part = zoneRules(timeZone)[value]
  return typeof part === 'string' ? part : JSON.stringify(part)
}

/** A query for each word and each group of columns. Only the last word may be a prefix. */
export function wordByWord(words: readonly string[], groups: string, query: typeof ftsQuery): string[][] {
  return words.map((word, index) =>
    groups.split(';').map((columns) => query([word], numbersIn(columns), index === words.length - 1)),
  )
}

export function numbersIn(columns: string): number[] {
  return columns.split(',').map(Number)
}

/** No id has a colon, so `Other:id` matches no row. */
function localId(types: string, id: string): string {
  const type = types.split(' ').find((name) => id.startsWith(`${name}:`))
  return type === undefined ? id : id.slice(type.length + 1)
}

export function encodeColumn(value: unknown, type: StoredType, codes: StorageCodes): SqlValue {
  if (value === null || value === undefined) return null
  if (isExactNumber(type)) return encodeExact(value as string)
  return encodeMember(value, type, codes)
}

/** What existing rows get for a new field: its default; for a time that the server sets, the time of the migration. */
export function valueForExistingRows(field: StoredField, { codes }: Pick<Layout, 'codes'>): SqlValue {
  if (isAccountTime(field.auto)) return null
  if (field.auto !== null) return new Date(wallTime()).toISOString()
  return encodeColumn(defaultValue(field), field.type, codes)
}

/** How a value outside of JSON is stored, and read again. */
interface ScalarEncoding {
  encode(value: unknown): SqlValue
  decode(stored: SqlValue): unknown
}

const unchanged: ScalarEncoding = { encode: (value) => value as SqlValue, decode: (stored) => stored }
/** `encodeColumn` adds the key: members of JSON have none. */
const exactNumber: ScalarEncoding = {
  ...unchanged,
  decode: (stored) => String(stored).slice(String(stored).indexOf(' ') + 1),
}

const scalarEncodings: Readonly<Record<ScalarName, ScalarEncoding>> = {
  Int: unchanged,
  Float: unchanged,
  String: unchanged,
  Boolean: { encode: (value) => (value ? 1 : 0), decode: (stored) => stored === 1 },
  ID: unchanged,
  DateTime: unchanged,
  Date: unchanged,
  Time: unchanged,
  JSON: { encode: (value) => JSON.stringify(value), decode: (stored) => JSON.parse(stored as string) },
  Decimal: exactNumber,
  BigInt: exactNumber,
}

export function encodeExact(number: string): string {
  return `${decimalSortKey(number)} ${number}`
}

function encodeMember(value: unknown, type: StoredType, codes: StorageCodes): SqlValue {
  if (value === null || value === undefined) return null
  switch (type.kind) {
    case 'scalar':
      return scalarEncodings[type.name].encode(value)
    case 'enum':
      return toStorage(value, type, codes) as string
    case 'custom':
      return JSON.stringify(value)
    case 'value':
    case 'list':
      return JSON.stringify(toStorage(value, type, codes))
    default:
      return unreachable(type)
  }
}

/** The canonical value of what a column returns. */
export function decodeColumn(value: SqlValue, type: StoredType, codes: StorageCodes): unknown {
  if (value === null) return null
  switch (type.kind) {
    case 'scalar':
      return scalarEncodings[type.name].decode(value)
    case 'enum':
      return fromStorage(value, type, codes)
    case 'custom':
      return JSON.parse(value as string)
    case 'value':
    case 'list':
      return fromStorage(JSON.parse(value as string), type, codes)
    default:
      return unreachable(type)
  }
}
