// The indexes of a contract on PostgreSQL, as statements: those of tables with rows are made each by itself, without stopping
// writers.

import type { ReservedSql } from 'postgres'
import type { Model } from '#model'
import { type IndexDefinition, requiredIndexes } from '../../tables/indexes.ts'
import type { Layout } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import { columnType } from '../dialect.ts'
import { createIndex, indexPrefix, postgresIndexName, searchIndexes } from './tables.ts'

interface MissingIndexes {
  /** Takes away what was given up half-way: it is there, and not valid. */
  leftovers: string[]
  /** On tables without rows, at once. */
  together: string[]
  /** On tables with rows, one after the other and outside of any transaction. */
  apart: string[]
}

export async function missingIndexes(session: ReservedSql, model: Model, layout: Layout): Promise<MissingIndexes> {
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

async function tablesWithRows(session: ReservedSql, tables: ReadonlySet<string>): Promise<Set<string>> {
  const full = new Set<string>()
  for (const table of tables) {
    const [found] = await session.unsafe('SELECT to_regclass($1) IS NOT NULL AS there', [quoteName(table)])
    if (found?.there !== true) continue // it is still to be made
    if ((await session.unsafe(`SELECT 1 FROM ${quoteName(table)} LIMIT 1`)).length > 0) full.add(table)
  }
  return full
}

/** All that a contract asks for, on tables that nobody else has seen yet. */
export function allIndexes(model: Model, layout: Layout): string[] {
  const json = jsonColumns(layout)
  return [...indexesByName(model, layout).values()].map((index) =>
    createIndex(index, json.get(index.table) ?? new Set(), ''),
  )
}

/** Takes away those that the contract no longer asks for. */
export async function unusedIndexes(session: ReservedSql, model: Model, layout: Layout): Promise<string[]> {
  const wanted = indexesByName(model, layout)
  const there = [...(await existingIndexes(session)).keys()]
  return there
    .filter((one) => one.startsWith(indexPrefix) && !wanted.has(one))
    .map((one) => `DROP INDEX ${quoteName(one)}`)
}

/** By name: two fields may ask for the same. */
function indexesByName(model: Model, layout: Layout): Map<string, IndexDefinition> {
  const wanted = [...requiredIndexes(model, layout), ...searchIndexes(layout)]
  return new Map(wanted.map((index) => [postgresIndexName(index), index]))
}

/** By name, whether it is whole. */
async function existingIndexes(session: ReservedSql): Promise<Map<string, boolean>> {
  const rows = await session.unsafe<{ name: string; valid: boolean }[]>(`
    SELECT c.relname AS name, i.indisvalid AS valid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace`)
  return new Map(rows.map((row) => [row.name, row.valid]))
}

/** Those that hold JSON, by table. */
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
