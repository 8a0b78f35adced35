// What the store must read for an aggregate is part of its cost, the same on both APIs; the refusal names the index that would help.
// stores: sqlite (a cost does not depend on the store)

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { bodyText } from '../../packages/twain/src/base/http/index.ts'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Customer { id: ID! name: String! email: String! @unique country: String! orders: [Order!]! }
  type Order implements Paper {
    id: ID!
    customer: Customer
    status: String! @index(with: ["total"])
    country: String!
    total: Int!
    placedAt: DateTime @index
    note: String @search
  }
  type Bill implements Paper { id: ID! status: String! }
  interface Paper { id: ID! status: String! }
  type Revenue @view(sqlite: "SELECT country, total FROM \\"Order\\"", postgres: "SELECT country, total FROM \\"Order\\"", key: ["country"]) {
    country: String!
    total: Int!
  }
`

const [indexed, all] = [10, 50]
const time = '2026-01-01T00:00:00Z'

/** A filter as it stands in REST and in GraphQL, and what the count of its rows costs beside the fields. */
const filters: [rest: string, where: string, scan: number][] = [
  ['', '', all],
  ['status=OPEN', 'status: {eq: "OPEN"}', indexed],
  ['status[in]=OPEN,PAID', 'status: {in: ["OPEN", "PAID"]}', indexed],
  ['status[gt]=A', 'status: {gt: "A"}', indexed],
  ['status[contains]=A', 'status: {contains: "A"}', all],
  ['status[ne]=A', 'status: {ne: "A"}', all],
  ['country=NO', 'country: {eq: "NO"}', all],
  ['total=5', 'total: {eq: 5}', all], // the second field of its index
  ['total=5&status=OPEN', 'total: {eq: 5}, status: {eq: "OPEN"}', indexed],
  ['id=o1', 'id: {eq: "o1"}', indexed],
  ['customer=c1', 'customer: {id: {eq: "c1"}}', indexed],
  ['customer.email=a@b', 'customer: {email: {eq: "a@b"}}', indexed],
  ['customer.country=NO', 'customer: {country: {eq: "NO"}}', all],
  [`placedAt[gte]=${time}`, `placedAt: {gte: "${time}"}`, indexed],
]

/** Keys of groups, and what the groups cost beside their fields. */
const keys: [rest: string, by: string, scan: number][] = [
  ['status', '{status: VALUE}', indexed],
  ['status,total', '{status: VALUE}, {total: VALUE}', indexed],
  ['total', '{total: VALUE}', all],
  ['customer.id', '{customer: {id: VALUE}}', indexed],
  ['customer.country', '{customer: {country: VALUE}}', all],
  ['placedAt', '{placedAt: VALUE}', indexed],
  ['placedAt(month)', '{placedAt: MONTH}', all],
]

describe('an aggregate costs what the store must read', () => {
  const opened: TestApis[] = []
  let open: TestApis // refuses nothing: a document can ask what it costs
  let apis: TestApis // refuses each aggregate of all rows
  let closed: TestApis // refuses everything: in REST only a refusal shows the cost
  before(async () => {
    for (const cost of [1000, 40, 1]) opened.push(await openApis(sdl, { cost }))
    ;[open, apis, closed] = opened as [TestApis, TestApis, TestApis]
  })
  after(() => Promise.all(opened.map((one) => one.close())))

  for (const [rest, where, scan] of filters) {
    test(`the count of ${rest === '' ? 'all' : rest}: ${scan}`, async () => {
      const args = where === '' ? '' : `(where: {${where}})`
      assert.equal((await restRefusal(`/orders?groupBy=&fields=_count&${rest}`)).cost, 3 + scan)
      assert.equal(await graphqlCost(`{ ordersAggregate${args} { count } }`), 3 + scan)
    })
  }

  for (const [rest, by, scan] of keys) {
    test(`groups by ${rest}: ${scan}`, async () => {
      assert.equal((await restRefusal(`/orders?groupBy=${rest}&fields=_count&limit=1`)).cost, 3 + scan)
      assert.equal(await graphqlCost(`{ ordersGroupBy(by: [${by}], limit: 1) { count } }`), 3 + scan)
    })
  }

  test('distinct rows cost the same, with and without an index', async () => {
    for (const [field, scan] of [
      ['status', indexed],
      ['country', all],
      ['customer', indexed],
    ] as const) {
      assert.equal((await restRefusal(`/orders?distinct=${field}&fields=id&limit=1`)).cost, 3 + scan)
      assert.equal(await graphqlCost(`{ orders(distinct: [${field}], limit: 1) { id } }`), 3 + scan)
    }
  })

  test('the word search has an index; a view and an interface have none of their own', async () => {
    assert.equal(await graphqlCost('{ ordersAggregate(search: "milk") { count } }'), 3 + indexed)
    assert.equal((await restRefusal('/orders?groupBy=&fields=_count&search=milk')).cost, 3 + indexed)
    assert.equal(await graphqlCost('{ revenuesGroupBy(by: [{country: VALUE}], limit: 1) { count } }'), 3 + all)
    assert.equal((await restRefusal('/papers?groupBy=status&fields=_count&limit=1')).cost, 3 + all) // no index of bills
  })

  test('the list of a row has the index of its reference', async () => {
    const cost = await graphqlCost('{ customer(id: "c1") { ordersAggregate(where: {country: {eq: "NO"}}) { count } } }')
    assert.equal(cost, 2 + 3 + indexed)
    assert.equal((await restRefusal('/customers/c1/orders?groupBy=&fields=_count&country=NO')).cost, cost)
    const nested = '{ customer(id: "c1") { orders(distinct: [country], limit: 1) { id } } }'
    assert.equal(await graphqlCost(nested), 2 + 3 + indexed)
  })

  test('the hint names the index that would help', async () => {
    const hints: [rest: string, graphql: string, hint: string][] = [
      [
        'groupBy=country&fields=_count&limit=1',
        'ordersGroupBy(by: [{country: VALUE}], limit: 1)',
        'With an index it costs 10: @index on Order.country.',
      ],
      [
        'groupBy=&fields=_count&country=NO&total[gte]=5',
        'ordersAggregate(where: {country: {eq: "NO"}, total: {gte: 5}})',
        'With an index it costs 10: @index(with: ["total"]) on Order.country.',
      ],
      ['groupBy=&fields=_count', 'ordersAggregate', 'With a filter by a field that has an index, it costs 10.'],
    ]
    for (const [rest, graphql, expected] of hints) {
      const hint = `This aggregate of orders reads all rows and costs 50. ${expected} `
      const refusals = [await restRefusal(`/orders?${rest}`), await graphqlRefusal(`{ ${graphql} { count } }`)]
      for (const refusal of refusals) assert.equal(refusal.hint.slice(0, hint.length), hint)
    }
    const view = await restRefusal('/revenues?groupBy=&fields=_count')
    assert.match(view.hint, /^This aggregate of revenues reads all rows and costs 50, like each aggregate of a view\. /)
    assert.doesNotMatch((await restRefusal('/orders?groupBy=status&fields=_count')).hint, /index/)
  })

  test('the root fields of a document add up, and the error is at the most expensive one', async () => {
    const two = '{ a: ordersAggregate(where: {status: {eq: "A"}}) { count } b: ordersAggregate { count } }'
    assert.equal(await graphqlCost(two), 3 + indexed + 3 + all)
    const { errors } = await apis.graphql(two)
    assert.equal(errors[0]?.extensions?.errors?.[0]?.path, 'b')
  })

  interface Refusal {
    cost: number
    hint: string
  }

  async function restRefusal(path: string): Promise<Refusal> {
    const { status, body } = await closed.rest('GET', path)
    const { code, detail, hint } = body as { code: string; detail: string; hint: string }
    assert.deepEqual([status, code], [400, 'QUERY_TOO_COSTLY'], JSON.stringify(body))
    return { cost: figure(detail), hint }
  }

  async function graphqlCost(query: string): Promise<number> {
    const body = JSON.stringify({ query, extensions: { cost: true } })
    const headers = { 'content-type': 'application/json' }
    const reply = await open.send('graphql', { method: 'POST', path: '/graphql', headers, body })
    const { errors, extensions } = JSON.parse(await bodyText(reply))
    assert.equal(errors, undefined)
    const { cost } = extensions.cost as { cost: number }
    if (cost > 40) assert.equal((await graphqlRefusal(query)).cost, cost)
    return cost
  }

  async function graphqlRefusal(query: string): Promise<Refusal> {
    const { errors } = await apis.graphql(query)
    const [error] = errors
    assert.equal(error?.extensions?.code, 'QUERY_TOO_COSTLY', JSON.stringify(errors))
    return { cost: figure(error!.message), hint: String(error!.extensions!.hint) }
  }
})

function figure(message: string): number {
  return Number(/The query costs (\d+); at most \d+ is allowed/.exec(message)?.[1])
}
