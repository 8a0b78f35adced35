// A start on PostgreSQL is killed at each of its messages: the next start finishes it or undoes it, and neither rows nor the objects
// of others change.
// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killStart } from './run-killed-starts.ts'

for (const kind of ['empty', 'served'] as const)
  test(`a start on a database that is ${kind} can be killed at any of its messages`, {
    timeout: 480_000,
  }, async (t) => {
    let kills = 0
    while (await killStart(kind, kills + 1, kills % 4 < 2 ? 'goes on' : 'undone')) kills++
    t.diagnostic(`${kills} messages, each killed once`)
    assert.ok(kills > 30, String(kills))
  })
