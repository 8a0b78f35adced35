// Views: the rows of a SELECT of the schema file, through both APIs of a whole service.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainRequest } from '#base/http'
import { defaultLimits } from '#plan'
import { makeTestPlace, testedStore } from '#test-place'
import { openService, type Service } from './service.ts'

const types = `
type Customer @allow { id: ID!, name: String!, country: String! }
enum Status { OPEN, PAID }
type Order @allow {
  id: ID!
  customer: Customer!
  total: Decimal!
  status: Status!
  paidAt: DateTime
}
`
const select = `SELECT substr("paidAt", 1, 7) AS month, status, sum(total) AS total, count(*) AS orders,
  max("paidAt") AS "lastAt", min(customer) AS best, 0.5 AS ratio, count(*) > 1 AS many FROM "Order" GROUP BY 1, 2`
const views = `
"What was paid in a month."
type Revenue @allow(to: [READ]) @view(key: ["month", "status"], sqlite: """${select}""", postgres: """${select}""") {
  month: String!
  status: Status!
  total: Decimal!
  orders: Int!
  lastAt: DateTime
  best: Customer
  ratio: Float
  many: Boolean @allow(role: "staff")
}
type Market @allow(where: {country: {eq: "NO"}}) @view(key: ["country"],
  sqlite: "SELECT country, count(*) AS customers FROM Customer GROUP BY 1",
  postgres: "SELECT country, count(*) AS customers FROM \\"Customer\\" GROUP BY 1") { country: String!, customers: BigInt! }
`

const largest = `SELECT status, max(total) AS largest, count(*) AS "above" FROM "Order" WHERE total > 5 GROUP BY 1`
const compared = `type Largest @allow @view(key: ["status"], sqlite: ${JSON.stringify(largest)}, postgres: ${JSON.stringify(largest)}) {
  status: Status!
  largest: Decimal!
  above: Int!
}`

const january = { id: 'month=2026-01,status=PAID', month: '2026-01', status: 'PAID', total: '9.6', orders: 2 }

test('a view is read like any type: fields, filters, order, pages, references', async (t) => {
  const { rest, graphql, fill } = await open(t, types + views)
  const { ann } = await fill()
  const list = (await rest('GET', '/revenues?fields=id,month,status,total,orders,lastAt,best,ratio')).body
  assert.deepEqual(list[0], { ...january, lastAt: '2026-01-03T00:00:00.000Z', best: ann, ratio: 0.5 })
  const query =
    '{ revenues(orderBy: [{total: DESC}], where: {total: {lt: "50"}}) { id month status total orders best { name } } }'
  const twin = (await rest('GET', '/revenues?sort=-total&total[lt]=50&fields=id,month,status,total,orders,best.name'))
    .body
  assert.deepEqual(
    twin.map(({ total }: { total: string }) => total),
    ['9.6', '-3'],
  )
  assert.deepEqual((await graphql(query)).data.revenues, twin)
  assert.deepEqual((await rest('GET', '/revenues?status=OPEN&best.country=NO&fields=month')).body, [
    { month: '2026-02' },
    { month: '2026-03' },
  ])
  const seen: string[] = []
  for (let after = ''; seen.length < 4; ) {
    const { edges, pageInfo } = (await rest('GET', `/revenues?first=1&sort=total${after}`)).body
    for (const { node } of edges) seen.push(node.total)
    if (!pageInfo.hasNextPage) break
    after = `&after=${encodeURIComponent(pageInfo.endCursor)}`
  }
  assert.deepEqual(seen, ['-3', '9.6', '100'])
  const connection = '{ revenuesConnection(first: 2) { totalCount edges { node { month } } pageInfo { hasNextPage } } }'
  assert.deepEqual((await graphql(connection)).data.revenuesConnection, {
    totalCount: 3,
    edges: [{ node: { month: '2026-01' } }, { node: { month: '2026-02' } }],
    pageInfo: { hasNextPage: true },
  })
})

