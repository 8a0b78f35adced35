// A page of a search on PostgreSQL has the same rows whether few or many rows have the word, and visits few rows in both cases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AuthorizedPlan, check, defaultLimits, type PlanResult } from '#plan'
import { type PageRequest, planMany } from '../../plan.fixture.ts'
import { postgres } from '../../postgres/dialect.ts'
import { searchVersion } from '../../postgres/migrate/search-tables.ts'
import { openTestStore, type TestStore } from '../../store.fixture.ts'
import { layOut } from '../../tables/layout.ts'
import { bind } from '../bind.ts'
import { genericPlan, visitsOfAll } from '../generic-plan.fixture.ts'
import { compileRead } from '../read.ts'
import { searchedTables } from './searched-table.ts'

const sdl = `type Post { id: ID! title: String! @search rank: Int! @index note: String group: Int! }`

const most = postgres.maxFewMatches!
const rows = most * 10

/** The words of the row with the number n, which has the rank `-n`. */
const words: Record<string, (n: number) => boolean> = {
  all: () => true,
  half: (n) => n % 2 === 0,
  many: (n) => n < most + 1,
  few: (n) => n < most,
  rare: (n) => n % 1000 === 7,
  none: () => false,
}

describe('a page of a search on PostgreSQL', () => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl, { on: 'postgres' })
    const arrays = Object.entries(words)
      .filter(([word]) => word !== 'none')
      .map(([word]) => `CASE WHEN ${conditions[word]} THEN '1/${word}' END`)
    const [searched] = searchedTables(layOut(store.model, null).layout)
    // Words that seem to be made for the title: otherwise the store would fill them again.
    await store.execute(`
      INSERT INTO "Post" (id, _version, _worded, title, rank, note, "group", _words)
      SELECT 'p' || (100000 + n), 1, '${searchVersion(1, searched!)}', 'x', -n, CASE WHEN n % 3 = 0 THEN 'note' END, n % 7,
        array_to_tsvector(array_remove(ARRAY[${arrays.join(', ')}], NULL))
      FROM generate_series(0, ${rows - 1}) AS s(n)`)
    await store.execute('VACUUM ANALYZE "Post"')
  })
  after(() => store.close())

  const orders: Record<string, (a: number, b: number) => number> = {
    id: (a, b) => a - b,
    '-id': (a, b) => b - a,
    rank: (a, b) => b - a,
    '-note': (a, b) => Number(a % 3 !== 0) - Number(b % 3 !== 0) || b - a,
    group: (a, b) => (a % 7) - (b % 7) || a - b,
  }
  for (const [word, has] of Object.entries(words)) {
    test(`${word}: has the rows with the word, in order`, async () => {
      for (const [order, compare] of Object.entries(orders)) {
        for (const [where, passes] of filters) {
          const expected = numbers
            .filter((n) => has(n) && passes(n))
            .sort(compare)
            .map((n) => `p${100_000 + n}`)
          const request: PageRequest = { search: word, where, order: [order], select: ['id'] }
          for (const offset of [0, 30]) {
            const page = await store.many<{ id: string }[]>('Post', { ...request, limit: 20, offset })
            const told = `${word} ${order} ${JSON.stringify(where)} ${offset}`
            assert.deepEqual(
              page.map(({ id }) => id),
              expected.slice(offset, offset + 20),
              told,
            )
          }
          const counted = planMany(store.model, 'Post', { ...request, limit: 1, total: true })
          assert.equal(((await store.run(counted)) as PlanResult & { kind: 'many' }).total, expected.length)
          const connection: PageRequest = { ...request, first: 15, connection: ['edges', 'pageInfo'] }
          let at: string | null = null
          for (const from of [0, 15]) {
            const page: Connection = await store.many<Connection>('Post', { ...connection, after: at })
            assert.deepEqual(
              page.edges.map(({ node }) => node.id),
              expected.slice(from, from + 15),
            )
            at = page.pageInfo.endCursor ?? at
          }
        }
      }
    })
  }

  test('tells whether rows follow', async () => {
    for (const [word, offset, follows] of [
      ['rare', 0, false],
      ['few', most - 20, false],
      ['few', most - 21, true],
      ['many', most - 20, true],
      ['all', rows - 21, true],
      ['all', rows - 20, false],
    ] as const) {
      const page = planMany(store.model, 'Post', { search: word, select: ['id'], limit: 20, offset })
      const answer = (await store.run(page, { more: true })) as PlanResult & { kind: 'many' }
      assert.equal(answer.more, follows, `${word} ${offset}`)
    }
  })

  test('visits the matches of a rare word only', async () => {
    for (const order of ['id', '-rank', 'group']) {
      assert.equal(await visits({ search: 'rare', order: [order], select: ['id'], limit: 20 }), rows / 1000)
    }
  })

  test('reads rows with a frequent word in the order of the page', async () => {
    const ofPage = 2 * 20 // each second row has the word
    const ofNext = 2 * 21
    for (const order of ['id', '-rank']) {
      const visited = await visits({ search: 'half', order: [order], select: ['id'], limit: 20 })
      assert.ok(visited <= most + 1 + ofPage + ofNext, `${visited}`)
    }
  })

  test('starts no processes of PostgreSQL, however large the table seems to be', async () => {
    for (const name of [
      'parallel_setup_cost',
      'parallel_tuple_cost',
      'min_parallel_table_scan_size',
      'min_parallel_index_scan_size',
    ])
      await store.execute(`SET ${name} = 0`)
    for (const word of ['rare', 'half']) {
      for (const order of ['id', '-rank', 'group']) {
        const nodes = await planOf({ search: word, order: [order], select: ['id'], limit: 20, total: true })
        assert.deepEqual(
          nodes.filter((node) => node['Node Type'].startsWith('Gather')),
          [],
        )
      }
    }
  })

  /** How many rows of the table the statement visits. */
  async function visits(request: PageRequest): Promise<number> {
    return visitsOfAll((await planOf(request)).filter((node) => node['Relation Name'] === 'Post'))
  }

  /** The steps of the statement, as PostgreSQL plans it for any word. */
  function planOf(request: PageRequest) {
    const boundPlan = planMany(store.model, 'Post', request)
    const { plan } = boundPlan
    const { layout } = layOut(store.model, null)
    const { sql, parameters } = compileRead(plan as AuthorizedPlan<typeof plan>, layout, true, postgres)
    const bound = bind(parameters, check(boundPlan, defaultLimits), { account: null }, postgres)
    return genericPlan(store, sql, bound)
  }
})

const conditions: Record<string, string> = {
  all: 'TRUE',
  half: 'n % 2 = 0',
  many: `n < ${most + 1}`,
  few: `n < ${most}`,
  rare: 'n % 1000 = 7',
}

const numbers = Array.from({ length: rows }, (_, n) => n)
const filters: [where: unknown, passes: (n: number) => boolean][] = [
  [null, () => true],
  [{ group: { eq: 3 } }, (n) => n % 7 === 3],
  [{ rank: { lt: -500 } }, (n) => n > 500],
]

interface Connection {
  edges: { node: { id: string } }[]
  pageInfo: { endCursor: string | null }
}
