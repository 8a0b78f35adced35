import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BoundPlan, defaultLimits, type PageRead, type PlanResult } from '#plan'
import { fullVisibility } from '#plan/build'
import { blog } from '../blog.fixture.ts'
import { ReadPlanner } from '../plan/plan-read.ts'
import type { StreamFormat } from '../request/accept.ts'
import { parseQuery } from '../request/query-string.ts'
import { Router } from '../request/route.ts'
import { streamRows } from './stream-rows.ts'

const router = new Router(blog)
const limits = { ...defaultLimits, page: 2 }

test('R55: a page is read only after the previous one was consumed', async () => {
  const { stream, questions } = open('/tags', 'ndjson', 1_000_000)
  const parts = (await stream).body[Symbol.asyncIterator]()
  assert.equal(questions.length, 1)
  assert.equal((await parts.next()).value, '{"n":0}\n{"n":1}\n')
  assert.equal(questions.length, 1)
  assert.equal((await parts.next()).value, '{"n":2}\n{"n":3}\n')
  assert.equal(questions.length, 2)
  await parts.return?.()
  assert.equal(questions.length, 2)
})

test('R55: limit and offset cut the stream, and no unnecessary page is read', async () => {
  for (const [query, lines, pages] of [
    ['', [0, 1, 2, 3, 4], 3],
    ['?limit=3', [0, 1, 2], 2],
    ['?limit=2', [0, 1], 1],
    ['?limit=0', [], 1],
    ['?offset=1&limit=2', [1, 2], 2],
    ['?offset=4', [4], 3],
    ['?offset=9', [], 3],
    ['?first=1', [0], 1],
  ] as const) {
    const { stream, questions } = open(`/tags${query}`, 'ndjson', 5)
    let text = ''
    for await (const part of (await stream).body) text += part
    assert.equal(text, lines.map((n) => `{"n":${n}}\n`).join(''), query)
    assert.equal(questions.length, pages, query)
  }
})

test('R57: CSV begins with its columns, also without rows', async () => {
  const { stream } = open('/tags?fields=id,name', 'csv', 0)
  let text = ''
  for await (const part of (await stream).body) text += part
  assert.equal(text, 'id,name\r\n')
})

/** A collection with this number of rows. */
function open(target: string, format: StreamFormat, rows: number) {
  const [path = '', query = ''] = target.split('?')
  const parsed = { ...router.find(path), query: parseQuery(query), visibility: fullVisibility }
  const reads = new ReadPlanner(limits)
  const questions: BoundPlan<PageRead>[] = []
  let from = 0
  const execute = (boundPlan: BoundPlan<PageRead>): PlanResult => {
    questions.push(boundPlan)
    const to = Math.min(rows, from + limits.page)
    const edges = Array.from({ length: to - from }, (_, index) => ({ node: { n: from + index } }))
    from = to
    const pageInfo = { hasNextPage: to < rows, endCursor: cursor }
    return { kind: 'many', text: JSON.stringify({ edges, pageInfo }), more: false, total: null }
  }
  const cursor = 'eyJvIjoieCJ9'
  const page = (of: typeof parsed) => reads.page({ ...of, query: withoutCursor(of.query) })
  return { questions, stream: streamRows(parsed, format, limits, { page, execute }) }
}

/** An engine with generated pages and cursors. */
function withoutCursor(query: ReturnType<typeof parseQuery>): typeof query {
  const { after: _, ...words } = query.parameters
  return { ...query, parameters: words }
}
