// What differs between the databases when a plan becomes SQL: `sqlite/dialect.ts` and `postgres/dialect.ts`. The rest of this
// folder asks the dialect and never which database it is. Every argument and result is SQL text, except for `encode`.
//
// A *row source* is the text after FROM, with its WHERE, ORDER BY and LIMIT if it has them.

import type { StoredType } from '#model'
import type { AggregateDialect } from './aggregates/aggregate-dialect.ts'
import type { Encoding, SqlValue } from './encode.ts'
import type { ShownRows } from './shown-rows.ts'
import type { LeadingEquality, SqlRow } from './sql-row.ts'

/** The members of a JSON object: keys, and the SQL of their values. */
export type Members = readonly (readonly [key: string, value: string])[]

/** The SQL of a value inside a JSON column, ready to compare, and the encoding of the values to compare it with. */
export interface Comparable {
  column: string
  encoding: 'column' | 'member'
}

/** A member of a bound object, by its path of keys. */
export interface Member {
  path: readonly string[]
  type: StoredType | 'id' | 'version'
  as: string
  /** What stands for a member that the object does not have: a value as a column stores it, another member, or SQL. */
  fallback?: { value: SqlValue } | { path: readonly string[] } | { sql: string }
}

/** Conditions on a scalar inside JSON, by a bound path. Each is true or false, never unknown, and never fails. */
interface JsonConditions {
  /** Compares with the text of a JSON. Values of different types are never equal, and neither is less than the other. */
  compare(json: string, path: string, op: 'eq' | keyof typeof orderSigns, bound: string): string
  /** Whether it equals one of the values of a JSON array. */
  among(json: string, path: string, list: string): string
  /** The text of a string, and NULL for any other value. */
  text(json: string, path: string): string
  isNull(json: string, path: string): string
  exists(json: string, path: string): string
}

export const orderSigns = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** JSON values that contain others. */
export interface JsonContainers {
  /** An object of these values. `built`: the keys of members that `objects` or `wrapped` of the same containers built. */
  object(members: Members, built?: readonly string[]): string
  /** An array with the object of each row of a source, in its order. */
  objects(members: Members, source: string): string
  /** The same, where each object is the only member of another: `[{"node": {…}}]`. */
  wrapped(key: string, members: Members, source: string): string
}

/** A page that is the whole result: its text as a column, NULL where it is too long, and the FROM clause that has it, if it needs one. */
export interface ResultPage {
  text: string
  from: string
}

/** A list, and the column that tells whether rows follow. */
export interface ResultList extends ResultPage {
  more: string
}

/** A connection that is the whole result. */
export interface ResultConnection {
  /** Its members in their order. */
  members: readonly ConnectionMember[]
  /** The members of each edge, or of its node if that is its only member. */
  edge: Members
  /** The key of that node; null: there is none. */
  nodeKey: string | null
  /** A row source: the rows of the page, and the row behind it if there is one. */
  source: string
  size: string
  /** The name of the order, for cursors (`plan/build/cursor.ts`). */
  order: string
  keys: readonly CollectedKey[]
}

export type ConnectionMember =
  | { key: string; kind: 'edges' }
  | { key: string; kind: 'pageInfo'; members: readonly PageInfoMember[] }
  | ConstantMember
  /** The SQL of a JSON value. */
  | { key: string; kind: 'value'; sql: string }

export type PageInfoMember = { key: string; kind: 'hasNextPage' | 'startCursor' | 'endCursor' } | ConstantMember

interface ConstantMember {
  key: string
  kind: 'constant'
  value: string | boolean
}

/** A sort key of the rows, of which the statement collects all values. */
export interface CollectedKey {
  /** Its value in a row. */
  column: string
  /** The key of a cursor, from one of the values. */
  json(value: string): string
}

export interface Dialect extends JsonContainers {
  // -------------------------------------------------------------- values
  /** The placeholder of the parameter with this number, from 1. */
  placeholder(number: number, encoding: Encoding | null): string
  encode(value: unknown, encoding: Encoding): SqlValue
  /** A bound number after LIMIT. */
  size(bound: string): string
  /** A bound value as a column of a row that is not written yet; null: the column of an id or a type. */
  virtual(bound: string, type: StoredType | null): string
  /** The name of a type as a sort key. */
  typeKey(type: string): string
  /** Whether a page reads rows whose sort key is NULL as a range of their own. A database that reads an index backwards may
   *  return NULLs first: a descending page with NULLs last would then sort the whole table. */
  readonly separatesNulls: boolean
  /** Whether the database seeks by one bound of an index column, any one, and checks others on each row. */
  readonly seeksByAnyBound: boolean
  /** An equality after which `ORDER BY column, key` asks for an index that begins with the column. So the database can't choose an index
   *  on the keys alone and filter its rows: where few rows have the value, it would read the whole table. Null: it never makes that choice. */
  readonly leadingEquality: LeadingEquality | null
  /** Whether a page of linked rows makes each link look up its row (`lookUp`): the database might begin with all rows otherwise. */
  readonly looksUpLinked: boolean
  /** Whether the statement that creates a row can also read it. */
  readonly readsNewRows: boolean
  /** How a page far behind its beginning is read: from its first row on, which an index finds; or each row by its id, and an index
   *  finds those. */
  readonly deepPages: 'from first row' | 'by ids'
  /** Of a search, up to how many rows are collected before they are sorted (`search/matched-rows.ts`); null: any number. */
  readonly maxFewMatches: number | null
  /** The alias of a subquery after FROM that nothing refers to; empty where none is needed. */
  readonly subqueryAlias: string
  /** The end of a subquery that the database must not merge into the statement around it. */
  readonly fence: string

