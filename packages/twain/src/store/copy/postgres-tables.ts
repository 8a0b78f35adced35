// The tables of a PostgreSQL database: its catalog, the rows of a table, and the statements that create a table.

import type { Session } from '../postgres/connect/session.ts'
import { currentSchema } from '../postgres/current-schema.ts'
import { rowNumber } from '../postgres/migrate/tables.ts'
import { quoteName, quoteText } from '../tables/quote.ts'
import { type ColumnKind, postgresTypes } from './column-kinds.ts'
import { type Cell, type RowBatch, rowsInBatch } from './row-batch.ts'
import type { CatalogColumn, CatalogTable, StoredColumn, StoredTable } from './stored-tables.ts'
import { isSystemTable } from './system-tables.ts'

const listColumns = `
  SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
    pg_get_expr(d.adbin, d.adrelid) AS fallback
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = ${currentSchema} AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.relname, a.attnum`

/** The columns of primary keys, in their order, and of foreign keys, which have one each. */
const listKeys = `
  SELECT c.relname AS "table", a.attname AS "column", f.relname AS "references"
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid LEFT JOIN pg_class f ON f.oid = k.confrelid
  CROSS JOIN unnest(k.conkey) WITH ORDINALITY AS place (attnum, n)
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = place.attnum
  WHERE c.relnamespace = ${currentSchema} AND k.contype IN ('p', 'f') ORDER BY c.relname, place.n`

interface ColumnRow {
  table: string
  name: string
  type: string
  required: boolean
  fallback: string | null
}

interface KeyRow {
  table: string
  column: string
  /** The table that a foreign key refers to; null: a primary key. */
  references: string | null
}

export async function readPostgresCatalog(session: Session): Promise<CatalogTable[]> {
  const columns = Map.groupBy(await session.query<ColumnRow>(listColumns), ({ table }) => table)
  const keys = Map.groupBy(await session.query<KeyRow>(listKeys), ({ table }) => table)
  const tables: CatalogTable[] = []
  for (const [name, rows] of columns) {
    const own = keys.get(name) ?? []
    const references = new Map(own.flatMap((key) => (key.references === null ? [] : [[key.column, key.references]])))
    const fallbacks = await evaluate(
      session,
      rows.map(({ table, fallback }) => (isSystemTable(table) ? null : fallback)),
    )
    tables.push({
      name,
      columns: rows.map(
        (row, index): CatalogColumn => ({
          name: row.name,
          kind: kindByType.get(row.type) ?? null,
          isAmbiguous: false,
          required: row.required,
          fallback: fallbacks[index]!,
          references: references.get(row.name) ?? null,
        }),
      ),
      primaryKey: own.filter((key) => key.references === null).map(({ column }) => column),
    })
  }
  return tables
}

const kindByType = new Map(
  Object.entries(postgresTypes).map(([kind, type]) => [type.replace(' COLLATE "C"', ''), kind as ColumnKind]),
)

/** The values of the column defaults. */
async function evaluate(session: Session, expressions: readonly (string | null)[]): Promise<Cell[]> {
  if (expressions.every((expression) => expression === null)) return expressions.map(() => null)
  const [row] = await session.values(`SELECT ${expressions.map((one) => one ?? 'NULL').join(', ')}`)
  return (row as unknown[]).map(toCell)
}

export async function* postgresRows(session: Session, table: StoredTable): AsyncGenerator<RowBatch> {
  for await (const batch of session.batches(selectOf(table), rowsInBatch)) yield batch.map((row) => row.map(toCell))
}

/** Changes without a position get the next ones, as the sequencer would assign them. */
function selectOf({ name: table, columns, order }: StoredTable): string {
  const list = columns.map(({ name }) => quoteName(name))
  const inOrder = `ORDER BY ${order.map(quoteName).join(', ')}`
  if (table !== 'twain_change') return `SELECT ${list.join(', ')} FROM ${quoteName(table)} ${inOrder}`
  const next = '(SELECT last FROM twain_log) + row_number() OVER (ORDER BY n)'
  const fresh = list.map((column) => (column === quoteName('seq') ? next : column))
  return (
    `(SELECT ${list.join(', ')} FROM twain_change WHERE seq IS NOT NULL ORDER BY seq) UNION ALL ` +
    `(SELECT ${fresh.join(', ')} FROM twain_change WHERE seq IS NULL ORDER BY n)`
  )
}

function toCell(value: unknown): Cell {
  return typeof value === 'boolean' ? Number(value) : (value as Cell)
}

/** Without foreign keys, which refer to tables that may come later. */
export function createPostgresTable({ name, kind, columns }: StoredTable): string {
  const own = columns.filter((column) => !['_n', 'id', '_version'].includes(column.name)).map(declare)
  const first =
    kind === 'links' ? [rowNumber] : [rowNumber, `id ${postgresTypes.text} NOT NULL UNIQUE`, '_version bigint NOT NULL']
  return `CREATE TABLE ${quoteName(name)} (${[...first, ...own].join(', ')})`
}

function declare({ name, kind, required, fallback }: StoredColumn): string {
  const filled = fallback === null ? '' : ` DEFAULT ${quoteText(String(fallback))}`
  return `${quoteName(name)} ${postgresTypes[kind]}${required ? ' NOT NULL' : ''}${filled}`
}

export function addForeignKeys({ name, columns }: StoredTable): string[] {
  return columns.flatMap(({ name: column, references }) => {
    if (references === null) return []
    const key = `FOREIGN KEY (${quoteName(column)}) REFERENCES ${quoteName(references)} (id)`
    return [`ALTER TABLE ${quoteName(name)} ADD ${key} DEFERRABLE INITIALLY DEFERRED`]
  })
}
