// REST writes over the real engine and store: several rows at once, single links, JSON patches, preconditions; and their GraphQL
// equivalents.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
type Post {
  id: ID!
  title: String!
  slug: String @unique
  place: Place
  labels: [String!]
  meta: JSON
  changedAt: DateTime @auto(set: UPDATE_TIME)
  comments: [Comment!]!
  tags: [Tag!]!
}
type Comment { id: ID! body: String! post: Post! }
type Tag { id: ID! name: String! posts: [Post!]! }
type Place { city: String street: String }
`
interface Row {
  id: string
  title: string
}
const jsonPatch = { 'content-type': 'application/json-patch+json' }
let apis: TestApis

before(async () => {
  apis = await openApis(sdl)
})
after(() => apis.close())

const postOf = async (body: object = { title: 'a' }) => (await restBody(apis, 'POST', '/posts', body)) as Row
const tagOf = async () => (await restBody(apis, 'POST', '/tags', { name: 't' })) as Row
const count = async () => Number((await apis.rest('GET', '/posts?limit=0', undefined, exact)).headers['x-total-count'])
const exact = { prefer: 'count=exact' }
const placesOf = (body: unknown) =>
  (body as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => `${path} ${code}`)

describe('several rows at once', () => {
  test('R51: an array creates all its rows, in order', async () => {
    const reply = await apis.rest('POST', '/posts?fields=title', [{ title: 'one' }, { title: 'two' }])
    assert.deepEqual([reply.status, reply.body], [201, [{ title: 'one' }, { title: 'two' }]])
  })

  test('R51: or none, with the mistakes of each', async () => {
    await postOf({ title: 'a', slug: 'taken' })
    const before = await count()
    const rows = [
      { title: 'b' },
      { title: 'c', slug: 'taken' },
      { title: 'd', slug: 'new' },
      { title: 'e', slug: 'new' },
    ]
    const refused = await apis.rest('POST', '/posts', rows)
    assert.deepEqual([refused.status, placesOf(refused.body)], [409, ['1.slug UNIQUE', '3.slug UNIQUE']])
    const invalid = await apis.rest('POST', '/posts', [{ title: 'b' }, { titel: 'c' }, 7])
    assert.deepEqual(placesOf(invalid.body), ['1.titel UNKNOWN', '1.title REQUIRED', '2 TYPE'])
    assert.equal(await count(), before)
  })

  test('R51: a thousand at most, and one at least', async () => {
    const many = Array.from({ length: 1001 }, () => ({ title: 'x' }))
    assert.equal((await apis.rest('POST', '/posts', [])).status, 400)
    assert.equal((await apis.rest('POST', '/posts', many)).status, 413)
    assert.equal((await apis.rest('POST', '/posts', many.slice(1))).status, 201)
  })

  test('R51: GraphQL does the same with a list of inputs', async () => {
    const inputs = [{ title: 'one' }, { title: 'two' }]
    apis.executed.length = 0
    await restBody(apis, 'POST', '/posts?fields=title', inputs)
    const query = 'mutation ($inputs: [CreatePostInput!]!) { createPosts(inputs: $inputs) { title } }'
    const { data } = await apis.graphql(query, { inputs })
    assert.deepEqual(data, { createPosts: inputs })
    assert.deepEqual(apis.executed[0], apis.executed[1])
    const { errors } = await apis.graphql(query, {
      inputs: [
        { title: 'x', slug: 'y' },
        { title: 'x', slug: 'y' },
      ],
    })
    assert.deepEqual(placesOf(errors[0]!.extensions), ['1.slug UNIQUE'])
  })

  test('R45, R51: rows that are created below a row refer to it; below a missing row it is a 404', async () => {
    const { id } = await postOf()
    const rows = [{ body: 'x' }, { body: 'y' }]
    assert.equal((await apis.rest('POST', `/posts/${id}/comments`, rows)).status, 201)
    assert.equal(((await restBody(apis, 'GET', `/posts/${id}/comments`)) as Row[]).length, 2)
    assert.equal((await apis.rest('POST', '/posts/nothing/comments', rows)).status, 404)
  })
})

describe('one link', () => {
  const idsOf = async (path: string) => ((await restBody(apis, 'GET', path)) as Row[]).map(({ id }) => id)

  test('R8: is created and removed, and repeating either has no effect', async () => {
    const [post, one, two] = [await postOf(), await tagOf(), await tagOf()]
    for (const tag of [one, two, one]) {
      assert.equal((await apis.rest('PUT', `/posts/${post.id}/tags/${tag.id}`)).status, 204)
    }
    assert.deepEqual(await idsOf(`/posts/${post.id}/tags`), [one.id, two.id])
    assert.deepEqual(await idsOf(`/tags/${one.id}/posts`), [post.id])
    for (let times = 0; times < 2; times++) {
      assert.equal((await apis.rest('DELETE', `/tags/${one.id}/posts/${post.id}`)).status, 204)
    }
    assert.deepEqual(await idsOf(`/posts/${post.id}/tags`), [two.id])
  })

  test('R8: with a missing row at either end is a 404', async () => {
    const [post, tag] = [await postOf(), await tagOf()]
    for (const method of ['PUT', 'DELETE']) {
      for (const path of [`/posts/${post.id}/tags/none`, `/posts/none/tags/${tag.id}`, '/posts/a.b/tags/x']) {
        assert.equal((await apis.rest(method, path)).status, 404, `${method} ${path}`)
      }
    }
  })

  test('R8: without a change makes no new version, and can have a precondition', async () => {
    const [post, tag] = [await postOf(), await tagOf()]
    const path = `/posts/${post.id}/tags/${tag.id}`
    const version = async () =>
      ((await restBody(apis, 'GET', `/posts/${post.id}?fields=_version`)) as { _version: number })._version
    assert.equal((await apis.rest('PUT', path, undefined, { 'if-match': '"9"' })).status, 412)
    assert.equal((await apis.rest('PUT', path, undefined, { 'if-match': '"1"' })).status, 204)
    assert.equal(await version(), 2)
    await apis.rest('PUT', path)
    assert.equal(await version(), 2)
  })
})

describe('a JSON patch', () => {
  const patch = (id: string, operations: unknown, headers = {}) =>
    apis.rest('PATCH', `/posts/${id}`, operations, { ...jsonPatch, ...headers })

  test('R49: changes what its operations change, and answers with the row', async () => {
    const { id } = await postOf({ title: 'a', labels: ['x'], place: { city: 'Oslo', street: 's' }, meta: { n: [1] } })
    const reply = await patch(id, [
      { op: 'test', path: '/title', value: 'a' },
      { op: 'replace', path: '/title', value: 'b' },
      { op: 'add', path: '/labels/-', value: 'y' },
      { op: 'remove', path: '/place/street' },
      { op: 'copy', from: '/meta/n/0', path: '/meta/n/-' },
      { op: 'move', from: '/place/city', path: '/meta/city' },
    ])
    const { title, labels, place, meta } = reply.body as Record<string, unknown>
    assert.deepEqual([reply.status, title, labels, meta], [200, 'b', ['x', 'y'], { n: [1, 1], city: 'Oslo' }])
    assert.deepEqual(place, { city: null, street: null })
  })

  test('R49: a test that fails is a conflict, and nothing is done', async () => {
    const { id } = await postOf()
    const reply = await patch(id, [
      { op: 'replace', path: '/title', value: 'b' },
      { op: 'test', path: '/title', value: 'a' },
    ])
    assert.deepEqual([reply.status, placesOf(reply.body)], [409, ['1.value STATE']])
    assert.equal(((await restBody(apis, 'GET', `/posts/${id}`)) as Row).title, 'a')
  })

  test('R49: its result is validated like any change', async () => {
    const { id } = await postOf()
    assert.deepEqual(placesOf((await patch(id, [{ op: 'remove', path: '/title' }])).body), ['title REQUIRED'])
    assert.deepEqual(placesOf((await patch(id, [{ op: 'replace', path: '/id', value: 'x' }])).body), ['id READONLY'])
    assert.deepEqual(placesOf((await patch(id, [{ op: 'add', path: '/titel', value: 'x' }])).body), ['titel UNKNOWN'])
    assert.equal((await patch(id, [{ op: 'replace', path: '', value: [] }])).status, 400)
    assert.equal((await patch('nothing', [])).status, 404)
    assert.equal((await patch(id, {})).status, 400)
    assert.equal((await patch(id, [{ op: 'replace', path: '/title', value: 'x' }], { 'if-match': '"7"' })).status, 412)
  })

  test('R49: of many concurrent ones none is lost', async () => {
    const { id } = await postOf({ title: 'a', labels: [] })
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) => patch(id, [{ op: 'add', path: '/labels/-', value: String(n) }])),
    )
    const made = replies.filter(({ status }) => status === 200).length
    const { labels } = (await restBody(apis, 'GET', `/posts/${id}`)) as { labels: string[] }
    assert.equal(new Set(labels).size, made)
    assert.ok(made > 1 && replies.every(({ status }) => status === 200 || status === 409), String(made))
  })
})

describe('preconditions', () => {
  test('R62: PUT with If-None-Match: * only creates, with If-Match: * only replaces', async () => {
    const put = (id: string, headers: Record<string, string>) =>
      apis.rest('PUT', `/posts/${id}`, { title: 'x' }, headers)
    assert.equal((await put('own', { 'if-match': '*' })).status, 412)
    assert.equal((await put('own', { 'if-none-match': '*' })).status, 201)
    assert.equal((await put('own', { 'if-none-match': '*' })).status, 412)
    assert.equal((await put('own', { 'if-match': '*' })).status, 200)
  })

  test('R62: of fifty that create one row, one succeeds', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => apis.rest('PUT', '/posts/race', { title: 'x' }, { 'if-none-match': '*' })),
    )
    assert.equal(replies.filter(({ status }) => status === 201).length, 1)
    assert.equal(replies.filter(({ status }) => status === 412).length, 49)
  })

  test('R62: a list of entity tags requires one of them, or none of them', async () => {
    const { id } = await postOf()
    const change = (title: string, headers: Record<string, string>) =>
      apis.rest('PATCH', `/posts/${id}`, { title }, headers).then(({ status }) => status)
    assert.equal(await change('b', { 'if-match': '"8", "9"' }), 412)
    assert.equal(await change('b', { 'if-match': '"8", "1-x"' }), 200)
    assert.equal(await change('c', { 'if-none-match': '"2"' }), 412)
    assert.equal(await change('c', { 'if-none-match': '"1"' }), 200)
    assert.equal((await apis.rest('DELETE', `/posts/${id}`, undefined, { 'if-match': '"1"' })).status, 412)
    assert.equal((await apis.rest('POST', '/posts', { title: 'x' }, { 'if-none-match': '*' })).status, 400)
  })

  test('R63: If-Unmodified-Since is compared with the time of the last update', async () => {
    const { id } = await postOf()
    const change = (since: string) =>
      apis.rest('PATCH', `/posts/${id}`, { title: String(Math.random()) }, { 'if-unmodified-since': since })
    assert.equal((await change('Sun, 06 Nov 1994 08:49:37 GMT')).status, 412)
    assert.equal((await change(new Date(Date.now() + 1000).toUTCString())).status, 200)
    assert.equal((await change('yesterday')).status, 200)
  })
})
