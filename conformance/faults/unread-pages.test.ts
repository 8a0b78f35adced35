// Clients that request many large pages and read nothing, and a server with a heap of 128 MB: it lives, and others wait for a few of
// those requests at most. `npm run soak -- unread-pages` tries larger heaps and pages, and more connections.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { runUnreadPages } from './run-unread-pages.ts'

const skip = existsSync('/proc/self/schedstat') ? false : 'the times of threads are those of Linux'

test('pages that nobody reads end no server and hold up no one else', { skip }, async (t) => {
  const database = testedStore === 'postgres' ? await makePreparedDatabase() : null
  t.after(() => database?.drop())

  const outcome = await runUnreadPages({
    heap: 128,
    connections: 20,
    pipelined: 15,
    pageMegabytes: 0.8,
    encoding: null,
    database: database?.address ?? null,
  })

  assert.equal(outcome.death, null)
  assert.equal(outcome.failed, 0)
  assert.ok(outcome.asked >= 20)
  assert.ok(outcome.worstStallMs < 500, JSON.stringify(outcome))
})
