// A page in the order of an index reads its rows and at most one more, however large the table is. Each store tells what its
// statement does (EXPLAIN). Far behind the beginning an index skips the rows before the page. `npm run large-tables` tests two million rows.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import type { AuthorizedPlan } from '#plan'
import { type PageRequest, planMany } from '../plan.fixture.ts'
import { postgres } from '../postgres/dialect.ts'
import { sqlite } from '../sqlite/dialect.ts'
import { onEachStore, openTestStore, type StoreName, type TestStore } from '../store.fixture.ts'
import { layOut } from '../tables/layout.ts'
import type { LinkTable } from '../tables/storage-names.ts'
import { bind } from './bind.ts'
import { genericPlan, visitsOfAll } from './generic-plan.fixture.ts'
import { compileDeepRead, compileRead } from './read.ts'

const rows = Number(process.env.TWAIN_TEST_ROWS ?? 10_000)
const size = 20
/** No request has fewer rows. */
const farOffset = Math.floor(rows / 4)
/** Rows with a rare value. */
const few = 3

const sdl = `
type Author { id: ID! posts: [Post!]! }
type Blog { id: ID! posts: [Post!]! }
type Tag { id: ID! posts: [Post!]! }
enum Status { DRAFT PUBLISHED ARCHIVED }
type Post {
  id: ID! rank: Int! @index editedAt: DateTime @index title: String! @index subtitle: String @index
  status: Status! @index(with: ["publishedAt"]) publishedAt: DateTime! @index(with: ["rank"]) author: Author! tags: [Tag!]!
  seenAt: DateTime! @index blog: Blog! @index(with: ["editedAt"]) kind: String! @index(with: ["rank"])
  serial: Int! @index(with: ["rank"]) mood: Status! @index(with: ["serial"])
}`

const someMoment = `'2026-01-01T00:00:00.' || substr(cast(1000 + n % 1000 as text), 2) || 'Z'`

/** SQL of the row with the number `n`; every column has equal values, NULLs too. */
const columns = {
  serial: 'n',
  mood: `CASE WHEN n <= ${few} THEN 'ARCHIVED' WHEN n % 4 = 0 THEN 'DRAFT' ELSE 'PUBLISHED' END`,
  rank: 'n / 3',
  '"editedAt"': `CASE WHEN n % 5 = 0 THEN NULL ELSE ${someMoment} END`,
  title: `'title ' || (n % 1000)`,
  '"key of title"': `'title ' || (n % 1000)`,
  subtitle: `CASE WHEN n % 3 = 0 THEN NULL ELSE 'subtitle ' || (n % 1000) END`,
  '"key of subtitle"': `CASE WHEN n % 3 = 0 THEN NULL ELSE 'subtitle ' || (n % 1000) END`,
  status: `CASE WHEN n <= ${few} THEN 'ARCHIVED' WHEN n % 4 = 0 THEN 'DRAFT' ELSE 'PUBLISHED' END`,
  '"publishedAt"': someMoment,
  '"seenAt"': someMoment,
  author: `CASE WHEN n <= ${few} THEN 'rare' ELSE 'a' || (n % 3) END`,
  blog: `CASE WHEN n <= ${few} THEN 'rare' ELSE 'b' || (n % 2) END`,
  kind: `CASE WHEN n <= ${few} THEN 'rare' ELSE 'kind ' || (n % 2) END`,
  '"key of kind"': `CASE WHEN n <= ${few} THEN 'rare' ELSE 'kind ' || (n % 2) END`,
}

const moment = '2026-01-01T00:00:00.500Z'
const isPublished = { status: { eq: 'PUBLISHED' } }

