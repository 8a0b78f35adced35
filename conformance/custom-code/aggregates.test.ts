// `read.Order.aggregate`, `read.Order.groupBy` and `distinct` of `read.Order.list`: custom code measures groups of rows, under the rules
// of the viewer and with the numbers of both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { type ApiClient, graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account(login: "name") @allow(to: [READ]) { id: ID! name: String! @unique country: String! orders: [Order!]! }
  type Order @allow(to: [READ], where: {open: {eq: true}}) @allow(who: "customer") {
    id: ID! customer: User! open: Boolean! status: String! total: Decimal!
    items: Int @allow(who: "customer")
    secret: Int @allow(role: "admin")
    placedAt: DateTime! note: String @search
  }
  type Query {
    measure(method: String!, args: JSON, asSystem: Boolean! = false): JSON @allow
  }
  type Mutation { measureInside(args: JSON!): JSON @allow(who: "signedIn") }
`

type Method = 'aggregate' | 'groupBy' | 'list'

const service: ServiceCode = {
  resolvers: {
    Query: {
      measure: async ({ method, args, asSystem }, context) => {
        const { read } = asSystem === true ? context.system : context
        return (read.Order![method as Method] as (args: unknown) => unknown)(args)
      },
    },
    Mutation: {
      measureInside: ({ args }, context) =>
        context.transaction(async (tx) => {
          const { id } = await tx.write.Order!.create({ ...row, open: false })
          const inside = await tx.read.Order!.groupBy(args as never)
          await tx.write.Order!.delete(id)
          return { inside, outside: await context.read.Order!.aggregate() }
        }),
    },
  },
}

const row = { customer: 'ann', open: true, status: 'NEW', total: '0.10', items: 1, placedAt: '2026-01-31T23:30:00Z' }

let apis: TestApis
let ann: ApiClient
let bob: ApiClient
before(async () => {
  apis = await openApis(sdl, undefined, undefined, undefined, undefined, { service })
  const put = (path: string, body: object) => restBody(apis.as(system), 'PUT', path, body)
  await put('/users/ann', { name: 'ann', country: 'NO', password: 'long enough' })
  await put('/users/bob', { name: 'bob', country: 'SE', password: 'long enough' })
  await put('/orders/o1', { ...row, secret: 7, note: 'milk and bread' })
  await put('/orders/o2', {
    ...row,
    status: 'PAID',
    total: '9.50',
    open: false,
    items: 2,
    placedAt: '2026-02-10T10:00:00Z',
  })
  await put('/orders/o3', { ...row, customer: 'bob', status: 'PAID', total: '3', items: 3 })
  await put('/orders/o4', { ...row, customer: 'bob', total: '100', open: false, items: 4, note: 'milk' })
  const viewer = (account: string): Viewer => ({ account, roles: [], authenticated: true, token: null })
  ann = apis.as(viewer('ann'))
  bob = apis.as(viewer('bob'))
})
after(() => apis.close())

const query = 'query ($m: String!, $a: JSON, $s: Boolean! = false) { measure(method: $m, args: $a, asSystem: $s) }'
const ask = async (client: ApiClient, m: Method, a?: object, s = false) =>
  (await graphqlData(client, query, { m, a: a ?? {}, s })).measure

test('an aggregate has the measures of both APIs, for each viewer', async () => {
  const select = {
    count: true,
    sum: { total: true, items: true },
    avg: { total: true },
    countDistinct: { customer: true },
  }
  const rest = '/orders?groupBy=&fields=_count,_sum.total,_sum.items,_avg.total,_countDistinct.customer'
  const document = '{ ordersAggregate { count sum { total items } avg { total } countDistinct { customer } } }'
  for (const client of [bob, ann]) {
    const measured = await ask(client, 'aggregate', { select })
    assert.deepEqual(measured, await restBody(client, 'GET', rest))
    assert.deepEqual(measured, (await graphqlData(client, document)).ordersAggregate)
  }
  const anns = (await ask(ann, 'aggregate', { select })) as { count: number; sum: object }
  assert.deepEqual([anns.count, anns.sum], [3, { total: '12.6', items: '3' }])
  assert.deepEqual(await ask(bob, 'aggregate', { select: { sum: { items: true } } }), { sum: { items: '7' } })
  assert.deepEqual(await ask(ann, 'aggregate', { select: { sum: { items: true, secret: true } } }, true), {
    sum: { items: '10', secret: '7' },
  })
})

test('without select it counts; filters and search choose the rows, with other values in the same plan', async () => {
  assert.deepEqual(await ask(ann, 'aggregate'), { count: 3 })
  assert.deepEqual(await ask(ann, 'aggregate', { where: { status: { eq: 'PAID' } } }), { count: 2 })
  assert.deepEqual(await ask(ann, 'aggregate', { where: { status: { eq: 'NEW' } } }), { count: 1 })
  assert.deepEqual(await ask(ann, 'aggregate', { search: 'milk' }), { count: 1 })
  assert.deepEqual(await ask(ann, 'aggregate', { search: 'milk' }, true), { count: 2 })
})

test('groups have their keys, in the order and on the page that the code asks for', async () => {
  const by = [{ placedAt: 'MONTH' }, { customer: { country: 'VALUE' } }]
  const months = {
    by,
    timeZone: 'Europe/Oslo',
    select: { sum: { total: true } },
    orderBy: [{ sum: { total: 'DESC' } }],
  }
  const february = { placedAt: '2026-02-01', customer: { country: 'NO' } }
  assert.deepEqual(await ask(ann, 'groupBy', months), [
    { key: february, sum: { total: '9.6' } },
    { key: { placedAt: '2026-02-01', customer: { country: 'SE' } }, sum: { total: '3' } },
  ])
  assert.deepEqual(await ask(ann, 'groupBy', { ...months, limit: 1, offset: 1 }), [
    { key: { placedAt: '2026-02-01', customer: { country: 'SE' } }, sum: { total: '3' } },
  ])
  assert.equal(((await ask(ann, 'groupBy', { ...months, timeZone: 'UTC' })) as object[]).length, 3)
})

test('having chooses groups, with other values in the same plan', async () => {
  const groups = (having: object) => ask(ann, 'groupBy', { by: [{ status: 'VALUE' }], having })
  const [fresh, paid] = [
    { key: { status: 'NEW' }, count: 1 },
    { key: { status: 'PAID' }, count: 2 },
  ]
  assert.deepEqual(await groups({ count: { gte: 2 } }), [paid])
  assert.deepEqual(await groups({ count: { gte: 1 } }), [fresh, paid])
  assert.deepEqual(await groups({ count: { between: [2, 3] }, sum: { total: { gt: '12' } } }), [paid])
  assert.deepEqual(await groups({ count: { between: [2, 3] }, sum: { total: { gt: '12.5' } } }), [])
  assert.deepEqual(await groups({ sum: { items: { isNull: true } } }), [])
  assert.deepEqual(await groups({ sum: { items: { isNull: false } } }), [fresh, paid])
})

test('distinct keeps the first row of each value', async () => {
  const rows = (await ask(ann, 'list', { distinct: ['customer'], orderBy: [{ total: 'DESC' }] })) as { id: string }[]
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['o2', 'o3'],
  )
})

test('mistakes name their place, and say what there is', async () => {
  const mistakes: [Method, object, string, string][] = [
    ['aggregate', { select: { sum: { status: true } } }, 'select.sum.status', 'is no number'],
    ['aggregate', { select: { total: { total: true } } }, 'select.total.total', 'is not a measure'],
    ['aggregate', { select: {} }, 'select', 'must name a measure'],
    ['aggregate', { select: { sum: true } }, 'select.sum', 'must name a field'],
    ['aggregate', { select: { sum: { secret: true } } }, 'select.sum.secret', 'is not a field of Order'],
    ['groupBy', { by: [] }, 'by', 'must name a key'],
    ['groupBy', { by: [{ status: 'VALUE', total: 'VALUE' }] }, 'by.0', 'must name one field'],
    ['groupBy', { by: [{ status: 'MONTH' }] }, 'by.0', 'is not a part of this field'],
    ['groupBy', { by: [{ secret: 'VALUE' }] }, 'by.0', 'is not a field of Order'],
    [
      'groupBy',
      { by: [{ status: 'VALUE' }], having: { count: { like: 1 } } },
      'having.count.like',
      'is not an operator',
    ],
    ['groupBy', { by: [{ status: 'VALUE' }], timeZone: 'Mars' }, 'timeZone', 'time zone'],
    ['groupBy', { by: [{ status: 'VALUE' }], limit: 5000 }, 'limit', '1000'],
    ['list', { distinct: ['secret'] }, 'distinct', 'is not a field of Order'],
  ]
  for (const [m, a, path, words] of mistakes) {
    const { errors } = await ann.graphql(query, { m, a })
    const [problem] = errors[0]?.extensions?.errors ?? []
    assert.ok(errors.length === 1 && problem !== undefined, JSON.stringify([a, errors]))
    assert.ok(problem.path.endsWith(path) && problem.message.includes(words), JSON.stringify([a, problem]))
  }
})

test('inside a transaction it sees the writes of the transaction; with an idempotency key it is no write', async () => {
  const args = { by: [{ status: 'VALUE' }], select: { sum: { total: true } } }
  const expected = {
    inside: [
      { key: { status: 'NEW' }, sum: { total: '0.2' } },
      { key: { status: 'PAID' }, sum: { total: '12.5' } },
    ],
    outside: { count: 3 },
  }
  const { body, status } = await ann.rest('POST', '/measure-inside-requests', { args }, { 'idempotency-key': '"k1"' })
  assert.deepEqual([status, body], [200, expected])
})
