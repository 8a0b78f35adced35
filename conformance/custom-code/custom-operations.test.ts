// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { anonymous, system } from '../../packages/twain/src/base/http/index.ts'
import { ApiError } from '../../packages/twain/src/base/index.ts'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { openapiText } from '../../packages/twain/src/rest/openapi/document.ts'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account @allow(to: [READ]) @allow(who: "self") { id: ID! name: String! email: String! @unique @allow(who: "self", to: [READ]) books: [Book!]! }
  type Book @allow(to: [READ], where: {hidden: {eq: false}}) @allow(who: "author") {
    id: ID! title: String! hidden: Boolean! @default(value: false) author: User! @auto(set: VIEWER)
    loud: String! @computed(from: ["title"])
  }
  type Stats { books: Int! by: [Count!]! note: String }
  type Count { name: String! count: Int }
  input Window { from: Int! = 0 to: Int }
  enum Kind { SHORT LONG }
  type Query {
    "Those who wrote most."
    topAuthors(limit: Int! = 2): [User!]! @allow
    stats(kinds: [Kind!], window: Window): Stats! @allow
    favourite: Book @allow
    whoAmI: String @allow
    echo(when: DateTime, big: BigInt, ids: [ID!]): JSON @allow @resource(path: "echoes")
    broken: [Int] @allow
    hiddenOne: Book! @allow
  }
  extend type Mutation {
    publish(id: ID!, title: String): Book! @allow @resource(path: "publications")
    rename(id: ID!): String! @allow
    refuse(code: String!): Int @allow
    bump(data: JSON = {n: 0}): JSON @allow
  }
