// The door over the real corridor and store: what rules look like in HTTP's words.

import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { anonymous, type Door, type HttpReply, type Viewer } from '#base'
import { createEngine } from '#engine'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { openStore, type Store } from '#store'
import { requestOf } from './blog.fixture.ts'
import { createRest } from './rest.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") {
    id: ID!
    email: String! @unique @allow(who: "self", to: [READ])
    name: String!
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
const data = mkdtempSync(join(tmpdir(), 'twain-rest-rules-'))
const silent = { info() {}, warn() {}, error() {} }
let store: Store
let door: Door
let ann: Viewer
let bob: Viewer
let open: string
let draft: string

before(async () => {
  const model = loadModel(sdl, 'x.graphql')
  store = await openStore({ data, model, sdl, limits: defaultLimits, log: silent })
  const hashPassword = async () => 'hash'
  door = createRest(createEngine({ model, store, limits: defaultLimits, hashPassword }), null)
  ann = await signUp('Ann')
  bob = await signUp('Bob')
  open = await created('/posts', { title: 'open', public: true, note: 'n' }, ann)
  draft = await created('/posts', { title: 'draft', note: 'n' }, ann)
})

after(async () => {
  await store.close()
  await rm(data, { recursive: true })
})

test('R47: a row that may not be read is not there, for reading and for writing', async () => {
  for (const asking of [{}, { method: 'PATCH', body: { title: 'x' } }, { method: 'DELETE' }]) {
    assert.equal((await send(`/posts/${draft}`, bob, asking)).status, 404)
  }
  assert.deepEqual(titles(await send('/posts', bob)), ['open'])
  assert.deepEqual(titles(await send(`/users/${ann.account}/posts`, ann)), ['open', 'draft'])
})

test('a write that is refused is 403 to whom is known and 401 to whom is not, whatever the id', async () => {
  const change = { method: 'PATCH', body: { title: 'x' } }
  assert.equal((await send(`/posts/${open}`, bob, change)).status, 403)
  for (const id of [open, draft, 'nothing']) {
    const reply = await send(`/posts/${id}`, anonymous, change)
    assert.deepEqual([reply.status, reply.headers['www-authenticate']], [401, 'Bearer'])
  }
})

test('R18: a field that may be read on some rows is absent from the others', async () => {
  assert.equal(bodyOf(await send(`/posts/${open}?fields=id,note`, ann)).note, 'n')
  assert.deepEqual(bodyOf(await send(`/posts/${open}?fields=id,note`, bob)), { id: open })
  assert.deepEqual(bodyOf(await send(`/posts/${open}?fields=author.email,title`, bob)), { author: {}, title: 'open' })
  assert.equal((await send(`/posts/${open}?fields=id,note`, anonymous)).status, 403)
})

test('R60, R61: a tag is of what its viewer sees, and confirms nothing else', async () => {
  const mine = await send(`/posts/${open}`, ann)
  const theirs = await send(`/posts/${open}`, bob, { headers: { 'if-none-match': String(mine.headers.etag) } })
  assert.equal(theirs.status, 200)
  assert.equal((await send(`/posts/${draft}`, bob, { headers: { 'if-none-match': '*' } })).status, 404)
})

test('R45: a create below a row that may not be read is as below none', async () => {
  const reply = await send(`/users/nobody/posts`, ann, { method: 'POST', body: { title: 'x' } })
  assert.deepEqual([reply.status, bodyOf(reply).detail], [404, 'There is no User with the id "nobody".'])
  const other = await send(`/users/${ann.account}/posts`, bob, { method: 'POST', body: { title: 'x' } })
  assert.equal(other.status, 403)
})

async function signUp(name: string): Promise<Viewer> {
  const body = { name, email: `${name}@example.com`, password: 'correct horse' }
  return { account: await created('/users', body, anonymous), roles: [], authenticated: true, token: null }
}

async function created(target: string, body: object, viewer: Viewer): Promise<string> {
  const reply = await send(target, viewer, { method: 'POST', body })
  assert.equal(reply.status, 201, String(reply.body))
  return String(bodyOf(reply).id)
}

function send(target: string, viewer: Viewer, asking: Parameters<typeof requestOf>[1] = {}): Promise<HttpReply> {
  return door(requestOf(target, asking), viewer)
}

function bodyOf({ body }: HttpReply): Record<string, unknown> {
  return JSON.parse(String(body)) as Record<string, unknown>
}

function titles({ body }: HttpReply): string[] {
  return (JSON.parse(String(body)) as { title: string }[]).map(({ title }) => title)
}
