// What the schema of a PostgreSQL database has, whoever made it.

import type { Catalogue, CatalogueEntry, TableColumns } from '../../tables/foreign-objects.ts'
import { madeObjects, selectObjects } from '../../tables/system-objects.ts'
import type { Session } from '../connect/session.ts'
import { currentSchema } from '../current-schema.ts'
import { systemObjects } from './tables.ts'

/** The words for `pg_class.relkind` and `pg_type.typtype`. */
const kinds: Readonly<Record<string, string>> = {
  r: 'table',
  p: 'table',
  f: 'foreign table',
  v: 'view',
  m: 'materialized view',
  S: 'sequence',
  i: 'index',
  I: 'index',
}

/** Names of types are there too: a table is a type. PostgreSQL finds another name for the array of a table. */
const selectRelations = `
  SELECT c.relname AS name, c.relkind::text AS kind, t.relname AS "table", i.indisunique AS "isUnique"
  FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = i.indrelid
  WHERE c.relnamespace = ${currentSchema}
  UNION ALL SELECT typname, 'type', NULL, NULL FROM pg_type
  WHERE typnamespace = ${currentSchema} AND typrelid = 0 AND NOT (typtype = 'b' AND typelem <> 0 AND typlen = -1)`

const selectFunctions = `SELECT DISTINCT proname AS name FROM pg_proc WHERE pronamespace = ${currentSchema}`

const selectColumns = `
  SELECT c.relname AS "table", json_agg(a.attname)::text AS names FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = ${currentSchema} AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
  GROUP BY c.relname`

const selectTriggers = `
  SELECT c.relname AS "table", json_agg(t.tgname)::text AS names FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = ${currentSchema} AND NOT t.tgisinternal GROUP BY c.relname`

interface RelationRow extends CatalogueEntry {
  name: string
}

interface NamesRow {
  table: string
  names: string
}

export async function readCatalogue(session: Session): Promise<Catalogue> {
  const found = await session.script<unknown>(
    [selectRelations, selectFunctions, selectColumns, selectTriggers].join(';'),
  )
  const [relationRows, functionRows, columnRows, triggerRows] = found as [
    RelationRow[],
    { name: string }[],
    NamesRow[],
    NamesRow[],
  ]
  const relations = new Map(
    relationRows.map(({ name, kind, ...index }) => [name, { kind: kinds[kind] ?? 'type', ...index }]),
  )
  const functions = new Set(functionRows.map(({ name }) => name))
  const columns = byTable(columnRows)
  const there = { relations, functions, columns }
  const recorded = columns.get('twain_object')?.has('name') ? await session.query<{ name: string }>(selectObjects) : []
  const names = recorded.map(({ name }) => name)
  return {
    ...there,
    fold: (name) => name,
    triggers: byTable(triggerRows),
    made: madeObjects(systemObjects, there, names),
  }
}

export async function existingColumns(session: Session): Promise<TableColumns> {
  return byTable(await session.query<NamesRow>(selectColumns))
}

function byTable(rows: readonly NamesRow[]): TableColumns {
  return new Map(rows.map(({ table, names }) => [table, new Set(JSON.parse(names) as string[])]))
}
