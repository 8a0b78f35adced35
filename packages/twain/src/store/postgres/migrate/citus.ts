// Refuses tables that Citus distributes. Twain's statements on them fail or, worse, end the whole server: Citus checks some of them
// with a plan for all values, and its process crashes.

import { StartRefused } from '../../tables/start-refused.ts'
import type { Session } from '../connect/session.ts'
import { currentSchema } from '../current-schema.ts'

const selectCatalogue = `
  SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS "hasTables",
    to_regclass('pg_catalog.pg_dist_schema') IS NOT NULL AS "hasSchemas"`

/** Also reference tables, and local tables in the metadata of Citus. */
const selectTables = `
  SELECT c.relname AS name FROM pg_catalog.pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
  WHERE c.relnamespace = ${currentSchema} ORDER BY 1`

const selectSchema = `SELECT 1 FROM pg_catalog.pg_dist_schema WHERE schemaid::oid = ${currentSchema}`

/** Throws StartRefused. `isOwn` tells the tables that a start uses. */
export async function refuseCitusTables(
  session: Session,
  isOwn: (table: string) => boolean,
  place: string,
): Promise<void> {
  const [citus] = await session.query<{ hasTables: boolean; hasSchemas: boolean }>(selectCatalogue)
  const tables = citus!.hasTables ? await session.query<{ name: string }>(selectTables) : []
  const distributed = tables.map(({ name }) => name).filter(isOwn)
  const isSchema = citus!.hasSchemas && (await session.query(selectSchema)).length > 0
  if (distributed.length === 0 && !isSchema) return
  const what = isSchema ? 'the schema' : `the tables ${distributed.join(', ')}`
  throw new StartRefused(
    `Citus manages ${what} in ${place}. Twain's statements on distributed tables fail, and can crash the coordinator. Nothing was ` +
      'changed. Run SELECT undistribute_table(…) for each of them, or give the service a schema that Citus does not manage ' +
      '(?search_path=…).',
  )
}
