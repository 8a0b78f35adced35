// The HTTP layer of `twain start`, over a real port: rate limits, CORS, timing, metrics, and logs without secrets.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ServerProcess } from '../harness/server-process.ts'

const sdl = `
  type User @account @allow { id: ID! email: String! @unique }
  type Note @allow { id: ID! text: String! }
`
const account = { email: 'ann@example.org', password: 'correct horse battery' }

describe('a server in production', () => {
  let folder: string
  let server: ServerProcess

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'twain-production-'))
    const schemaFile = join(folder, 'schema.graphql')
    await writeFile(schemaFile, sdl)
    const config = `export default { limits: { requestsPerMinute: 30 }, http: { cors: ['https://app.example.org'], trustProxy: 1 } }`
    await writeFile(join(folder, 'twain.config.ts'), config)
    server = await ServerProcess.start(schemaFile, join(folder, 'data'), ['--http-server-timing', 'true'], [])
  })
  after(async () => {
    await server.stop()
    await rm(folder, { recursive: true })
  })

  test('each address has a quota, and its answers say what is left of it and when to retry', async () => {
    const first = await ask('/notes', '192.0.2.1')
    assert.equal(first.headers.get('ratelimit'), '"default";r=29;t=2')
    assert.equal(first.headers.get('ratelimit-policy'), '"default";q=30;w=60')
    for (let n = 1; n < 30; n++) await ask('/graphql?query={notes{id}}', '192.0.2.1')

    for (const path of ['/notes', '/graphql?query={notes{id}}']) {
      const refused = await ask(path, '192.0.2.1')
      assert.equal(refused.status, 429)
      assert.match(refused.headers.get('retry-after')!, /^[12]$/)
      assert.match(refused.headers.get('ratelimit')!, /^"default";r=0;t=\d+$/)
      assert.match(await refused.text(), /"code":"TOO_MANY_REQUESTS"/)
    }
    assert.equal((await ask('/notes', '192.0.2.2')).status, 200, 'another address has its own')
    assert.equal((await ask('/readyz', '192.0.2.1')).status, 200, 'health is not counted')
  })

  test('each operation of a GraphQL batch counts, and a batch beyond the quota is refused completely', async () => {
    const batch = new Array(10).fill({ query: '{ notes { id } }' })
    const left: (string | null)[] = []
    for (let n = 0; n < 3; n++) left.push((await send('/graphql', '192.0.2.20', batch)).headers.get('ratelimit'))
    assert.deepEqual(
      left.map((header) => /^"default";r=(\d+)/.exec(header!)![1]),
      ['20', '10', '0'],
    )
    for (let n = 0; n < 26; n++) await ask('/notes', '192.0.2.21')
    const refused = await send('/graphql', '192.0.2.21', batch)
    assert.equal(refused.status, 429)
    assert.match(refused.headers.get('ratelimit')!, /^"default";r=0;t=\d+$/)
    assert.match(await refused.text(), /"code":"TOO_MANY_REQUESTS"/)
  })

  test('a signed-in viewer has one quota from all addresses, and a client that guesses tokens that of its address', async () => {
    await send('/users', '192.0.2.3', account)
    const { token } = (await (await send('/tokens', '192.0.2.3', account)).json()) as { token: string }
    const signed = { authorization: `Bearer ${token}` }
    const left = async (address: string) =>
      /r=(\d+)/.exec((await ask('/notes', address, signed)).headers.get('ratelimit')!)![1]
    assert.deepEqual([await left('192.0.2.4'), await left('192.0.2.5')], ['29', '28'])

    const wrong = { authorization: 'Bearer nonsense' }
    for (let n = 0; n < 30; n++) assert.equal((await ask('/notes', '192.0.2.6', wrong)).status, 401)
    assert.equal((await ask('/notes', '192.0.2.6', wrong)).status, 429)
  })

  test('CORS grants the configured origins, and no other', async () => {
    const granted = await ask('/notes', '192.0.2.7', { origin: 'https://app.example.org' })
    assert.equal(granted.headers.get('access-control-allow-origin'), 'https://app.example.org')
    assert.match(granted.headers.get('vary')!, /origin/)
    const preflight = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' }
    for (const origin of ['https://app.example.org', 'https://evil.example']) {
      const reply = await ask('/notes', '192.0.2.7', { origin, ...preflight }, 'OPTIONS')
      assert.equal(reply.status, 204)
      const expected = origin.includes('evil') ? null : 'authorization'
      assert.equal(reply.headers.get('access-control-allow-headers'), expected)
    }
    const refused = await ask('/nowhere', '192.0.2.7', { origin: 'https://app.example.org' })
    assert.equal(refused.status, 404)
    assert.equal(
      refused.headers.get('access-control-allow-origin'),
      'https://app.example.org',
      'failures can be read too',
    )
  })

  test('Server-Timing has the stages of both APIs', async () => {
    const rest = await ask('/notes', '192.0.2.8')
    assert.match(
      rest.headers.get('server-timing')!,
      /^parse;dur=.*, plan;dur=.*, store;dur=.*, format;dur=.*, total;dur=/,
    )
    const graphql = await send('/graphql', '192.0.2.8', { query: '{ notes { id } }' })
    const stages = /^parse;dur=.*, validate;dur=.*, plan;dur=.*, execute;dur=.*, format;dur=.*, total;dur=/
    assert.match(graphql.headers.get('server-timing')!, stages)
  })

  test('this machine may read the metrics, and a client behind the proxy may not', async () => {
    const own = await fetch(`${server.address}/metrics`)
    assert.equal(own.status, 200)
    const text = await own.text()
    for (const name of [
      'twain_http_requests_total',
      'twain_cache_hits_total',
      'twain_sqlite_commit_groups_total',
      'nodejs_eventloop_delay_seconds',
    ]) {
      assert.match(text, new RegExp(`^${name}[{ ]`, 'm'))
    }
    assert.equal((await ask('/metrics', '192.0.2.9')).status, 403)
    assert.equal((await ask('/metrics', '127.0.0.1')).status, 403)
  })

  test('each request is a JSON log entry with its id, and no entry has a secret', async () => {
    const id = 'my-request-1'
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await send('/tokens?password=inquery', '192.0.2.10', account, { 'x-request-id': id, traceparent: trace })
    await pause(300)
    const lines = server.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const line = lines.find((one) => one.request_id === id)!
    assert.equal(line['url.path'], '/tokens')
    assert.equal(line['client.address'], '192.0.2.10')
    assert.equal(line.traceparent, trace)
    for (const secret of [account.password, 'inquery', 'Bearer', 'nonsense', 'eyJ']) {
      assert.ok(!server.output.includes(secret), secret)
    }
  })

  function ask(path: string, address: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    return fetch(server.address + path, { method, headers: { 'x-forwarded-for': address, ...headers } })
  }

  function send(path: string, address: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(server.address + path, {
      method: 'POST',
      headers: { 'x-forwarded-for': address, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  }
})
