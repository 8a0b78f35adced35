// Idempotency keys of custom operations and of files (docs/reference/rest.md, R156, R157).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { anonymous, bodyText } from '../../packages/twain/src/base/http/index.ts'
import { ApiError } from '../../packages/twain/src/base/index.ts'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { form, openFiles } from '../files/open-files.ts'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
type Order @allow { id: ID! total: Int! }
type Line @allow { id: ID! what: String! order: Order! }
extend type Mutation {
  "Makes an order with its lines."
  order(whats: [String!]!): Order! @resource(path: "orderings")
}
`
/** What the code does after so many of its writes; null: nothing special. */
let fails: { after: number } | null = null
let calls = 0
const service: ServiceCode = {
  resolvers: {
    Mutation: {
      async order({ whats }, { write }) {
        calls++
        let writes = 0
        const step = () => {
          if (fails !== null && writes++ === fails.after) throw new ApiError('UNAVAILABLE', 'the power went')
        }
        step()
        const order = await write.Order!.create({ total: (whats as string[]).length })
        for (const what of whats as string[]) {
          step()
          await write.Line!.create({ what, order: order.id })
        }
        return order
      },
    },
  },
}

let apis: TestApis
before(async () => {
  apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
})
after(() => apis.close())
beforeEach(() => {
  fails = null
  calls = 0
})

async function count(path: string): Promise<number> {
  const { headers } = await apis.rest('GET', `/${path}?limit=0`, undefined, { prefer: 'count=exact' })
  return Number(headers['x-total-count'])
}

const counts = async () => [await count('orders'), await count('lines')]
const keyed = (key: string) => ({ 'idempotency-key': key })

test('R156: a custom operation with a key is called once, and the retry gets the same answer', async () => {
  const [orders = 0, lines = 0] = await counts()
  const first = await apis.rest('POST', '/orderings', { whats: ['a', 'b'] }, keyed('own-1'))
  const again = await apis.rest('POST', '/orderings', { whats: ['a', 'b'] }, keyed('own-1'))
  assert.deepEqual([first.status, again.status, calls], [200, 200, 1])
  assert.deepEqual(again.body, first.body)
  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.deepEqual(await counts(), [orders + 1, lines + 2])
  const other = await apis.rest('POST', '/orderings', { whats: ['c'] }, keyed('own-1'))
  assert.equal(other.status, 422)
  assert.equal((other.body as { errors: { code: string }[] }).errors[0]?.code, 'IDEMPOTENCY')
})

test('R156: writes of a failed operation are not repeated, however far it came', async () => {
  for (const stop of [1, 2, 3]) {
    const [orders = 0, lines = 0] = await counts()
    fails = { after: stop }
    const broken = await apis.rest('POST', '/orderings', { whats: ['a', 'b', 'c'] }, keyed(`own-${stop}-half`))
    assert.equal(broken.status, 503)
    assert.deepEqual(await counts(), [orders + 1, lines + stop - 1])
    fails = null
    const made = await apis.rest('POST', '/orderings', { whats: ['a', 'b', 'c'] }, keyed(`own-${stop}-half`))
    assert.equal(made.status, 200)
    assert.deepEqual(await counts(), [orders + 1, lines + 3])
  }
})

test('R155, R156: GraphQL handles keys alike', async () => {
  const [orders = 0, lines = 0] = await counts()
  const body = JSON.stringify({ query: 'mutation { a: order(whats: ["a"]) { id } b: order(whats: ["b"]) { id } }' })
  const headers = { 'content-type': 'application/json', ...keyed('own-g') }
  const send = async () => {
    const reply = await apis.send('graphql', { method: 'POST', path: '/graphql', headers, body }, anonymous)
    return { replayed: reply.headers['idempotent-replayed'], body: JSON.parse(await bodyText(reply)) }
  }
  const [first, again] = [await send(), await send()]
  assert.equal(first.body.errors, undefined)
  assert.deepEqual(again.body, first.body)
  assert.deepEqual([first.replayed, again.replayed, calls], [undefined, 'true', 2])
  assert.deepEqual(await counts(), [orders + 2, lines + 2])
})

test('R157: an upload with a key creates one file, and another file with the same key is a conflict', async (t) => {
  const { send, signUp, stored } = await openFiles(t)
  const ann = await signUp('ann')
  const post = (key: string, value: string, who = ann) => {
    const sent = form([{ name: 'file', fileName: 'a.txt', type: 'text/plain', value }])
    return send('POST', '/files', { ...sent, headers: { ...sent.headers, ...who, ...keyed(key) } })
  }
  const first = await post('file-1', 'hello')
  const again = await post('file-1', 'hello')
  assert.deepEqual([first.status, again.status, again.json.id], [201, 201, first.json.id])
  assert.deepEqual([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']], [undefined, 'true'])
  assert.equal(await stored(), 1)
  assert.equal((await send('GET', again.json.url)).text, 'hello')
  const other = await post('file-1', 'other')
  assert.deepEqual([other.status, other.json.errors[0].code], [422, 'IDEMPOTENCY'])
  assert.equal(await stored(), 1)
  assert.equal((await post('file-1', 'other', await signUp('bob'))).status, 201)
  const many = await Promise.all(Array.from({ length: 8 }, () => post('file-2', 'at once')))
  assert.equal(new Set(many.map(({ json }) => json.id)).size, 1)
})

test('R157: uploadFile and a mutation with an upload create one file too', async (t) => {
  const { send, signUp, stored } = await openFiles(t)
  const ann = await signUp('ann')
  const ask = async (query: string, key: string, value: string) => {
    const sent = form([
      { name: 'operations', value: JSON.stringify({ query, variables: { file: null } }) },
      { name: 'map', value: '{"0": ["variables.file"]}' },
      { name: '0', fileName: 'a.txt', type: 'text/plain', value },
    ])
    return send('POST', '/graphql', { ...sent, headers: { ...sent.headers, ...ann, ...keyed(key) } })
  }
  const upload = 'mutation ($file: Upload!) { uploadFile(file: $file) { id } }'
  const [first, again] = [await ask(upload, 'up-1', 'hello'), await ask(upload, 'up-1', 'hello')]
  assert.ok(first.json.data.uploadFile.id, first.text)
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal((await ask(upload, 'up-1', 'other')).json.errors[0].extensions.code, 'IDEMPOTENCY_KEY_REUSED')
  assert.equal(await stored(), 1)
  const write = 'mutation ($file: Upload!) { createNote(input: {scan: $file}) { id scan { id } } }'
  const [made, same] = [await ask(write, 'up-2', 'note'), await ask(write, 'up-2', 'note')]
  assert.ok(made.json.data.createNote.id, made.text)
  assert.equal(same.text, made.text)
  assert.equal(same.headers['idempotent-replayed'], 'true')
})
