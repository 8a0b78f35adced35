// Drops tables and columns that Twain made: those of an interrupted start, which no node has served, and those that earlier schemas
// left behind. Never with CASCADE: what depends on them and is not Twain's (a view, a foreign key of another table) refuses the
// drop instead of going with it.

import type { CreatedObjects } from '../../tables/foreign-objects.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'
import { imageFunction } from '../changes/row-images.ts'
import type { Session } from '../connect/session.ts'
import { currentSchema } from '../current-schema.ts'

export async function dropStatements(session: Session, { tables, columns }: CreatedObjects): Promise<string[]> {
  const statements: string[] = []
  for (const [table, names] of Object.entries(columns)) {
    for (const trigger of await triggersOf(session, table, names)) {
      statements.push(`DROP TRIGGER ${quoteName(trigger)} ON ${quoteName(table)}`)
    }
    const drops = names.map((name) => `DROP COLUMN IF EXISTS ${quoteName(name)}`)
    statements.push(`ALTER TABLE IF EXISTS ${quoteName(table)} ${drops.join(', ')}`)
  }
  statements.push(...tables.map((table) => `DROP FUNCTION IF EXISTS ${imageFunction}(${quoteName(table)})`))
  // In one statement: they may refer to each other.
  if (tables.length > 0) statements.push(`DROP TABLE IF EXISTS ${tables.map(quoteName).join(', ')}`)
  return statements
}

/** The triggers of Twain that name one of the columns: they would keep it. */
async function triggersOf(session: Session, table: string, columns: readonly string[]): Promise<string[]> {
  const rows = await session.query<{ name: string }>(
    `SELECT DISTINCT t.tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       JOIN pg_depend d ON d.classid = 'pg_trigger'::regclass AND d.objid = t.oid AND d.refobjid = c.oid
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
     WHERE c.relnamespace = ${currentSchema} AND c.relname = $1 AND t.tgname LIKE 'twain %'
       AND a.attname IN (${columns.map(quoteText).join(', ')}) ORDER BY 1`,
    [table],
  )
  return rows.map(({ name }) => name)
}