/** What both APIs can ask for, in both directions. */
const requests: [title: string, request: PageRequest][] = [
  ['all by id', { order: ['id'] }],
  ['all by a required field', { order: ['rank'] }],
  ['all by a field with NULLs', { order: ['editedAt'] }],
  ['all by a text', { order: ['title'] }],
  ['all by a text with NULLs', { order: ['subtitle'] }],
  ['all by two fields', { order: ['publishedAt', 'rank'] }],
  ['filtered by equality', { order: ['publishedAt'], where: isPublished }],
  ['filtered by a reference', { order: ['id'], where: { author: { id: { eq: 'a1' } } } }],
  ['filtered by the first key', { order: ['-status', 'publishedAt'], where: isPublished }],
  ['filtered by a range of the order', { order: ['seenAt'], where: { seenAt: { gte: moment } } }],
  [
    'filtered by equality and a range of the order',
    { order: ['publishedAt'], where: { and: [isPublished, { publishedAt: { gte: moment } }] } },
  ],
  ['filtered by a text', { order: ['rank'], where: { kind: { eq: 'kind 1' } } }],
  ['a list of a row', { order: ['id'], within: { of: 'Author', field: 'posts', id: 'a1' } }],
  ['a list of a row by a field with NULLs', { order: ['editedAt'], within: { of: 'Blog', field: 'posts', id: 'b1' } }],
  ['linked rows', { order: ['id'], within: { of: 'Tag', field: 'posts', id: 'all' } }],
]

/** Other indexes than those of the filter or of the list have the order too, and nearly all of their rows belong to others. */
const ofFew: [title: string, request: PageRequest][] = [
  ['filtered by equality', { order: ['publishedAt'], where: { status: { eq: 'ARCHIVED' } } }],
  ['filtered by a text', { order: ['rank'], where: { kind: { eq: 'rare' } } }],
  ['filtered by a reference', { order: ['id'], where: { author: { id: { eq: 'rare' } } } }],
  ['a list of a row', { order: ['id'], within: { of: 'Author', field: 'posts', id: 'rare' } }],
  [
    'a list of a row by a field with NULLs',
    { order: ['editedAt'], within: { of: 'Blog', field: 'posts', id: 'rare' } },
  ],
  ['filtered by the first key', { order: ['kind', 'rank'], where: { kind: { eq: 'rare' } } }],
  ['filtered, in the order of the table', { order: ['serial'], where: { mood: { eq: 'ARCHIVED' } } }],
  ['linked rows', { order: ['id'], within: { of: 'Tag', field: 'posts', id: 'rare' } }],
]

// PostgreSQL plans otherwise as long as it does not know which rows are visible to everybody: an index alone does not serve them. A
// transaction of another connection can keep VACUUM from knowing.
onEachStore(`a page of ${rows} rows`, (on) => testPages(on, fill))

describe(`a page of ${rows} rows that are visible to everybody (postgres)`, () => {
  testPages('postgres', async (store, on) => {
    await fill(store, on)
    await store.execute('VACUUM "Post"')
  })
})

function testPages(on: StoreName, prepare: typeof fill): void {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl, { on })
    await prepare(store, on)
  })
  after(() => store.close())

  for (const [title, whole] of requests) {
    for (const [direction, request] of bothDirections(whole)) {
      test(`${title}${direction}: by offset`, async () => {
        await expectFewRows(store, on, { ...request, select: ['id'], limit: size, offset: 0 })
      })

      if (on === 'postgres' && title !== 'linked rows')
        test(`${title}${direction}: by a far offset`, async () => {
          await expectSkipsInIndex(store, { ...request, select: ['id', 'seenAt'], limit: size, offset: farOffset })
        })

      test(`${title}${direction}: after a cursor`, async () => {
        const page: PageRequest = { ...request, select: ['id'], first: size, connection: ['edges', 'pageInfo'] }
        await expectFewRows(store, on, page)
        for (const first of [1, 100])
          await expectFewRows(store, on, { ...page, after: await endOf(store, page, first) })
      })
    }
  }

  for (const [title, whole] of ofFew) {
    for (const [direction, request] of bothDirections(whole)) {
      test(`few rows ${title}${direction}`, async () => {
        await expectFewRows(store, on, { ...request, select: ['id'], limit: size, offset: 0 }, few)
        const page: PageRequest = { ...request, select: ['id'], first: size, connection: ['edges', 'pageInfo'] }
        await expectFewRows(store, on, page, few)
        await expectFewRows(store, on, { ...page, after: await endOf(store, page, 1) }, few - 1)
      })
    }
  }

  // The links have the order, and the filter has the rows: PostgreSQL sorts them.
  if (on === 'postgres')
    test('few rows of many linked ones, filtered', async () => {
      const within = { of: 'Tag', field: 'posts', id: 'all' }
      const request: PageRequest = { order: ['id'], within, where: { rank: { eq: 2 } }, select: ['id'] }
      const { sql, bound } = compiled(store, on, { ...request, limit: size, offset: 0 }, compileRead)
      const { scans, gathered, told } = await planOf(store, sql, bound)
      assert.deepEqual(gathered, [], told)
      assert.equal(visitsOfAll(scans), few, told)
    })
}