test('the rows of a view are grouped like any rows', async (t) => {
  const { rest, graphql, fill } = await open(t, types + views)
  await fill()
  const groups = '{ revenuesGroupBy(by: [{status: VALUE}]) { key { status } count sum { total orders } } }'
  const expected = [
    { key: { status: 'OPEN' }, count: 2, sum: { total: '97', orders: '2' } },
    { key: { status: 'PAID' }, count: 1, sum: { total: '9.6', orders: '2' } },
  ]
  assert.deepEqual((await graphql(groups)).data.revenuesGroupBy, expected)
  const twin = await rest('GET', '/revenues?groupBy=status&fields=status,_count,_sum.total,_sum.orders')
  assert.deepEqual(twin.body, expected)
})

test('the SELECT compares exact numbers as numbers', async (t) => {
  const { rest, fill } = await open(t, types + compared)
  const { ann } = await fill()
  await rest('POST', '/orders', {}, { customer: ann, total: '20', status: 'PAID' })
  assert.deepEqual((await rest('GET', '/largests?fields=status,largest,above')).body, [
    { status: 'OPEN', largest: '100', above: 1 },
    { status: 'PAID', largest: '20', above: 2 },
  ])
})

test('one row by its key, with a tag of its text; the next write shows', async (t) => {
  const { rest, graphql, fill } = await open(t, types + views)
  const { ann } = await fill()
  const at = `/revenues/${encodeURIComponent(january.id)}`
  const { status, body, headers } = await rest('GET', at)
  assert.deepEqual([status, body.month, body.total], [200, '2026-01', '9.6'])
  assert.equal((await rest('GET', at, { 'if-none-match': String(headers.etag) })).status, 304)
  const order = { customer: ann, total: '1', status: 'PAID', paidAt: '2026-01-05T00:00:00.000Z' }
  assert.equal((await rest('POST', '/orders', {}, order)).status, 201)
  assert.equal((await rest('GET', at, { 'if-none-match': String(headers.etag) })).body.total, '10.6')
  assert.equal((await graphql(`{ revenue(id: "${january.id}") { orders } }`)).data.revenue.orders, 3)
  assert.equal((await rest('GET', '/revenues/month=2026-01,status=PAID')).body.orders, 3)
  assert.equal((await rest('DELETE', '/revenues/month=2026-01,status=PAID')).status, 405)
  const byKey = '{ revenueBy(key: {monthAndStatus: {month: "2026-01", status: PAID}}) { total } }'
  assert.deepEqual((await graphql(byKey)).data, { revenueBy: { total: '10.6' } })
  assert.equal((await rest('GET', '/markets/NO')).body.customers, '1')
  assert.equal((await rest('GET', '/revenues/nothing')).status, 404)
})

test('rules decide which rows and fields of a view a viewer reads', async (t) => {
  const { rest, graphql, fill } = await open(t, types + views)
  await fill()
  assert.deepEqual((await rest('GET', '/markets')).body, [{ id: 'NO', country: 'NO', customers: '1' }])
  assert.deepEqual((await graphql('{ markets { country } }')).data.markets, [{ country: 'NO' }])
  assert.equal((await rest('GET', '/markets/SE')).status, 404)
  assert.equal((await rest('GET', '/revenues?fields=many')).status, 403)
  assert.equal('many' in (await rest('GET', '/revenues')).body[0], false)
})

test('nothing writes a view, and it has no version and no events', async (t) => {
  const { rest, graphql, fill } = await open(t, types + views)
  await fill()
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    assert.equal((await rest(method, method === 'POST' ? '/revenues' : '/revenues/x', {}, {})).status, 405)
  assert.equal((await rest('GET', '/revenues?fields=_version')).status, 400)
  const { data } = await graphql(
    '{ row: __type(name: "Revenue") { fields { name } } write: __type(name: "Mutation") { fields { name } } live: __type(name: "Subscription") { fields { name } } }',
  )
  assert.doesNotMatch(JSON.stringify(data), /_version|Revenue"|revenueChanged|Market"/)
  const openapi = (await rest('GET', '/openapi.json')).body
  assert.equal('post' in openapi.paths['/revenues'], false)
  assert.doesNotMatch(JSON.stringify(openapi.components.schemas.Revenue), /_version/)
})

test('a renamed type and field keep their rows under the new and the former names', async (t) => {
  const { reopen, rest, fill } = await open(t, types + views)
  await fill()
  const renamed = (types + views)
    .replace('type Order @allow {', 'type Purchase @allow @was(name: "Order") {')
    .replace('total: Decimal!', 'sum: Decimal! @was(name: "total")')
    .replaceAll('"Order"', '"Purchase"')
    .replace('@was(name: "Purchase")', '@was(name: "Order")')
  await reopen(renamed)
  assert.equal((await rest('GET', '/revenues')).body[0].total, '9.6')
  await reopen(renamed.replaceAll('sum(total)', 'sum(sum)'))
  assert.equal((await rest('GET', '/revenues')).body[0].total, '9.6')
})

