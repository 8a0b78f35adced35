import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthorizedPlan } from '#plan'
import { type PageRequest, planMany } from '../../plan.fixture.ts'
import { compileDeepRead } from '../../sql/read.ts'
import { openTestStore } from '../../store.fixture.ts'
import { layOut } from '../../tables/layout.ts'
import { sqlite } from '../dialect.ts'

const sdl = `
type Author { id: ID! posts: [Post!]! }
type Post { id: ID! title: String! @index rank: Int! @index(with: ["title"]) views: Int @index kind: String! @index(with: ["rank"]) author: Author! }`

const count = 450

/** Those whose first row an index finds, and others. */
const found: PageRequest[] = [
  {},
  { order: ['-id'] },
  { order: ['title'] },
  { order: ['-rank', '-title'] },
  { order: ['rank'], where: { kind: { eq: 'k0' } } },
  { within: { of: 'Author', field: 'posts', id: 'a' } },
]
const notFound: PageRequest[] = [
  { order: ['views'] },
  { order: ['-views'] },
  { order: ['rank', '-title'] },
  { order: ['rank'], where: { kind: { eq: 'k0' }, rank: { gte: 3 } } },
  { where: { title: { contains: '1' } } },
]

test('a page far behind its beginning has the same rows as the whole list there', async () => {
  const store = await openTestStore(sdl, { limits: { page: count } })
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
  for (const request of [...found, ...notFound]) {
    const all = await store.many('Post', { ...request, select: ['id'], limit: count })
    for (const offset of [100, 137, all.length - 1, all.length, 10_000]) {
      const page = await store.many('Post', { ...request, select: ['id'], limit: 20, offset })
      assert.deepEqual(page, all.slice(offset, offset + 20), `${JSON.stringify(request)} at ${offset}`)
    }
    const { plan } = planMany(store.model, 'Post', { ...request, select: ['id'] })
    const { sql } = compileDeepRead(plan as AuthorizedPlan<typeof plan>, layout, false, sqlite)
    assert.equal(/[<>]= \(SELECT/.test(sql), found.includes(request), sql)
  }
  await store.close()
})