function bothDirections(request: PageRequest): [title: string, request: PageRequest][] {
  const reversed = request.order!.map((key) => (key.startsWith('-') ? key.slice(1) : `-${key}`))
  return [
    ['', request],
    [', reversed', { ...request, order: reversed }],
  ]
}

/** The cursor of the last of so many rows. */
async function endOf(store: TestStore, page: PageRequest, first: number): Promise<string> {
  const { pageInfo } = await store.many<{ pageInfo: { endCursor: string } }>('Post', { ...page, first })
  return pageInfo.endCursor
}

/** How many rows one statement adds: it must not take too long. */
const portion = 200_000

/** The indexes are made after the rows, all at once: each row would cost a place in every one of them. */
async function fill(store: TestStore, on: StoreName): Promise<void> {
  await store.execute(`INSERT INTO "Author" (id, _version) VALUES ('a0', 1), ('a1', 1), ('a2', 1), ('rare', 1)`)
  const indexes = (await store.query(plainIndexes[on])) as { name: string; sql: string }[]
  for (const { name } of indexes) await store.execute(`DROP INDEX "${name}"`)
  if (on === 'postgres') await store.execute('ALTER TABLE "Post" DISABLE TRIGGER ALL') // the checks of references
  await store.execute(`INSERT INTO "Blog" (id, _version) VALUES ('b0', 1), ('b1', 1), ('rare', 1)`)
  await store.execute(`INSERT INTO "Tag" (id, _version) VALUES ('all', 1), ('rare', 1)`)
  const [names, values] = [Object.keys(columns).join(', '), Object.values(columns).join(', ')]
  for (let from = 1; from <= rows; from += portion) {
    const numbers = numbersOf[on](from, Math.min(rows, from + portion - 1))
    // Ids of one length are added in their order.
    const row = `'p' || (10000000 + n), 1, ${values}`
    await store.execute(`INSERT INTO "Post" (id, _version, ${names}) SELECT ${row} FROM (${numbers}) AS s`)
  }
  for (const { sql } of indexes) await store.execute(sql)
  if (on === 'postgres') await store.execute('ALTER TABLE "Post" ENABLE TRIGGER ALL')
  const [{ name, left, right }] = [...layOut(store.model, null).layout.links.values()] as [LinkTable]
  const linked = `SELECT CASE WHEN author = 'rare' THEN 'rare' ELSE 'all' END, id FROM "Post"`
  if (on === 'postgres') await store.execute(`ALTER TABLE "${name}" DISABLE TRIGGER ALL`)
  for (let from = 1; from <= rows; from += portion) {
    const part = `WHERE id >= 'p${10_000_000 + from}' AND id < 'p${10_000_000 + from + portion}'`
    await store.execute(`INSERT INTO "${name}" ("${left}", "${right}") ${linked} ${part}`)
  }
  if (on === 'postgres') await store.execute(`ALTER TABLE "${name}" ENABLE TRIGGER ALL`)
  await store.execute('ANALYZE')
}

