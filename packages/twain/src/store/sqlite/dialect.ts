// The SQL dialect of SQLite.
//
// 1. JSON of json_object and json_group_array keeps its subtype through scalar sub-selects and CASE, but not through an
//    ordered sub-select. So the dialect selects rows as columns and builds the JSON outside.
// 2. Columns that hold JSON (values, lists) are text in the table: json() gives them their subtype.

import { isExactNumber } from '#model'
import { forbiddenMarker } from '#plan'
import { type Dialect, type JsonContainers, type Member, type Members, orderSigns } from '../sql/dialect.ts'
import { encode, type SqlValue } from '../sql/encode.ts'
import { wordsTable } from '../sql/search/searched-table.ts'
import { shownSource } from '../sql/shown-rows.ts'
import { joined } from '../sql/statement-builder.ts'
import { tableOf } from '../tables/layout.ts'
import { quoteName, quoteText } from '../tables/quote.ts'
import { sqliteAggregates } from './aggregates/aggregates.ts'
import { asMember, jsonValue, storageClass } from './scalar-columns.ts'

/** The key of a text (`connect/connect.ts`). */
export const keyFunction = 'twain_key'
/** The time, as the server's clock has it: SQLite's own can't be replaced by a simulation. */
export const nowFunction = 'twain_now'

function rank(key: string, text: string): string {
  return `(${key} || char(0) || ${text})`
}

function rankOf(text: string): string {
  return rank(`${keyFunction}(${text})`, text)
}

const containers: JsonContainers = {
  object: jsonObject,
  objects: (members, source) => items(jsonObject(members), source),
  wrapped: (key, members, source) => items(jsonObject([[key, jsonObject(members)]]), source),
}

