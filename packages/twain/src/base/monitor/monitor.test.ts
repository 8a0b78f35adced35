import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Viewer } from '../http/viewer.ts'
import { Monitor } from './monitor.ts'
import { SlowStatements } from './slow-statements.ts'

const admin: Viewer = { account: null, roles: ['admin'], authenticated: true, token: null }

test('a plan that the database could not tell is asked for again, others are kept', async () => {
  const slow = new SlowStatements()
  slow.record({ shape: 'Post list', sql: 'SELECT 1', hint: null }, 700)
  const answers = [() => Promise.reject(new Error('the database is away')), async () => 'SCAN Post']
  const monitor = new Monitor({
    sources: { load: null, slow, recorder: null, log: null },
    node: 'one',
    otherNodes: async () => [],
    gauges: () => [],
    explain: () => answers.shift()!(),
  })
  const plans = []
  for (let n = 0; n < 3; n++) plans.push((await monitor.slowQueries(admin))[0]!.plan)
  assert.deepEqual(plans, [null, 'SCAN Post', 'SCAN Post'])
})
