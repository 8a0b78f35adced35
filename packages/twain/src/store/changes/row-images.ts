// The image of a row for the change log: the whole row as the database stores it, under its storage names. The database
// makes it, not the writer: a node with an older schema does not know every column, and readers with a newer one need them
// (docs/internals/decisions/0034-change-log-entries.md).

import { isKeyColumn } from '../tables/text-keys.ts'

export interface RowImages {
  /** Whether one statement writes the row and its entry; else the entry has a statement of its own. */
  readonly loggedWithRow: boolean
  /** SQL of the image of the row `t` of this table: a JSON text by column. Booleans are 0 and 1, JSON is text. */
  of(table: string): string
  /** SQL of an image with the members of a bound JSON object added. */
  merged(image: string, bound: string): string
}

/** Whether a column is part of an image. The log stores id and version beside it, and readers do not see the others. */
export function isLogged(column: string): boolean {
  return !unloggedColumns.includes(column) && !isKeyColumn(column)
}

const unloggedColumns: readonly string[] = ['_n', 'id', '_version', '_words', '_worded']
