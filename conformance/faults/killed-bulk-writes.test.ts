// Writes by a filter (R67) while the server is killed at random moments: all rows of a request are written or none, what was
// acknowledged stays, and a repeated request has its effect once. Rows, versions and the change log agree.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { ServerProcess } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'

const rows = 400
const kills = 4

interface Row {
  rank: number
  _version: number
}

test(`${kills} kills in the middle of writes of ${rows} rows lose and halve nothing`, {
  timeout: 240_000,
}, async (t) => {
  const database = testedStore === 'postgres' ? await makeTestDatabase() : null
  const folder = await mkdtemp(join(tmpdir(), 'twain-killed-bulk-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, 'type Post @allow { id: ID! rank: Int! kind: String! }')
  const place = database === null ? [] : ['--database', database.address]
  const server = await ServerProcess.start(schemaFile, join(folder, 'data'), [...place, '--log-requests', 'false'])
  t.after(async () => {
    await server.kill()
    await database?.drop()
    await rm(folder, { recursive: true })
  })
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const init = { method, headers: { 'content-type': 'application/json', ...headers } }
    const reply = await fetch(
      `${server.address}${path}`,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    )
    return { status: reply.status, body: (await reply.json()) as { count?: number } }
  }
  const stored = async () => {
    const pages = await Promise.all(
      [0, 100, 200, 300].map((offset) => send('GET', `/posts?kind=a&limit=100&offset=${offset}&fields=rank,_version`)),
    )
    return pages.flatMap(({ body }) => body as unknown as Row[])
  }
  const made = await send(
    'POST',
    '/posts',
    Array.from({ length: rows }, () => ({ rank: 0, kind: 'a' })),
  )
  assert.equal(made.status, 201, JSON.stringify(made.body))

  let sent = 0
  let midway = 0
  const add = () => {
    const headers = { 'idempotency-key': `"add-${sent}"` }
    return send('PATCH', '/posts?kind=a', { _increment: { rank: 1 } }, headers)
  }
  for (let kill = 0; kill < kills; kill++) {
    sent++
    assert.deepEqual((await add()).body.count, rows)
    sent++
    const started = performance.now()
    const underWay = add().catch(() => null)
    // A request takes some hundred milliseconds: the kills are spread over it.
    await pause((kill + 0.5) * 40)
    await server.kill()
    const answer = await underWay
    if (answer === null) midway++
    t.diagnostic(
      `killed after ${Math.round(performance.now() - started)} ms, ${answer === null ? 'without' : 'with'} an answer`,
    )
    await server.startAgain()
    const ranks = new Set((await stored()).map(({ rank }) => rank))
    assert.equal(ranks.size, 1, `half of a write: ${[...ranks]}`)
    assert.ok(ranks.has(sent) || (ranks.has(sent - 1) && answer === null), `${[...ranks]} after ${sent} writes`)
    assert.equal((await add()).status, 200)
    const after = await stored()
    assert.equal(after.length, rows)
    assert.ok(
      after.every(({ rank, _version }) => rank === sent && _version === sent + 1),
      'once, with one version',
    )
  }
  assert.ok(midway > 0, 'no kill came before the answer')

  const removal = send('DELETE', '/posts?kind=a', undefined, { 'idempotency-key': '"remove"' }).catch(() => null)
  await pause(60)
  await server.kill()
  await removal
  await server.startAgain()
  const left = (await stored()).length
  assert.ok(left === 0 || left === rows, `${left} rows are left`)
  const again = await send('DELETE', '/posts?kind=a', undefined, { 'idempotency-key': '"remove"' })
  assert.deepEqual([again.status, again.body.count, (await stored()).length], [200, rows, 0])
  const expected = rows * (sent + 2)
  const events = await until(
    () => changesOf(server),
    (count) => count >= expected,
  )
  assert.equal(events, expected, 'an event for each row and write')
})

async function changesOf({ address }: ServerProcess): Promise<number> {
  let count = 0
  let after = ''
  for (;;) {
    const reply = await fetch(`${address}/changes?first=100${after}`)
    const { edges, pageInfo } = (await reply.json()) as {
      edges: unknown[]
      pageInfo: { hasNextPage: boolean; endCursor: string }
    }
    count += edges.length
    if (!pageInfo.hasNextPage) return count
    after = `&after=${encodeURIComponent(pageInfo.endCursor)}`
  }
}
