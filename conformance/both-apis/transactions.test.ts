// Several writes in one transaction (docs/reference/rest.md, R160–R165): `POST /batch`, and `mutation @transaction`.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bodyText, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
type User @account @allow(to: [READ, CREATE]) @allow(who: "self") { id: ID! email: String! @unique }
type Post @allow { id: ID! title: String! slug: String @unique comments: [Comment!]! tags: [Tag!]! }
type Comment @allow(to: [READ]) @allow(who: "signedIn") { id: ID! text: String! @constraint(maxLength: 9) post: Post! @relation(onDelete: CASCADE) }
type Tag @allow { id: ID! word: String! posts: [Post!]! }
`
let apis: TestApis
const ann: Viewer = { account: 'ann', roles: [], authenticated: true, token: null }
before(async () => {
  apis = await openApis(sdl, { transaction: 5 })
})
after(() => apis.close())

interface Reply {
  status: number
  headers: Record<string, string>
  body?: Record<string, unknown>
}

async function batch(operations: unknown, headers = {}, viewer = ann) {
  const reply = await apis.as(viewer).rest('POST', '/batch', operations, headers)
  return {
    ...reply,
    replies: reply.body as Reply[],
    problem: reply.body as { errors: { path: string; code: string }[] },
  }
}

async function count(): Promise<number[]> {
  const counts = ['posts', 'comments', 'tags'].map(async (path) => {
    const { headers } = await apis.rest('GET', `/${path}?limit=0`, undefined, { prefer: 'count=exact' })
    return Number(headers['x-total-count'])
  })
  return Promise.all(counts)
}

test('R160, R161: operations run in order, and each can refer to rows of earlier ones', async () => {
  const { status, replies } = await batch([
    { method: 'POST', path: '/posts', body: { title: '$0.id' } },
    { method: 'POST', path: '/posts/$0.id/comments', body: { text: 'first' } },
    { method: 'PUT', path: '/tags/sea', body: { word: 'sea', posts: ['$0.id'] } },
    { method: 'PATCH', path: '/posts/$0.id?fields=title,comments.text,tags.word', body: { slug: 'a' } },
    { method: 'DELETE', path: '/comments/$1.id' },
  ])
  assert.equal(status, 200, JSON.stringify(replies))
  assert.deepEqual(
    replies.map((one) => one.status),
    [201, 201, 201, 200, 204],
  )
  const id = replies[0]!.body!.id as string
  assert.equal(replies[0]!.headers.location, `/posts/${id}`)
  assert.equal(replies[1]!.body!.post, id)
  assert.deepEqual(replies[3]!.body, { title: '$0.id', comments: [{ text: 'first' }], tags: [{ word: 'sea' }] })
  const { body } = await apis.rest('GET', `/posts/${id}?fields=title,slug,comments.id,_version`)
  // A text that refers to no operation stays a text.
  assert.deepEqual(body, { title: '$0.id', slug: 'a', comments: [], _version: 2 })
})

test('R60: a PUT in a batch has an ETag only if the row is exactly as it was sent', async () => {
  const { replies } = await batch([
    { method: 'PUT', path: '/tags/exact?fields=id,word', body: { id: 'exact', word: 'x' } },
    { method: 'PUT', path: '/tags/added', body: { word: 'x' } },
    { method: 'PATCH', path: '/tags/added', body: { word: 'y' } },
  ])
  assert.deepEqual(
    replies.map(({ headers }) => headers.etag !== undefined),
    [true, false, true],
    JSON.stringify(replies),
  )
})

test('R162: when one operation fails nothing is written, and the answer has its status and names it', async () => {
  const before = await count()
  const make = { method: 'POST', path: '/posts', body: { title: 'x' } }
  const failing: [unknown, number, string | null][] = [
    [{ method: 'POST', path: '/comments', body: { text: 'too long a text', post: '$0.id' } }, 400, '1.text'],
    [{ method: 'POST', path: '/posts', body: { title: 'y', slug: 'a' } }, 409, '1.slug'],
    [{ method: 'POST', path: '/comments', body: { text: 'x', post: 'nothing' } }, 409, '1.post'],
    [{ method: 'DELETE', path: '/posts/nothing' }, 404, null],
    [{ method: 'PATCH', path: '/posts/$0.id', body: { title: 'z' }, headers: { 'If-Match': '"7"' } }, 412, '1'],
    [{ method: 'POST', path: '/comments', body: { text: 'x', post: '$2.id' } }, 400, '1.post'],
    [{ method: 'DELETE', path: '/posts/$1.id' }, 400, '1.path'],
    [{ method: 'POST', path: '/nothing', body: {} }, 404, null],
    [{ method: 'PUT', path: '/posts', body: {} }, 405, null],
    [{ method: 'PATCH', path: '/users/$0.id', body: {} }, 404, null],
  ]
  for (const [operation, status, path] of failing) {
    const reply = await batch([make, operation])
    assert.equal(reply.status, status, JSON.stringify([operation, reply.body]))
    assert.match(String((reply.body as { detail: string }).detail), /^1[.:]/)
    assert.equal(reply.problem.errors[0]?.path ?? null, path)
  }
  assert.deepEqual(await count(), before)
})

test('R162: all mistakes are reported at once', async () => {
  const { status, problem } = await batch([
    { method: 'POST', path: '/posts', body: { titel: 'x' } },
    { method: 'POST', path: '/comments', body: { text: 7, post: '$0.id' } },
  ])
  assert.equal(status, 400)
  assert.deepEqual(
    problem.errors.map(({ path }) => path),
    ['0.titel', '0.title', '1.text'],
  )
})

test('R163: rules are checked in order, inside the transaction', async () => {
  const someone = { account: null, roles: [], authenticated: false, token: null }
  const operations = [
    { method: 'POST', path: '/posts', body: { title: 'x' } },
    { method: 'POST', path: '/comments', body: { text: 'x', post: '$0.id' } },
  ]
  const before = await count()
  assert.equal((await batch(operations, {}, someone)).status, 401)
  assert.deepEqual(await count(), before)
})

test('R164: a body that is no list of operations is a 400 with every place', async () => {
  const wrong: [unknown, string[]][] = [
    [{}, ['']],
    [[], ['']],
    [Array.from({ length: 6 }, () => ({ method: 'POST', path: '/tags', body: { word: 'x' } })), ['']],
    [
      [7, { method: 'GET', path: 'x', more: 1, headers: { accept: 'x' } }],
      ['0', '1.more', '1.method', '1.path', '1.headers.accept'],
    ],
  ]
  for (const [body, paths] of wrong) {
    const { status, problem } = await batch(body)
    assert.deepEqual([status, problem.errors.map(({ path }) => path)], [400, paths])
  }
  assert.equal((await apis.rest('GET', '/batch')).status, 405)
  assert.equal((await apis.rest('OPTIONS', '/batch')).headers.allow, 'POST, OPTIONS')
})

test('R165: a batch with an idempotency key runs once', async () => {
  const operations = [{ method: 'POST', path: '/posts', body: { title: 'once' } }]
  const headers = { 'idempotency-key': 'k1' }
  const [before] = await count()
  const first = await batch(operations, headers)
  const again = await batch(operations, headers)
  assert.deepEqual(again.body, first.body)
  assert.deepEqual([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']], [undefined, 'true'])
  assert.equal((await batch([...operations, ...operations], headers)).status, 422)
  assert.deepEqual((await count())[0], before! + 1)
})

test('a mutation with @transaction writes all or nothing, and its fields can refer to rows of earlier ones', async () => {
  const query = `mutation ($text: String!) @transaction {
    post: createPost(input: {title: "t"}) { id title }
    comment: createComment(input: {text: $text, post: "$post.id"}) { text post { id } }
    moved: updatePost(id: "$post.id", title: "u") { title comments { text } }
    gone: deleteComment(id: "$comment.id") { success }
  }`
  const before = await count()
  const wrong = await apis.as(ann).graphql(query, { text: 'too long a text' })
  assert.equal(wrong.data, null)
  assert.deepEqual(
    wrong.errors.map(({ path, extensions }) => [path, extensions?.code]),
    [[['comment'], 'VALIDATION_FAILED']],
  )
  assert.deepEqual(await count(), before)
  const { data, errors } = await apis.as(ann).graphql(query, { text: 'short' })
  assert.deepEqual(errors, [])
  const { id } = data!.post as { id: string }
  assert.deepEqual(data, {
    post: { id, title: 't' },
    comment: { text: 'short', post: { id } },
    moved: { title: 'u', comments: [{ text: 'short' }] },
    gone: { success: true },
  })
  assert.deepEqual(await count(), [before[0]! + 1, before[1], before[2]])
})

test('an operation that cannot be part of a transaction is refused, and so is an unknown reference', async () => {
  const refused = async (fields: string) => {
    const { errors } = await apis.as(ann).graphql(`mutation @transaction { ${fields} }`)
    return errors.map(({ path, message, extensions }) => [path?.[0], extensions?.code, message] as const)[0]!
  }
  assert.deepEqual((await refused('a: createPosts(inputs: [{title: "x"}]) { id }')).slice(0, 2), ['a', 'BAD_REQUEST'])
  const [path, code, message] = await refused(
    'post: createPost(input: {title: "x"}) { id } b: deletePost(id: "$pots.id") { id }',
  )
  assert.deepEqual([path, code], ['b', 'VALIDATION_FAILED'])
  assert.match(message, /Did you mean "post"/)
  const [refusal] = [
    await refused('a: createPost(input: {title: "x"}) { id } b: deletePost(id: "nothing") { success }'),
  ]
  assert.deepEqual(refusal.slice(0, 2), ['b', 'NOT_FOUND'])
})

test('the error of a transaction has the path of the field that failed, also if its key is too long for the message', async () => {
  const key = 'k'.repeat(400)
  for (const field of [
    'deletePost(id: "nothing") { success }',
    'createComment(input: {text: "too long", post: "x"}) { id }',
  ]) {
    const query = `mutation @transaction { post: createPost(input: {title: "x"}) { id } ${key}: ${field} }`
    const { errors } = await apis.as(ann).graphql(query)
    assert.deepEqual(
      errors.map(({ path }) => path),
      [[key]],
    )
  }
})

test('a transaction writes its changes to the change log as any other write does', async () => {
  const reply = await apis.send(
    'rest',
    {
      method: 'POST',
      path: '/batch',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([
        { method: 'POST', path: '/tags', body: { word: 'once' } },
        { method: 'PATCH', path: '/tags/$0.id', body: { word: 'twice' } },
      ]),
    },
    ann,
  )
  const replies = JSON.parse(await bodyText(reply)) as Reply[]
  assert.deepEqual(
    replies.map(({ headers }) => headers.etag!.slice(0, 3)),
    ['"1-', '"2-'],
  )
})
