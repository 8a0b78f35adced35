// The SQL of writes for SQLite. The only writer has the database to itself, so no row needs a lock.

import { decodeColumn, encodeColumn } from '../../sql/encode.ts'
import { ftsColumn } from '../../sql/search/search-query.ts'
import { wordsTable } from '../../sql/search/searched-table.ts'
import type { WriteDialect } from '../../sql/write-dialect.ts'
import { quoteName } from '../../tables/quote.ts'
import { nowFunction } from '../dialect.ts'

export const sqliteWriteDialect: WriteDialect = {
  text: (sql) => sql,
  lock: { change: '', delete: '', refer: '' },
  jsonTexts: (list) => `json_each(${list})`,
  lockId: null,
  shareListOf: () => '',
  lockKey: null,
  servedSchema: null,
  hasIndex: null,
  skipLocked: '',
  lockShared: '',
  time: (now, plus) =>
    `strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(${now}, ${nowFunction}()), (CAST(${plus} AS REAL) / 1000) || ' seconds')`,
  encode: encodeColumn,
  decode: decodeColumn,
  comparable: (_type, column) => column,
  words({ table, columns }) {
    const words = quoteName(wordsTable(table))
    const places = columns.map((_, index) => `?${index + 2}`).join(', ')
    const list = columns.map((column) => ftsColumn(column.words)).join(', ')
    return {
      kind: 'beside',
      save: `INSERT OR REPLACE INTO ${words} (rowid, ${list}) SELECT _n, ${places} FROM ${quoteName(table)} WHERE id = ?1`,
      drop: `DELETE FROM ${words} WHERE rowid = (SELECT _n FROM ${quoteName(table)} WHERE id = ?1)`,
      values: (each) => each.map((some) => some.join(' ')),
    }
  },
}
