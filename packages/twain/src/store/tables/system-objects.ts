// The record of the system tables, indexes and functions that Twain has made in a database. An object with such a name that is not in
// the record belongs to somebody else.

import type { Catalogue, TableColumns } from './foreign-objects.ts'
import { quoteText } from './quote.ts'

const table = 'twain_object'

/** `text` is the SQL type of texts; `kind` is appended to the table. */
export function objectTable({ text, kind }: { text: string; kind: string }): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (name ${text} PRIMARY KEY)${kind}`
}

export const selectObjects = `SELECT name FROM ${table}`

/** Records the system objects, in the transaction that creates them. */
export function recordObjects(names: Iterable<string>): string {
  return `INSERT INTO ${table} (name) VALUES ${[...names].map((name) => `(${quoteText(name)})`).join(', ')} ON CONFLICT DO NOTHING`
}

/** The tables and indexes that a script creates. */
export function namesCreatedIn(script: string): string[] {
  return [...script.matchAll(/CREATE (?:TABLE|(?:UNIQUE )?INDEX) IF NOT EXISTS (\w+)/g)].map(([, name]) => name!)
}

/** Whether an earlier Twain, which kept no record, has made the system tables: then all of them are its own. */
export function isOfEarlierBuild(columns: TableColumns): boolean {
  return isServedFrom(columns) && !columns.get(table)?.has('name')
}

function isServedFrom(columns: TableColumns): boolean {
  return ['sdl', 'names', 'since'].every((column) => columns.get('twain_schema')?.has(column))
}

/** The system objects that Twain has made, of those with these names; null: it has made none. */
export function madeObjects(
  names: Iterable<string>,
  { relations, functions, columns }: Pick<Catalogue, 'relations' | 'functions' | 'columns'>,
  recorded: readonly string[],
): ReadonlySet<string> | null {
  if (!isServedFrom(columns)) return null
  return new Set(
    isOfEarlierBuild(columns) ? [...names].filter((name) => relations.has(name) || functions.has(name)) : recorded,
  )
}
