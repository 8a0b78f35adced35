// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { runRaces, runRetries } from './run-retries.ts'

test('100 idempotency keys over three kills, with lost answers, have 100 effects', { timeout: 120_000 }, async () => {
  const { sent, lost } = await runRetries({ keys: 100, kills: 3 })
  assert.ok(sent > 100 && lost > 0, `${sent} requests, ${lost} without an answer: too few to show anything`)
})

test('of ten clients with the same version one wins, in each of 50 rounds', { timeout: 120_000 }, async () => {
  assert.equal(await runRaces({ clients: 10, rounds: 50 }), 450)
})

test('the same on PostgreSQL', { timeout: 120_000 }, async () => {
  const database = await makeTestDatabase()
  try {
    await runRetries({ keys: 40, kills: 1, database: database.address })
    assert.equal(await runRaces({ clients: 5, rounds: 10, database: database.address }), 40)
  } finally {
    await database.drop()
  }
})
