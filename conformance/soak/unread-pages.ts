// `npm run soak -- unread-pages=128,256`: faults/unread-pages.test.ts with heaps of these megabytes (default: 128, 256 and 512), with pages up
// to 15 MB, compressed too, and with up to 600 connections. On each store.
// stores: sqlite + postgres

import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { runUnreadPages } from '../faults/run-unread-pages.ts'

const named = process.argv.slice(2).map(Number)
const heaps = named.length > 0 ? named : [128, 256, 512]
const attacks = [
  { connections: 20, pipelined: 30, pageMegabytes: 0.8, encoding: null },
  { connections: 20, pipelined: 30, pageMegabytes: 15, encoding: null },
  { connections: 40, pipelined: 15, pageMegabytes: 5, encoding: 'br' },
  { connections: 600, pipelined: 1, pageMegabytes: 0.8, encoding: null },
]
let failures = 0
for (const store of ['SQLite', 'PostgreSQL']) {
  for (const heap of heaps) {
    for (const attack of attacks) {
      const database = store === 'SQLite' ? null : await makeTestDatabase()
      const outcome = await runUnreadPages({ heap, ...attack, database: database?.address ?? null })
      await database?.drop()
      const isGood = outcome.death === null && outcome.failed === 0 && outcome.worstStallMs < 500
      if (!isGood) failures++
      console.log(isGood ? '✓' : '✖', JSON.stringify({ store, heap, ...attack, ...outcome }))
    }
  }
}
process.exitCode = failures === 0 ? 0 : 1
