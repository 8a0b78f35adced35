// Idempotency keys of writes (docs/reference/rest.md, R150–R155): the same key writes once, on both APIs and with every method.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anonymous, bodyText, system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
type User @account @allow { id: ID! email: String! @unique }
type Note @allow { id: ID! text: String! count: Int @constraint(max: 9) code: String @unique tags: [Tag!]! }
type Tag @allow { id: ID! word: String! notes: [Note!]! }
`
let apis: TestApis
before(async () => {
  apis = await openApis(sdl)
})
after(() => apis.close())

const person = (account: string): Viewer => ({ account, roles: [], authenticated: true, token: null })
const ann = person('ann')
let last = 0
const freshKey = () => `key-${++last}`
const keyed = (key: string, more = {}) => ({ 'idempotency-key': key, ...more })
const replays = ({ headers }: { headers: Record<string, unknown> }) => headers['idempotent-replayed'] ?? null

async function notes(): Promise<number> {
  const { headers } = await apis.rest('GET', '/notes?limit=0', undefined, { prefer: 'count=exact' })
  return Number(headers['x-total-count'])
}

async function graphql(query: string, variables: object, key: string, viewer: Viewer = anonymous) {
  const body = JSON.stringify({ query, variables })
  const headers = keyed(key, { 'content-type': 'application/json' })
  const reply = await apis.send('graphql', { method: 'POST', path: '/graphql', headers, body }, viewer)
  return { headers: reply.headers, body: JSON.parse(await bodyText(reply)) }
}

test('R150, R151: a POST with the same key and body writes once, and the retry gets the same answer', async () => {
  const [key, count] = [freshKey(), await notes()]
  const first = await apis.rest('POST', '/notes', { text: 'a' }, keyed(key))
  const again = await apis.rest('POST', '/notes', { text: 'a' }, keyed(`"${key}"`))
  assert.deepEqual([first.status, replays(first), again.status, replays(again)], [201, null, 201, 'true'])
  assert.deepEqual(again.body, first.body)
  for (const name of ['location', 'etag', 'content-type']) assert.equal(again.headers[name], first.headers[name])
  assert.equal(await notes(), count + 1)
  const another = await apis.rest('POST', '/notes', { text: 'a' }, keyed(freshKey()))
  assert.equal(replays(another), null)
  assert.equal(await notes(), count + 2)
})

test('R150: arrays, merge patches, JSON patches, PUT, DELETE and links write once too, and the first answer stays', async () => {
  const id = ((await apis.rest('POST', '/notes', { text: 'a' })).body as { id: string }).id
  const tag = ((await apis.rest('POST', '/tags', { word: 'w' })).body as { id: string }).id
  const patch = { 'content-type': 'application/json-patch+json' }
  const operations = [
    { op: 'test', path: '/text', value: 'b' },
    { op: 'replace', path: '/text', value: 'c' },
  ]
  const writes: [string, string, unknown, object][] = [
    ['POST', '/notes', [{ text: 'x' }, { text: 'y' }], {}],
    ['PATCH', `/notes/${id}`, { text: 'b' }, {}],
    ['PATCH', `/notes/${id}`, operations, patch],
    ['PUT', `/notes/${id}`, { text: 'd' }, {}],
    ['PUT', `/notes/${id}/tags/${tag}`, undefined, {}],
    ['DELETE', `/notes/${id}/tags/${tag}`, undefined, {}],
    ['DELETE', `/notes/${id}`, undefined, {}],
  ]
  const first: unknown[] = []
  const keys = writes.map(freshKey)
  for (const round of [0, 1]) {
    for (const [index, [method, path, body, headers]] of writes.entries()) {
      const answer = await apis.rest(method, path, body, keyed(keys[index]!, headers))
      assert.equal(replays(answer), round === 0 ? null : 'true', `${method} ${path}`)
      const seen = [answer.status, answer.body, answer.headers.etag]
      if (round === 0) first.push(seen)
      else assert.deepEqual(seen, first[index])
    }
  }
  assert.deepEqual(
    first.map((one) => (one as number[])[0]),
    [201, 200, 200, 200, 204, 204, 204],
  )
})

test('R152: the key with another body is a 422; with another path or viewer it is another key', async () => {
  const key = freshKey()
  assert.equal((await apis.rest('POST', '/notes', { text: 'a' }, keyed(key))).status, 201)
  const other = await apis.rest('POST', '/notes', { text: 'b' }, keyed(key))
  const { code, errors } = other.body as { code: string; errors: { code: string }[] }
  assert.deepEqual(
    [other.status, code, errors.map((one) => one.code)],
    [422, 'IDEMPOTENCY_KEY_REUSED', ['IDEMPOTENCY']],
  )
  assert.equal((await apis.rest('POST', '/tags', { word: 'a' }, keyed(key))).status, 201)
  const hers = await apis.as(ann).rest('POST', '/notes', { text: 'a' }, keyed(key))
  assert.deepEqual([hers.status, replays(hers)], [201, null])
  const again = await apis.as({ ...ann, token: 'renewed' }).rest('POST', '/notes', { text: 'a' }, keyed(key))
  assert.deepEqual([again.status, replays(again)], [201, 'true'])
})

test('R153: a refused write leaves no record, and its retry is checked again', async () => {
  const key = freshKey()
  await apis.rest('POST', '/notes', { text: 'a', code: 'taken' })
  const body = { text: 'b', code: 'taken' }
  assert.equal((await apis.rest('POST', '/notes', body, keyed(key))).status, 409)
  const { body: rows } = await apis.rest('GET', '/notes?code=taken')
  await apis.rest('DELETE', `/notes/${(rows as { id: string }[])[0]!.id}`)
  const made = await apis.rest('POST', '/notes', body, keyed(key))
  assert.deepEqual([made.status, replays(made)], [201, null])
  assert.equal((await apis.rest('POST', '/notes', { count: 99 }, keyed(freshKey()))).status, 400)
  for (const wrong of ['', 'a b', 'x'.repeat(256)]) {
    assert.equal((await apis.rest('POST', '/notes', { text: 'a' }, keyed(wrong))).status, 400, wrong)
  }
})

test('R154: of many concurrent writes with one key one is made; the others get its answer, or a request to retry', async () => {
  for (let round = 0; round < 5; round++) {
    const [key, count] = [freshKey(), await notes()]
    const all = await Promise.all(
      Array.from({ length: 10 }, () => apis.rest('POST', '/notes', { text: 'race' }, keyed(key))),
    )
    const made = all.filter((one) => one.status === 201)
    assert.ok(made.length >= 1)
    assert.equal(made.filter((one) => replays(one) === null).length, 1)
    assert.equal(new Set(made.map(({ body }) => JSON.stringify(body))).size, 1)
    for (const { status, headers } of all) {
      if (status !== 201) assert.deepEqual([status, headers['retry-after']], [409, '1'])
    }
    assert.equal(await notes(), count + 1)
  }
})

test('R155: each field of a mutation is executed once; a failed one is executed again', async () => {
  const [key, count] = [freshKey(), await notes()]
  const query = `mutation ($code: String) {
    a: createNote(input: {text: "a"}) { id text }
    b: createNote(input: {text: "b", code: $code}) { id code }
  }`
  await apis.rest('POST', '/notes', { text: 'x', code: 'c1' })
  const first = await graphql(query, { code: 'c1' }, key)
  assert.equal(first.body.errors[0].extensions.code, 'CONFLICT')
  const { body: rows } = await apis.rest('GET', '/notes?code=c1')
  await apis.rest('DELETE', `/notes/${(rows as { id: string }[])[0]!.id}`)
  const second = await graphql(query, { code: 'c1' }, key)
  assert.equal(second.headers['idempotent-replayed'], undefined)
  const third = await graphql(query, { code: 'c1' }, key)
  assert.equal(third.headers['idempotent-replayed'], 'true')
  assert.deepEqual(third.body, second.body)
  assert.equal(await notes(), count + 2)
  const other = await graphql(query, { code: 'c2' }, key)
  assert.equal(other.body.errors[0].extensions.errors[0].code, 'IDEMPOTENCY')
})

test('R155: in a batch each operation has its own key', async () => {
  const [key, count] = [freshKey(), await notes()]
  const query = 'mutation { createNote(input: {text: "a"}) { id } }'
  const operation = (idempotencyKey: string) => ({ query, extensions: { idempotencyKey } })
  const send = async (body: unknown, headers = {}) => {
    const all = { 'content-type': 'application/json', ...headers }
    const raw = { method: 'POST', path: '/graphql', headers: all, body: JSON.stringify(body) }
    const reply = await apis.send('graphql', raw)
    return { status: reply.status, body: JSON.parse(await bodyText(reply)) }
  }
  const batch = [operation(key), operation(`${key}-2`), operation(key)]
  const first = await send(batch)
  assert.deepEqual(first.body[0], first.body[2])
  assert.notDeepEqual(first.body[0], first.body[1])
  assert.deepEqual((await send(batch)).body, first.body)
  assert.equal(await notes(), count + 2)
  assert.equal((await send([{ query }], keyed(key))).status, 400)
  assert.equal((await send({ query, extensions: { idempotencyKey: 7 } })).status, 400)
})

test('a sign-up with a key creates one account', async () => {
  const ours: ApiClient = apis.as(system)
  const key = freshKey()
  const body = { email: 'a@example.org', password: 'correct horse' }
  const first = await apis.rest('POST', '/users', body, keyed(key))
  const again = await apis.rest('POST', '/users', body, keyed(key))
  assert.deepEqual([first.status, again.status, replays(again)], [201, 201, 'true'])
  assert.equal(((await ours.rest('GET', '/users')).body as unknown[]).length, 1)
})