const plainIndexes: Record<StoreName, string> = {
  sqlite: `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Post' AND sql IS NOT NULL`,
  postgres: `SELECT indexname AS name, indexdef AS sql FROM pg_indexes
    WHERE tablename = 'Post' AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
}

const numbersOf: Record<StoreName, (from: number, to: number) => string> = {
  sqlite: (from, to) =>
    `WITH RECURSIVE s(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM s WHERE n < ${to}) SELECT n FROM s`,
  postgres: (from, to) => `SELECT n FROM generate_series(${from}, ${to}) AS s(n)`,
}

/** `found`: how many rows a full page and the row behind it may have. */
async function expectFewRows(store: TestStore, on: StoreName, request: PageRequest, found = size + 1): Promise<void> {
  const { sql, bound } = compiled(store, on, request, compileRead)
  if (on === 'sqlite') expectSeeks(store.data, sql)
  else await expectVisits(store, sql, bound, found)
}

function compiled(store: TestStore, on: StoreName, request: PageRequest, compile: typeof compileRead) {
  const { plan, values } = planMany(store.model, 'Post', request)
  const { layout } = layOut(store.model, null)
  const dialect = on === 'sqlite' ? sqlite : postgres
  const { sql, parameters } = compile(plan as AuthorizedPlan<typeof plan>, layout, false, dialect)
  return { sql, bound: bind(parameters, values, { account: null }, dialect) as string[] }
}

/** SQLite tells which terms each index serves: those of every condition, and the order. */
function expectSeeks(data: string, sql: string): void {
  const database = new DatabaseSync(join(data, 'twain.db'), { readOnly: true })
  database.function('twain_cursor', (order, keys) => `${order} ${keys}`)
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
  database.close()
  const details = steps.map(({ detail }) => String(detail))
  const isFull = (step: string) => step.includes('TEMP B-TREE')
  assert.deepEqual(details.filter(isFull), [], `${sql}\n${details.join('\n')}`)
  const ofPosts = details.filter((step) => / USING (COVERING )?INDEX (Post|sqlite_autoindex_Post)/.test(step))
  const fromPosts = / (?:FROM|JOIN) "Post" AS (t\d+) (?:WHERE|ON) (.*?)(?: WHERE .*?)? ORDER BY /g
  const conditions = [...sql.matchAll(fromPosts)]
  assert.equal(ofPosts.length, conditions.length, `${sql}\n${details.join('\n')}`)
  for (const [index, [, alias, condition]] of conditions.entries()) {
    const named = [...condition!.replaceAll(/\+\([^)]*\)/g, '').matchAll(new RegExp(`${alias}\\."([^"]+)"`, 'g'))].map(
      ([, column]) => column!,
    )
    const terms = / \((.*)\)$/.exec(ofPosts[index]!)?.[1] ?? ''
    for (const column of named) assert.ok(terms.includes(column), `${column} is no term of: ${ofPosts[index]}\n${sql}`)
  }
}

/** PostgreSQL counts the rows that it visited. */
async function expectVisits(store: TestStore, sql: string, bound: string[], found: number): Promise<void> {
  const { scans, sorted, gathered, told } = await planOf(store, sql, bound)
  assert.deepEqual([...sorted, ...gathered], [], told)
  const total = visitsOfAll(scans)
  assert.ok(total >= Math.min(found, size) && total <= found, `${total} rows were visited\n${told}`)
}

/** The rows before the page are read in an index alone, those of the page by their ids. */
async function expectSkipsInIndex(store: TestStore, request: PageRequest): Promise<void> {
  const { sql, bound } = compiled(store, 'postgres', request, compileDeepRead)
  const { scans, sorted, told } = await planOf(store, sql, bound)
  assert.ok(
    sorted.every((node) => node['Actual Rows'] <= size),
    told,
  ) // those of two ranges
  const inIndex = scans.filter((node) => node['Node Type'] === 'Index Only Scan')
  const skipped = visitsOfAll(inIndex)
  assert.ok(skipped >= farOffset && skipped <= farOffset + size, `${skipped} entries were read\n${told}`)
  assert.equal(visitsOfAll(scans.filter((node) => !inIndex.includes(node))), size, told)
}

async function planOf(store: TestStore, sql: string, bound: readonly string[]) {
  const nodes = await genericPlan(store, sql, bound)
  return {
    scans: nodes.filter((node) => node['Relation Name'] === 'Post'),
    sorted: nodes.filter((node) => node['Node Type'].includes('Sort')),
    /** What parallel processes return. */
    gathered: nodes.filter((node) => node['Node Type'].startsWith('Gather')),
    told: `${sql}\n${JSON.stringify(nodes[0], null, 1)}`,
  }
}
