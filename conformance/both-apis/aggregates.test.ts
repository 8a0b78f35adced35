// Aggregates: the same groups by both APIs, of one plan (docs/reference/graphql.md#aggregates, docs/reference/rest.md#aggregates).
// conformance/stores compares the numbers with plain arithmetic.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  enum Status { OPEN PAID SENT }
  type Customer @allow { id: ID! name: String! country: String orders: [Order!]! tags: [Tag!]! }
  type Tag @allow { id: ID! label: String! customers: [Customer!]! @relation(inverse: "tags") }
  type Order @allow {
    id: ID! status: Status! total: Decimal count: Int weight: Float big: BigInt note: String @search
    placed: DateTime day: Date customer: Customer
  }
`

const orders = [
  ['OPEN', '1.10', 1, 0.1, '9007199254740993', '2026-01-31T23:30:00Z', '2026-01-31', 'a'],
  ['OPEN', '2.20', 2, 0.2, '1', '2026-02-01T00:30:00Z', '2026-02-01', 'a'],
  ['PAID', '3.30', 3, 0.3, null, '2026-02-10T12:00:00Z', '2026-02-10', 'b'],
  ['PAID', null, null, null, null, null, null, null],
  ['SENT', '-6.60', 4, -0.6, '2', '2026-06-30T22:15:00Z', '2026-06-30', 'b'],
] as const

let apis: TestApis
before(async () => {
  apis = await openApis(sdl)
  const ids: Record<string, string> = {}
  for (const [key, country] of [
    ['a', 'NO'],
    ['b', null],
  ] as const) {
    const { id } = (await restBody(apis, 'POST', '/customers', { name: key, country })) as { id: string }
    ids[key] = id
  }
  for (const [status, total, count, weight, big, placed, day, customer] of orders) {
    const note = `${status} note`
    const body = {
      status,
      total,
      count,
      weight,
      big,
      placed,
      day,
      note,
      customer: customer === null ? null : ids[customer],
    }
    await restBody(apis, 'POST', '/orders', body)
  }
})
after(() => apis.close())

/** The result of both, which must be equal and of equal plans. */
async function same(query: string, path: string): Promise<unknown> {
  apis.executed.length = 0
  const data = await graphqlData(apis, `{ result: ${query} }`)
  const body = await restBody(apis, 'GET', path)
  assert.deepEqual(body, data.result, path)
  const [first, second] = apis.executed
  assert.deepEqual(second!.plan, first!.plan, path)
  assert.deepEqual(second!.values, first!.values, path)
  return body
}

test('R39: all rows in one', async () => {
  const measures =
    'count sum { total count weight big } avg { total count weight } min { total day note } max { placed big }'
  const fields =
    '_count,_sum.total,_sum.count,_sum.weight,_sum.big,_avg.total,_avg.count,_avg.weight,_min.total,_min.day,_min.note,_max.placed,_max.big'
  assert.deepEqual(await same(`ordersAggregate { ${measures} }`, `/orders?groupBy=&fields=${fields}`), {
    count: 5,
    sum: { total: '0', count: '10', weight: 0, big: '9007199254740996' },
    avg: { total: '0', count: '2.5', weight: 0 },
    min: { total: '-6.6', day: '2026-01-31', note: 'OPEN note' },
    max: { placed: '2026-06-30T22:15:00.000Z', big: '9007199254740993' },
  })
})

test('over nothing: one row with the count 0 and nulls, and no groups', async () => {
  const none = 'where: {status: {eq: SENT}, count: {gt: 100}}'
  const filter = 'status=SENT&count[gt]=100'
  assert.deepEqual(
    await same(
      `ordersAggregate(${none}) { count sum { total } min { day } countDistinct { status } }`,
      `/orders?groupBy=&${filter}&fields=_count,_sum.total,_min.day,_countDistinct.status`,
    ),
    { count: 0, sum: { total: null }, min: { day: null }, countDistinct: { status: 0 } },
  )
  assert.deepEqual(
    await same(
      `ordersGroupBy(by: [{status: VALUE}], ${none}) { key { status } count }`,
      `/orders?groupBy=status&${filter}`,
    ),
    [],
  )
})

test('R37: groups by a value, by a field behind a reference, and by both: null is a group', async () => {
  assert.deepEqual(
    await same('ordersGroupBy(by: [{status: VALUE}]) { key { status } count }', '/orders?groupBy=status'),
    [
      { key: { status: 'OPEN' }, count: 2 },
      { key: { status: 'PAID' }, count: 2 },
      { key: { status: 'SENT' }, count: 1 },
    ],
  )
  assert.deepEqual(
    await same(
      'ordersGroupBy(by: [{customer: {country: VALUE}}, {customer: {name: VALUE}}]) { key { customer { country name } } sum { total } }',
      '/orders?groupBy=customer.country,customer.name&fields=customer.country,customer.name,_sum.total',
    ),
    [
      { key: { customer: { country: 'NO', name: 'a' } }, sum: { total: '3.3' } },
      { key: { customer: { country: null, name: 'b' } }, sum: { total: '-3.3' } },
      { key: { customer: { country: null, name: null } }, sum: { total: null } },
    ],
  )
})

test('parts of times in a zone', async () => {
  const months = (zone: string, path: string) =>
    same(
      `ordersGroupBy(by: [{placed: MONTH}], timeZone: "${zone}") { key { placed } count }`,
      `/orders?groupBy=placed(month)&timeZone=${path}`,
    )
  assert.deepEqual(await months('UTC', 'UTC'), [
    { key: { placed: '2026-01-01' }, count: 1 },
    { key: { placed: '2026-02-01' }, count: 2 },
    { key: { placed: '2026-06-01' }, count: 1 },
    { key: { placed: null }, count: 1 },
  ])
  assert.deepEqual(await months('Europe/Oslo', 'Europe/Oslo'), [
    { key: { placed: '2026-02-01' }, count: 3 },
    { key: { placed: '2026-07-01' }, count: 1 },
    { key: { placed: null }, count: 1 },
  ])
  assert.deepEqual(
    await same(
      'ordersGroupBy(by: [{placed: HOUR}, {day: QUARTER}], timeZone: "Europe/Oslo", where: {status: {eq: SENT}}) { key { placed day } count }',
      '/orders?status=SENT&groupBy=placed(hour),day(quarter)&timeZone=Europe/Oslo',
    ),
    [{ key: { placed: '2026-07-01T00:00:00.000+02:00', day: '2026-04-01' }, count: 1 }],
  )
})

test('R38: conditions, order and pages of groups', async () => {
  assert.deepEqual(
    await same(
      'ordersGroupBy(by: [{status: VALUE}], having: {count: {gte: 2}, sum: {total: {lt: "3.31", gt: "3.29"}}}) { key { status } }',
      '/orders?groupBy=status&_count[gte]=2&_sum.total[lt]=3.31&_sum.total[gt]=3.29&fields=status',
    ),
    [{ key: { status: 'OPEN' } }, { key: { status: 'PAID' } }],
  )
  assert.deepEqual(
    await same(
      'ordersGroupBy(by: [{status: VALUE}], orderBy: [{sum: {total: DESC}}, {key: {status: DESC}}], limit: 2, offset: 1) { key { status } sum { total } }',
      '/orders?groupBy=status&sort=-_sum.total,-status&limit=2&offset=1&fields=status,_sum.total',
    ),
    [
      { key: { status: 'OPEN' }, sum: { total: '3.3' } },
      { key: { status: 'SENT' }, sum: { total: '-6.6' } },
    ],
  )
  assert.deepEqual(
    await same(
      'ordersGroupBy(by: [{status: VALUE}], having: {avg: {count: {between: [1.5, 3]}}, countDistinct: {customer: {eq: 1}}}) { key { status } countDistinct { customer } }',
      '/orders?groupBy=status&_avg.count[between]=1.5,3&_countDistinct.customer[eq]=1&fields=status,_countDistinct.customer',
    ),
    [
      { key: { status: 'OPEN' }, countDistinct: { customer: 1 } },
      { key: { status: 'PAID' }, countDistinct: { customer: 1 } },
    ],
  )
})

test('beside a list, and as a nested collection', async () => {
  const query = `{ customers(orderBy: [{name: ASC}]) { name
    ordersAggregate(where: {status: {ne: SENT}}) { count sum { total } }
    ordersGroupBy(by: [{status: VALUE}], orderBy: [{count: DESC}], limit: 1) { key { status } count }
    tagsAggregate { count } } }`
  const { customers } = (await graphqlData(apis, query)) as { customers: unknown[] }
  assert.deepEqual(customers, [
    {
      name: 'a',
      ordersAggregate: { count: 2, sum: { total: '3.3' } },
      ordersGroupBy: [{ key: { status: 'OPEN' }, count: 2 }],
      tagsAggregate: { count: 0 },
    },
    {
      name: 'b',
      ordersAggregate: { count: 1, sum: { total: '3.3' } },
      ordersGroupBy: [{ key: { status: 'PAID' }, count: 1 }],
      tagsAggregate: { count: 0 },
    },
  ])
  const [{ id }] = (await restBody(apis, 'GET', '/customers?name=b&fields=id')) as [{ id: string }]
  assert.deepEqual(await restBody(apis, 'GET', `/customers/${id}/orders?groupBy=status&fields=status,_sum.count`), [
    { key: { status: 'PAID' }, sum: { count: '3' } },
    { key: { status: 'SENT' }, sum: { count: '4' } },
  ])
  assert.equal((await apis.rest('GET', '/customers/nobody/orders?groupBy=')).status, 404)
})

test('search narrows the rows', async () => {
  assert.deepEqual(
    await same(
      'ordersGroupBy(by: [{status: VALUE}], search: "paid") { key { status } count }',
      '/orders?groupBy=status&search=paid',
    ),
    [{ key: { status: 'PAID' }, count: 2 }],
  )
})
