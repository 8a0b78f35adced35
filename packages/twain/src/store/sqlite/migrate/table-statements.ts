// The statements that create the table of a resource or of a link, and a column.

import type { SqlValue } from '../../sql/encode.ts'
import { quoteName } from '../../tables/quote.ts'
import { literal } from '../dialect.ts'

export interface ColumnDefinition {
  name: string
  type: 'TEXT' | 'INTEGER' | 'REAL'
  /** Fills existing rows without touching them, and rows of a writer that does not know the column. Null: none. */
  fallback: SqlValue
  /** The table of the foreign key. */
  references: string | null
}

/** With all of its columns: SQLite parses the whole schema of the database again for each column that is added later. */
export function createRowTable(table: string, columns: readonly ColumnDefinition[]): string {
  const own = '_n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, _version INTEGER NOT NULL'
  return `CREATE TABLE ${quoteName(table)} (${[own, ...columns.map(columnText)].join(', ')}) STRICT`
}

/** `columns` are the ids of both sides, and the type of the right one if it may be of several. */
export function createLinkTable(
  table: string,
  columns: readonly Pick<ColumnDefinition, 'name' | 'references'>[],
): string {
  const parts = columns.map(({ name, references }) => `${quoteName(name)} TEXT NOT NULL${foreignKey(references)}`)
  return `CREATE TABLE ${quoteName(table)} (_n INTEGER PRIMARY KEY, ${parts.join(', ')}) STRICT`
}

export function addColumn(table: string, column: ColumnDefinition): string {
  return `ALTER TABLE ${quoteName(table)} ADD COLUMN ${columnText(column)}`
}

function columnText({ name, type, fallback, references }: ColumnDefinition): string {
  const filled = fallback === null ? '' : ` DEFAULT ${literal(fallback)}`
  return `${quoteName(name)} ${type}${filled}${foreignKey(references)}`
}

/** Deferred, so that deletes may run in any order. */
function foreignKey(references: string | null): string {
  return references === null ? '' : ` REFERENCES ${quoteName(references)} (id) DEFERRABLE INITIALLY DEFERRED`
}
