// The SQL dialect of PostgreSQL.
//
// 1. row_to_json of a sub-select builds objects, without blanks like SQLite. array_to_json of ARRAY(…) builds arrays: it
//    keeps the order of the rows and is empty without rows (docs/internals/decisions/0006-postgres-driver.md has the times).
//    A page that is the whole result is concatenated as text (docs/internals/decisions/0108-pages-as-text-on-postgres.md).
// 2. Every parameter has an explicit type, since it may stand in several places.
// 3. Text that is no column has the collation of the database: where it is ordered, it gets "C".
// 4. Function results get a column name (`AS e(e)`): a bare `e` could mean a column `e` of the schema.

import { maxKeyCharacters, textKey, unreachable } from '#base'
import { forbiddenMarker } from '#plan'
import { type Dialect, type Member, type Members, orderSigns } from '../sql/dialect.ts'
import { type Encoding, encode, numbersIn, type SqlValue, wordByWord } from '../sql/encode.ts'
import { tsQuery } from '../sql/search/search-query.ts'
import { wordsColumn } from '../sql/search/searched-table.ts'
import { joined } from '../sql/statement-builder.ts'
import { quoteName, quoteText } from '../tables/quote.ts'
import { postgresAggregates } from './aggregates/aggregates.ts'
import { encodeZone, zoneValueType } from './aggregates/zone-values.ts'
import { cursor, lastCursor } from './cursor.ts'
import { foldFunction } from './fold-function.ts'
import { concatenatedObject, objectOf } from './json-objects.ts'
import { resultConnection, resultList, resultPage } from './result-text.ts'
import { asMember, columnType, comparedType, jsonValue, ordered } from './scalar-columns.ts'

