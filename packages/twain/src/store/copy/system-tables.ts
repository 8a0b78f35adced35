// The system tables in a copy. A copy takes every system table that the source has, except for those that are named here.

import { wordedColumn, wordsColumn } from '../sql/search/searched-table.ts'
import { backupBytesTable } from '../sqlite/backup/file-bytes.ts'

export function isSystemTable(name: string): boolean {
  return name.startsWith('twain_')
}

/** Each database stores the id, the end and the clock of the change log in its own way. The bytes of files are no rows
 *  (`copy-files.ts`). A migration under way belongs to the source, and so does the record of its system objects. */
export const apartTables: ReadonlySet<string> = new Set([
  'twain_log',
  'twain_log_mark',
  'twain_migration',
  'twain_object',
  'twain_chunk',
  backupBytesTable,
])

/** What only PostgreSQL has: the order of changes before they have a position, and the search words, which the target makes
 *  anew. */
export const apartColumns: ReadonlySet<string> = new Set([
  'twain_change.n',
  'twain_change.tx',
  wordsColumn,
  wordedColumn,
])
