// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MigrationOutcome, migrateOnPostgres, migrateOnSqlite } from './run-under-load.ts'

// `npm run soak -- migrate-million-rows` does this with a million rows. Here: no request fails, and rows that are written meanwhile
// have the default.
const loaded = { rows: 5000, clients: 8, pause: 20, beside: 0.5, maxSeconds: 120 }

test('a field with a default and an index is added while clients read and write on another node, and no request fails', async () => {
  assertUnharmed(await migrateOnPostgres(loaded))
})

test('a server on SQLite loads a new schema while clients read and write, and no request fails', async () => {
  assertUnharmed(await migrateOnSqlite(loaded))
})

function assertUnharmed({ failed, answered, without }: MigrationOutcome): void {
  assert.deepEqual(failed, [])
  assert.ok(answered.before + answered.during + answered.after > 0)
  assert.equal(without, 0)
}
