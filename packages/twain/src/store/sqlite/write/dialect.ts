// The texts of a write for SQLite. One writer has the whole database to itself, so that no row needs a lock.

import { decodeColumn, encodeColumn } from '../../compile/encode.ts'
import type { WriteDialect } from '../../write/dialect.ts'

export const sqliteWrites: WriteDialect = {
  text: (sql) => sql,
  lock: { change: '', delete: '', refer: '' },
  each: (list) => `json_each(${list})`,
  holdId: null,
  encode: encodeColumn,
  decode: decodeColumn,
  comparable: (_type, column) => column,
}
