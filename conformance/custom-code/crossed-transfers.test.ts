// Transactions of custom code that write the same two rows in opposite orders, with a role that may not set `deadlock_timeout`: PostgreSQL
// would find each deadlock after a second.
// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type Account @allow { id: ID! balance: Int! }
  extend type Mutation { move(from: ID!, to: ID!): Boolean! @allow }
`

const code = `export default { resolvers: { Mutation: { move: ({ from, to }, { transaction }) => transaction(async ({ read, write }) => {
  const one = await read.Account.get(from)
  await write.Account.update(from, { balance: one.balance - 1 })
  await new Promise((resolve) => setTimeout(resolve, 100)) // somebody else begins meanwhile
  globalThis.pausedTransfers++
  const other = await read.Account.get(to)
  await write.Account.update(to, { balance: other.balance + 1 })
  return true
}) } } }`

const counted = globalThis as unknown as { pausedTransfers: number }

test('thirty transfers to and fro are all made, none waits for a deadlock, and few are made in vain', async (t) => {
  const address = await makeOwnDatabase(t)
  const before = await deadlocks(address)
  const service = await TestService.open(t, sdl, { database: address, code, poolSize: 10 }) // the default
  counted.pausedTransfers = 0
  const accounts = await service.succeed('POST', '/accounts', [{ balance: 100 }, { balance: 100 }])
  const ids = accounts.map(({ id }: { id: string }) => id)
  const moves = Array.from({ length: 30 }, async (_, n) => {
    const [from, to] = n % 2 === 0 ? ids : ids.toReversed()
    const { status, body } = await service.send('POST', '/move-requests', { from, to })
    return status === 200 ? 200 : JSON.stringify(body)
  })
  assert.deepEqual(await Promise.all(moves), Array(30).fill(200))
  assert.deepEqual(await service.succeed('GET', '/accounts?fields=balance'), [{ balance: 100 }, { balance: 100 }])
  await service.close() // the counts of connections that end are complete
  assert.equal((await deadlocks(address)) - before, 0)
  // Each takes 100 ms from all others. At a load of 10 they were 60 of which the half were in vain.
  assert.ok(counted.pausedTransfers <= 48, `${counted.pausedTransfers} attempts for 30 transfers`)
})

/** The address of a database whose deadlocks are counted apart, for a role without rights. */
async function makeOwnDatabase(t: { after(end: () => unknown): void }): Promise<string> {
  const { address, raw, drop } = await makeTestDatabase()
  const name = `twain_crossed_${process.pid}`
  await raw.query(`CREATE ROLE ${name}`)
  await raw.query(`CREATE DATABASE ${name} OWNER ${name}`)
  t.after(async () => {
    await raw.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await raw.query(`DROP ROLE ${name}`)
    await drop()
  })
  const own = new URL(address)
  own.pathname = `/${name}`
  own.search = `?role=${name}`
  return own.href
}

async function deadlocks(address: string): Promise<number> {
  const raw = connect(address, { size: 1, time: 30 })
  try {
    const [row] = await raw.query('SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()')
    return Number((row as unknown as { n: number }).n)
  } finally {
    await raw.end()
  }
}
