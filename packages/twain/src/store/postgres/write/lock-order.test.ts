// Writes that name several rows lock them in one order before they begin, so that two of them never wait for each other.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defaultLimits } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'
import { resourceOf, selectAll } from '../../plan.fixture.ts'
import { openTestStore, type TestStore } from '../../store.fixture.ts'

const sdl = `
  type Post @allow { id: ID! n: Int parent: Post @relation(onDelete: SET_NULL) parts: [Post!]! @relation(inverse: "parent") }
`

describe('a write of several rows', () => {
  let store: TestStore
  before(async () => {
    store = (await openTestStore(sdl, { on: 'postgres' })).as(null)
    for (const id of ['a', 'b', 'c']) await store.replace('Post', id, { n: 0 })
    await store.replace('Post', 'b', { n: 0, parent: 'c' })
    await store.replace('Post', 'a', { n: 0, parent: 'c' })
  })
  after(() => store.close())

  const post = () => resourceOf(store.model, 'Post')

  /** Updates the posts in this order, as one transaction. */
  function updateAll(ids: readonly string[], n: number): Promise<unknown> {
    const builder = new PlanBuilder()
    const of = post()
    const answer = selectAll(of)
    const writes = ids.map((id) => ({
      kind: 'write' as const,
      action: 'update' as const,
      of,
      id: builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, 'id'),
      set: planInput({ n }, of, 'update', builder, '', false),
      ifVersion: null,
      answer,
    }))
    builder.finish(defaultLimits)
    return store.run({ plan: { kind: 'batch', writes }, values: builder.values(), places: builder.places })
  }

  /** Somebody else holds the first row. The write waits for it; meanwhile it must hold no other. */
  async function holdsNothing(write: () => Promise<unknown>): Promise<void> {
    const raw = store.raw!
    await raw.query('BEGIN')
    await raw.query(`SELECT 1 FROM "Post" WHERE id = 'a' FOR UPDATE`)
    const made = write()
    while ((await raw.query('SELECT 1 FROM pg_locks WHERE NOT granted')).length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const free = await raw.query(`SELECT id FROM "Post" WHERE id <> 'a' ORDER BY id FOR UPDATE SKIP LOCKED`)
    await raw.query('COMMIT')
    await made
    assert.deepEqual(free, [{ id: 'b' }, { id: 'c' }])
  }

  test('in a batch waits for the first before it locks the others', () =>
    holdsNothing(() => updateAll(['c', 'b', 'a'], 1)))

  test('in a list of a row does so too', () =>
    holdsNothing(() =>
      store.update('Post', 'c', {
        _parts: {
          update: [
            { id: 'b', n: 2 },
            { id: 'a', n: 2 },
          ],
        },
      }),
    ))

  test('of twenty batches in opposite orders each is made, and the database finds no deadlock', async () => {
    const deadlocks = async () => {
      await store.raw!.query('SELECT pg_stat_clear_snapshot()')
      const [row] = await store.raw!.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')
      return Number((row as { deadlocks: string }).deadlocks)
    }
    const earlier = await deadlocks()
    const orders = [
      ['a', 'b', 'c'],
      ['c', 'b', 'a'],
    ]
    await Promise.all(Array.from({ length: 20 }, (_, n) => updateAll(orders[n % 2]!, 10 + n)))
    assert.equal(await deadlocks(), earlier)
    assert.equal((await store.many('Post', { where: { n: { gte: 10 } } })).length, 3)
  })
})
