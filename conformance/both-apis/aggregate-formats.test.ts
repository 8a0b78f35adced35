// Groups of rows as pages with links, and as CSV, NDJSON and XML (docs/reference/rest.md#aggregates).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { ApiDocument, type Schema } from '../fuzz/openapi-document.ts'
import { xmlProblem } from '../fuzz/xml.ts'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

let apis: TestApis
before(async () => {
  apis = await openApis(
    'type Sale @allow { id: ID! city: String price: Decimal! at: DateTime! shop: Shop } type Shop @allow { id: ID! name: String! sales: [Sale!]! }',
  )
  const { id: shop } = (await restBody(apis, 'POST', '/shops', { name: 'A, B' })) as { id: string }
  for (const [city, price, at] of [
    ['Oslo', '1.50', '2026-01-01T10:00:00Z'],
    ['Oslo', '2.50', '2026-02-01T10:00:00Z'],
    ['Bergen', '3', '2026-02-02T10:00:00Z'],
    [null, '4', '2026-02-03T10:00:00Z'],
  ])
    await restBody(apis, 'POST', '/sales', { city, price, at, shop })
})
after(() => apis.close())

async function get(query: string, headers: Record<string, string> = {}) {
  const reply = await apis.send('rest', { method: 'GET', path: `/sales?${query}`, headers })
  const text = typeof reply.body === 'string' || reply.body === null ? reply.body : await readAll(reply.body)
  return { ...reply, text: text ?? '' }
}

async function readAll(body: unknown): Promise<string> {
  let text = ''
  for await (const part of body as AsyncIterable<string | Uint8Array>)
    text += typeof part === 'string' ? part : Buffer.from(part).toString()
  return text
}

test('links to other pages, and the number of groups', async () => {
  const page = await get('groupBy=city&fields=city&limit=1&offset=1', { prefer: 'count=exact' })
  assert.equal(page.text, '[{"key":{"city":"Oslo"}}]')
  assert.equal(page.headers['x-total-count'], '3')
  assert.equal(
    page.headers.link,
    '</sales?groupBy=city&fields=city&offset=0&limit=1>; rel="first", </sales?groupBy=city&fields=city&offset=0&limit=1>; rel="prev", </sales?groupBy=city&fields=city&offset=2&limit=1>; rel="next"',
  )
  const behind = await get('groupBy=city&limit=5&offset=90', { prefer: 'count=exact' })
  assert.deepEqual([behind.text, behind.headers['x-total-count']], ['[]', '3'])
  const last = await get('groupBy=city&limit=2&offset=2')
  assert.doesNotMatch(String(last.headers.link), /next/)
})

test('a second request with the ETag gets 304', async () => {
  const first = await get('groupBy=city')
  const again = await get('groupBy=city', { 'if-none-match': String(first.headers.etag) })
  assert.equal(again.status, 304)
})

test('CSV and NDJSON have all groups, and one line for all rows in one', async () => {
  const query = 'groupBy=city,at(month),shop.name&fields=city,at,shop.name,_count,_sum.price'
  const csv = await get(query, { accept: 'text/csv' })
  assert.equal(
    csv.text,
    'city,at,shop.name,_count,_sum.price\r\nBergen,2026-02-01,"A, B",1,3\r\nOslo,2026-01-01,"A, B",1,1.5\r\nOslo,2026-02-01,"A, B",1,2.5\r\n,2026-02-01,"A, B",1,4\r\n',
  )
  const lines = await get('groupBy=city&sort=-_count&limit=2', { accept: 'application/x-ndjson' })
  assert.equal(lines.text, '{"key":{"city":"Oslo"},"count":2}\n{"key":{"city":"Bergen"},"count":1}\n')
  assert.equal(
    (await get('groupBy=&fields=_count,_max.price', { accept: 'text/csv' })).text,
    '_count,_max.price\r\n4,4\r\n',
  )
})

test('XML has an element for each group', async () => {
  const { text } = await get('groupBy=city&fields=city,_count,_sum.price&sort=-city', { accept: 'application/xml' })
  const group = (inner: string) => `<saleGroup><key>${inner}</saleGroup>`
  assert.ok(
    text.endsWith(
      `<saleGroups>${[
        group('<city>Oslo</city></key><count>2</count><sum><price>4</price></sum>'),
        group('<city>Bergen</city></key><count>1</count><sum><price>3</price></sum>'),
        group('<city nil="true"/></key><count>1</count><sum><price>4</price></sum>'),
      ].join('')}</saleGroups>\n`,
    ),
    text,
  )
  const one = await get('groupBy=', { accept: 'application/xml' })
  assert.match(one.text, /<saleAggregate><count>4<\/count><\/saleAggregate>/)
})

test('the OpenAPI document describes groups: as JSON, XML and NDJSON', async () => {
  const document = new ApiDocument((await restBody(apis, 'GET', '/openapi.json?profile=full')) as object)
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  formats.default(ajv)
  ajv.addFormat('int32', true)
  ajv.addSchema(document.json, 'document')
  const place = (type: string) => `#/paths/~1sales/get/responses/200/content/${type.replace('/', '~1')}/schema`
  const fits = (at: string, value: unknown) => {
    const check = ajv.compile({ $ref: `document${at}` })
    assert.ok(check(value), ajv.errorsText(check.errors))
  }
  const measures = '_count,_countDistinct.shop,_sum.price,_avg.price,_min.at,_max.price'
  for (const query of [
    `groupBy=city,at(month),shop.name&fields=city,at,shop.name,${measures}`,
    `groupBy=&fields=${measures}`,
  ]) {
    fits(place('application/json'), JSON.parse((await get(query)).text))
    const lines = (await get(query, { accept: 'application/x-ndjson' })).text.trim().split('\n')
    for (const line of lines) fits(`${place('application/x-ndjson')}/x-itemSchema`, JSON.parse(line))
    const { text } = await get(query, { accept: 'application/xml' })
    assert.equal(xmlProblem(text, document.at(place('application/xml')) as Schema, document), null)
  }
  const check = ajv.compile({ $ref: `document${place('application/json')}` })
  for (const wrong of [[{ key: { town: 'Oslo' } }], { count: '1' }, { sum: { city: '1' } }])
    assert.equal(check(wrong), false, JSON.stringify(wrong))
})

test('groups of a nested collection, with its filters, links and formats', async () => {
  const [shop] = (await restBody(apis, 'GET', '/shops')) as { id: string }[]
  const path = `/shops/${shop!.id}/sales?groupBy=city&price[gt]=2&sort=-_sum.price&limit=1`
  const page = await apis.send('rest', { method: 'GET', path, headers: {} })
  assert.equal(page.body, '[{"key":{"city":null},"count":1}]')
  assert.match(
    String(page.headers.link),
    new RegExp(`^</shops/${shop!.id}/sales\\?groupBy=city.*offset=1&limit=1>; rel="next"`),
  )
  const csv = await apis.send('rest', { method: 'GET', path, headers: { accept: 'text/csv' } })
  assert.equal(await readAll(csv.body), 'city,_count\r\n,1\r\n')
  const none = await apis.rest('GET', '/shops/none/sales?groupBy=city')
  assert.equal(none.status, 404)
})
