// Custom code on two nodes of one database, whose role is no superuser and was not granted `deadlock_timeout`.
// stores: postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { makeTestDatabase, type TestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type Item @allow { id: ID! name: String! }
  type Account @allow { id: ID! balance: Int! }
  extend type Mutation { move(from: ID!, to: ID!): Boolean! }
`

const code = `export default {
  after: { Item: () => {} },
  resolvers: { Mutation: { move: ({ from, to }, { transaction }) => transaction(async ({ read, write }) => {
    const one = await read.Account.get(from)
    await write.Account.update(from, { balance: one.balance - 1 })
    const other = await read.Account.get(to)
    await write.Account.update(to, { balance: other.balance + 1 })
    return true
  }) } },
}`

describe('custom code on two nodes whose role may not set deadlock_timeout', () => {
  const role = `twain_nodes_${process.pid}`
  const closing: (() => unknown)[] = []
  let database: TestDatabase
  let nodes: TestService[]
  before(async () => {
    database = await makeTestDatabase()
    const address = new URL(database.address)
    await database.raw.query(
      `CREATE ROLE ${role}; GRANT ALL ON SCHEMA ${address.searchParams.get('search_path')} TO ${role}`,
    )
    address.searchParams.set('role', role)
    const t = { after: (close: () => unknown) => void closing.unshift(close) } as Parameters<typeof TestService.open>[0]
    // The list takes three seconds at a load of 15, and may take over thirty at one of 30.
    const limits = { ...defaultLimits, timeSeconds: 200 }
    const options = { database: address.href, code, poolSize: 8, limits, listening: { time: 200 } }
    nodes = [await TestService.open(t, sdl, options), await TestService.open(t, sdl, options)]
    const raw = connect(address.href, { size: 1, time: 30 })
    await assert.rejects(raw.query(`SET deadlock_timeout = '100ms'`), /permission denied/)
    await raw.end()
  })
  after(async () => {
    for (const close of closing) await close()
    await database.raw.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    await database.drop()
  })

  test('transactions in opposite orders are all made', async () => {
    const accounts = await nodes[0]!.succeed('POST', '/accounts', [{ balance: 10 }, { balance: 10 }])
    const [a, b] = (accounts as { id: string }[]).map(({ id }) => id)
    const moves = Array.from({ length: 10 }, async (_, n) => {
      const [from, to] = n % 2 === 0 ? [a, b] : [b, a]
      return nodes[n % 3 === 0 ? 0 : 1]!.send('POST', '/move-requests', { from, to })
    })
    assert.deepEqual(
      (await Promise.all(moves)).map(({ status }) => status),
      Array(10).fill(200),
    )
    const left = await nodes[1]!.succeed('GET', '/accounts?fields=balance')
    assert.deepEqual(left, [{ balance: 10 }, { balance: 10 }])
  })

  test('a list of limits.bulk rows is made with a hook, beside six clients', async () => {
    let isDone = false
    const statuses = new Set<number>()
    const client = async (n: number) => {
      const node = nodes[n % 2]!
      while (!isDone) {
        const made = await node.send('POST', '/items', { name: `client ${n}` })
        const changed = await node.send('PATCH', `/items/${made.body.id}`, { name: `changed ${n}` })
        const found = await node.send('GET', '/items?sort=-id&limit=10')
        for (const { status } of [made, changed, found]) statuses.add(status)
        await pause(60)
      }
    }
    const clients = Array.from({ length: 6 }, (_, n) => client(n))
    const items = Array.from({ length: defaultLimits.bulk }, (_, n) => ({ name: `item ${n}` }))
    const { status, body } = await nodes[0]!.send('POST', '/items', items).finally(() => {
      isDone = true
    })
    await Promise.all(clients)
    assert.equal(status, 201, JSON.stringify(body).slice(0, 300))
    assert.deepEqual([...statuses].sort(), [200, 201])
  })
})
