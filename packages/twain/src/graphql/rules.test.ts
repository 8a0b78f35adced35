// The door over the real corridor and store: what rules look like in GraphQL's words.

import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { anonymous, type Door, plainRequest, type Viewer } from '#base'
import { createEngine } from '#engine'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { openStore, type Store } from '#store'
import { responseOf } from './blog.fixture.ts'
import { createGraphql } from './graphql.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") {
    id: ID!
    email: String! @unique @allow(who: "self", to: [READ])
    posts: [Post!]! @allow(who: "self", to: [READ])
  }
  type Post @allow(to: [READ], where: {public: {eq: true}}) @allow(who: "author") {
    id: ID!
    title: String!
    public: Boolean! @default(value: false)
    note: String! @default(value: "n") @allow(who: "author")
    author: User! @auto(set: VIEWER)
  }
  type Comment @allow(to: [READ]) @allow(who: "by") { id: ID! by: User! @auto(set: VIEWER) post: Post! }
  `
const data = mkdtempSync(join(tmpdir(), 'twain-graphql-rules-'))
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
  door = createGraphql(createEngine({ model, store, limits: defaultLimits, hashPassword }), null)
  ann = await signUp('ann')
  bob = await signUp('bob')
  open = await createdPost({ title: 'open', public: true })
  draft = await createdPost({ title: 'draft' })
  await ask('mutation ($post: ID!) { createComment(input: {post: $post}) { id } }', ann, { post: draft })
})

after(async () => {
  await store.close()
  await rm(data, { recursive: true })
})

test('a refused field is null with FORBIDDEN at its path, and the row beside it is whole', async () => {
  const { data: shown, errors } = await ask('{ posts { title note author { email } } }', bob)
  assert.deepEqual(shown, { posts: [{ title: 'open', note: null, author: { email: null } }] })
  assert.deepEqual(
    errors?.map(({ path, extensions }) => [path, extensions.code]),
    [
      [['posts', 0, 'note'], 'FORBIDDEN'],
      [['posts', 0, 'author', 'email'], 'FORBIDDEN'],
    ],
  )
})

test('so is a refused list, and its connection', async () => {
  const text = 'query ($id: ID!) { user(id: $id) { posts { id } postsConnection { totalCount } } }'
  const other = await ask(text, bob, { id: ann.account })
  assert.deepEqual(other.data, { user: { posts: null, postsConnection: null } })
  assert.equal(other.errors?.length, 2)
  const own = await ask(text, ann, { id: ann.account })
  assert.deepEqual(own.data, { user: { posts: [{ id: open }, { id: draft }], postsConnection: { totalCount: 2 } } })
})

test('a required reference to a row that may not be read is null, without an error', async () => {
  const text = '{ comments { post { title } } }'
  assert.deepEqual(await ask(text, bob), { data: { comments: [{ post: null }] } })
  assert.deepEqual(await ask(text, ann), { data: { comments: [{ post: { title: 'draft' } }] } })
})

test('a filter asks only what the viewer may read, and knows who the viewer is', async () => {
  const byNote = '{ posts(where: {note: {eq: "n"}}) { id } }'
  assert.deepEqual((await ask(byNote, bob)).data, { posts: [] })
  assert.equal((await ask(byNote, anonymous)).errors?.[0]?.extensions.code, 'GRAPHQL_VALIDATION_FAILED')
  const own = '{ posts(where: {author: {isViewer: true}}) { title } }'
  assert.deepEqual((await ask(own, ann)).data, { posts: [{ title: 'open' }, { title: 'draft' }] })
  assert.deepEqual((await ask(own, bob)).data, { posts: [] })
})

test('what is not readable is not there for a write; what is, is refused; who is unknown is told so', async () => {
  const code = async (text: string, viewer: Viewer, id: string) =>
    (await ask(`mutation ($id: ID!) { ${text} }`, viewer, { id })).errors?.[0]?.extensions.code
  const update = 'updatePost(id: $id, title: "x") { id }'
  assert.equal(await code(update, bob, draft), 'NOT_FOUND')
  assert.equal(await code(update, bob, open), 'FORBIDDEN')
  assert.equal(await code(update, anonymous, draft), 'UNAUTHENTICATED')
  const { data: gone } = await ask('mutation ($id: ID!) { deletePost(id: $id) { success } }', bob, { id: draft })
  assert.deepEqual(gone, { deletePost: { success: false } })
})

async function signUp(name: string): Promise<Viewer> {
  const input = { email: `${name}@example.com`, password: 'correct horse' }
  const text = 'mutation ($input: CreateUserInput!) { it: createUser(input: $input) { id } }'
  return { account: await idOf(text, anonymous, { input }), roles: [], authenticated: true, token: null }
}

function createdPost(input: object): Promise<string> {
  return idOf('mutation ($input: CreatePostInput!) { it: createPost(input: $input) { id } }', ann, { input })
}

async function idOf(query: string, viewer: Viewer, variables: object): Promise<string> {
  const { data: made, errors } = await ask(query, viewer, variables)
  assert.equal(errors, undefined)
  return (made as { it: { id: string } }).it.id
}

async function ask(query: string, viewer: Viewer, variables: object = {}) {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ query, variables })
  return responseOf(await door(plainRequest('POST', '/graphql', { headers, body }), viewer))
}
