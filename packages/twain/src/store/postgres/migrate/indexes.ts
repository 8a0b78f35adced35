// The indexes of a schema on PostgreSQL, as statements. Indexes of tables with rows are created one by one, without blocking
// writers.

import type { Model } from '#model'
import { searchedTables, wordsColumn } from '../../sql/search/searched-table.ts'
import { type IndexDefinition, indexName, requiredIndexes } from '../../tables/indexes.ts'
import { hasColumns, type Layout } from '../../tables/layout.ts'
import { quoteName, quoteText, shortName } from '../../tables/quote.ts'
import type { Session } from '../connect/session.ts'
import { currentSchema } from '../current-schema.ts'
import { columnType } from '../scalar-columns.ts'
import { isOutdated, outdatedIndexName } from './search-tables.ts'

interface MissingIndexes {
  /** Drops invalid indexes of an interrupted start. */
  leftovers: string[]
  /** On empty tables, in one message. */
  together: string[]
  /** On tables with rows, one by one and outside of a transaction. */
  apart: string[]
}

export async function missingIndexes(session: Session, model: Model, layout: Layout): Promise<MissingIndexes> {
  const there = await existingIndexes(session)
  const json = jsonColumns(layout)
  const missing = [...indexesByName(model, layout)].flatMap(([called, index]) =>
    there.get(called) === true ? [] : [index],
  )
  const full = await tablesWithRows(session, new Set(missing.map(({ table }) => table)))
  const create = (how: '' | 'CONCURRENTLY ') => (index: IndexDefinition) =>
    createIndex(index, json.get(index.table) ?? new Set(), how)
  return {
    leftovers: missing
      .map(postgresIndexName)
      .flatMap((one) => (there.has(one) ? [`DROP INDEX ${quoteName(one)}`] : [])),
    together: missing.filter(({ table }) => !full.has(table)).map(create('')),
    apart: missing.filter(({ table }) => full.has(table)).map(create('CONCURRENTLY ')),
  }
}

export async function tablesWithRows(session: Session, tables: ReadonlySet<string>): Promise<Set<string>> {
  const full = new Set<string>()
  for (const table of tables) {
    const [found] = await session.query('SELECT to_regclass($1) IS NOT NULL AS there', [quoteName(table)])
    if (found?.there !== true) continue // it does not exist yet
    if ((await session.query(`SELECT 1 FROM ${quoteName(table)} LIMIT 1`)).length > 0) full.add(table)
  }
  return full
}

/** All indexes of the schema, for tables that nobody uses yet. */
export function allIndexes(model: Model, layout: Layout): string[] {
  const json = jsonColumns(layout)
  return [...indexesByName(model, layout).values()].map((index) =>
    createIndex(index, json.get(index.table) ?? new Set(), ''),
  )
}

/** Drops indexes that the schema no longer needs. Those of the previous schema's search stay until the next change: nodes
 *  that still serve it search, and refill the words of rows that others wrote. */
export async function unusedIndexes(
  session: Session,
  model: Model,
  layout: Layout,
  previous: Layout | null,
): Promise<string[]> {
  const wanted = indexesByName(model, layout)
  if (previous !== null) for (const index of searchIndexes(previous)) wanted.set(postgresIndexName(index), index)
  const there = await session.query<{ name: string; table: string; columns: string }>(selectIndexedColumns)
  return there
    .filter(({ name }) => name.startsWith(indexPrefix) && !wanted.has(name))
    .filter(({ table, columns }) => hasColumns(layout, table, JSON.parse(columns) as string[]))
    .map(({ name }) => `DROP INDEX ${quoteName(name)}`)
}

/** Also the columns in expressions and conditions. */
const selectIndexedColumns = `
  SELECT c.relname AS name, t.relname AS "table", json_agg(a.attname)::text AS columns
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
    JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid
      AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid AND d.refobjsubid > 0
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
  WHERE c.relnamespace = ${currentSchema} GROUP BY c.relname, t.relname`

