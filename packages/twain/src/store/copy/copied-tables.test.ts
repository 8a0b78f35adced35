import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStore, type StoreName } from '../store.fixture.ts'
import { copiedSystemTables } from './copied-tables.ts'

/** Tables that are not copied as such: SQLite's counters, the state of the log, a migration under way, the bytes of files. */
const apart = /^(sqlite_.*|twain_log|twain_migration|twain_chunk)$/
/** Columns of PostgreSQL alone. */
const ofPostgres = new Set(['twain_change.n', 'twain_change.tx'])

const listing = {
  sqlite: `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'`,
  postgres: `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = current_schema()`,
}

for (const on of ['sqlite', 'postgres'] as StoreName[]) {
  test(`a copy takes every table and column that a start creates on ${on}`, async (t) => {
    const store = await openTestStore('type Note { id: ID! }', { on })
    t.after(() => store.close())

    const there = (await store.query(listing[on]))
      .filter(({ table }) => !apart.test(String(table)) && table !== 'Note')
      .map(({ table, column }) => `${table}.${column}`)
      .filter((column) => !ofPostgres.has(column))

    const copied = copiedSystemTables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`))
    assert.deepEqual(there.sort(), copied.sort())
  })
}
