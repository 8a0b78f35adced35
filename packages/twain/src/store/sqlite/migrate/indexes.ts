// The indexes of a schema on SQLite.

import type { DatabaseSync } from 'node:sqlite'
import type { Model } from '#model'
import { type IndexDefinition, indexName, requiredIndexes } from '../../tables/indexes.ts'
import { hasColumns, type Layout } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import type { MigrationSteps } from './migration-steps.ts'

/** The indexes that the schema needs and that do not exist yet. */
export function missingIndexes(database: DatabaseSync, model: Model, layout: Layout): IndexDefinition[] {
  const known = existingIndexes(database)
  return requiredIndexes(model, layout).filter((index) => !known.has(indexName(index)))
}

/** The indexes of the schema by their names. */
export function indexesByName(model: Model, layout: Layout): ReadonlyMap<string, IndexDefinition> {
  return new Map(requiredIndexes(model, layout).map((index) => [indexName(index), index]))
}

function existingIndexes(database: DatabaseSync): Set<string> {
  const there = database
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name NOT GLOB 'twain_*'`)
    .all()
  return new Set((there as { name: string }[]).map((index) => index.name))
}

/** Creates the missing indexes, and drops those that the schema no longer needs. Indexes of columns that it does not know
 *  belong to another version of the schema and stay. */
export function createIndexes(database: DatabaseSync, model: Model, layout: Layout, steps: MigrationSteps): void {
  const required = indexesByName(model, layout)
  const known = existingIndexes(database)
  for (const previous of known) {
    if (required.has(previous)) continue
    const { table, columns } = columnsOf(database, previous)
    if (hasColumns(layout, table, columns)) steps.run(`DROP INDEX ${quoteName(previous)}`)
  }
  for (const [indexed, { table, columns, unique, only }] of required) {
    if (known.has(indexed)) continue
    const list = columns.map(quoteName).join(', ')
    const where = only === undefined ? '' : ` WHERE ${only.sql}`
    steps.run(`CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${quoteName(indexed)} ON ${quoteName(table)} (${list})${where}`)
  }
}

/** Statements that drop the indexes of a column. */
export function dropIndexes(database: DatabaseSync): (table: string, column: string) => string[] {
  const indexes = [...existingIndexes(database)].map((name) => ({ name, ...columnsOf(database, name) }))
  return (table, column) =>
    indexes
      .filter((index) => index.table === table && index.columns.includes(column))
      .map(({ name }) => `DROP INDEX IF EXISTS ${quoteName(name)}`)
}

function columnsOf(database: DatabaseSync, index: string): { table: string; columns: string[] } {
  const { table } = database.prepare('SELECT tbl_name AS "table" FROM sqlite_schema WHERE name = ?').get(index) as {
    table: string
  }
  const columns = database.prepare('SELECT name FROM pragma_index_info(?)').all(index) as { name: string }[]
  return { table, columns: columns.map(({ name }) => name) }
}
