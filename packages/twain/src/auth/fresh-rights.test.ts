import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FreshRights, haveGrown } from './fresh-rights.ts'

const rights = { roles: ['seller'], verified: false }

test('reads of an account begin 100 ms apart, and all requests that wait for one share it', async () => {
  const began: number[] = []
  const fresh = new FreshRights(async () => {
    began.push(performance.now())
    return rights
  })
  const first = fresh.of('ann')
  const others = Array.from({ length: 50 }, () => fresh.of('ann'))
  await Promise.all([first, ...others])
  assert.equal(began.length, 2, 'a read that has begun may miss what was granted since')
  await fresh.of('ann')
  for (const [index, at] of began.entries()) if (index > 0) assert.ok(at - began[index - 1]! >= 99)
})

test('accounts do not wait for each other, and a read that fails does not stop later ones', async () => {
  let reads = 0
  const fresh = new FreshRights(async (account) => {
    reads++
    if (account === 'ann') throw new Error('the database is away')
    return rights
  })
  await assert.rejects(fresh.of('ann'), /away/)
  const before = performance.now()
  assert.deepEqual(await fresh.of('bob'), rights)
  assert.ok(performance.now() - before < 100 || reads === 2)
  await assert.rejects(fresh.of('ann'), /away/)
  assert.equal(reads, 3)
})

test('rights have grown by a role or a proof', () => {
  assert.ok(haveGrown(rights, { roles: [] }))
  assert.ok(haveGrown({ roles: [], verified: true }, { roles: [] }))
  assert.ok(!haveGrown(rights, { roles: ['seller', 'admin'], verified: true }))
})
