// Rules in the GraphQL API.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiClient, GraphqlAnswer, TestApis } from '../harness/open-apis.ts'
import { openWithPeople, type Person } from '../harness/open-with-people.ts'

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
let apis: TestApis
let ann: Person
let bob: Person
let open: string
let draft: string

before(async () => {
  ;({ apis, ann, bob } = await openWithPeople(sdl))
  open = await createdPost({ title: 'open', public: true })
  draft = await createdPost({ title: 'draft' })
  await ask('mutation ($post: ID!) { createComment(input: {post: $post}) { id } }', ann, { post: draft })
})

after(() => apis.close())

test('a denied field is null with FORBIDDEN at its path, and the rest of the row is complete', async () => {
  const { data: shown, errors } = await ask('{ posts { title note author { email } } }', bob)
  assert.deepEqual(shown, { posts: [{ title: 'open', note: null, author: { email: null } }] })
  assert.deepEqual(
    errors?.map(({ path, extensions }) => [path, extensions?.code]),
    [
      [['posts', 0, 'note'], 'FORBIDDEN'],
      [['posts', 0, 'author', 'email'], 'FORBIDDEN'],
    ],
  )
})

test('so is a denied list, and its connection', async () => {
  const text = 'query ($id: ID!) { user(id: $id) { posts { id } postsConnection { totalCount } } }'
  const other = await ask(text, bob, { id: ann.id })
  assert.deepEqual(other.data, { user: { posts: null, postsConnection: null } })
  assert.equal(other.errors?.length, 2)
  const own = await ask(text, ann, { id: ann.id })
  assert.deepEqual(own.data, { user: { posts: [{ id: open }, { id: draft }], postsConnection: { totalCount: 2 } } })
})

test('a required reference to a row that may not be read is null, without an error', async () => {
  const text = '{ comments { post { title } } }'
  assert.deepEqual(await ask(text, bob), { data: { comments: [{ post: null }] }, errors: [] })
  assert.deepEqual(await ask(text, ann), { data: { comments: [{ post: { title: 'draft' } }] }, errors: [] })
})

test('a filter uses only fields that the viewer may read, and knows the viewer', async () => {
  const byNote = '{ posts(where: {note: {eq: "n"}}) { id } }'
  assert.deepEqual((await ask(byNote, bob)).data, { posts: [] })
  assert.equal((await ask(byNote, apis)).errors[0]?.extensions?.code, 'GRAPHQL_VALIDATION_FAILED')
  const own = '{ posts(where: {author: {isViewer: true}}) { title } }'
  assert.deepEqual((await ask(own, ann)).data, { posts: [{ title: 'open' }, { title: 'draft' }] })
  assert.deepEqual((await ask(own, bob)).data, { posts: [] })
})

test('a write to an unreadable row is NOT_FOUND, to a readable one FORBIDDEN, and an anonymous viewer gets UNAUTHENTICATED', async () => {
  const code = async (text: string, who: ApiClient, id: string) =>
    (await ask(`mutation ($id: ID!) { ${text} }`, who, { id })).errors[0]?.extensions?.code
  const update = 'updatePost(id: $id, title: "x") { id }'
  assert.equal(await code(update, bob, draft), 'NOT_FOUND')
  assert.equal(await code(update, bob, open), 'FORBIDDEN')
  assert.equal(await code(update, apis, draft), 'UNAUTHENTICATED')
  const { data: refused } = await ask('mutation ($id: ID!) { deletePost(id: $id) { success } }', bob, { id: draft })
  assert.deepEqual(refused, { deletePost: { success: false } })
})

async function createdPost(input: object): Promise<string> {
  const text = 'mutation ($input: CreatePostInput!) { it: createPost(input: $input) { id } }'
  const { data, errors } = await ask(text, ann, { input })
  assert.deepEqual(errors, [])
  return (data as { it: { id: string } }).it.id
}

async function ask(query: string, who: ApiClient, variables: object = {}): Promise<Omit<GraphqlAnswer, 'status'>> {
  const { data, errors } = await who.graphql(query, variables)
  return { data, errors }
}
