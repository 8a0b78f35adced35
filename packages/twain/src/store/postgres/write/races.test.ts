import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiError } from '#base'
import { defaultLimits } from '#plan'
import { openStore } from '../../databases.ts'
import { type Json, openTestStore, silent, type TestStore } from '../../store.fixture.ts'

const sdl = `
  type User @account @allow { id: ID! email: String! @unique name: String team: Team posts: [Post!]! @relation(inverse: "author") }
  type Team @allow { id: ID! name: String! @unique }
  type Post @allow {
    id: ID! title: String n: Int
    author: User @relation(onDelete: RESTRICT)
    parent: Post @relation(onDelete: CASCADE)
    tags: [Tag!]!
  }
  type Tag @allow { id: ID! posts: [Post!]! }
`

/** Two nodes write to one database. Lookups may miss a conflict that only the database then finds. */
describe('concurrent writes of two nodes', () => {
  let store: TestStore
  let nodes: TestStore[]
  before(async () => {
    store = (await openTestStore(sdl, { on: 'postgres' })).as(null)
    const second = await openStore({
      ...store.place,
      ...{ poolSize: 8, model: store.model, sdl, limits: defaultLimits, log: silent },
    })
    nodes = [store, store.withStore(second)]
  })
  after(async () => {
    await nodes[1]!.store.close()
    await store.close()
  })

  const node = (index: number) => nodes[index % nodes.length]!
  const times = (count: number) => Array.from({ length: count }, (_, index) => index)
  /** The number of outcomes by error code; a write that succeeds is `ok`. */
  async function tally(writes: Promise<unknown>[]): Promise<Record<string, number>> {
    const outcomes = await Promise.allSettled(writes)
    const counts: Record<string, number> = {}
    for (const outcome of outcomes) {
      const key =
        outcome.status === 'fulfilled' ? 'ok' : ((outcome.reason as ApiError).code ?? String(outcome.reason.stack))
      counts[key] = (counts[key] ?? 0) + 1
    }
    return counts
  }

  test('of 50 sign-ups with one login one succeeds, and the others fail at the field', async () => {
    for (const emailOf of [() => 'ann@x.org', (n: number) => (n % 2 === 0 ? 'BOB@x.org' : 'bob@x.org')]) {
      const outcomes = await Promise.allSettled(times(50).map((n) => node(n).create('User', { email: emailOf(n) })))
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as ApiError] : []))
      assert.equal(refused.length, 49)
      for (const { code, problems } of refused) {
        assert.deepEqual([code, problems.map(({ path, code }) => `${path} ${code}`)], ['CONFLICT', ['email UNIQUE']])
      }
    }
  })

  test('of several updates with the same precondition one succeeds', async () => {
    const { id } = await store.create('Post', { n: 0 })
    for (let version = 1; version <= 20; version++) {
      const race = times(8).map((n) => node(n).update('Post', id, { n: version * 100 + n }, { ifVersion: version }))
      assert.deepEqual(await tally(race), { ok: 1, PRECONDITION_FAILED: 7 })
    }
  })

  test('every update without a precondition is a version of its own', async () => {
    const { id } = await store.create('Post', { n: 0 })
    const written = await Promise.all(times(40).map((n) => node(n).update('Post', id, { n: n + 1 })))
    assert.deepEqual(
      written.map(({ version }) => version).toSorted((a, b) => a - b),
      times(40).map((n) => n + 2),
    )
  })

  test('a delete and a new reference to the row never both succeed', async () => {
    for (let round = 0; round < 20; round++) {
      const { id: author } = await store.create('User', { email: `r${round}@x.org` })
      const outcomes = await tally([
        ...times(3).map((n) => node(n).create('Post', { author })),
        node(round).delete('User', author),
        ...times(3).map((n) => node(n).create('Post', { author })),
      ])
      assert.deepEqual(
        Object.keys(outcomes).filter((outcome) => outcome !== 'ok' && outcome !== 'CONFLICT'),
        [],
      )
      const there = (await store.one('User', author)) !== null
      const posts = await store.many('Post', { where: { author: { id: { eq: author } } } })
      assert.equal(posts.length > 0, there)
    }
  })

  test('concurrent replaces and deletes of an id leave one row, its versions ascend, and its delete is the last', async () => {
    for (let round = 0; round < 10; round++) {
      const id = `put${round}`
      const outcomes = await tally(
        times(16).map((n) =>
          n % 4 === 3 ? node(n).delete('Team', id) : node(n).replace('Team', id, { name: `${id}-${n}` }),
        ),
      )
      const others = Object.keys(outcomes).filter((outcome) => outcome !== 'ok' && outcome !== 'GONE')
      assert.deepEqual(others, [])
    }
    const versions = new Map<unknown, number>()
    const deleted = new Set<unknown>()
    for (const { id, version, resource, kind } of await store.changes()) {
      if (resource !== 'Team') continue
      assert.ok(!deleted.has(id), `${id} was created again`)
      if (kind === 'deleted') deleted.add(id)
      assert.ok((version as number) > (versions.get(id) ?? 0), `${id}: ${version} after ${versions.get(id)}`)
      versions.set(id, version as number)
    }
  })

  test('links change from both sides, and a tree is deleted while others add to it', async () => {
    await Promise.all(times(6).flatMap((n) => [store.replace('Tag', `t${n}`, {}), store.replace('Post', `p${n}`, {})]))
    const tags = times(6).map((n) => `t${n}`)
    const posts = times(6).map((n) => `p${n}`)
    const linked = await tally(
      times(60).map((n) =>
        n % 2 === 0
          ? node(n >> 1).update('Post', `p${n % 6}`, { tags: tags.slice(n % 5) })
          : node(n >> 1).update('Tag', `t${n % 6}`, { posts: posts.slice(n % 4) }),
      ),
    )
    assert.deepEqual(linked, { ok: 60 })
    const outcomes = await tally([
      ...times(30).map((n) => node(n).create('Post', { parent: `p${n % 6}`, tags: [`t${n % 6}`] })),
      ...times(6).map((n) => node(n).delete('Post', `p${n}`)),
      ...times(6).map((n) => node(n).delete('Tag', `t${n}`)),
    ])
    assert.deepEqual(
      Object.keys(outcomes).filter((outcome) => outcome !== 'ok' && outcome !== 'CONFLICT'),
      [],
    )
    const left = await store.many<Json[]>('Post', { select: ['id', { parent: ['id'] }], limit: 100 })
    assert.deepEqual(
      left.filter(({ parent }) => parent !== null),
      [],
    )
  })

  test('a deadlock is resolved by repeating one of the writes', async () => {
    const [a, b] = [await store.create('Post', { n: 0 }), await store.create('Post', { n: 0 })]
    const outcomes = await tally(
      times(12).map((n) =>
        n % 2 === 0
          ? node(n).update('Post', a.id, { n, parent: b.id })
          : node(n).update('Post', b.id, { n, parent: a.id }),
      ),
    )
    assert.deepEqual(outcomes, { ok: 12 })
  })
})