export const postgres: Dialect = {
  placeholder(number, encoding) {
    return encoding === null ? `$${number}` : `$${number}::${parameterType(encoding)}`
  },
  encode: encodeForPostgres,
  size: (bound) => bound,
  virtual: (bound, type) => `${bound}::${type === null ? ordered('text') : columnType(type)}`,
  typeKey: (type) => ordered(`${quoteText(type)}::text`),
  separatesNulls: true,
  seeksByAnyBound: false, // by the closest
  // It assumes equally many rows for each value. After `column = value` it drops the column from the order.
  leadingEquality: (column, value) => `${column} = ANY(ARRAY[${value}])`,
  looksUpLinked: true,
  deepPages: 'by ids', // it might seek the first row by another index, whose rows it would filter
  readsNewRows: true,
  maxFewMatches: 2000,
  subqueryAlias: ' AS _',
  fence: ' OFFSET 0',

  // Of a text that is too long only NULL goes over the wire.
  resultText(json) {
    const { text, from } = resultPage(json)
    return `(SELECT ${text}${from})`
  },
  resultPage,
  resultList,
  resultConnection,
  json: jsonValue,
  cut(type, column, length) {
    const text = `${column}::text`
    const short = `left(${text}, ${length}::integer) || '…'`
    const isText = type.kind === 'scalar' && type.name === 'String'
    return `CASE WHEN length(${text}) > ${length} THEN ${isText ? short : `to_json(${short})`} ELSE ${column} END`
  },
  object: (members) => objectOf(members, null),
  objectOf,
  objects: (members, source) => `array_to_json(ARRAY${objectOf(members, source)})`,
  // As a row of the row below it: a sub-select for each object would cost more than the object.
  wrapped: (key, members, source) =>
    `array_to_json(ARRAY${objectOf([[key, 'value']], `${objectOf(members, source)} AS wrapped(value)`)})`,
  ofResult: {
    object: (members, built = []) => concatenatedObject(members, built),
    objects: (members, source) => `('[' || coalesce(${concatenatedRows(members, source, ',')}, '') || ']')`,
    wrapped(key, members, source) {
      const begin = `{${JSON.stringify(key)}:`
      const rows = concatenatedRows(members, source, `},${begin}`)
      return `coalesce(${quoteText(`[${begin}`)} || ${rows} || '}]', '[]')`
    },
  },
  items: (json, source) => `array_to_json(ARRAY(SELECT ${json} FROM ${source}))`,
  itemsWhere(list) {
    if (list.length === 0) return `'[]'::json`
    const parts = list.map(({ condition, json }) => `CASE WHEN ${condition} THEN ',' || ${json}::text ELSE '' END`)
    return `('[' || substr(${joined(parts, '||')}, 2) || ']')::json`
  },
  flag: (condition) => `(${condition})`,
  boolean: (is) => String(is),
  forbiddenMarker: `to_json(${quoteText(forbiddenMarker.text)}::text)`,
  visibleWhere(condition, value) {
    // A bare NULL has no type that to_json could take.
    const json = value === 'NULL' ? 'NULL::json' : `to_json(${value})`
    return `CASE WHEN ${condition} THEN ${json} ELSE to_json(${quoteText(forbiddenMarker.text)}::text) END`
  },

  key: (json) => `to_json(${json})`,
  cursor,
  lastCursor,

  member: (object, key) => `${object} -> ${quoteText(key)}`,
  inner: (object, path) => nullAsNull(`${object} #> ${pathTo(path)}`, '::json'),
  elements: (array, alias) =>
    `(SELECT ${nullAsNull('e', '::json')} AS value FROM json_array_elements(${array}) AS e(e)) AS ${alias}`,
  elementText: (element) => `(${element} #>> '{}')`,

  records(list, members, alias) {
    const columns = members.map((member) => `, ${recordMember('e.value', member)} AS ${quoteName(member.as)}`)
    const elements = `jsonb_array_elements(${list}::jsonb) WITH ORDINALITY AS e (value, n)`
    return `(SELECT (e.n - 1)::integer AS n${columns.join('')} FROM ${elements}) AS ${alias}`
  },
  recordMember: (text, member) => recordMember(`${text}::jsonb`, member),
  hasMember: (text, name) => `${text}::jsonb #> ${quotedPath([name])} IS NOT NULL`,
  parsed: (text) => `${text}::jsonb`,
  texts(list, alias) {
    const elements = `json_array_elements_text(${list}::json) WITH ORDINALITY AS e (value, n)`
    return `(SELECT (e.n - 1)::integer AS n, e.value FROM ${elements}) AS ${alias}`
  },

  comparable: (type, column) => (columnType(type) === 'json' ? `${column}::text` : column),
  inside(type, column, path) {
    const way = pathTo(path)
    if (type.kind === 'custom') return { column: nullAsNull(`${column} #> ${way}`, ''), encoding: 'member' }
    return { column: asMember(type, `(${column} #>> ${way})`), encoding: 'member' }
  },
  insideJson: {
    compare(json, path, op, bound) {
      const [value, other] = [`(${json} #> ${path})::jsonb`, `(${bound})::jsonb`]
      const [type, otherType] = [`jsonb_typeof(${value})`, `jsonb_typeof(${other})`]
      if (op === 'eq')
        return `coalesce(${type} = ${otherType} AND ${type} IN ('string', 'number', 'boolean') AND ${value} = ${other}, FALSE)`
      const [text, otherText] = [`(${value} #>> '{}')`, `(${other} #>> '{}')`]
      const sign = orderSigns[op]
      return `coalesce(CASE WHEN ${type} = ${otherType} THEN CASE ${type} WHEN 'number' THEN ${text}::numeric ${sign} ${otherText}::numeric WHEN 'string' THEN ${rankOf(text)} ${sign} ${rankOf(otherText)} END END, FALSE)`
    },
    among(json, path, list) {
      const value = `(${json} #> ${path})::jsonb`
      const isScalar = `jsonb_typeof(${value}) IN ('string', 'number', 'boolean')`
      return `EXISTS (SELECT 1 FROM jsonb_array_elements((${list})::jsonb) AS e(e) WHERE ${isScalar} AND ${value} = e)`
    },
    text: (json, path) => `CASE WHEN jsonb_typeof((${json} #> ${path})::jsonb) = 'string' THEN ${json} #>> ${path} END`,
    isNull: (json, path) => `${nullAsNull(`${json} #> ${path}`, '')} IS NULL`,
    exists: (json, path) => `(${json} #> ${path}) IS NOT NULL`,
  },
  listContains(item, list, bound) {
    const isCustom = item.kind === 'custom'
    const value = isCustom ? 'e::text' : asMember(item, 'e')
    return `EXISTS (SELECT 1 FROM json_array_elements${isCustom ? '' : '_text'}(${list}) AS e(e) WHERE ${value} = ${bound})`
  },
  among: (_type, column, list) => `${column} = ANY(${list})`,
  contains: (column, bound) => `strpos(${column}, ${bound}) > 0`,
  startsWith: (column, bound) => `starts_with(${column}, ${bound})`,
  endsWith: (column, bound) => `right(${column}, length(${bound})) = ${bound}`,
  folded: (text) => `${foldFunction}(${text})`,

  textKey: keyOf,
  rank,
  rankedText: (value) => `(${value})[2]`,
  amongKeyed: (key, keys, text, texts) => `${key} = ANY(${keys}) AND ${text} = ANY(${texts})`,

  matchesSearch: (row, bound) => `${row.column(wordsColumn)} @@ ${bound}`,
  matchesQuery: (row, query) => `${row.column(wordsColumn)} @@ (${query})::tsquery`,

  aggregates: postgresAggregates,
}

function recordMember(json: string, { path, type, fallback }: Omit<Member, 'as'>): string {
  const is = type === 'id' ? ordered('text') : type === 'version' ? 'integer' : columnType(type)
  const own = `(${json} #>> ${quotedPath(path)})::${is}`
  if (fallback === undefined) return own
  const isThere = `${json} #> ${quotedPath(path)} IS NOT NULL`
  return `CASE WHEN ${isThere} THEN ${own} ELSE (${fallbackOf(json, fallback)})::${is} END`
}

function fallbackOf(json: string, fallback: NonNullable<Member['fallback']>): string {
  if ('sql' in fallback) return fallback.sql
  return 'path' in fallback ? `${json} #>> ${quotedPath(fallback.path)}` : quoteText(String(fallback.value))
}

/** The key of a text, which may have any collation. */
function keyOf(text: string): string {
  return `(${ordered(`left(${foldFunction}(left(${text}, ${maxKeyCharacters})), ${maxKeyCharacters})`)})`
}

/** PostgreSQL compares arrays element by element. */
function rank(key: string, text: string): string {
  return `(CASE WHEN ${text} IS NOT NULL THEN ${ordered(`ARRAY[${key}, ${text}]`)} END)`
}

function rankOf(text: string): string {
  return rank(keyOf(text), `(${ordered(text)})`)
}

function parameterType(encoding: Encoding): string {
  switch (encoding.kind) {
    case 'number':
      return 'bigint'
    case 'plain':
    case 'id':
    case 'folded':
    case 'textKey':
      return 'text'
    case 'ids':
    case 'textKeys':
    case 'rank':
    case 'path':
      return 'text[]'
    case 'search':
      return 'tsquery'
    case 'searches':
      return 'json'
    case 'column':
      return comparedType(encoding.type, 'text')
    case 'columns':
      return `${comparedType(encoding.type, 'text')}[]`
    case 'member':
      return comparedType(encoding.type, 'numeric')
    case 'members':
      return `${comparedType(encoding.type, 'numeric')}[]`
    case 'exact':
    case 'integer':
      return 'numeric'
    case 'zone':
      return zoneValueType(encoding.type)
  }
}

function pathTo(path: readonly string[]): string {
  return quoteText(`{${path.join(',')}}`)
}

/** Names of columns may be anything. */
function quotedPath(path: readonly string[]): string {
  return quoteText(`{${path.map((key) => `"${key}"`).join(',')}}`)
}

/** A JSON's text, or what that is cast to, and NULL for JSON's null. */
function nullAsNull(json: string, cast: string): string {
  return `nullif((${json})::text, 'null')${cast}`
}

/** The texts of the objects of all rows, in the order of the source: no other step is between it and the aggregate. NULL without rows. */
function concatenatedRows(members: Members, source: string, separator: string): string {
  return `(SELECT string_agg(value::text, ${quoteText(separator)}) FROM ${objectOf(members, source)} AS _(value))`
}

/** Encodes canonical values as for SQLite (`sql/encode.ts`), except booleans, and lists as arrays. Every value is sent as text
 *  with its type in the SQL. */
export function encodeForPostgres(value: unknown, encoding: Encoding): SqlValue {
  switch (encoding.kind) {
    case 'column':
    case 'member':
      return comparedType(encoding.type, 'text') === 'boolean' && typeof value === 'boolean'
        ? String(value)
        : encode(value, encoding)
    case 'columns':
      return arrayOf(value as unknown[], { ...encoding, kind: 'column' })
    case 'members':
      return arrayOf(value as unknown[], { ...encoding, kind: 'member' })
    case 'ids':
      return arrayOf(value as unknown[], { kind: 'id', type: encoding.type })
    case 'textKeys':
      return arrayOf(value as unknown[], { kind: 'textKey' })
    case 'rank':
      return value === null ? null : arrayOf([textKey(value as string), value], { kind: 'plain' })
    case 'path':
      return arrayOf(value as unknown[], { kind: 'plain' })
    case 'search':
      return tsQuery(value as string[], numbersIn(encoding.type))
    case 'searches':
      return JSON.stringify(wordByWord(value as string[], encoding.type, tsQuery))
    case 'exact':
    case 'integer':
      return String(value)
    case 'zone':
      return encodeZone(value as string, encoding.type)
    case 'plain':
    case 'number':
    case 'id':
    case 'folded':
    case 'textKey':
      return encode(value, encoding)
    default:
      return unreachable(encoding)
  }
}

/** The array literal. */
function arrayOf(values: readonly unknown[], each: Encoding): string {
  const items = values.map((value) => {
    const encoded = encodeForPostgres(value, each)
    return encoded === null ? 'NULL' : `"${String(encoded).replace(/["\\]/g, '\\$&')}"`
  })
  return `{${items.join(',')}}`
}