const wrong: [name: string, sqlite: string, postgres: string, expected: RegExp][] = [
  [
    'an unknown table',
    'SELECT 1 AS n FROM Ordr',
    'SELECT 1 AS n FROM "Ordr"',
    /schema\.graphql:\d+:\d+ V: the database refuses its SELECT: .*Ordr/,
  ],
  [
    'a missing column',
    'SELECT 1 AS total',
    'SELECT 1 AS total',
    /V: its SELECT returns no column n\. It returns total\. Write: SELECT … AS "n"\./,
  ],
  ['a stored name', 'SELECT _version AS n FROM "Order"', 'SELECT _version AS n FROM "Order"', /_version/],
]

for (const [name, sqlite, postgres, expected] of wrong) {
  test(`the start refuses a view with ${name}`, async (t) => {
    const sdl = `${types} type V @allow @view(key: ["n"], sqlite: ${JSON.stringify(sqlite)}, postgres: ${JSON.stringify(postgres)}) { n: Int! }`
    await assert.rejects(open(t, sdl), { message: expected })
  })
}

test('a view for the other database only is a mistake here', async (t) => {
  const other = testedStore === 'sqlite' ? 'postgres' : 'sqlite'
  const sdl = `${types} type V @allow @view(key: ["n"], ${other}: "SELECT 1 AS n") { n: Int! }`
  await assert.rejects(open(t, sdl), { message: /V: it has no SELECT for this database\. Write: @view/ })
})

test('a function that the SELECT calls can not write', {
  skip: testedStore === 'sqlite' && 'SQLite has no function that writes',
}, async (t) => {
  const next = `SELECT CAST(nextval(pg_get_serial_sequence('"Order"', '_n')) AS int) AS n`
  const sdl = `${types} type V @allow @view(key: ["n"], postgres: ${JSON.stringify(next)}) { n: Int! }`
  const { rest } = await open(t, sdl)
  assert.ok((await rest('GET', '/vs')).status >= 500)
  assert.equal((await rest('GET', '/orders')).status, 200)
})

async function open(t: TestContext, sdl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-views-'))
  const schemaFile = join(folder, 'schema.graphql')
  const { place, drop } = await makeTestPlace(join(folder, 'data'))
  const log = { info() {}, warn() {}, error() {} }
  let service: Service | null = null
  t.after(async () => {
    await service?.close()
    await drop()
    rmSync(folder, { recursive: true })
  })
  async function reopen(text: string): Promise<void> {
    await service?.close()
    service = null
    writeFileSync(schemaFile, text)
    service = await openService({ schemaFile, ...place, limits: defaultLimits, log })
  }
  await reopen(sdl)
  async function rest(method: string, at: string, more: Record<string, string> = {}, value?: unknown) {
    const body = value === undefined ? '' : JSON.stringify(value)
    const headers = { 'content-type': 'application/json', ...more }
    const reply = await service!.handle(plainRequest(method, at, { headers, body, address: '192.0.2.1' }))
    return {
      status: reply.status,
      headers: reply.headers,
      body: reply.body === null ? null : JSON.parse(String(reply.body)),
    }
  }
  const graphql = async (query: string) => (await rest('POST', '/graphql', {}, { query })).body
  async function fill(): Promise<{ ann: string }> {
    const create = async (at: string, row: object) => (await rest('POST', at, {}, row)).body.id as string
    const ann = await create('/customers', { name: 'Ann', country: 'NO' })
    await create('/customers', { name: 'Bo', country: 'SE' })
    for (const [total, day, status] of [
      ['9.50', '01-02', 'PAID'],
      ['0.1', '01-03', 'PAID'],
      ['100', '02-03', 'OPEN'],
      ['-3', '03-03', 'OPEN'],
    ])
      await create('/orders', { customer: ann, total, status, paidAt: `2026-${day}T00:00:00.000Z` })
    return { ann }
  }
  return { rest, graphql, fill, reopen }
}
