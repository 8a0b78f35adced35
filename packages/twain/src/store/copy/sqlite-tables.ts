// The tables of an SQLite database: its catalog, the rows of a table, and the statements that create a table.

import type { DatabaseSync } from 'node:sqlite'
import { createLinkTable, createRowTable } from '../sqlite/migrate/table-statements.ts'
import { quoteName } from '../tables/quote.ts'
import { type ColumnKind, sqliteTypes } from './column-kinds.ts'
import { type Cell, type RowBatch, rowsInBatch } from './row-batch.ts'
import type { CatalogColumn, CatalogTable, StoredTable } from './stored-tables.ts'

/** Without the tables of word search, which are virtual, and SQLite's own. */
const listTables = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name`
const listColumns = `SELECT name, type, "notnull" AS required, dflt_value AS fallback, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid`
const listForeignKeys = 'SELECT "from" AS "column", "table" FROM pragma_foreign_key_list(?)'

interface ColumnRow {
  name: string
  type: string
  required: number
  fallback: string | null
  /** Its place in the primary key, from 1. */
  pk: number
}

export function readSqliteCatalog(database: DatabaseSync): CatalogTable[] {
  const tables = database.prepare(listTables).all() as { name: string }[]
  return tables.map(({ name }) => {
    const columns = database.prepare(listColumns).all(name) as unknown as ColumnRow[]
    const keys = database.prepare(listForeignKeys).all(name) as { column: string; table: string }[]
    const references = new Map(keys.map(({ column, table }) => [column, table]))
    return {
      name,
      columns: columns.map(
        (column): CatalogColumn => ({
          name: column.name,
          kind: kindOf(column.type, column.name),
          isAmbiguous: column.type === 'TEXT' || column.type === 'INTEGER',
          required: column.required === 1,
          fallback: column.fallback === null ? null : evaluate(database, column.fallback),
          references: references.get(column.name) ?? null,
        }),
      ),
      primaryKey: columns
        .filter(({ pk }) => pk > 0)
        .toSorted((a, b) => a.pk - b.pk)
        .map((column) => column.name),
    }
  })
}

function kindOf(type: string, name: string): ColumnKind | null {
  if (type === 'INTEGER') return name === '_n' || name === '_version' ? 'bigint' : 'integer'
  if (type === 'REAL') return 'float'
  return type === 'TEXT' ? 'text' : null
}

function evaluate(database: DatabaseSync, expression: string): Cell {
  return Object.values(database.prepare(`SELECT ${expression}`).get()!)[0] as Cell
}

export async function* sqliteRows(database: DatabaseSync, table: StoredTable): AsyncGenerator<RowBatch> {
  const columns = table.columns.map(({ name }) => quoteName(name)).join(', ')
  const statement = database.prepare(
    `SELECT ${columns} FROM ${quoteName(table.name)} ORDER BY ${table.order.map(quoteName).join(', ')}`,
  )
  statement.setReturnArrays(true)
  let batch: RowBatch = []
  for (const row of statement.iterate()) {
    batch.push(row as unknown as RowBatch[number])
    if (batch.length < rowsInBatch) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** As a start creates it. */
export function createSqliteTable(database: DatabaseSync, { name, kind, columns }: StoredTable): void {
  const described = columns.map((column) => ({ ...column, type: sqliteTypes[column.kind] }))
  if (kind === 'links') {
    database.exec(
      createLinkTable(
        name,
        described.filter((column) => column.name !== '_n'),
      ),
    )
    return
  }
  const added = described.filter((column) => !['_n', 'id', '_version'].includes(column.name))
  database.exec(createRowTable(name, added))
}
