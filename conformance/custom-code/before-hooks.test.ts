// `before` hooks: for each row that a write touches, the row before and as it would be, once for each attempt.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Context, PendingWrite, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Shop @allow { id: ID! name: String! shelves: [Shelf!]! }
  type Shelf @allow { id: ID! label: String! shop: Shop! @relation(onDelete: CASCADE) boxes: [Box!]! }
  type Box @allow {
    id: ID! label: String! @unique at: DateTime @auto(set: CREATE_TIME)
    shelf: Shelf! @relation(onDelete: CASCADE) owner: Owner @relation(onDelete: SET_NULL) tags: [Tag!]!
  }
  type Owner @allow(to: [READ, CREATE, DELETE]) { id: ID! name: String! }
  type Tag @allow { id: ID! name: String! boxes: [Box!]! }
  type Counter @allow { id: ID! n: Int! }
  type Slot @allow { id: ID! n: Int! }
  extend type Mutation { fill(shelf: ID!): Shelf! }
`

type Row = Record<string, unknown>
const received: [string, PendingWrite][] = []
let onSlot: (write: PendingWrite, context: Context) => unknown = () => {}
const receive = (type: string) => (write: PendingWrite) => void received.push([type, write])

const service: ServiceCode = {
  before: {
    Shop: receive('Shop'),
    Shelf: receive('Shelf'),
    Box: receive('Box'),
    Slot: (write, context) => onSlot(write, context),
  },
  resolvers: {
    Mutation: {
      async fill({ shelf }, { transaction }) {
        await transaction(async ({ write }) => {
          const box = await write.Box!.create({ label: 'filled', shelf })
          await write.Box!.update(box.id, { label: 'filled twice' })
        })
        return shelf
      },
    },
  },
}

describe('before hooks', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl, {}, undefined, undefined, undefined, { service, poolSize: 10 })
  })
  after(() => apis.close())
  beforeEach(() => {
    received.length = 0
    onSlot = () => {}
  })

  const makeShop = async (name: string, boxes: object[] = []): Promise<Row> => {
    const input = { name, shelves: [{ label: 'top', boxes }] }
    const mutation =
      'mutation ($input: CreateShopInput!) { createShop(input: $input) { id shelves { id boxes { id label at } } } }'
    return (await graphqlData(apis, mutation, { input })).createShop as Row
  }
  /** `type kind` of each call, sorted: siblings have no order. */
  const calls = () => received.map(([type, { kind }]) => `${type} ${kind}`).toSorted()

  test('a row that is created along with another has the id that it will have', async () => {
    const { id, shelves } = (await makeShop('nested', [{ label: 'n1' }, { label: 'n2' }])) as {
      id: string
      shelves: { id: string; boxes: Row[] }[]
    }
    assert.deepEqual(calls(), ['Box create', 'Box create', 'Shelf create', 'Shop create'])
    const told = (type: string) => received.filter(([of]) => of === type).map(([, write]) => write)
    assert.deepEqual(told('Shop')[0], { kind: 'create', id, row: null, next: { id, name: 'nested', _version: 1 } })
    const [shelf] = shelves
    assert.deepEqual(
      [told('Shelf')[0]?.id, told('Shelf')[0]?.next],
      [shelf!.id, { id: shelf!.id, label: 'top', shop: id, _version: 1 }],
    )
    const labels = (rows: Row[]) => rows.map((row) => [row.id, row.label]).toSorted()
    assert.deepEqual(labels(told('Box').map(({ next }) => next as Row)), labels(shelf!.boxes))
    assert.deepEqual(
      told('Box')
        .map((one) => one.id)
        .toSorted(),
      shelf!.boxes.map((one) => one.id).toSorted(),
    )
  })

  test('a cascade passes each row that it deletes, at every level, and each row that it changes', async () => {
    const { id } = (await makeShop('cascade', [{ label: 'c1' }, { label: 'c2' }])) as { id: string }
    received.length = 0
    await restBody(apis, 'DELETE', `/shops/${id}`)
    assert.deepEqual(calls(), ['Box delete', 'Box delete', 'Shelf delete', 'Shop delete'])
    for (const [, { row, next, id: own }] of received) assert.deepEqual([(row as Row).id, next], [own, null])

    const { id: owner } = (await restBody(apis, 'POST', '/owners', { name: 'ann' })) as { id: string }
    await makeShop('set null', [{ label: 's1', owner }])
    received.length = 0
    await graphqlData(apis, 'mutation ($id: ID!) { deleteOwner(id: $id) { id } }', { id: owner })
    const [[type, { kind, row, next }]] = received as [[string, PendingWrite]]
    assert.deepEqual([received.length, type, kind], [1, 'Box', 'update'])
    assert.deepEqual([(row as Row).owner, (next as Row).owner], [owner, null])
    assert.equal((next as { _version: number })._version, (row as { _version: number })._version + 1)
  })

  test('several writes of one row in a transaction are one call, with the first row and the last', async () => {
    const { shelves } = (await makeShop('several', [{ label: 'm1' }])) as { shelves: { boxes: { id: string }[] }[] }
    const { id } = shelves[0]!.boxes[0]!
    received.length = 0
    const operations = [
      { method: 'PATCH', path: `/boxes/${id}`, body: { label: 'm2' } },
      { method: 'PATCH', path: `/boxes/${id}`, body: { label: 'm3' } },
    ]
    await restBody(apis, 'POST', '/batch', operations)
    const [[, { kind, row, next }]] = received as [[string, PendingWrite]]
    assert.deepEqual([received.length, kind, (row as Row).label, (next as Row).label], [1, 'update', 'm1', 'm3'])
  })

  test('a change of links is an update of the row whose list it changes', async () => {
    const { shelves } = (await makeShop('linked', [{ label: 'l1' }])) as { shelves: { boxes: { id: string }[] }[] }
    const { id } = shelves[0]!.boxes[0]!
    const { id: tag } = (await restBody(apis, 'POST', '/tags', { name: 'fragile' })) as { id: string }
    received.length = 0
    await restBody(apis, 'PATCH', `/boxes/${id}`, { tags: [tag] })
    await restBody(apis, 'DELETE', `/boxes/${id}/tags/${tag}`)
    assert.deepEqual(calls(), ['Box update', 'Box update'])
  })

  test('writes of custom code in its own transaction pass too, each on its own', async () => {
    const { shelves } = (await makeShop('code')) as { shelves: { id: string }[] }
    received.length = 0
    await graphqlData(apis, 'mutation ($shelf: ID!) { fill(shelf: $shelf) { id } }', { shelf: shelves[0]!.id })
    const boxes = received.map(([, { kind, row, next }]) => [kind, (row as Row)?.label, (next as Row).label])
    assert.deepEqual(boxes, [
      ['create', undefined, 'filled'],
      ['update', 'filled', 'filled twice'],
    ])
  })

  test('no hook runs for a write that rules, references or unique fields refuse', async () => {
    await makeShop('refused', [{ label: 'taken' }])
    received.length = 0
    const input = { name: 'again', shelves: [{ label: 'top', boxes: [{ label: 'taken' }] }] }
    const mutation = 'mutation ($input: CreateShopInput!) { createShop(input: $input) { id } }'
    assert.equal((await apis.graphql(mutation, { input })).errors[0]?.extensions?.code, 'CONFLICT')
    assert.equal((await apis.rest('POST', '/boxes', { label: 'x', shelf: 'nowhere' })).status, 409)
    assert.deepEqual(received, [])
  })

  test('a write calls it once; a conflict with another transaction repeats the write, and the call', async () => {
    const { id: counter } = (await restBody(apis, 'POST', '/counters', { n: 0 })) as { id: string }
    let attempts = 0
    let other: Promise<unknown> = Promise.resolve()
    onSlot = async (_write, { read, write }) => {
      attempts++
      const { n } = (await read.Counter!.get(counter)) as unknown as { n: number }
      // PostgreSQL commits it while this transaction is open; on SQLite it waits for its end.
      if (attempts === 1) other = apis.rest('PATCH', `/counters/${counter}`, { n: 100 })
      if (attempts === 1 && isConcurrent) await other
      await write.Counter!.update(counter, { n: n + 1 })
    }
    await restBody(apis, 'POST', '/slots', { n: 1 })
    await other
    const { n } = (await restBody(apis, 'GET', `/counters/${counter}`)) as { n: number }
    assert.deepEqual([attempts, n], isConcurrent ? [2, 101] : [1, 100])
    onSlot = () => void attempts++
    await restBody(apis, 'POST', '/slots', { n: 2 })
    assert.equal(attempts, isConcurrent ? 3 : 2)
  })
})

const isConcurrent = process.env.TWAIN_TEST_STORE === 'postgres'
