// What a create answers with is what a read of the row answers with, whatever the answer looks at: the row alone, rows that it refers
// to, other rows of its type, lists that have the row now.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Post @allow { id: ID! title: String! comments: [Comment!]! tags: [Tag!]! }
  type Tag @allow { id: ID! name: String @unique posts: [Post!]! }
  type Comment @allow {
    id: ID! body: String! @index image: JSON stars: Float due: Date at: DateTime! @auto(set: CREATE_TIME) post: Post! answers: Comment
    answered: [Comment!]!
    w: [String!]
    secret: String @allow(where: {answered: {some: {body: {eq: "open"}}}}, to: [READ]) @allow(to: [CREATE])
  }
`

const selections = [
  'id body image stars due at w',
  'id post { id title }',
  'id post { comments { id body } }',
  'id answers { id body answered { id } }',
  'id answered { id }',
  'id secret',
  'id Comment: body',
]

let apis: TestApis
before(async () => {
  apis = await openApis(sdl)
})
after(() => apis?.close())

const input = {
  body: 'Ärger "x" $1 ?1',
  image: { a: [1, null] },
  stars: 1.5,
  due: '2026-11-17',
  w: ['a', 'b'],
  secret: 's',
}

async function create(path: string, input: object): Promise<string> {
  return ((await restBody(apis, 'POST', path, input)) as { id: string }).id
}

test('a create of GraphQL answers with what a query for the row answers with', async () => {
  const post = await create('/posts', { title: 'One' })
  const first = await create('/comments', { body: 'first', post })
  for (const selection of selections) {
    const mutation = `mutation ($input: CreateCommentInput!) { made: createComment(input: $input) { ${selection} } }`
    const made = await apis.graphql(mutation, { input: { ...input, post, answers: first } })
    const { id } = made.data!.made as { id: string }
    const read = await apis.graphql(`query ($id: ID!) { made: comment(id: $id) { ${selection} } }`, { id })
    const codes = [made, read].map(({ errors }) => errors.map(({ extensions }) => extensions?.code))
    assert.deepEqual([made.data, codes[0]], [read.data, codes[1]], selection)
  }
})

test('a create of REST answers with what a GET of the row answers with', async () => {
  const post = await create('/posts', { title: 'Two' })
  for (const fields of ['', '?fields=id,body,post.title', '?fields=id,post.comments.id', '?fields=id,answered.id']) {
    const made = await apis.rest('POST', `/comments${fields}`, { ...input, post })
    const { id } = made.body as { id: string }
    const read = await apis.rest('GET', `/comments/${id}${fields}`)
    assert.deepEqual([made.status, made.body, made.headers.etag], [201, read.body, read.headers.etag], fields)
  }
})

test('creates at the same time each answer with their own row', async () => {
  const post = await create('/posts', { title: 'Many' })
  const bodies = Array.from({ length: 45 }, (_, n) => `number ${n}`)
  const made = await Promise.all(bodies.map((body) => apis.rest('POST', '/comments', { body, post, stars: 2 })))
  assert.deepEqual(
    made.map(({ status, body }) => [status, (body as { body: string }).body]),
    bodies.map((body) => [201, body]),
  )
  for (const { body, headers } of made) {
    const { id } = body as { id: string }
    const read = await apis.rest('GET', `/comments/${id}`)
    assert.deepEqual([read.body, read.headers.etag], [body, headers.etag])
  }
})

test('a create that is refused harms no other of the same time', async () => {
  const post = await create('/posts', { title: 'Some' })
  const posts = Array.from({ length: 20 }, (_, n) => (n % 7 === 3 ? 'missing' : post))
  const made = await Promise.all(posts.map((each) => apis.rest('POST', '/comments', { body: 'x', post: each })))
  assert.deepEqual(
    made.map(({ status }) => status < 300),
    posts.map((each) => each === post),
  )
  const tags = await Promise.all(['a', 'a', 'a', 'b'].map((name) => apis.rest('POST', '/tags', { name })))
  assert.deepEqual(tags.map(({ status }) => status).sort(), [201, 201, 409, 409])
})
