// A Float is spelled as ECMAScript spells it, byte for byte the same on both stores: in every representation, in entity tags
// and cursors. (conformance/cli/copy.test.ts compares events.)
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { system } from '../../packages/twain/src/base/http/index.ts'
import { propertyRuns } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { type PairAnswer, type PairRequest, StorePair } from './store-pair.ts'

const sdl =
  'type Sample @allow { id: ID!, x: Float @index, xs: [Float!], at: Point, any: JSON } type Point { x: Float }'

const hard = [
  ...[0, -0, 1, 4.0, -4, 0.1, 0.1 + 0.2, 0.1 + 0.7, 1 / 3, 2 / 3, -405633.987696989, 0.000986],
  ...[
    1e-3, 1e-4, 0.00012345, 1e-5, 1.5e-5, 1e-6, 1.25e-6, 9.9e-7, 1e-7, 2.5e-7, 1e-10, 5e-324, 2.2250738585072014e-308,
  ],
  ...[1e7, 1e15, 1e15 + 0.5, 123456789012345.67, 1e16, 2 ** 53, 2 ** 53 - 1, 2 ** 63, 1e20, 1e21, 1e22, 1.5e21, 1e300],
  ...[123456789012345680000, 1234567890123456800, 1.7976931348623157e308, 71113149.896374, -173606004000000000000],
]

/** Random bits, and numbers as people write them. */
const anyFloat = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.tuple(fc.integer(), fc.integer({ min: 0, max: 12 })).map(([digits, decimals]) => digits / 10 ** decimals),
  fc.tuple(fc.integer(), fc.integer({ min: 0, max: 20 })).map(([digits, zeros]) => digits * 10 ** zeros),
)

test('both stores spell every Float as ECMAScript does', async (t) => {
  const pair = await StorePair.open({ name: 'floats', sdl, rows: [] })
  t.after(() => pair.close())
  const numbers = [...hard, ...fc.sample(anyFloat, { numRuns: propertyRuns(120, 5000), seed: propertySeed })]
  const rows = numbers.map((x, index) => ({ id: `r${index}`, x, xs: [x, -x], at: { x }, any: { x: [x] } }))
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
    const call: PairRequest = { api: 'rest', method, path, headers: { 'content-type': 'application/json', ...headers } }
    const answer = await pair.ask(body === undefined ? call : { ...call, body: JSON.stringify(body) }, system)
    assert.ok(answer.status < 300, answer.text)
    return answer
  }
  for (const { id, ...row } of rows) {
    const { text, headers } = await ask('PUT', `/samples/${id}`, {}, { id, ...row })
    assert.equal(text, JSON.stringify({ id, ...row }))
    assert.ok(headers.ETag ?? headers.etag, 'it has an entity tag')
  }

  for (const accept of ['application/json', 'application/xml', 'text/csv', 'application/x-ndjson']) {
    await walk((after) => ask('GET', `/samples?sort=x&limit=100${after}`, { accept }))
  }
  const graphql = {
    api: 'graphql',
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json' },
  } as const
  const query =
    '{ samples(first: 100, orderBy: [{ x: ASC }]) { edges { cursor node { x xs at { x } any } } pageInfo { endCursor } } }'
  await pair.ask({ ...graphql, body: JSON.stringify({ query }) }, system)
})

/** Reads all pages by their links. */
async function walk(read: (after: string) => Promise<PairAnswer>): Promise<void> {
  for (let after = ''; ; ) {
    const { headers } = await read(after)
    const next = /[?&](after=[^&>]+)[^>]*>; rel="next"/.exec(String(headers.Link ?? headers.link ?? ''))
    if (next === null) return
    after = `&${next[1]}`
  }
}