/** By name: two fields may need the same index. */
export function indexesByName(model: Model, layout: Layout): Map<string, IndexDefinition> {
  const wanted = [...requiredIndexes(model, layout), ...searchIndexes(layout)]
  return new Map(wanted.map((index) => [postgresIndexName(index), index]))
}

/** By name: whether the index is valid. */
async function existingIndexes(session: Session): Promise<Map<string, boolean>> {
  const rows = await session.query<{ name: string; valid: boolean }>(`
    SELECT c.relname AS name, i.indisvalid AS valid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
    WHERE c.relnamespace = ${currentSchema}`)
  return new Map(rows.map((row) => [row.name, row.valid]))
}

/** The columns that hold JSON, by table. */
function jsonColumns(layout: Layout): Map<string, Set<string>> {
  return new Map(
    [...layout.tables.values()].map((table) => {
      const columns = [...table.columns].filter(
        ([field]) => field.kind === 'stored' && columnType(field.type) === 'json',
      )
      return [table.name, new Set(columns.map(([, column]) => column.name))]
    }),
  )
}

/** The indexes of the search words, and of rows with outdated words. */
function searchIndexes(layout: Layout): IndexDefinition[] {
  return searchedTables(layout).flatMap((searched): IndexDefinition[] => [
    { table: searched.table, columns: [wordsColumn], unique: false, using: 'gin' },
    {
      table: searched.table,
      columns: ['_n'],
      unique: false,
      only: { name: outdatedIndexName(searched), sql: isOutdated(searched) },
    },
  ])
}

/** The names of the indexes of outdated words. */
export function outdatedWordIndexes(layout: Layout): Map<string, string> {
  const found = searchIndexes(layout).filter(({ only }) => only !== undefined)
  return new Map(found.map((index) => [index.table, postgresIndexName(index)]))
}

/** The name describes the index, so that it is recognized. */
export function postgresIndexName(index: IndexDefinition): string {
  return shortName(indexPrefix + indexName(index))
}

/** The prefix of indexes of Twain; indexes of an operator stay. */
const indexPrefix = 'twain '

/** The option of a word index that adds the words of a row with the write. By default PostgreSQL collects them in a list, which every
 *  search reads from its beginning to its end, and which some write must empty (decision 117). */
const mergedAtOnce = 'fastupdate = off'

/** Sets the option on indexes of earlier versions of Twain. */
export async function mergeWordsAtOnce(session: Session, layout: Layout): Promise<void> {
  const names = searchIndexes(layout).map(postgresIndexName)
  if (names.length === 0) return
  const earlier = await session.query<{ name: string }>(`
    SELECT c.relname AS name FROM pg_class c JOIN pg_am a ON a.oid = c.relam
    WHERE a.amname = 'gin' AND c.relkind = 'i' AND c.relnamespace = ${currentSchema}
      AND c.relname IN (${names.map(quoteText).join(', ')}) AND NOT 'fastupdate=off' = ANY (coalesce(c.reloptions, '{}'))`)
  for (const { name } of earlier) {
    await session.query(`ALTER INDEX ${quoteName(name)} SET (${mergedAtOnce})`)
    await session.query('SELECT gin_clean_pending_list($1::regclass)', [quoteName(name)])
  }
}

function createIndex(index: IndexDefinition, json: ReadonlySet<string>, how: '' | 'CONCURRENTLY '): string {
  // JSON has no order of its own; it is compared as its text.
  const columns = index.columns.map((column) => (json.has(column) ? `(${quoteName(column)}::text)` : quoteName(column)))
  const kind = index.unique ? 'UNIQUE INDEX' : 'INDEX'
  const using = index.using === undefined ? '' : ` USING ${index.using}`
  const options = index.using === 'gin' ? ` WITH (${mergedAtOnce})` : ''
  const only = index.only === undefined ? '' : ` WHERE ${index.only.sql}`
  return `CREATE ${kind} ${how}${quoteName(postgresIndexName(index))} ON ${quoteName(index.table)}${using} (${columns.join(', ')})${options}${only}`
}
