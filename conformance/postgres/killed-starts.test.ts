// SIGKILL ends a start on PostgreSQL at some of its steps; `npm run faults` ends it at each.
// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killStart } from '../faults/migrations/run-killed-starts.ts'

test('a start that SIGKILL ends goes on or is undone, and leaves the objects of others as they were', async () => {
  assert.ok(await killStart('empty', 'CREATE INDEX "twain ', 'undone'))
  assert.ok(await killStart('served', 'CREATE INDEX "twain ', 'undone'))
  assert.ok(await killStart('served', 'INSERT INTO twain_schema', 'goes on'))
})
