// Writes that name several rows lock them in one order before they begin, so that two of them never wait for each other.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defaultLimits } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'
import { resourceOf, selectAll } from '../../plan.fixture.ts'
import { type Json, openTestStore, type TestStore } from '../../store.fixture.ts'

const sdl = `
  type User @account(login: "name") @allow { id: ID! name: String! @unique }
  type Post @allow { id: ID! n: Int parent: Post @relation(onDelete: SET_NULL) parts: [Post!]! @relation(inverse: "parent") }
  type Note @allow(who: "signedIn", where: {post: {n: {lt: 1000}}}) { id: ID! post: Post! }
`

describe('a write of several rows', () => {
  let store: TestStore
  before(async () => {
    store = (await openTestStore(sdl, { on: 'postgres' })).as(null)
    await store.replace('User', 'ann', { name: 'ann' })
    for (const id of ['a', 'b', 'c']) await store.replace('Post', id, { n: 0 })
    await store.replace('Post', 'b', { n: 0, parent: 'c' })
    await store.replace('Post', 'a', { n: 0, parent: 'c' })
  })
  after(() => store.close())

  type PlannedWrite = [action: 'create' | 'replace' | 'update', type: string, id: string | null, input: Json]

  /** Runs these writes in this order, as one transaction. */
  function writeAll(planned: readonly PlannedWrite[], by = store): Promise<unknown> {
    const builder = new PlanBuilder(by.visibility)
    const writes = planned.map(([action, type, id, input]) => {
      const of = resourceOf(store.model, type)
      return {
        kind: 'write' as const,
        action,
        of,
        id: id === null ? null : builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, 'id'),
        set: planInput(input, of, action, builder, '', false),
        ifVersion: null,
        answer: selectAll(of),
      }
    })
    builder.finish(defaultLimits)
    return by.run({ plan: { kind: 'batch', writes }, values: builder.values(), places: builder.places })
  }

  const updateAll = (ids: readonly string[], n: number): Promise<unknown> =>
    writeAll(ids.map((id): PlannedWrite => ['update', 'Post', id, { n }]))

  /** Until a statement waits for a lock. Returns it. */
  async function waits(): Promise<Json[]> {
    for (;;) {
      const found = await store.raw!.query(
        'SELECT a.query FROM pg_stat_activity AS a JOIN pg_locks AS l USING (pid) WHERE NOT granted',
      )
      if (found.length > 0) return found as Json[]
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  /** Somebody else holds the first row. The write waits for it; meanwhile it must hold no other. */
  async function holdsNothing(write: () => Promise<unknown>): Promise<void> {
    const raw = store.raw!
    await raw.query('BEGIN')
    await raw.query(`SELECT 1 FROM "Post" WHERE id = 'a' FOR UPDATE`)
    const made = write()
    await waits()
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

  test('takes the strongest lock of a row first, not that of a rule and then that of its change', async () => {
    const raw = store.raw!
    await raw.query('BEGIN')
    await raw.query(`SELECT 1 FROM "Post" WHERE id = 'a' FOR UPDATE`)
    const made = writeAll(
      [
        ['create', 'Note', null, { post: 'a' }],
        ['update', 'Post', 'a', { n: 3 }],
      ],
      store.as({ account: 'ann' }),
    )
    const [waiting] = await waits()
    await raw.query('COMMIT')
    await made
    assert.match(String(waiting!.query), /FOR NO KEY UPDATE/)
  })

  test('that may create rows locks their ids in one order', async () => {
    const raw = store.raw!
    const lock = (kind: string, id: string) =>
      raw.query(
        `SELECT pg_${kind}advisory_xact_lock(hashtextextended(current_schema() || '.Post:${id}', 0)) AS "isFree"`,
      )
    await raw.query('BEGIN')
    await lock('', 'x')
    const made = writeAll(['z', 'x'].map((id): PlannedWrite => ['replace', 'Post', id, { n: 1 }]))
    await waits()
    const free = await lock('try_', 'z')
    await raw.query('COMMIT')
    await made
    assert.deepEqual(free, [{ isFree: true }])
  })

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
