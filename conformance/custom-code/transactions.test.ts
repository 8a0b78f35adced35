// Transactions of custom code (`context.transaction`), versions of rows, and locks.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { ApiError } from '../../packages/twain/src/base/index.ts'
import type { Context, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Account @allow { id: ID! name: String! balance: Int! @constraint(min: 0) shade: String @computed(from: ["name"]) }
  type Entry @allow { id: ID! text: String! @unique }
  extend type Mutation { run(n: Int): String }
`

/** Set by each test. */
let run: (context: Context) => unknown = () => null
let shade: (context: Context) => unknown = () => null
const logged: [Record<string, unknown>, string][] = []

const service: ServiceCode = {
  resolvers: {
    Mutation: { run: (_args, context) => run(context) },
    Account: { shade: async (rows, _args, context) => Promise.all(rows.map(() => shade(context))) },
  },
  after: {
    Entry: async ({ row }, { write }) => {
      if (row === null || row.text === 'one') return
      await write.Account!.create({ name: 'hook', balance: 1 })
      if (row.text === 'refused') throw new ApiError('CONFLICT', 'Not this one.')
    },
  },
}

const log = { info() {}, error() {}, warn: (data: object, text: string) => void logged.push([{ ...data }, text]) }

describe('transactions of custom code', () => {
  let apis: TestApis
  let errors: unknown[]
  before(async () => {
    errors = []
    const onError = (error: unknown) => errors.push(error)
    apis = await openApis(sdl, {}, undefined, undefined, undefined, { service, log, onError })
  })
  after(() => apis.close())
  beforeEach(() => {
    errors.length = 0
    logged.length = 0
  })

  const call = () => apis.rest('POST', '/run-requests', {})
  const balances = async () => {
    const accounts = (await restBody(apis, 'GET', '/accounts?sort=name')) as { name: string; balance: number }[]
    return Object.fromEntries(accounts.map(({ name, balance }) => [name, balance]))
  }
  const clear = async () => {
    for (const path of ['accounts', 'entries']) {
      for (const { id } of (await restBody(apis, 'GET', `/${path}`)) as { id: string }[]) {
        await restBody(apis, 'DELETE', `/${path}/${id}`)
      }
    }
  }
  beforeEach(clear)

  test('all writes of a transaction are made, or none', async () => {
    run = ({ transaction }) =>
      transaction(async ({ write }) => {
        const a = await write.Account!.create({ name: 'a', balance: 10 })
        await write.Account!.create({ name: 'b', balance: 0 })
        await write.Account!.update(a.id, { balance: 7 })
        return 'done'
      })
    assert.equal((await call()).status, 200)
    assert.deepEqual(await balances(), { a: 7, b: 0 })

    run = ({ transaction }) =>
      transaction(async ({ write }) => {
        await write.Account!.create({ name: 'c', balance: 1 })
        await write.Entry!.create({ text: 'hooked' }) // its hook writes too
        throw new ApiError('CONFLICT', 'Not today.')
      })
    const refused = await call()
    assert.deepEqual([refused.status, (refused.body as { detail: string }).detail], [409, 'Not today.'])
    assert.deepEqual(await balances(), { a: 7, b: 0 })
  })

  test('a transaction sees its own writes, and a refused write in it undoes only itself', async () => {
    run = ({ transaction }) =>
      transaction(async ({ read, write }) => {
        await write.Entry!.create({ text: 'one' })
        await assert.rejects(write.Entry!.create({ text: 'one' }), { code: 'CONFLICT' })
        await assert.rejects(write.Entry!.create({ text: 'refused' }), { code: 'CONFLICT' })
        await write.Entry!.create({ text: 'hooked' })
        assert.equal(await read.Entry!.count(), 2)
        return String((await read.Account!.list())[0]?.name)
      })
    assert.equal((await graphqlData(apis, 'mutation { run }')).run, 'hook')
    assert.deepEqual(await balances(), { hook: 1 })
  })

  test('a transaction inside a transaction is a part of it: if it fails, only its own writes are undone', async () => {
    run = ({ transaction }) =>
      transaction(async (tx) => {
        await tx.write.Account!.create({ name: 'outer', balance: 1 })
        const inner = tx.transaction(async ({ write }) => {
          await write.Account!.create({ name: 'inner', balance: 1 })
          throw new ApiError('CONFLICT', 'No.')
        })
        const beside = tx.write.Account!.create({ name: 'beside', balance: 1 })
        await assert.rejects(inner, { code: 'CONFLICT' })
        await beside
        await tx.transaction(({ write }) => write.Account!.create({ name: 'second', balance: 1 }))
        return null
      })
    assert.equal((await call()).status, 200)
    assert.deepEqual(await balances(), { beside: 1, outer: 1, second: 1 })
  })

  test('rows have their version, and a write takes the version that it expects', async () => {
    run = async ({ read, write }) => {
      const { id, _version } = await write.Account!.create({ name: 'v', balance: 1 })
      assert.equal(_version, 1)
      const changed = await write.Account!.update(id, { balance: 2 }, { ifVersion: 1 })
      assert.equal(changed._version, 2)
      assert.equal((await read.Account!.get(id))?._version, 2)
      assert.equal((await read.Account!.list())[0]?._version, 2)
      await assert.rejects(write.Account!.update(id, { balance: 3 }, { ifVersion: 1 }), { code: 'PRECONDITION_FAILED' })
      return null
    }
    assert.equal((await call()).status, 200, String(errors))
    assert.deepEqual(await balances(), { v: 2 })
  })

  test('with an idempotency key the writes of a transaction are made once', async () => {
    let calls = 0
    run = async ({ transaction }) => {
      await transaction(async ({ write }) => {
        await write.Account!.create({ name: 'x', balance: 1 })
        await write.Account!.create({ name: 'y', balance: 1 })
      })
      if (++calls === 1) throw new Error('the process was ended here')
      return 'done'
    }
    const key = { 'idempotency-key': 'transaction-1' }
    await assert.rejects(apis.rest('POST', '/run-requests', {}, key), /the process was ended here/)
    assert.equal((await apis.rest('POST', '/run-requests', {}, key)).status, 200)
    const accounts = (await restBody(apis, 'GET', '/accounts')) as unknown[]
    assert.equal(accounts.length, 2)
  })

  test('mistakes of the code are reported: a write beside the open transaction, a lock outside of one, a transaction of a computed field', async () => {
    run = ({ transaction, write }) => transaction(() => write.Account!.create({ name: 'beside', balance: 1 }))
    await assert.rejects(call(), /write with the context that its function gets/)
    run = ({ read }) => read.Account!.get('a', { lock: true })
    await assert.rejects(call(), /a lock needs a transaction/)
    assert.deepEqual(await balances(), {})
    await restBody(apis, 'POST', '/accounts', { name: 'z', balance: 1 })
    shade = ({ transaction }) => transaction(async () => 'dark')
    await apis.rest('GET', '/accounts?fields=shade')
    assert.match(String(errors.at(-1)), /it only reads/)
  })

  test('thirty transfers to and fro between two rows are all made', async () => {
    const options = { service, log, poolSize: 24 } // so many transactions run at the same time
    const many = await openApis(sdl, {}, undefined, undefined, undefined, options)
    const ids: string[] = []
    for (const name of ['x', 'y']) {
      ids.push(((await restBody(many, 'POST', '/accounts', { name, balance: 100 })) as { id: string }).id)
    }
    let calls = 0
    run = ({ transaction }) => {
      const [from, to] = calls++ % 2 === 0 ? ids : ids.toReversed()
      return transaction(async ({ read, write }) => {
        const { balance } = (await read.Account!.get(from!)) as unknown as { balance: number }
        await write.Account!.update(from!, { balance: balance - 1 })
        await new Promise((resolve) => setTimeout(resolve, 10)) // somebody else begins meanwhile
        const other = (await read.Account!.get(to!)) as unknown as { balance: number }
        await write.Account!.update(to!, { balance: other.balance + 1 })
        return null
      })
    }
    const replies = await Promise.all(Array.from({ length: 30 }, () => many.rest('POST', '/run-requests', {})))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const accounts = (await restBody(many, 'GET', '/accounts')) as { balance: number }[]
    await many.close()
    assert.deepEqual(
      accounts.map(({ balance }) => balance),
      [100, 100],
    )
  })

  test('a transaction whose code takes too long is logged with the place that opened it', async () => {
    const short = await openApis(sdl, {}, undefined, undefined, undefined, { service, log, maxCodeMs: 100 })
    run = ({ transaction }) =>
      transaction(async ({ read }) => {
        await read.Account!.count()
        return new Promise(() => {})
      })
    const { status } = await short.rest('POST', '/run-requests', {}).finally(() => short.close())
    assert.equal(status, 503)
    const [[data, text] = [{}, '']] = logged
    assert.match(text, /its code took too long/)
    assert.equal(data['code.function.name'], 'Mutation.run')
    assert.match(String(data['exception.stacktrace']), /transactions\.test\.ts/)
  })
})
