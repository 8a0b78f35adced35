import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { connect, type Database } from './connect.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('nothing is kept of a query that failed', async (t) => {
  const database = connect('postgres://twain@127.0.0.1:1/nobody', { size: 1, time: 5 })
  t.after(() => database.end({ timeout: 0 }))
  const kept = await fail(database)
  for (let tries = 0; kept.deref() !== undefined && tries < 100; tries++) {
    await turn()
    collect()
  }
  assert.equal(kept.deref(), undefined)
})

/** What the driver knows the query by. */
async function fail(database: Database): Promise<WeakRef<object>> {
  const query = database.unsafe('SELECT 1')
  const { strings } = query as unknown as { strings: object }
  await assert.rejects(query, { code: 'ECONNREFUSED' })
  return new WeakRef(strings)
}
