// The tables of a service as its database stores them. The catalog of the database lists them, and not the served schema:
// so a copy has what another version of the schema created and wrote, too.
//
// 1. The storage names of all served schemas tell which tables are Twain's: `twain_schema` keeps every schema.
// 2. SQLite declares texts, JSON, enums and exact numbers alike. The schema that created a column tells its kind.
// 3. A table or column that no schema created is somebody else's. The copy takes such a column if both databases can store it,
//    and lists everything that it leaves behind.

import type { ServedSchema } from '../tables/refuse-breaking.ts'
import type { StorageNames } from '../tables/storage-names.ts'
import { type ColumnKind, columnKinds } from './column-kinds.ts'
import type { Cell } from './row-batch.ts'
import { apartColumns, apartTables, isSystemTable } from './system-tables.ts'

export interface StoredTable {
  name: string
  kind: 'rows' | 'links' | 'system'
  columns: StoredColumn[]
  /** The columns whose order is the order of the rows; it is total, and the same on both databases. */
  order: string[]
}

export interface StoredColumn {
  name: string
  kind: ColumnKind
  /** NOT NULL. */
  required: boolean
  /** What a row gets from a writer that does not know the column. */
  fallback: Cell
  /** The table of the foreign key. */
  references: string | null
}

/** A table in the catalog of a database. */
export interface CatalogTable {
  name: string
  columns: CatalogColumn[]
  primaryKey: string[]
}

export interface CatalogColumn extends Omit<StoredColumn, 'kind'> {
  /** By its declared type; null: Twain declares no such columns. */
  kind: ColumnKind | null
  /** Whether the declared type may stand for another kind, too (2). */
  isAmbiguous: boolean
}

export interface TablesToCopy {
  tables: StoredTable[]
  /** What stays behind: tables and columns that Twain did not create. */
  leftBehind: string[]
}

/** `schemas` are all that were served, the newest first; `unfinished` has the names of an interrupted migration, whose tables
 *  and columns nobody has written to. */
export function tablesToCopy(
  catalog: readonly CatalogTable[],
  schemas: readonly ServedSchema[],
  unfinished: StorageNames | null,
): TablesToCopy {
  const known = namesIn(schemas.map(({ names }) => names))
  const started = namesIn(unfinished === null ? [] : [unfinished])
  const ours = catalog.filter(({ name }) => known.has(name))
  const kinds = columnKinds(schemas, ambiguousColumns(ours))
  const found: TablesToCopy = { tables: [], leftBehind: [] }
  for (const table of catalog) {
    if (isSystemTable(table.name)) {
      if (!apartTables.has(table.name)) found.tables.push(systemTable(table))
    } else if (known.has(table.name)) {
      found.tables.push(tableOfRows(table, known.get(table.name)!, started.get(table.name), kinds, found.leftBehind))
    } else if (!started.has(table.name)) {
      found.leftBehind.push(`table ${table.name}`)
    }
  }
  return found
}

interface KnownTable {
  kind: 'rows' | 'links'
  columns: Set<string>
}

/** The tables that these schemas have created, with the columns of their fields. */
function namesIn(all: readonly StorageNames[]): Map<string, KnownTable> {
  const known = new Map<string, KnownTable>()
  const add = (name: string, kind: KnownTable['kind'], columns: readonly (string | null)[]) => {
    const table = known.get(name) ?? { kind, columns: new Set() }
    known.set(name, table)
    for (const column of columns) if (column !== null) table.columns.add(column)
  }
  for (const { tables, links } of all) {
    for (const { name, columns } of Object.values(tables)) {
      const own = Object.values(columns).flatMap((column) => [column.name, column.type])
      add(name, 'rows', ['_n', 'id', '_version', ...own])
    }
    for (const { name, left, right, rightType } of Object.values(links)) {
      add(name, 'links', ['_n', left, right, rightType])
    }
  }
  return known
}

function ambiguousColumns(tables: readonly CatalogTable[]): Set<string> {
  return new Set(
    tables.flatMap(({ name, columns }) =>
      columns.filter(({ isAmbiguous }) => isAmbiguous).map((column) => `${name}.${column.name}`),
    ),
  )
}

/** The target creates system tables itself, so their columns need no more than a name and a kind. */
function systemTable({ name, columns, primaryKey }: CatalogTable): StoredTable {
  const copied = columns.filter((column) => !apartColumns.has(`${name}.${column.name}`))
  const order = name === 'twain_change' ? ['seq'] : primaryKey
  return { name, kind: 'system', columns: copied.map((column) => ({ ...column, kind: column.kind ?? 'text' })), order }
}

function tableOfRows(
  { name, columns }: CatalogTable,
  known: KnownTable,
  started: KnownTable | undefined,
  kinds: ReadonlyMap<string, ColumnKind>,
  leftBehind: string[],
): StoredTable {
  const copied: StoredColumn[] = []
  for (const column of columns) {
    if (apartColumns.has(column.name)) continue
    if (!known.columns.has(column.name) && started?.columns.has(column.name)) continue
    const kind = kinds.get(`${name}.${column.name}`) ?? column.kind
    if (kind === null) leftBehind.push(`column ${name}.${column.name}`)
    else copied.push({ ...column, kind })
  }
  return { name, kind: known.kind, columns: copied, order: ['_n'] }
}
