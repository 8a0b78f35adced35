// What differs between the databases, each way of it in a file of its own: the rest of this folder asks the dialect and
// never which database it is. All that goes in and out here is SQL text, but for `encode`.
//
// A *row source* is what stands behind FROM, with its WHERE, ORDER BY and LIMIT if it has them.

import type { StoredType } from '#model'
import type { Encoding, SqlValue } from './encode.ts'
import type { SqlRow } from './sql-row.ts'

/** Of a JSON object: keys, and the SQL of their values. */
export type Members = readonly (readonly [key: string, value: string])[]

/** A value out of a JSON column as it is compared, and how what it is compared with is bound. */
export interface Comparable {
  column: string
  encoding: 'column' | 'member'
}

/** A member of a bound object, by the keys that lead to it. */
export interface Member {
  path: readonly string[]
  type: StoredType | 'id' | 'version'
  as: string
}

export interface Dialect {
  // -------------------------------------------------------------- values
  /** What stands for the parameter of this number, from 1. */
  placeholder(number: number, encoding: Encoding | null): string
  encode(value: unknown, encoding: Encoding): SqlValue
  /** A bound number behind LIMIT. */
  size(bound: string): string
  /** A bound value as a column of a row that is not written; null is an id or another's. */
  virtual(bound: string, type: StoredType | null): string
  /** The name of a type as a key of an order. */
  typeKey(type: string): string
  /** Whether rows without a key are read apart from those that have it. An index that is read backwards may give NULLs
   *  first: then a page in descending order, NULLs last, would be sorted out of the whole table. */
  readonly separatesNulls: boolean
  /** What a sub-select behind FROM is called that nothing refers to. */
  readonly subqueryAlias: string

  // -------------------------------------------------------------- the JSON of an answer
  /** The text of a JSON, for a column of the answer. */
  resultText(json: string): string
  /** A stored column as a JSON value. */
  json(type: StoredType, column: string): string
  /** An object of values that are at hand. */
  object(members: Members): string
  /** The object of the one row of a source; NULL where there is none. */
  objectOf(members: Members, source: string): string
  /** An array with the object of each row of a source, in its order. */
  objects(members: Members, source: string): string
  /** An array with a JSON of each row of a source, in its order. */
  items(json: string, source: string): string
  /** A condition as JSON. */
  flag(condition: string): string
  boolean(is: boolean): string
  /** What may be told where the condition holds, else the marker of what was refused. */
  visibleWhere(condition: string, value: string): string
  refusedMarker: string

  // -------------------------------------------------------------- cursors (`plan/cursor.ts`)
  /** A JSON value as one key of a cursor; null is the name of a type. */
  key(type: StoredType | null, json: string): string
  cursor(order: string, keys: readonly string[]): string
  /** Of the last row of a source; NULL where there is none. */
  lastCursor(order: string, keys: readonly string[], source: string): string

  // -------------------------------------------------------------- JSON that is stored
  /** A member of an object, as JSON. */
  member(object: string, name: string): string
  /** An object or array inside another, by the names that lead to it, to be looked into in turn: NULL for JSON's null. */
  inner(object: string, path: readonly string[]): string
  /** A row source: the elements of an array, as its column `value`, NULL for JSON's null. */
  elements(array: string, alias: string): string
  /** The text of such an element that is one. */
  elementText(element: string): string

  // -------------------------------------------------------------- rows that are bound (`watch.ts`)
  /** A row source: the elements of a bound JSON array of objects, with `n`, the number of each from 0, and these members
   *  as columns; null is the type of an id or a version. */
  records(list: string, members: readonly Member[], alias: string): string
  /** A row source: the texts of a bound JSON array, as its column `value`, with `n`, the number of each from 0. */
  texts(list: string, alias: string): string

  // -------------------------------------------------------------- filters
  /** A whole column as it is compared. */
  comparable(type: StoredType, column: string): string
  /** A scalar inside a stored object, by the names that lead to it. */
  inside(type: StoredType, column: string, path: readonly string[]): Comparable
  /** Whether a stored list holds a bound value. */
  listContains(item: StoredType, list: string, bound: string): string
  /** Whether it is one of a bound list. */
  among(type: StoredType, column: string, list: string): string
  /** By code point and minding case, which LIKE does not; each is linear. */
  contains(column: string, bound: string): string
  startsWith(column: string, bound: string): string
  endsWith(column: string, bound: string): string

  // -------------------------------------------------------------- word search
  /** Whether the row is one of those that the index finds by a bound query. */
  matchesSearch(row: SqlRow, bound: string): string
  /** Whether this one row is found by a query that is SQL of a text. The alias is free. */
  matchesQuery(row: SqlRow, query: string, alias: string): string
}
