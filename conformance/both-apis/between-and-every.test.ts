// The operator `between`, and `every` on lists: mistakes, later requests of the same shape, rules of the schema file
// (docs/reference/graphql.md#filters). What they find is compared with the oracle in random-requests.test.ts.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Order @allow { id: ID! number: Int! @unique lines: [Line!]! }
  type Line @allow { id: ID! order: Order! price: Decimal count: Int }
  type Offer @allow(to: [CREATE]) @allow(to: [READ], where: {price: {between: [10, 20]}}) { id: ID! price: Int }
  type Shelf @allow(to: [CREATE]) @allow(to: [READ], where: {books: {every: {open: {eq: true}}}}) { id: ID! name: String! books: [Book!]! }
  type Book @allow { id: ID! shelf: Shelf! open: Boolean! }
  type Box @allow { id: ID! name: String! things: [Thing!]! @allow(where: {name: {ne: "shut"}}) }
  type Thing @allow { id: ID! box: Box! }
`

let apis: TestApis
before(async () => {
  apis = await openApis(sdl)
  for (const [number, prices] of [
    [1, ['1.50', '2.50']],
    [2, ['2.50', null]],
    [3, []],
  ] as [number, (string | null)[]][]) {
    await restBody(apis, 'POST', '/orders', {
      number,
      lines: prices.map((price, count) => ({ price, count })),
    })
  }
})
after(() => apis.close())

const byRest = async (query: string) =>
  ((await restBody(apis, 'GET', query)) as { number: number }[]).map(({ number }) => number).join()
const ordersQuery = 'query ($w: OrderWhere) { orders(where: $w, orderBy: [{number: ASC}]) { number } }'
const byGraphql = async (where: object) => {
  const { orders } = (await graphqlData(apis, ordersQuery, { w: where })) as { orders: { number: number }[] }
  return orders.map(({ number }) => number).join()
}

async function find(where: object): Promise<string> {
  const found = await byGraphql(where)
  assert.equal(await byRest(`/orders?sort=number&where=${encodeURIComponent(JSON.stringify(where))}`), found)
  return found
}

test('both ends of between belong to it, and requests that differ in values share a plan', async () => {
  for (const [range, expected] of [
    [[1, 2], '1,2'],
    [[2, 3], '2,3'],
    [[3, 1], ''],
    [[2, 2], '2'],
  ] as const) {
    assert.equal(await find({ number: { between: range } }), expected)
    assert.equal(await byRest(`/orders?sort=number&number[between]=${range}`), expected)
  }
  assert.equal(await find({ not: { number: { between: [1, 2] } } }), '3')
})

test('every: all rows of the list match, and an empty list has none that does not', async () => {
  assert.equal(await find({ lines: { every: { price: { between: ['1.5', '2.5'] } } } }), '1,3')
  assert.equal(await find({ lines: { every: { price: { ne: '1.5' } } } }), '2,3')
  assert.equal(await find({ lines: { every: {} } }), '1,2,3')
  assert.equal(await find({ not: { lines: { every: { price: { isNull: false } } } } }), '2')
  assert.equal(await find({ lines: { every: { count: { lt: 5 } }, some: {} } }), '1,2')
})

test('every: a row whose list the viewer may not read matches no filter on it', async () => {
  for (const name of ['shut', 'full', 'empty'])
    await restBody(apis, 'POST', '/boxes', { name, ...(name === 'full' && { things: [{}] }) })
  for (const [things, expected] of [
    [{ every: {} }, 'empty,full'],
    [{ every: { id: { ne: 'x' } } }, 'empty,full'],
    [{ none: {} }, 'empty'],
  ] as const) {
    const { boxes } = (await graphqlData(
      apis,
      'query ($w: BoxWhere) { boxes(where: $w, orderBy: [{name: ASC}]) { name } }',
      {
        w: { things },
      },
    )) as { boxes: { name: string }[] }
    const rest = await restBody(apis, 'GET', `/boxes?sort=name&where=${encodeURIComponent(JSON.stringify({ things }))}`)
    const names = (rows: unknown) => (rows as { name: string }[]).map(({ name }) => name).join()
    assert.deepEqual([names(boxes), names(rest)], [expected, expected])
  }
})

test('between takes two values, also in a later request of the same shape', async () => {
  for (const range of [[1, 2], [1], [1, 2, 3], [], 'x', [1, null], ['a', 2]]) {
    const where = { number: { between: range } }
    const rest = await apis.rest('GET', `/orders?where=${encodeURIComponent(JSON.stringify(where))}`)
    const { errors } = await apis.graphql(ordersQuery, { w: where })
    const isRight = JSON.stringify(range) === '[1,2]'
    assert.deepEqual([rest.status, errors.length === 0], isRight ? [200, true] : [400, false], JSON.stringify(range))
  }
  const { status, body } = await apis.rest('GET', '/orders?number[between]=1')
  const { errors } = body as { errors: object[] }
  const message = 'must list two values: the least and the greatest.'
  assert.deepEqual([status, errors], [400, [{ path: 'number[between]', code: 'TYPE', message }]])
})

test('rules of the schema file have both', async () => {
  for (const price of [9, 10, 20, 21]) await restBody(apis, 'POST', '/offers', { price })
  assert.deepEqual(await restBody(apis, 'GET', '/offers?fields=price&sort=price'), [{ price: 10 }, { price: 20 }])
  for (const [name, books] of Object.entries({ a: [true, true], b: [true, false], c: [] })) {
    await apis.rest('POST', '/shelves', { name, books: books.map((open) => ({ open })) })
  }
  assert.deepEqual(await restBody(apis, 'GET', '/shelves?fields=name&sort=name'), [{ name: 'a' }, { name: 'c' }])
})
