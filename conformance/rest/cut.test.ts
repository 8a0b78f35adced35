// `Prefer: cut=20`: long texts and JSON of collections arrive shortened, alike on both stores.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bodyText } from '../../packages/twain/src/base/http/index.ts'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
scalar Shape
type Post {
  id: ID!
  title: String!
  body: String
  meta: JSON
  shape: Shape
  labels: [String!]
  place: Place
  price: Decimal
  author: User
}
type User { id: ID! name: String! bio: String posts: [Post!]! }
type Place { city: String }
`
const long = 'long '.repeat(20)
let apis: TestApis
let post: { id: string }

before(async () => {
  apis = await openApis(sdl)
  const author = (await restBody(apis, 'POST', '/users', { name: 'Ann', bio: long })) as { id: string }
  post = (await restBody(apis, 'POST', '/posts', {
    title: '😀'.repeat(20),
    body: `${'😀'.repeat(20)}x`,
    meta: { first: 'a "quoted" text', second: [1, 2.5, true] },
    shape: [1, 2],
    labels: [long],
    place: { city: long },
    price: '12345678901234567890123456789',
    author: author.id,
  })) as { id: string }
})
after(() => apis.close())

async function read(path: string, prefer: string, accept = 'application/json') {
  const reply = await apis.send('rest', { method: 'GET', path, headers: { prefer, accept } })
  return { reply, text: await bodyText(reply) }
}

test('R297: texts and JSON with more characters end with an ellipsis, everything else is whole', async () => {
  const { reply, text } = await read('/posts', 'cut=20')
  assert.equal(reply.headers['preference-applied'], 'cut=20')
  const [row] = JSON.parse(text)
  assert.equal(row.title, '😀'.repeat(20))
  assert.equal(row.body, `${'😀'.repeat(20)}…`)
  assert.equal(row.meta, '{"first":"a \\"quoted…')
  assert.deepEqual(row.shape, [1, 2])
  assert.deepEqual([row.labels, row.place, row.price], [[long], { city: long }, '12345678901234567890123456789'])
  const whole = await read(`/posts/${post.id}`, 'cut=20')
  assert.equal(whole.reply.headers['preference-applied'], undefined)
  assert.equal(JSON.parse(whole.text).body, `${'😀'.repeat(20)}x`)
})

test('R297: the length is the one of each request, inside references, lists, pages and streams', async () => {
  const fields = 'fields=body,author.bio,author.posts.body'
  for (const length of [3, 7]) {
    const [row] = JSON.parse((await read(`/posts?${fields}`, `cut=${length}`)).text)
    const body = `${'😀'.repeat(length)}…`
    assert.deepEqual(row, { body, author: { bio: `${long.slice(0, length)}…`, posts: [{ body }] } })
  }
  const page = await read(`/posts?first=1&${fields}`, 'count=exact, cut=4')
  assert.equal(page.reply.headers['preference-applied'], 'count=exact, cut=4')
  assert.equal(JSON.parse(page.text).edges[0].node.author.bio, 'long…')
  const csv = await read('/users?fields=bio', 'cut=4', 'text/csv')
  assert.equal(csv.reply.headers['preference-applied'], 'cut=4')
  assert.match(csv.text, /^bio\r?\nlong…\r?\n$/)
  const xml = await read('/users?fields=bio', 'cut=4', 'application/xml')
  assert.match(xml.text, /<bio>long…<\/bio>/)
})

test('R297: a preference that is no length is ignored, and filters and orders see the whole text', async () => {
  for (const prefer of ['cut=0', 'cut=-1', 'cut=all', 'cut=10000000', 'cut']) {
    const { reply, text } = await read('/users?fields=bio', prefer)
    assert.equal(reply.headers['preference-applied'], undefined)
    assert.deepEqual(JSON.parse(text), [{ bio: long }], prefer)
  }
  const { text } = await read(`/users?fields=bio&bio=${encodeURIComponent(long)}&sort=-bio`, 'cut=4')
  assert.deepEqual(JSON.parse(text), [{ bio: 'long…' }])
})
