// Rules in the REST API.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiClient, RestAnswer, TestApis } from '../harness/open-apis.ts'
import { openWithPeople, type Person } from '../harness/open-with-people.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") {
    id: ID!
    email: String! @unique @allow(who: "self", to: [READ])
    posts: [Post!]!
  }
  type Post @allow(to: [READ], where: {public: {eq: true}}) @allow(who: "author") {
    id: ID!
    title: String!
    public: Boolean! @default(value: false)
    note: String @allow(who: "author")
    author: User! @default(value: VIEWER)
  }
  `
let apis: TestApis
let ann: Person
let bob: Person
let open: string
let draft: string

before(async () => {
  ;({ apis, ann, bob } = await openWithPeople(sdl))
  open = await made({ title: 'open', public: true, note: 'n' })
  draft = await made({ title: 'draft', note: 'n' })
})

after(() => apis.close())

test('R47: an unreadable row is a 404, for reads and writes', async () => {
  for (const client of [{}, { method: 'PATCH', body: { title: 'x' } }, { method: 'DELETE' }]) {
    assert.equal((await send(`/posts/${draft}`, bob, client)).status, 404)
  }
  assert.deepEqual(titles(await send('/posts', bob)), ['open'])
  assert.deepEqual(titles(await send(`/users/${ann.id}/posts`, ann)), ['open', 'draft'])
})

test('a denied write is 403 for a signed-in viewer and 401 for an anonymous one, whatever the id', async () => {
  const change = { method: 'PATCH', body: { title: 'x' } }
  assert.equal((await send(`/posts/${open}`, bob, change)).status, 403)
  for (const id of [open, draft, 'nothing']) {
    const reply = await send(`/posts/${id}`, apis, change)
    assert.deepEqual([reply.status, reply.headers['www-authenticate']], [401, 'Bearer'])
  }
})

test('R18: a field that may be read on some rows is absent from the others', async () => {
  assert.equal(bodyOf(await send(`/posts/${open}?fields=id,note`, ann)).note, 'n')
  assert.deepEqual(bodyOf(await send(`/posts/${open}?fields=id,note`, bob)), { id: open })
  assert.deepEqual(bodyOf(await send(`/posts/${open}?fields=author.email,title`, bob)), { author: {}, title: 'open' })
  assert.equal((await send(`/posts/${open}?fields=id,note`, apis)).status, 403)
})

test('R60, R61: an entity tag covers what the viewer sees, and reveals nothing else', async () => {
  const mine = await send(`/posts/${open}`, ann)
  const theirs = await send(`/posts/${open}`, bob, { headers: { 'if-none-match': String(mine.headers.etag) } })
  assert.equal(theirs.status, 200)
  assert.equal((await send(`/posts/${draft}`, bob, { headers: { 'if-none-match': '*' } })).status, 404)
})

test('R45: a create below an unreadable row answers as below a missing one', async () => {
  const reply = await send(`/users/nobody/posts`, ann, { method: 'POST', body: { title: 'x' } })
  assert.deepEqual([reply.status, bodyOf(reply).detail], [404, 'There is no User with the id "nobody".'])
  const other = await send(`/users/${ann.id}/posts`, bob, { method: 'POST', body: { title: 'x' } })
  assert.equal(other.status, 403)
})

async function made(body: object): Promise<string> {
  const reply = await ann.rest('POST', '/posts', body)
  assert.equal(reply.status, 201)
  return String(bodyOf(reply).id)
}

interface SentRequest {
  method?: string
  body?: object
  headers?: Record<string, string>
}

function send(path: string, who: ApiClient, { method = 'GET', body, headers }: SentRequest = {}): Promise<RestAnswer> {
  return who.rest(method, path, body, headers)
}

function bodyOf({ body }: RestAnswer): Record<string, unknown> {
  return body as Record<string, unknown>
}

function titles({ body }: RestAnswer): string[] {
  return (body as { title: string }[]).map(({ title }) => title)
}