export const sqlite: Dialect = {
  placeholder: (number) => `?${number}`,
  encode,
  // A bare parameter here would be looked at by SQLite's planner, which then compiles the statement anew whenever it is
  // bound (35 µs of a request's 130, measured): the CAST hides it.
  size: (bound) => `CAST(${bound} AS INTEGER)`,
  // The CAST gives the value the affinity of the table's column, so that it compares as it will when it stands there.
  virtual: (bound, type) => `CAST(${bound} AS ${type === null ? 'TEXT' : storageClass(type)})`,
  typeKey: quoteText,
  separatesNulls: false, // it reads the index twice by itself
  seeksByAnyBound: true,
  leadingEquality: null,
  looksUpLinked: false,
  deepPages: 'from first row',
  readsNewRows: false,
  maxFewMatches: null, // FTS5 collects its matches before the first row is read, in any case
  subqueryAlias: '',
  fence: ' LIMIT -1',

  resultText: (json) => json,
  resultPage: (json) => ({ text: json, from: '' }),
  resultList: null,
  resultConnection: null,
  json: jsonValue,
  cut: (type, column, length) =>
    `CASE WHEN length(${column}) > ${length} THEN substr(${column}, 1, ${length}) || '…' ELSE ${jsonValue(type, column)} END`,
  ...containers,
  ofResult: containers,
  objectOf: (members, source) => `(SELECT ${jsonObject(members)} FROM ${source})`,
  items,
  itemsWhere(list) {
    if (list.length === 0) return `json('[]')`
    const parts = list.map(({ condition, json }) => `CASE WHEN ${condition} THEN ',' || ${json} ELSE '' END`)
    return `json('[' || substr(${joined(parts, '||')}, 2) || ']')`
  },
  flag: (condition) => `json(iif(${condition}, 'true', 'false'))`,
  boolean: (is) => `json('${is}')`,
  forbiddenMarker: quoteText(forbiddenMarker.text),
  visibleWhere: (condition, value) =>
    `CASE WHEN ${condition} THEN ${value} ELSE ${quoteText(forbiddenMarker.text)} END`,

  key: (json) => json,
  cursor: (order, keys) => `twain_cursor(${quoteText(order)}, ${array(keys)})`,
  // A full page's last row has a known place. Of any other page it is the last of all keys: an OFFSET with a sub-select would not
  // see the row that a nested page belongs to.
  lastCursor(order, keys, shown) {
    const source = shownSource(shown)
    const full = `SELECT ${array(keys)} FROM ${source} LIMIT 1 OFFSET max(${shown.size} - 1, 0)`
    const partial = `SELECT json_group_array(${array(keys)}) -> '$[#-1]' FROM ${source}`
    return `twain_cursor(${quoteText(order)}, coalesce((${full}), (${partial})))`
  },

  member: (object, name) => `${object} -> ${pathTo([name])}`,
  // `->>` gives SQL's NULL for JSON's null, which `->` does not.
  inner: (object, path) => `(${object} ->> ${pathTo(path)})`,
  elements: (list, alias) => `json_each(${list}) AS ${alias}`,
  elementText: (element) => element,

  records(list, members, alias) {
    const columns = members.map((member) => `, ${recordMember('value', member)} AS ${quoteName(member.as)}`)
    return `(SELECT key AS n${columns.join('')} FROM json_each(${list})) AS ${alias}`
  },
  recordMember,
  hasMember: (text, name) => `json_type(${text}, ${quotedPath([name])}) IS NOT NULL`,
  parsed: (text) => `jsonb(${text})`,
  texts: (list, alias) => `(SELECT key AS n, value FROM json_each(${list})) AS ${alias}`,

  comparable: (_type, column) => column,
  inside(type, column, path) {
    const way = pathTo(path)
    // A scalar of the file's own may be any JSON: it is compared as JSON text.
    if (type.kind === 'custom') return { column: `nullif(${column} -> ${way}, 'null')`, encoding: 'member' }
    const member = `${column} ->> ${way}`
    // Exact numbers are plain text inside JSON: the key is made here, so that they compare as numbers.
    if (isExactNumber(type)) {
      return { column: `twain_decimal(${member})`, encoding: 'column' }
    }
    return { column: asMember(type, `(${member})`), encoding: 'member' }
  },
  insideJson: {
    // `->>` makes numbers of booleans, and a text never equals a number.
    compare(json, path, op, bound) {
      const [own, other] = [jsonKind(`json_type(${json}, ${path})`), jsonKind(`json_type(${bound})`)]
      const [value, otherValue] = [`(${json} ->> ${path})`, `(${bound} ->> '$')`]
      if (op === 'eq') return `coalesce(${own} = ${other} AND ${value} = ${otherValue}, FALSE)`
      const sign = orderSigns[op]
      const isText = `${rankOf(value)} ${sign} ${rankOf(otherValue)}`
      return `coalesce(CASE WHEN ${own} = ${other} THEN CASE ${other} WHEN 1 THEN ${isText} WHEN 2 THEN ${value} ${sign} ${otherValue} END END, FALSE)`
    },
    among(json, path, list) {
      const isSame = `${jsonKind('e.type')} = ${jsonKind(`json_type(${json}, ${path})`)}`
      return `EXISTS (SELECT 1 FROM json_each(${list}) AS e WHERE ${isSame} AND e.value = (${json} ->> ${path}))`
    },
    text: (json, path) => `CASE WHEN json_type(${json}, ${path}) = 'text' THEN ${json} ->> ${path} END`,
    isNull: (json, path) => `(${json} ->> ${path}) IS NULL`,
    exists: (json, path) => `json_type(${json}, ${path}) IS NOT NULL`,
  },
  listContains(item, list, bound) {
    const value = item.kind === 'custom' ? `${list} -> fullkey` : asMember(item, 'value')
    return `EXISTS (SELECT 1 FROM json_each(${list}) WHERE ${value} = ${bound})`
  },
  among: (type, column, list) => `${column} IN (SELECT ${asMember(type, 'value')} FROM json_each(${list}))`,
  contains: (column, bound) => `instr(${column}, ${bound}) > 0`,
  startsWith: (column, bound) => `substr(${column}, 1, length(${bound})) = ${bound}`,
  // The column stands here once: it may be a call of a function. A start of 0 would mean the whole text.
  endsWith: (column, bound) => `substr(${column}, -max(length(${bound}), 1), length(${bound})) = ${bound}`,
  folded: (text) => `twain_fold(${text})`,

  textKey: (text) => `${keyFunction}(${text})`,
  rank,
  // No text has the character 0. Functions of texts end at it, those of bytes do not.
  rankedText: (value) => `CAST(substr(CAST(${value} AS BLOB), instr(CAST(${value} AS BLOB), x'00') + 1) AS TEXT)`,
  // With the texts in the index too, SQLite would look up each of them for each key.
  amongKeyed: (key, keys, text, texts) =>
    `${key} IN (SELECT value FROM json_each(${keys})) AND +${text} IN (SELECT value FROM json_each(${texts}))`,

  matchesSearch(row, bound) {
    const words = quoteName(wordsTable(tableOf(row.layout, row.resource).name))
    return `${row.column('_n')} IN (SELECT rowid FROM ${words} WHERE ${words} MATCH ${bound})`
  },
  matchesQuery(row, query, alias) {
    const words = quoteName(wordsTable(tableOf(row.layout, row.resource).name))
    const matches = `${alias}.${words} MATCH ${query} AND ${alias}.rowid = ${row.column('_n')}`
    return `EXISTS (SELECT 1 FROM ${words} AS ${alias} WHERE ${matches})`
  },

  aggregates: sqliteAggregates,
}

