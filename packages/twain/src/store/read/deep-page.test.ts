import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthorizedPlan } from '#plan'
import { type PageRequest, planMany } from '../plan.fixture.ts'
import { postgres } from '../postgres/dialect.ts'
import { compileDeepRead } from '../sql/read.ts'
import { sqlite } from '../sqlite/dialect.ts'
import { onEachStore, openTestStore, type StoreName } from '../store.fixture.ts'
import { layOut } from '../tables/layout.ts'

const sdl = `
type Author { id: ID! posts: [Post!]! }
type Post { id: ID! title: String! @index rank: Int! @index(with: ["title"]) views: Int @index kind: String! @index(with: ["rank"]) author: Author! }`

const count = 450

const both: StoreName[] = ['sqlite', 'postgres']

/** Where an index finds the first row. */
const requests: [PageRequest, on: StoreName[]][] = [
  [{}, both],
  [{ order: ['-id'] }, both],
  [{ order: ['title'] }, both],
  [{ order: ['-rank', '-title'] }, both],
  [{ order: ['rank'], where: { kind: { eq: 'k0' } } }, both],
  [{ within: { of: 'Author', field: 'posts', id: 'a' } }, both],
  [{ order: ['rank'], where: { kind: { eq: 'k0' }, rank: { gte: 3 } } }, ['postgres']],
  [{ order: ['-rank'], where: { kind: { eq: 'k0' }, rank: { lt: 9 } } }, ['postgres']],
  [{ order: ['views'] }, ['postgres']],
  [{ order: ['-views'] }, ['postgres']],
  [{ where: { author: { id: { eq: 'a' } } } }, ['postgres']],
  [{ order: ['rank', '-title'] }, []],
  [{ where: { title: { contains: '1' } } }, []],
]

onEachStore('a page far behind its beginning', (on) => {
  test('has the same rows as the whole list there', async (t) => {
    const store = await openTestStore(sdl, { on, limits: { page: count } })
    t.after(() => store.close())
    await store.replace('Author', 'a', {})
    const rows = Array.from({ length: count }, (_, n) => ({
      title: `Title ${n % 7}`,
      rank: n % 11,
      views: n % 3 === 0 ? null : n % 5,
      kind: n % 10 === 0 ? 'k1' : 'k0',
      author: 'a',
    }))
    await Promise.all(rows.map((row) => store.create('Post', row)))
    const { layout } = layOut(store.model, null)
    for (const [request, found] of requests) {
      const all = await store.many('Post', { ...request, select: ['id'], limit: count })
      for (const offset of [100, 137, all.length - 1, all.length, 10_000]) {
        const page = await store.many('Post', { ...request, select: ['id'], limit: 20, offset })
        assert.deepEqual(page, all.slice(offset, offset + 20), `${JSON.stringify(request)} at ${offset}`)
      }
      const { plan } = planMany(store.model, 'Post', { ...request, select: ['id'] })
      const dialect = on === 'sqlite' ? sqlite : postgres
      const { sql } = compileDeepRead(plan as AuthorizedPlan<typeof plan>, layout, false, dialect)
      assert.equal(/[<>]= \(SELECT|LATERAL/.test(sql), found.includes(on), sql)
    }
  })
})
