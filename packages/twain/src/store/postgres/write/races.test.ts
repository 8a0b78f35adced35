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

/** Two nodes on one database write at once. What one finds by looking, two may find only when the database does. */
describe('writes of two nodes at once', () => {
  let store: TestStore
  let nodes: TestStore[]
  before(async () => {
    store = (await openTestStore(sdl, { on: 'postgres' })).as(null)
    const second = await openStore({
      ...store.place,
      ...{ poolSize: 8, model: store.model, sdl, limits: defaultLimits, log: silent },
    })
    nodes = [store, store.over(second)]
  })
  after(async () => {
    await nodes[1]!.store.close()
    await store.close()
  })

  const node = (index: number) => nodes[index % nodes.length]!
  const times = (count: number) => Array.from({ length: count }, (_, index) => index)
  /** How many of each end, by code; what is written is `ok`. */
  async function tally(writes: Promise<unknown>[]): Promise<Record<string, number>> {
    const ends = await Promise.allSettled(writes)
    const counts: Record<string, number> = {}
    for (const end of ends) {
      const key = end.status === 'fulfilled' ? 'ok' : ((end.reason as ApiError).code ?? String(end.reason.stack))
      counts[key] = (counts[key] ?? 0) + 1
    }
    return counts
  }

  test('of 50 sign-ups with one login one is made, and the others hear of the field', async () => {
    for (const spell of [() => 'ann@x.org', (n: number) => (n % 2 === 0 ? 'BOB@x.org' : 'bob@x.org')]) {
      const ends = await Promise.allSettled(times(50).map((n) => node(n).create('User', { email: spell(n) })))
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as ApiError] : []))
      assert.equal(refused.length, 49)
      for (const { code, problems } of refused) {
        assert.deepEqual([code, problems.map(({ path, code }) => `${path} ${code}`)], ['CONFLICT', ['email UNIQUE']])
      }
    }
  })

  test('of those who read the same version one wins each round', async () => {
    const { id } = await store.create('Post', { n: 0 })
    for (let version = 1; version <= 20; version++) {
      const race = times(8).map((n) => node(n).update('Post', id, { n: version * 100 + n }, { ifVersion: version }))
      assert.deepEqual(await tally(race), { ok: 1, PRECONDITION_FAILED: 7 })
    }
  })

  test('every change without a version is a version', async () => {
    const { id } = await store.create('Post', { n: 0 })
    const written = await Promise.all(times(40).map((n) => node(n).update('Post', id, { n: n + 1 })))
    assert.deepEqual(
      written.map(({ version }) => version).toSorted((a, b) => a - b),
      times(40).map((n) => n + 2),
    )
  })

  test('a row that is referred to meanwhile is not deleted, and a deleted one not referred to', async () => {
    for (let round = 0; round < 20; round++) {
      const { id: author } = await store.create('User', { email: `r${round}@x.org` })
      const ends = await tally([
        ...times(3).map((n) => node(n).create('Post', { author })),
        node(round).delete('User', author),
        ...times(3).map((n) => node(n).create('Post', { author })),
      ])
      assert.deepEqual(
        Object.keys(ends).filter((end) => end !== 'ok' && end !== 'CONFLICT'),
        [],
      )
      const there = (await store.one('User', author)) !== null
      const posts = await store.many('Post', { where: { author: { id: { eq: author } } } })
      assert.equal(posts.length > 0, there)
    }
  })

  test('an id that many put at once is one row, and its versions never fall', async () => {
    for (let round = 0; round < 10; round++) {
      const id = `put${round}`
      const ends = await tally(
        times(16).map((n) =>
          n % 4 === 3 ? node(n).delete('Team', id) : node(n).replace('Team', id, { name: `${id}-${n}` }),
        ),
      )
      assert.deepEqual(Object.keys(ends), ['ok'])
    }
    const versions = new Map<unknown, number>()
    for (const { id, version, resource } of await store.changes()) {
      if (resource !== 'Team') continue
      assert.ok((version as number) > (versions.get(id) ?? 0), `${id}: ${version} after ${versions.get(id)}`)
      versions.set(id, version as number)
    }
  })

  test('links are made and dropped from both sides, and a tree is deleted under those who add to it', async () => {
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
    const ends = await tally([
      ...times(30).map((n) => node(n).create('Post', { parent: `p${n % 6}`, tags: [`t${n % 6}`] })),
      ...times(6).map((n) => node(n).delete('Post', `p${n}`)),
      ...times(6).map((n) => node(n).delete('Tag', `t${n}`)),
    ])
    assert.deepEqual(
      Object.keys(ends).filter((end) => end !== 'ok' && end !== 'CONFLICT'),
      [],
    )
    const left = await store.many<Json[]>('Post', { select: ['id', { parent: ['id'] }], limit: 100 })
    assert.deepEqual(
      left.filter(({ parent }) => parent !== null),
      [],
    )
  })

  test('what waits for each other in a circle is undone on one side and made again, unseen', async () => {
    const [a, b] = [await store.create('Post', { n: 0 }), await store.create('Post', { n: 0 })]
    const ends = await tally(
      times(12).map((n) =>
        n % 2 === 0
          ? node(n).update('Post', a.id, { n, parent: b.id })
          : node(n).update('Post', b.id, { n, parent: a.id }),
      ),
    )
    assert.deepEqual(ends, { ok: 12 })
  })
})
