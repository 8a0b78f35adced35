// Custom code under concurrency: what a hook or a transaction reads stays true until its commit, on both stores.
// stores: sqlite, postgres
// all samples: sqlite + postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ApiError } from '../../packages/twain/src/base/index.ts'
import type { Context, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { samples } from '../generate/samples.ts'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Part @allow { id: ID! stock: Int! @constraint(min: 0) uses: [Use!]! }
  type Use @allow { id: ID! part: Part! }
  type Sale @allow { id: ID! part: Part! }
  type Lot @allow { id: ID! part: Part! }
  type Ticket @allow { id: ID! part: Part! }
  extend type Mutation { take(part: ID!): Ticket! @resource(path: "takes") }
`

/** Takes one part out of the stock, or refuses. */
async function takeOne(part: string, { system }: Context, lock = false): Promise<void> {
  const row = (await system.read.Part!.get(part, { lock })) as { stock: number } | null
  if (row!.stock < 1) throw new ApiError('CONFLICT', 'Sold out.')
  await system.write.Part!.update(part, { stock: row!.stock - 1 })
}

const service: ServiceCode = {
  after: {
    Use: async ({ row }, context) => takeOne(String(row!.part), context),
    Lot: async ({ row }, context) => takeOne(String(row!.part), context, true),
  },
  before: { Sale: async ({ next }, context) => takeOne(String(next!.part), context) },
  resolvers: {
    Mutation: {
      take: ({ part }, { transaction }) =>
        transaction(async (tx) => {
          await takeOne(String(part), tx)
          return tx.write.Ticket!.create({ part })
        }),
    },
  },
}

const rounds = samples(2, 20)
const writers = 40

describe('custom code under concurrent writes', () => {
  let apis: TestApis
  before(async () => {
    const patient = { timeSeconds: 200, codeSeconds: 200 } // forty writers wait for each other, on a machine that may be busy
    apis = await openApis(sdl, patient, undefined, undefined, undefined, { service, poolSize: 10 })
  })
  after(() => apis.close())

  for (const [name, path] of [
    ['an after hook', '/uses'],
    ['a before hook', '/sales'],
    ['a hook that locks the row', '/lots'],
    ['a transaction', '/takes'],
  ] as const) {
    test(`${name} that reads the stock and writes it sells exactly what is there`, async () => {
      for (let round = 0; round < rounds; round++) {
        const { id } = (await restBody(apis, 'POST', '/parts', { stock: 10 })) as { id: string }
        const answers = await Promise.all(Array.from({ length: writers }, () => apis.rest('POST', path, { part: id })))
        const statuses = Map.groupBy(answers, ({ status }) => status)
        const counts = Object.fromEntries([...statuses].map(([status, all]) => [status, all.length]))
        assert.deepEqual(counts, { [path === '/takes' ? 200 : 201]: 10, 409: 30 })
        const { stock } = (await restBody(apis, 'GET', `/parts/${id}`)) as { stock: number }
        assert.equal(stock, 0)
      }
    })
  }
})
