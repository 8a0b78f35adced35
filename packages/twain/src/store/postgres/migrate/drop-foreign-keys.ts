// Drops the foreign keys of tables and columns that the schema no longer has, so that they can't block a delete.

import type { ReservedSql } from 'postgres'
import { quoteName } from '../../tables/quote.ts'
import type { ReleasedReference } from '../../tables/refuse-breaking.ts'

/** Returns the statements. */
export async function foreignKeysToDrop(session: ReservedSql, loose: readonly ReleasedReference[]): Promise<string[]> {
  const keys = await session.unsafe<{ table: string; key: string; columns: string }[]>(`
    SELECT c.relname AS "table", k.conname AS key, json_agg(a.attname) AS columns
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey)
    WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace GROUP BY c.relname, k.conname`)
  const isLoose = (table: string, columns: readonly string[]) =>
    loose.some((one) => one.table === table && (one.column === null || columns.includes(one.column)))
  return keys
    .filter(({ table, columns }) => isLoose(table, JSON.parse(columns) as string[]))
    .map(({ table, key }) => `ALTER TABLE ${quoteName(table)} DROP CONSTRAINT ${quoteName(key)}`)
}
