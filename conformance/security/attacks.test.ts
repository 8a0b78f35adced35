// Attacks that once succeeded: each is refused or answered, quickly and never with a 500.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startCpuTimer } from '../../packages/twain/src/base/cpu-time.fixture.ts'
import { writeCursor } from '../../packages/twain/src/plan/build/index.ts'
import { openApis, type RawRequest, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Post { id: ID! title: String! rank: Int body: String author: User tags: [Tag!] words: [Int!] }
  type User { id: ID! name: String! posts: [Post!]! }
  type Tag { id: ID! name: String! posts: [Post!] }
`

describe('attacks', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl)
    for (const rank of [1, 2, null]) await apis.rest('POST', '/posts', { title: `t${rank}`, rank })
  })
  after(() => apis.close())

  test('a forged cursor is a 400 or a page, on both APIs, whatever plans are cached', async () => {
    const forged = [
      '',
      '{',
      '5',
      'null',
      '{"length":2}',
      '[]',
      '[null,null]',
      '[1,null]',
      '[[1],"x"]',
      '["x","y"]',
      '[1]',
    ]
    const fine = ['[null,"x"]', '[1,"x"]', '[2147483647,""]']
    for (const keys of [...fine, ...forged, ...fine]) {
      const cursor = writeCursor('Post(rank ASC,id ASC)', keys)
      const rest = await apis.rest('GET', `/posts?first=2&sort=rank&after=${encodeURIComponent(cursor)}`)
      const query = 'query ($c: String) { postsConnection(first: 2, orderBy: {rank: ASC}, after: $c) { totalCount } }'
      const { errors } = await apis.graphql(query, { c: cursor })
      const expected = fine.includes(keys) ? 200 : 400
      assert.equal(rest.status, expected, keys)
      assert.equal(errors[0]?.extensions?.code, expected === 200 ? undefined : 'VALIDATION_FAILED', keys)
    }
  })

  test('a list that is sorted by long texts can be read to its end', async () => {
    const long = 'z'.repeat(150_000)
    for (const end of ['1', '2']) await apis.rest('POST', '/posts', { title: `${long}${end}` })
    const query =
      'query ($c: String) { postsConnection(first: 1, orderBy: {title: ASC}, after: $c) { pageInfo { hasNextPage endCursor } } }'
    let walked = 0
    for (let after: string | null = null, more = true; more && walked < 9; walked++) {
      const { data } = await apis.graphql(query, { c: after })
      const { pageInfo } = data!.postsConnection as { pageInfo: { hasNextPage: boolean; endCursor: string } }
      after = pageInfo.endCursor
      more = pageInfo.hasNextPage
    }
    assert.equal(walked, 5)
    const { headers } = await apis.rest('GET', '/posts?first=4&sort=title')
    assert.equal(headers.link, undefined)
  })

  for (const [name, request] of Object.entries(wrongInMillions())) {
    test(`${name}: the answer is short and quick`, async () => {
      const cost = startCpuTimer()
      const { status, body } = await apis.send(request.path === '/graphql' ? 'graphql' : 'rest', request)
      assert.ok(cost() < 1000)
      assert.ok(String(body).length < 64_000, `${String(body).length} bytes`)
      assert.ok(status === 400 || String(body).startsWith('{"errors":['), String(body))
      assert.doesNotMatch(String(body), /INTERNAL/)
    })
  }
})

function wrongInMillions(): Record<string, RawRequest> {
  const list = <Item>(length: number, item: Item) => new Array(length).fill(item) as Item[]
  const names = (length: number) => Array.from({ length }, (_, at) => `field${at}`)
  const unknown = Object.fromEntries(names(60_000).map((name) => [name, 1]))
  const long = 'x'.repeat(900_000)
  const write = (body: unknown) => jsonTo('/posts', body)
  const filter = (where: unknown) => ask('query ($w: PostWhere) { posts(where: $w) { id } }', { w: where })
  return {
    'wrong items': write({ title: 'x', words: list(250_000, '') }),
    'unknown fields': write(unknown),
    'an unknown field of 900 KB': write({ [long]: 1 }),
    'a filter of 40,000 conditions': filter({ or: list(40_000, { rank: { eq: 1 } }) }),
    'a filter of unknown fields': filter(unknown),
    'a list of 400,000 values': filter({ rank: { in: list(400_000, 1) } }),
    'a list of wrong values': filter({ rank: { in: list(200_000, '') } }),
    'an operation name of 900 KB': jsonTo('/graphql', { query: '{ __typename }', operationName: long }),
    'a document of unknown fields': ask(`{ ${names(1900).join(' ')} }`),
    'a document with a name of 900 KB': ask(`{ ${long} }`),
    'many failing root fields': ask(
      `query ($w: PostWhere) { ${names(200)
        .map((name) => `${name}: postsConnection(where: $w) { __typename }`)
        .join(' ')} }`,
      { w: { or: list(25, {}), author: { not: { isNull: true } } } },
    ),
    'chosen fields that are unknown': { method: 'GET', path: `/posts?fields=${names(1500).join(',')}` },
    'sort keys that are unknown': { method: 'GET', path: `/posts?sort=${names(1500).join(',')}` },
    'parameters that are unknown': { method: 'GET', path: `/posts/x?${names(1500).join('&')}` },
  }
}

function ask(query: string, variables?: unknown): RawRequest {
  return jsonTo('/graphql', { query, variables })
}

function jsonTo(path: string, body: unknown): RawRequest {
  return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
