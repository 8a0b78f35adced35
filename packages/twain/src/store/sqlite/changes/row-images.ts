// The images of rows on SQLite. No other process changes the tables while this one is open, so the columns are read once.

import type { DatabaseSync } from 'node:sqlite'
import { isLogged, type RowImages } from '../../changes/row-images.ts'
import { quoteName } from '../../tables/quote.ts'
import { sqlite } from '../dialect.ts'

export function sqliteRowImages(database: DatabaseSync): RowImages {
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)')
  return {
    loggedWithRow: false,
    of(table) {
      const names = columns.all(table).map(({ name }) => name as string)
      const logged = names.filter(isLogged)
      return sqlite.object(logged.map((name) => [name, `t.${quoteName(name)}`]))
    },
    merged: (image, bound) => `json_patch(${image}, ${bound})`,
  }
}
