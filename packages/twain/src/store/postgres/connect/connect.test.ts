import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { connect, type Database } from './connect.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('the driver releases the memory of a failed query', async (t) => {
  const database = connect('postgres://twain@127.0.0.1:1/nobody', { size: 1, time: 5 })
  t.after(() => database.end({ timeout: 0 }))
  const origin = await fail(database)
  for (let tries = 0; origin.deref() !== undefined && tries < 100; tries++) {
    await nextTurn()
    collect()
  }
  assert.equal(origin.deref(), undefined)
})

/** The object by which the driver identifies the query. */
async function fail(database: Database): Promise<WeakRef<object>> {
  const query = database.unsafe('SELECT 1')
  const { strings } = query as unknown as { strings: object }
  await assert.rejects(query, { code: 'ECONNREFUSED' })
  return new WeakRef(strings)
}