`

const logged: unknown[] = []
const service: ServiceCode = {
  resolvers: {
    Book: { loud: (rows: readonly { title?: string }[]) => rows.map(({ title }) => `${title}!`) },
    Query: {
      async topAuthors({ limit }, { read }) {
        const books = await read.Book!.list({ orderBy: [{ title: 'ASC' }] })
        const counts = new Map<unknown, number>()
        for (const { author } of books) counts.set(author, (counts.get(author) ?? 0) + 1)
        const best = [...counts].toSorted(([, a], [, b]) => b - a)
        return best.slice(0, limit as number).map(([id]) => id)
      },
      async stats({ kinds, window }, { read, system }) {
        const books = await read.Book!.count({ where: { title: { startsWith: '' } } })
        const all = await system.read.Book!.count()
        return {
          books,
          by: [
            { name: 'all', count: all },
            { name: 'odd', count: 'x' },
          ],
          note: JSON.stringify({ kinds, window }),
        }
      },
      favourite: async (_args, { read }) => read.Book!.get('b1'),
      whoAmI: (_args, { viewer }) => viewer.id,
      echo: (args) => args,
      broken: () => [1, new Error('a secret'), 3],
      hiddenOne: () => 'b3',
    },
    Mutation: {
      async publish({ id, title }, { write }) {
        return write.Book!.update(id as string, { hidden: false, ...(title === undefined ? {} : { title }) })
      },
      async rename({ id }, { system }) {
        await system.write.Book!.update(id as string, { title: 'Renamed' })
        return id
      },
      bump({ data }) {
        const counter = data as { n: number }
        counter.n++
        return counter
      },
      refuse({ code }) {
        throw code === 'none' ? new Error('a secret') : new ApiError(code as 'CONFLICT', 'Not now.', { hint: 'Later.' })
      },
    },
  },
}

describe('custom operations', () => {
  let apis: TestApis
  const thrown: unknown[] = []
  const ann = { ...anonymous, account: 'ann', authenticated: true }
  before(async () => {
    const log = { info: (fields: object) => void logged.push(fields), warn() {}, error() {} }
    apis = await openApis(sdl, {}, undefined, undefined, undefined, {
      service,
      log,
      onError: (error) => thrown.push(error),
    })
    const own = { ...apis, ...apis.as(system) }
    for (const id of ['ann', 'bob', 'cyd'])
      await restBody(own, 'PUT', `/users/${id}`, { name: id, email: `${id}@x.example` })
    const books = [
      ['b1', 'ann'],
      ['b2', 'ann'],
      ['b3', 'bob'],
      ['b4', 'bob'],
      ['b5', 'bob'],
      ['b6', 'cyd'],
    ] as const
    for (const [id, author] of books) {
      await restBody(own, 'PUT', `/books/${id}`, { title: `T${id}`, author, hidden: ['b3', 'b4', 'b5'].includes(id) })
    }
  })
  after(() => apis.close())
  beforeEach(() => {
    thrown.length = 0
    logged.length = 0
  })

  test('R118: a custom query is a GET path, and both APIs give the same rows in the same order', async () => {
    const { data } = await apis.graphql(
      '{ topAuthors { id name } one: topAuthors(limit: 1) { name books { title loud } } }',
    )
    assert.deepEqual(data, {
      topAuthors: [
        { id: 'ann', name: 'ann' },
        { id: 'cyd', name: 'cyd' },
      ],
      one: [
        {
          name: 'ann',
          books: [
            { title: 'Tb1', loud: 'Tb1!' },
            { title: 'Tb2', loud: 'Tb2!' },
          ],
        },
      ],
    })
    const rest = await apis.rest('GET', '/top-authors?limit=1')
    assert.deepEqual([rest.status, rest.body], [200, [{ id: 'ann', name: 'ann' }]])
    assert.equal(
      (await apis.rest('GET', '/top-authors?limit=1', undefined, { 'if-none-match': String(rest.headers.etag) }))
        .status,
      304,
    )
    assert.deepEqual((await apis.rest('GET', '/top-authors?fields=name,books.loud')).body, [
      { name: 'ann', books: [{ loud: 'Tb1!' }, { loud: 'Tb2!' }] },
      { name: 'cyd', books: [{ loud: 'Tb6!' }] },
    ])
    assert.deepEqual((await apis.as({ ...ann, account: 'bob' }).rest('GET', '/top-authors?limit=1&fields=id')).body, [
      { id: 'bob' },
    ])
  })

  test('read and write act as the viewer; system bypasses the rules and is logged', async () => {
    const query = '{ stats { books by { name count } note } }'
    assert.deepEqual((await apis.graphql(query)).data?.stats, {
      books: 3,
      by: [
        { name: 'all', count: 6 },
        { name: 'odd', count: null },
      ],
      note: '{}',
    })
    assert.deepEqual(logged, [{ 'code.function.name': 'Query.stats', operation: 'read', resource: 'Book' }])
    const stats = (await apis.rest('GET', '/stats?kinds=SHORT,LONG&window={"to":4}')).body as {
      note: string
      by: unknown
    }
    assert.deepEqual(JSON.parse(stats.note), { kinds: ['SHORT', 'LONG'], window: { from: 0, to: 4 } })
    assert.deepEqual(stats.by, [{ name: 'all', count: 6 }, { name: 'odd' }])
    assert.deepEqual((await apis.as(ann).graphql('{ whoAmI favourite { title } }')).data, {
      whoAmI: 'ann',
      favourite: { title: 'Tb1' },
    })
    assert.deepEqual((await apis.rest('GET', '/who-am-i')).body, null)
  })

  test('R118, R119: custom operations take and give XML', async () => {
    const xml = { accept: 'application/xml' }
    const get = async (path: string) => {
      const { status, headers, body } = await apis.send('rest', { method: 'GET', path, headers: xml })
      assert.deepEqual([status, headers['content-type']], [200, 'application/xml; charset=utf-8'])
      return String(body)
        .replace(/^<\?xml.*\?>\n/, '')
        .trim()
    }
    assert.equal(await get('/top-authors?limit=1'), '<users><user><id>ann</id><name>ann</name></user></users>')
    assert.equal(
      await get('/top-authors?limit=1&fields=books.loud'),
      '<users><user><books><item><loud>Tb1!</loud></item><item><loud>Tb2!</loud></item></books></user></users>',
    )
    assert.equal(await get('/who-am-i'), '<whoAmI nil="true"/>')
    assert.equal(await get('/broken'), '<broken><item>1</item><item nil="true"/><item>3</item></broken>')
    assert.match(await get('/stats'), /^<stats><books>3<\/books><by><item><name>all<\/name><count>6<\/count><\/item>/)
    const post = (body: string, path = '/publications?fields=title') =>
      apis.send(
        'rest',
        { method: 'POST', path, headers: { ...xml, 'content-type': 'application/xml' }, body },
        { ...ann, account: 'ann' },
      )
    const made = await post('<publish><id>b1</id><title>Tb1</title></publish>')
    assert.deepEqual([made.status, String(made.body).split('\n')[1]], [200, '<book><title>Tb1</title></book>'])
    for (const [body, expected] of [
      ['<publsh><id>b1</id></publsh>', /is &lt;publsh&gt;; there must be &lt;publish&gt;/],
      ['<publish><idd>b1</idd></publish>', /idd/],
      ['<publish><!DOCTYPE x></publish>', /not valid XML/],
    ] as const) {
      const refused = await post(body)
      assert.equal(refused.status, 400)
      assert.match(String(refused.body), expected)
    }
    assert.equal((await apis.rest('GET', '/top-authors', undefined, { accept: 'image/png' })).status, 406)
  })

  test('R119: a custom mutation is a POST path, and its writes obey the viewer’s rules', async () => {
    const bob = apis.as({ ...ann, account: 'bob' })
    const { data } = await bob.graphql('mutation { publish(id: "b3", title: "Out") { title hidden loud } }')
    assert.deepEqual(data, { publish: { title: 'Out', hidden: false, loud: 'Out!' } })
    const made = await bob.rest('POST', '/publications?fields=title', { id: 'b4' })
    assert.deepEqual([made.status, made.body, made.headers['cache-control']], [200, { title: 'Tb4' }, 'no-store'])
    assert.equal((await apis.rest('POST', '/publications', { id: 'b5' })).status, 401)
    assert.equal((await apis.as(ann).rest('POST', '/publications', { id: 'b5' })).status, 404)
    const { errors: refused } = await apis.as(ann).graphql('mutation { publish(id: "b6") { title } }')
    assert.deepEqual([refused[0]?.extensions?.code, refused[0]?.path], ['FORBIDDEN', ['publish']])
    assert.deepEqual((await apis.rest('POST', '/rename-requests', { id: 'b2' })).body, 'b2')
    assert.deepEqual((await apis.rest('GET', '/books/b2?fields=title')).body, { title: 'Renamed' })
    await restBody(apis, 'POST', '/rename-requests', { id: 'b2' })
  })

  test('rows that custom code returns are read with the viewer’s rules', async () => {
    await apis.as({ ...ann, account: 'bob' }).rest('PATCH', '/books/b3', { hidden: true })
    const { data, errors } = await apis.graphql('{ hiddenOne { title } }')
    assert.equal(data, null)
    assert.deepEqual([errors[0]?.extensions?.code, errors[0]?.path], ['INTERNAL', ['hiddenOne']])
    assert.deepEqual((await apis.as({ ...ann, account: 'bob' }).graphql('{ hiddenOne { title } }')).data, {
      hiddenOne: { title: 'Out' },
    })
  })

  test('code that changes its arguments changes them for its own request only', async () => {
    for (const _ of [1, 2]) {
      const texts = [
        'mutation { bump }',
        'mutation { bump(data: {n: 0}) }',
        'mutation ($d: JSON = {n: 0}) { bump(data: $d) }',
      ]
      for (const text of texts) assert.deepEqual((await apis.graphql(text)).data, { bump: { n: 1 } })
      assert.deepEqual(await restBody(apis, 'POST', '/bump-requests', {}), { n: 1 })
    }
  })

  test('an ApiError keeps its code on both APIs, any other error is masked', async () => {
    const { errors } = await apis.graphql('mutation { refuse(code: "CONFLICT") }')
    assert.deepEqual([errors[0]?.message, errors[0]?.extensions], ['Not now.', { code: 'CONFLICT', hint: 'Later.' }])
    const rest = await apis.rest('POST', '/refuse-requests', { code: 'CONFLICT' })
    assert.deepEqual([rest.status, (rest.body as { code: string }).code], [409, 'CONFLICT'])
    assert.doesNotMatch(JSON.stringify(await apis.graphql('mutation { refuse(code: "none") }')), /secret/)
    await assert.rejects(apis.rest('POST', '/refuse-requests', { code: 'none' }), /a secret/) // the HTTP layer masks it
    assert.deepEqual((await apis.graphql('{ broken }')).data, { broken: [1, null, 3] })
    const broken = await apis.rest('GET', '/broken')
    assert.deepEqual(broken.body, [1, null, 3])
    assert.match(String(broken.headers['x-failed-fields']), /^broken;code=INTERNAL/)
  })

  test('both APIs coerce arguments alike, and a wrong one is a 400 with its place', async () => {
    const value = { when: '2026-01-31T10:30:00.000Z', big: '9007199254740993', ids: ['1', 'b'] }
    const { data } = await apis.graphql(
      '{ echo(when: "2026-01-31T11:30:00+01:00", big: 9007199254740993, ids: [1, "b"]) }',
    )
    assert.deepEqual(data?.echo, value)
    const rest = await apis.rest('GET', '/echoes?when=2026-01-31T11:30:00%2B01:00&big=9007199254740993&ids=1,b')
    assert.deepEqual(rest.body, value)
    const places = async (method: string, path: string, body?: unknown) => {
      const { status, body: problem } = await apis.rest(method, path, body)
      return [status, (problem as { errors: { path: string }[] }).errors.map((one) => one.path)]
    }
    assert.deepEqual(await places('GET', '/top-authors?limit=x&lmit=1'), [400, ['lmit', 'limit']])
    assert.deepEqual(await places('GET', '/stats?window={"from":null}&kinds=TALL'), [400, ['kinds.0', 'window.from']])
    assert.deepEqual(await places('POST', '/publications', { title: 4, nme: 1 }), [400, ['nme', 'id', 'title']])
    assert.deepEqual(await places('POST', '/publications', ['b1']), [400, ['', 'id']])
    const wrong = await apis.rest('DELETE', '/top-authors')
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'GET, HEAD, OPTIONS'])
    assert.equal(
      (await apis.graphql('{ topAuthors(limit: 1) { books { author { books { author { books { id } } } } } } }'))
        .errors[0]?.extensions?.code,
      'QUERY_TOO_DEEP',
    )
  })

  test('the OpenAPI document describes custom operations', () => {
    const document = JSON.parse(openapiText(apis.model, apis.engine.limits, 'full')) as {
      paths: Record<string, Record<string, { parameters?: { name?: string }[] }>>
    }
    assert.deepEqual(document.paths['/top-authors']?.get?.parameters?.[0]?.name, 'limit')
    assert.ok(document.paths['/publications']?.post)
  })
})
