// The images of rows on PostgreSQL: the function `twain_image` of each table. Whoever adds a column replaces the function
// in the same transaction, so nodes with an older schema log the column from then on. The functions are single expressions,
// which the server inlines.

import { isLogged, type RowImages } from '../../changes/row-images.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import type { Session } from '../connect/session.ts'
import { currentSchema } from '../current-schema.ts'

export const imageFunction = 'twain_image'

export const postgresRowImages: RowImages = {
  loggedWithRow: true,
  of: () => `${imageFunction}(t.*)`,
  merged: (image, bound) => `(${image}::jsonb || ${bound}::text::jsonb)::text`,
}

interface TableImage {
  table: string
  columns: string
  /** The body of the present function. */
  body: string | null
}

/** Creates or replaces the functions of tables whose columns have changed: of all tables of types, also of types that the schema
 *  no longer has. No function takes a row of a table that Twain did not make: its owner could not drop it any more. */
export async function updateRowImages(session: Session, { tables: own }: StorageNames): Promise<void> {
  const names = new Set(['twain_file', ...Object.values(own).map(({ name }) => name)])
  const tables = await session.query<TableImage>(selectTables)
  const statements = tables.flatMap(({ table, columns, body }) => {
    if (!names.has(table)) return []
    const wanted = bodyOf(JSON.parse(columns) as ImageColumn[])
    return body === wanted ? [] : [createText(table, wanted)]
  })
  if (statements.length > 0) await session.script(statements.join(';\n'))
}

export interface ImageColumn {
  name: string
  type: string
}

/** `_version` tells a table of rows from all others. */
const selectTables = `
  SELECT c.relname AS "table", p.prosrc AS body,
    json_agg(json_build_object('name', a.attname, 'type', a.atttypid::regtype::text) ORDER BY a.attnum)::text AS columns
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_proc p ON p.proname = '${imageFunction}' AND p.pronamespace = c.relnamespace AND p.proargtypes[0] = c.reltype
  WHERE c.relnamespace = ${currentSchema} AND c.relkind IN ('r', 'p')
    AND EXISTS (SELECT 1 FROM pg_attribute v WHERE v.attrelid = c.oid AND v.attname = '_version' AND NOT v.attisdropped)
  GROUP BY c.relname, p.prosrc`

function createText(table: string, body: string): string {
  return `CREATE OR REPLACE FUNCTION ${imageFunction}(${quoteName(table)}) RETURNS text LANGUAGE sql STABLE AS ${quoteText(body)}`
}

/** A function takes at most 100 arguments. */
const maxColumnsPerObject = 50

function bodyOf(columns: readonly ImageColumn[]): string {
  return `SELECT ${imageOf('($1)', columns)}`
}

/** The image of a row, in the order of its columns. */
export function imageOf(row: string, columns: readonly ImageColumn[]): string {
  const logged = columns.filter(({ name }) => isLogged(name))
  const members = logged.map(({ name, type }) => `${quoteText(name)}, ${inImage(`${row}.${quoteName(name)}`, type)}`)
  const objects: string[] = []
  for (let at = 0; at === 0 || at < members.length; at += maxColumnsPerObject) {
    objects.push(`json_build_object(${members.slice(at, at + maxColumnsPerObject).join(', ')})::text`)
  }
  return objects.reduce((left, right) => `left(${left}, -1) || ',' || substr(${right}, 2)`)
}

/** As SQLite stores it: a change log may be copied from one database to the other. */
function inImage(column: string, type: string): string {
  if (type === 'boolean') return `${column}::integer`
  return type === 'json' ? `${column}::text` : column
}
