// Times that the server sets (`@auto`) in a column that was added to an existing table. An older schema that is served again
// writes rows there and does not know the column: the database sets it then.

import type { DatabaseSync } from 'node:sqlite'
import { isAccountTime, type StoredField } from '#model'
import type { SqlValue } from '../../sql/encode.ts'
import { quoteName } from '../../tables/quote.ts'
import { literal } from '../dialect.ts'

const now = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`

/** `filled`: what existing rows have in the column, and rows of a schema that does not know it. A schema that knows the column
 *  always writes it: then the triggers do nothing. */
export function* setTimesOfOlderSchemas(
  table: string,
  column: string,
  auto: StoredField['auto'],
  filled: SqlValue,
): Generator<string> {
  if (auto === null || isAccountTime(auto)) return
  const [quoted, rows] = [quoteName(column), quoteName(table)]
  const set = `BEGIN UPDATE ${rows} SET ${quoted} = ${now} WHERE _n = NEW._n; END`
  const [insert, update] = triggerNames(table, column).map(quoteName)
  yield `CREATE TRIGGER ${insert} AFTER INSERT ON ${rows} WHEN NEW.${quoted} = ${literal(filled)} ${set}`
  if (auto === 'CREATE_TIME') return
  const isOlder = `NEW._version > OLD._version AND NEW.${quoted} IS OLD.${quoted}`
  yield `CREATE TRIGGER ${update} AFTER UPDATE ON ${rows} WHEN ${isOlder} ${set}`
}

function triggerNames(table: string, column: string): [insert: string, update: string] {
  return [`twain ${table}(${column}) insert`, `twain ${table}(${column}) update`]
}

/** Drops the triggers of a column: SQLite drops no column that a trigger names. */
export function dropTriggers(database: DatabaseSync): (table: string, column: string) => string[] {
  const exists = database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = ?`)
  return (table, column) => {
    const names = triggerNames(table, column).filter((name) => exists.get(name) !== undefined)
    return names.map((name) => `DROP TRIGGER ${quoteName(name)}`)
  }
}