/** Types whose values can be equal have the same number; objects and lists have none. */
function jsonKind(type: string): string {
  return `CASE ${type} WHEN 'text' THEN 1 WHEN 'integer' THEN 2 WHEN 'real' THEN 2 WHEN 'true' THEN 3 WHEN 'false' THEN 3 END`
}

function recordMember(json: string, { path, type, fallback }: Omit<Member, 'as'>): string {
  const is = type === 'id' ? 'TEXT' : type === 'version' ? 'INTEGER' : storageClass(type)
  const own = `CAST(${json} ->> ${quotedPath(path)} AS ${is})`
  if (fallback === undefined) return own
  return `CASE WHEN json_type(${json}, ${quotedPath(path)}) IS NULL THEN ${fallbackOf(json, fallback)} ELSE ${own} END`
}

function fallbackOf(json: string, fallback: NonNullable<Member['fallback']>): string {
  if ('sql' in fallback) return fallback.sql
  return 'path' in fallback ? `${json} ->> ${quotedPath(fallback.path)}` : literal(fallback.value)
}

function jsonObject(members: Members): string {
  const [first, ...others] = chunks(members)
  let object = `json_object(${(first ?? []).map(([key, value]) => `${quoteText(key)}, ${value}`).join(', ')})`
  for (const more of others) {
    object = `json_set(${object}, ${more.map(([key, value]) => `${quoteText(`$."${key}"`)}, ${value}`).join(', ')})`
  }
  return object
}

/** A function of SQLite takes at most 1,000 arguments. */
const maxMembers = 499

function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / maxMembers) }, (_, index) =>
    items.slice(index * maxMembers, (index + 1) * maxMembers),
  )
}

function items(json: string, source: string): string {
  return `(SELECT json_group_array(${json}) FROM ${source})`
}

function pathTo(path: readonly string[]): string {
  return quoteText(`$.${path.join('.')}`)
}

/** Names of columns may be anything. */
function quotedPath(path: readonly string[]): string {
  return quoteText(`$.${path.map((key) => `"${key}"`).join('.')}`)
}

export function literal(value: SqlValue): string {
  return typeof value === 'string' ? quoteText(value) : String(value)
}

function array(values: readonly string[]): string {
  return `json_array(${values.join(', ')})`
}
