// The answer of a write and its ETag have what `after` hooks have made of the row.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Context, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type Slot @allow {
    id: ID! name: String! capacity: Int! remaining: Int! @default(value: 0)
    marks: [Mark!]!
    label: String @computed(from: ["remaining"])
  }
  type Mark @allow { id: ID! text: String! slot: Slot! @relation(onDelete: CASCADE) }
  type Day @allow { id: ID! name: String! slots: [Part!]! }
  type Part @allow { id: ID! name: String! day: Day! @relation(onDelete: CASCADE) seen: Boolean! @default(value: false) }
  extend type Mutation { run: Int }
`

interface BatchReply {
  headers: Record<string, string>
  body: { id: string; capacity: number; remaining: number }
}

let run: (context: Context) => unknown = () => null

const service: ServiceCode = {
  resolvers: {
    Mutation: { run: (_args, context) => run(context) },
    Slot: { label: async (rows, _args, _context) => rows.map((row) => `${row.remaining} left`) },
  },
  after: {
    async Slot({ kind, id, row }, { system }) {
      const { name, capacity } = (row ?? {}) as { name?: string; capacity?: number }
      if (kind === 'deleted' || name === 'still') return
      if (name === 'gone') await system.write.Slot!.delete(id)
      else await system.write.Slot!.update(id, { remaining: capacity! })
    },
    async Mark({ kind, row }, { system }) {
      const { slot } = (row ?? {}) as { slot: string }
      if (kind === 'created') await system.write.Slot!.update(slot, { name: 'marked' })
    },
    async Part({ kind, id }, { system }) {
      if (kind === 'created') await system.write.Part!.update(id, { seen: true })
    },
  },
}

describe('answers after hooks', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
  })
  after(() => apis.close())

  test('REST: a create and an update, their ETags, and the key of a retry', async () => {
    const headers = { 'idempotency-key': 'k1' }
    const created = await apis.rest('POST', '/slots', { name: 'a', capacity: 9 }, headers)
    const { id, remaining } = created.body as { id: string; remaining: number }
    const stored = await apis.rest('GET', `/slots/${id}`)
    assert.deepEqual([remaining, created.body, created.headers.etag], [9, stored.body, stored.headers.etag])
    const again = await apis.rest('POST', '/slots', { name: 'a', capacity: 9 }, headers)
    assert.deepEqual([again.body, again.headers.etag], [created.body, created.headers.etag])

    const changed = await apis.rest(
      'PATCH',
      `/slots/${id}`,
      { capacity: 5 },
      { 'if-match': String(created.headers.etag) },
    )
    const later = await apis.rest('GET', `/slots/${id}`)
    assert.deepEqual([changed.status, changed.body, changed.headers.etag], [200, later.body, later.headers.etag])
    assert.equal((changed.body as { remaining: number }).remaining, 5)
    const whole = { name: 'b', capacity: 7, remaining: 1 }
    const replaced = await apis.rest('PUT', `/slots/${id}`, whole, { 'if-match': String(changed.headers.etag) })
    assert.deepEqual([replaced.status, (replaced.body as { remaining: number }).remaining], [200, 7])
  })

  test('REST: a list, a batch, and rows of another type that the answer shows', async () => {
    const rows = [4, 5].map((capacity) => ({ name: 'list', capacity }))
    const made = (await restBody(apis, 'POST', '/slots', rows)) as { remaining: number }[]
    assert.deepEqual(
      made.map(({ remaining }) => remaining),
      [4, 5],
    )
    const parts = rows.map((body) => ({ method: 'POST', path: '/slots', body }))
    const batch = (await restBody(apis, 'POST', '/batch', parts)) as BatchReply[]
    for (const { headers, body } of batch) {
      const { headers: stored } = await apis.rest('GET', `/slots/${body.id}`)
      assert.deepEqual([headers.etag, body.remaining > 3], [stored.etag, true])
    }
    const slot = batch[0]!.body.id
    const mark = await restBody(apis, 'POST', '/marks?fields=text,slot.name', { text: 'm', slot })
    assert.deepEqual(mark, { text: 'm', slot: { name: 'marked' } })
  })

  test('of several writes of one row in a batch each answers its own state, and the last what the hook made of it', async () => {
    const body = { name: 'twice', capacity: 4 }
    const [first, second] = (await restBody(apis, 'POST', '/batch', [
      { method: 'POST', path: '/slots', body },
      { method: 'PATCH', path: '/slots/$0.id', body: { capacity: 6 } },
    ])) as BatchReply[]
    const stored = await apis.rest('GET', `/slots/${first!.body.id}`)
    assert.deepEqual([first!.body.capacity, first!.body.remaining, first!.headers.etag?.slice(0, 3)], [4, 0, '"1-'])
    assert.deepEqual([second!.body, second!.headers.etag], [stored.body, stored.headers.etag])
    const query = `mutation @transaction {
      a: createSlot(input: {name: "twice", capacity: 4}) { capacity remaining _version }
      b: updateSlot(id: "$a.id", capacity: 6) { capacity remaining _version }
    }`
    assert.deepEqual(await graphqlData(apis, query), {
      a: { capacity: 4, remaining: 0, _version: 1 },
      b: { capacity: 6, remaining: 6, _version: 3 },
    })
  })

  test('GraphQL: one, several, nested and in a transaction, computed fields too', async () => {
    const all = '{ remaining label _version }'
    const input = { name: 'g', capacity: 3 }
    const fresh = { remaining: 3, label: '3 left', _version: 2 }
    const query = `mutation ($input: CreateSlotInput!) { createSlot(input: $input) ${all} }`
    assert.deepEqual(await graphqlData(apis, query, { input }), { createSlot: fresh })
    const many = `mutation ($input: CreateSlotInput!) { createSlots(inputs: [$input, $input]) ${all} }`
    assert.deepEqual(await graphqlData(apis, many, { input }), { createSlots: [fresh, fresh] })
    const together = `mutation ($input: CreateSlotInput!) @transaction { a: createSlot(input: $input) { remaining } b: createSlot(input: $input) { remaining } }`
    const three = { remaining: 3 }
    assert.deepEqual(await graphqlData(apis, together, { input }), { a: three, b: three })
    const nested = 'mutation { createDay(input: {name: "d", _slots: {create: [{name: "p"}]}}) { slots { name seen } } }'
    assert.deepEqual(await graphqlData(apis, nested), { createDay: { slots: [{ name: 'p', seen: true }] } })
  })

  test('custom code gets the row as it is, and a hook that writes nothing costs no read', async () => {
    run = async ({ write }) => (await write.Slot!.create({ name: 'code', capacity: 8 })).remaining
    assert.deepEqual(await graphqlData(apis, 'mutation { run }'), { run: 8 })
    const still = (await restBody(apis, 'POST', '/slots', { name: 'still', capacity: 8 })) as { remaining: number }
    assert.equal(still.remaining, 0)
  })

  test('the answer to a write whose row a hook deletes is the row that was written', async () => {
    const { status, body } = await apis.rest('POST', '/slots', { name: 'gone', capacity: 8 })
    const { id, remaining } = body as { id: string; remaining: number }
    assert.deepEqual([status, remaining], [201, 0])
    assert.equal((await apis.rest('GET', `/slots/${id}`)).status, 404)
  })
})

const code = `export default { after: { async Slot({ id, row }, { system }) {
  await system.write.Slot.update(id, { remaining: row.capacity })
} } }`

test('events and history have each version once, in order, and end with the version of the answer', async (t) => {
  const slots = 'type Slot @allow { id: ID! capacity: Int! remaining: Int! @default(value: 0) }'
  const service = await TestService.open(t, slots, { code })
  const created = await service.send('POST', '/slots', { capacity: 2 })
  const path = `/slots/${created.body.id}`
  const changed = await service.send('PATCH', path, { capacity: 3 })
  const tags = [created, changed].map(({ headers }) => headers.get('etag')?.slice(0, 3))
  assert.deepEqual(tags, ['"2-', '"4-'])
  const history = (await service.succeed('GET', `${path}/changes`)) as ChangePage
  const versions = [
    ['CREATED', 1],
    ['UPDATED', 2],
    ['UPDATED', 3],
    ['UPDATED', 4],
  ]
  assert.deepEqual(history.edges.map(({ node: { kind, version } }) => [kind, version]).toReversed(), versions)
  const events = await until(
    async () => ((await service.succeed('GET', '/changes')) as ChangePage).edges,
    (found) => found.length >= versions.length,
  )
  assert.deepEqual(
    events.map(({ node: { type, version, data } }) => [type, version, data.remaining]),
    [
      ['slot.created', 1, 0],
      ['slot.updated', 2, 2],
      ['slot.updated', 3, 2],
      ['slot.updated', 4, 3],
    ],
  )
})

/** A change has a `kind` in the history of its row, and a `type` and `data` as an event. */
interface ChangePage {
  edges: { node: { kind: string; type: string; version: number; data: { remaining: number } } }[]
}
