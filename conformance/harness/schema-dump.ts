// Everything that the schema of a PostgreSQL database has, with its rows: equal before and after means that nothing was touched.

import { currentSchema as here } from '../../packages/twain/src/store/postgres/current-schema.ts'
import type { TestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'

const definitions = [
  `SELECT relkind::text || ' ' || relname, relname FROM pg_class WHERE relnamespace = ${here}`,
  `SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)
   FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
   WHERE c.relnamespace = ${here} AND a.attnum > 0 AND NOT a.attisdropped`,
  `SELECT 'constraint', conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = ${here} AND contype <> 'n'`,
  `SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = current_schema()`,
  `SELECT 'view', viewname, definition FROM pg_views WHERE schemaname = current_schema()`,
  `SELECT 'trigger', pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
   WHERE c.relnamespace = ${here} AND NOT tgisinternal`,
  `SELECT 'function', oid::regprocedure::text, prosrc FROM pg_proc WHERE pronamespace = ${here}`,
  `SELECT 'type', typname, typtype::text FROM pg_type WHERE typnamespace = ${here}`,
]

export async function dumpSchema({ raw }: TestDatabase): Promise<string[]> {
  const lines: string[] = []
  for (const select of definitions) for (const row of await raw.values(select)) lines.push(JSON.stringify(row))
  const tables = await raw.values(`SELECT relname FROM pg_class WHERE relnamespace = ${here} AND relkind IN ('r', 'S')`)
  for (const [table] of tables) {
    for (const [row] of await raw.values(`SELECT to_json(t)::text FROM (SELECT * FROM "${table}") AS t`))
      lines.push(`${table} ${row}`)
  }
  return lines.sort()
}
