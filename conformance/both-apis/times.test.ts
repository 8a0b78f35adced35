// The scalar `Time`: a time of day without a time zone, through both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bodyText } from '../../packages/twain/src/base/http/index.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Shop {
    id: ID! name: String! @unique opens: Time! @constraint(min: "06:00:00", max: "12:00:00") closes: Time @default(value: "17:30:00.0")
    breaks: [Time!] hours: Hours fee: Decimal @default(value: 12.50)
  }
  type Hours { from: Time! to: Time @constraint(max: "23:00:00") }
`

let apis: TestApis

before(async () => {
  apis = await openApis(sdl)
  const shops = [
    { name: 'early', opens: '06:00:00', closes: '12:00:00.5', breaks: ['09:15:00'], hours: { from: '06:00:00' } },
    { name: 'late', opens: '10:00:00.001', hours: { from: '10:00:00', to: '22:00:00' } },
    { name: 'usual', opens: '10:00:00.000', closes: null, breaks: [] },
  ]
  for (const shop of shops) assert.equal((await apis.rest('PUT', `/shops/${shop.name}`, shop)).status, 201)
})
after(() => apis.close())

test('a Time is stored and returned in canonical form, by its default too', async () => {
  const shop = await restBody(apis, 'GET', '/shops/early?fields=opens,closes,breaks,hours')
  assert.deepEqual(shop, {
    opens: '06:00:00',
    closes: '12:00:00.500',
    breaks: ['09:15:00'],
    hours: { from: '06:00:00', to: null },
  })
  const { shops } = await graphqlData(apis, '{ shops(orderBy: [{opens: ASC}]) { name opens closes } }')
  assert.deepEqual(shops, [
    { name: 'early', opens: '06:00:00', closes: '12:00:00.500' },
    { name: 'usual', opens: '10:00:00', closes: null },
    { name: 'late', opens: '10:00:00.001', closes: '17:30:00' },
  ])
})

test('filters and pages compare times of day, inside values and lists too', async () => {
  const cases: [query: string, where: string, names: string[]][] = [
    ['opens=10:00:00', '{opens: {eq: "10:00:00.0"}}', ['usual']],
    ['opens[gt]=10:00:00', '{opens: {gt: "10:00:00"}}', ['late']],
    ['opens[in]=06:00:00,10:00:00.001', '{opens: {in: ["06:00:00", "10:00:00.001"]}}', ['early', 'late']],
    ['hours.from[gte]=07:00:00', '{hours: {from: {gte: "07:00:00"}}}', ['late']],
    ['breaks[contains]=09:15:00', '{breaks: {contains: "09:15:00"}}', ['early']],
    ['closes[isNull]=true', '{closes: {isNull: true}}', ['usual']],
  ]
  for (const [query, where, names] of cases) {
    const rows = (await restBody(apis, 'GET', `/shops?${query}&sort=name&fields=name`)) as { name: string }[]
    assert.deepEqual(
      rows.map(({ name }) => name),
      names,
      query,
    )
    const { shops } = await graphqlData(apis, `{ shops(where: ${where}, orderBy: [{name: ASC}]) { name } }`)
    assert.deepEqual(
      shops,
      names.map((name) => ({ name })),
      where,
    )
  }
  const walked: string[] = []
  let after: string | null = null
  do {
    const page = `shopsConnection(first: 1, after: ${JSON.stringify(after)}, orderBy: [{closes: DESC}])`
    const { shopsConnection } = (await graphqlData(
      apis,
      `{ ${page} { edges { cursor node { name } } pageInfo { hasNextPage } } }`,
    )) as {
      shopsConnection: { edges: { cursor: string; node: { name: string } }[]; pageInfo: { hasNextPage: boolean } }
    }
    walked.push(...shopsConnection.edges.map(({ node }) => node.name))
    after = shopsConnection.pageInfo.hasNextPage ? shopsConnection.edges[0]!.cursor : null
  } while (after !== null)
  assert.deepEqual(walked, ['late', 'early', 'usual'])
})

test('a text that is no time of day, and a time beyond its constraint, are refused at their place', async () => {
  const refused = async (body: unknown) => {
    const { status, body: problem } = await apis.rest('POST', '/shops', body)
    const { errors } = problem as { errors: { path: string; code: string }[] }
    return [status, ...errors.map(({ path, code }) => `${path} ${code}`)]
  }
  assert.deepEqual(await refused({ name: 'x', opens: '10:00' }), [400, 'opens TYPE'])
  assert.deepEqual(await refused({ name: 'x', opens: '10:00:00Z' }), [400, 'opens TYPE'])
  assert.deepEqual(await refused({ name: 'x', opens: '05:59:59.999' }), [400, 'opens RANGE'])
  assert.deepEqual(await refused({ name: 'x', opens: '07:00:00', hours: { from: '07:00:00', to: '23:00:00.001' } }), [
    400,
    'hours.to RANGE',
  ])
  const wrong = await apis.graphql('{ shops(where: {opens: {eq: "25:00:00"}}) { id } }')
  assert.match(
    wrong.errors[0]!.message,
    /Time cannot represent "25:00:00": it must be a time of day such as "09:30:00"/,
  )
  const beyond = await apis.graphql(
    'mutation ($opens: Time!) { createShop(input: {name: "x", opens: $opens}) { id } }',
    { opens: '12:00:01' },
  )
  assert.match(beyond.errors[0]!.extensions!.errors![0]!.message, /must be at most 12:00:00\./)
})

test('XML and CSV have the same text', async () => {
  const get = async (accept: string) =>
    bodyText(await apis.send('rest', { method: 'GET', path: '/shops/early?fields=opens,closes', headers: { accept } }))
  assert.match(await get('application/xml'), /<opens>06:00:00<\/opens><closes>12:00:00\.500<\/closes>/)
  const list = { method: 'GET', path: '/shops?fields=name,opens&sort=name', headers: { accept: 'text/csv' } }
  assert.match(await bodyText(await apis.send('rest', list)), /early,06:00:00\r?\nlate,10:00:00\.001/)
  const sent = await apis.send('rest', {
    method: 'PUT',
    path: '/shops/xml',
    headers: { 'content-type': 'application/xml' },
    body: '<shop><name>xml</name><opens> 08:00:00.25 </opens></shop>',
  })
  assert.equal(sent.status, 201)
  assert.deepEqual(await restBody(apis, 'GET', '/shops/xml?fields=opens'), { opens: '08:00:00.250' })
  assert.equal((await apis.rest('DELETE', '/shops/xml')).status, 204)
})

test('the schema of both APIs describes the scalar', async () => {
  const { __type } = await graphqlData(apis, '{ __type(name: "Time") { kind specifiedByURL } }')
  assert.deepEqual(__type, { kind: 'SCALAR', specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339' })
  const document = (await restBody(apis, 'GET', '/openapi.json')) as {
    components: { schemas: Record<string, { properties: Record<string, { format?: string; description?: string }> }> }
  }
  const { opens } = document.components.schemas['Shop.create']!.properties
  assert.equal(opens!.format, 'time-local')
  assert.match(opens!.description!, /From 06:00:00 to 12:00:00\./)
})

test('the default of an exact number is stored in canonical form, so that filters find it', async () => {
  const found = (await restBody(apis, 'GET', '/shops?fee=12.5&fields=fee&sort=name')) as { fee: string }[]
  assert.deepEqual(
    found,
    Array.from({ length: 3 }, () => ({ fee: '12.5' })),
  )
})