  // -------------------------------------------------------------- the JSON of a result
  /** The text of a JSON value as a column of the result; NULL where it is too long. */
  resultText(json: string): string
  resultPage(json: string): ResultPage
  /** `items` is a SELECT of the JSON of each row of the page. With a `size` it also has the row behind the page, if there is one. Null: that
   *  row is looked for apart. */
  readonly resultList: ((items: string, size: string | null) => ResultList) | null
  /** Reads the rows once. Null: there is no such way, and `ofResult` builds the connection. */
  readonly resultConnection: ((connection: ResultConnection) => ResultPage) | null
  /** A stored column as a JSON value. */
  json(type: StoredType, column: string): string
  /** A text, or a value that can be any JSON: one with more characters as the first `length` of them and `…`. */
  cut(type: StoredType, column: string, length: string): string
  /** The containers of a page that is the whole result. The database may build them as text, since nothing contains them. */
  readonly ofResult: JsonContainers
  /** The object of the only row of a source; NULL if there is none. */
  objectOf(members: Members, source: string): string
  /** An array with a JSON of each row of a source, in its order. */
  items(json: string, source: string): string
  /** An array of those JSON values whose condition holds. */
  itemsWhere(items: readonly { condition: string; json: string }[]): string
  /** A condition as JSON. */
  flag(condition: string): string
  boolean(is: boolean): string
  /** The value where the condition holds, else `refusedMarker`. */
  visibleWhere(condition: string, value: string): string
  forbiddenMarker: string

  // -------------------------------------------------------------- cursors (`plan/cursor.ts`)
  /** A JSON value as one key of a cursor. */
  key(json: string): string
  cursor(order: string, keys: readonly string[]): string
  /** The cursor of the last row that is shown; NULL if there is none. */
  lastCursor(order: string, keys: readonly string[], shown: ShownRows): string

  // -------------------------------------------------------------- JSON that is stored
  /** A member of an object, as JSON. */
  member(object: string, name: string): string
  /** An object or array inside another, by its path, for further access: NULL for JSON's null. */
  inner(object: string, path: readonly string[]): string
  /** A row source: the elements of an array, as its column `value`, NULL for JSON's null. */
  elements(array: string, alias: string): string
  /** The text of an element that is a string. */
  elementText(element: string): string

  // -------------------------------------------------------------- bound rows (`subscription.ts`)
  /** A row source: the elements of a bound JSON array of objects, with `n`, the index of each from 0, and these members as
   *  columns. */
  records(list: string, members: readonly Member[], alias: string): string
  /** A member of a JSON text. */
  recordMember(text: string, member: Omit<Member, 'as'>): string
  /** Whether a JSON text has the member; a null counts as one. */
  hasMember(text: string, name: string): string
  /** A JSON text in the form whose members are found fastest. */
  parsed(text: string): string
  /** A row source: the texts of a bound JSON array, as its column `value`, with `n`, the index of each from 0. */
  texts(list: string, alias: string): string

  // -------------------------------------------------------------- filters
  /** A whole column, ready to compare. */
  comparable(type: StoredType, column: string): string
  /** A scalar inside a stored object, by its path. */
  inside(type: StoredType, column: string, path: readonly string[]): Comparable
  readonly insideJson: JsonConditions
  /** Whether a stored list contains a bound value. */
  listContains(item: StoredType, list: string, bound: string): string
  /** Whether the column's value is in a bound list. */
  among(type: StoredType, column: string, list: string): string
  /** These compare by code point and are case-sensitive, unlike LIKE; each takes linear time. */
  contains(column: string, bound: string): string
  startsWith(column: string, bound: string): string
  endsWith(column: string, bound: string): string
  /** A text in its folded form (`foldText`), for the operators whose names begin with `i`. */
  folded(text: string): string

  // -------------------------------------------------------------- the order of texts (`sort-terms.ts`)
  /** The key of a text, as `textKey` makes it. A text that is no column of a table has no stored key. */
  textKey(text: string): string
  /** A key and its text as one value, in the order of texts; NULL for a NULL. */
  rank(key: string, text: string): string
  /** The text of such a value. */
  rankedText(rank: string): string
  /** Whether a text is in a bound list, of which another list has the keys. An index finds it by its key. */
  amongKeyed(key: string, keys: string, text: string, texts: string): string

  // -------------------------------------------------------------- word search
  /** Whether the search index finds the row by a bound query. */
  matchesSearch(row: SqlRow, bound: string): string
  /** Whether this one row matches a query that is itself SQL of a text. Nothing else uses the alias. */
  matchesQuery(row: SqlRow, query: string, alias: string): string

  // -------------------------------------------------------------- groups of rows
  readonly aggregates: AggregateDialect
}
