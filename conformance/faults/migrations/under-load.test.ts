// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrateOnPostgres, migrateOnSqlite, type Outcome } from './run-under-load.ts'

// A tenth of a thousandth of `npm run soak -- migrate-million-rows`: that nobody is failed, and that rows written meanwhile have the default.
const loaded = { rows: 5000, clients: 8, pause: 20, beside: 0.5, most: 120 }

test('a field with a default and an index comes while clients read and write on another node, and none is failed', async () => {
  assertUnharmed(await migrateOnPostgres(loaded))
})

test('a server on SQLite takes a new schema while clients read and write, and none is failed', async () => {
  assertUnharmed(await migrateOnSqlite(loaded))
})

function assertUnharmed({ failed, answered, without }: Outcome): void {
  assert.deepEqual(failed, [])
  assert.ok(answered.before + answered.during + answered.after > 0)
  assert.equal(without, 0)
}
