// Invalid and expired cursors of the change log, on every API (docs/reference/rest.md, R121, R122, R128): an error with its place.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = 'type Note { id: ID! text: String! }'

/** The error of each API for a cursor: its code and place. */
type Way = (service: TestService, cursor: string) => Promise<[code: string, place: string | undefined]>

const stream = { accept: 'text/event-stream' }
const document = (after: string) => ({
  query: 'subscription ($after: String) { n: noteCreated(after: $after) { id } }',
  variables: { after },
})

const ways: Record<string, Way> = {
  'a page': (service, cursor) => rest(service, `/changes?after=${cursor}`),
  'a long poll': (service, cursor) => rest(service, `/changes?after=${cursor}`, { prefer: 'wait=20' }),
  'a stream': (service, cursor) => rest(service, `/changes?after=${cursor}`, stream),
  'a stream that reconnects': (service, cursor) =>
    rest(service, '/changes?after=now', { ...stream, 'last-event-id': cursor }),
  'a page of GraphQL': async (service, after) =>
    firstOf(
      await service.succeed('POST', '/graphql', {
        query: 'query ($after: String) { c: changes(after: $after) { pageInfo { endCursor } } }',
        variables: { after },
      }),
    ),
  'a stream of GraphQL': async (service, after) =>
    firstOf((await service.send('POST', '/graphql', document(after), stream)).body),
  'a stream of GraphQL that reconnects': async (service, after) =>
    firstOf((await service.send('POST', '/graphql', document('now'), { ...stream, 'last-event-id': after })).body),
  'a WebSocket': bySocket,
}

/** The place of the cursor in each request. */
const places = ['after', 'after', 'after', 'last-event-id', 'c.after', 'n.after', 'last-event-id', 'n.after']

async function rest(service: TestService, path: string, headers: Record<string, string> = {}) {
  const { status, body } = await service.send('GET', path, undefined, headers)
  assert.equal(status, body.code === 'GONE' ? 410 : 400)
  return [body.code, body.errors[0]?.path] as [string, string | undefined]
}

interface Failed {
  extensions: { code: string; errors?: { path: string }[] }
}

function firstOf({ errors }: { errors: Failed[] }): [string, string | undefined] {
  const { code, errors: problems } = errors[0]!.extensions
  return [code, problems?.[0]?.path]
}

function bySocket({ address }: TestService, after: string): Promise<[string, string | undefined]> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const { promise, resolve, reject } = Promise.withResolvers<[string, string | undefined]>()
  socket.on('open', () => socket.send('{"type":"connection_init"}'))
  socket.on('error', reject)
  socket.on('close', (code) => reject(new Error(`closed with ${code}`)))
  socket.on('message', (data) => {
    const { type, payload } = JSON.parse(String(data))
    if (type === 'connection_ack') socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: document(after) }))
    if (type !== 'error') return
    resolve(firstOf({ errors: payload }))
    socket.terminate()
  })
  return promise
}

const ask = async (service: TestService, cursor: string) =>
  Object.fromEntries(
    await Promise.all(Object.entries(ways).map(async ([name, way]) => [name, await way(service, cursor)] as const)),
  )

const all = (code: string, where: readonly (string | undefined)[]) =>
  Object.fromEntries(Object.keys(ways).map((name, index) => [name, [code, where[index]]]))

test('R122: a cursor that was changed or is of another log is refused at its place', async (t) => {
  const [service, other] = [await TestService.open(t, sdl), await TestService.open(t, sdl)]
  const nowOf = async (of: TestService) => (await of.succeed('GET', '/changes?after=now&first=0')).pageInfo.endCursor
  const now = await nowOf(service)
  const foreign = await nowOf(other)
  const wrong = {
    changed: now.replace(/.{4}$/, (last: string) => (last === 'AAAA' ? 'BBBB' : 'AAAA')),
    foreign,
    // The name of the log can be read, and written.
    forged: now.slice(0, 9) + foreign.slice(9),
    'of an earlier build': `${now.slice(0, 8)}:1:0a0b0c0d`,
    none: 'x',
  }
  for (const [name, cursor] of Object.entries(wrong)) {
    assert.deepEqual(await ask(service, cursor), all('VALIDATION_FAILED', places), name)
  }
})

test('a cursor hides its position, and equal positions give equal cursors', async (t) => {
  const service = await TestService.open(t, sdl)
  const nowOf = async () => (await service.succeed('GET', '/changes?after=now&first=0')).pageInfo.endCursor as string
  const cursors = [await nowOf()]
  for (const text of ['a', 'b', 'c']) {
    await service.succeed('POST', '/notes', { text })
    cursors.push(await until(nowOf, (cursor) => cursor !== cursors.at(-1)))
  }
  const { edges } = await service.succeed('GET', '/changes')
  assert.deepEqual(
    edges.map((edge: { cursor: string; node: { id: string } }) => [edge.cursor, edge.node.id]),
    cursors.slice(1).map((cursor) => [cursor, cursor]),
  )
  const [log] = cursors[0]!.split(':')
  const hidden = cursors.map((cursor) => Buffer.from(cursor.slice(log!.length + 1), 'base64url'))
  assert.ok(cursors.every((cursor) => cursor.startsWith(`${log}:`)))
  // A counter would leave most bytes as they are.
  for (const [index, bytes] of hidden.slice(1).entries()) {
    const same = bytes.filter((byte, at) => byte === hidden[index]![at]).length
    assert.ok(same < bytes.length / 2, `${same} of ${bytes.length} bytes are equal`)
  }
})

test('R128: a cursor before the retention period is GONE, on every API', async (t) => {
  const service = await TestService.open(t, sdl, { events: { retentionSeconds: 1, heartbeatSeconds: 15 } })
  const { endCursor } = (await service.succeed('GET', '/changes?after=now&first=0')).pageInfo
  await service.succeed('POST', '/notes', { text: 'old' })
  await until(
    () => service.send('GET', `/changes?after=${endCursor}`),
    ({ status }) => status === 410,
  )
  assert.deepEqual(await ask(service, endCursor), all('GONE', []))
  const { body } = await service.send('GET', '/changes') // a subscription without a cursor works
  assert.deepEqual(body.edges, [])
})

test('R121, R123: HEAD and 304 work as on any page, and a repeated parameter is refused', async (t) => {
  const service = await TestService.open(t, sdl)
  await service.succeed('POST', '/notes', { text: 'a' })
  await until(
    () => service.succeed('GET', '/changes'),
    ({ edges }) => edges.length === 1,
  )
  const page = await service.send('GET', '/changes')
  const etag = page.headers.get('etag')!
  const head = await fetch(`${service.address}/changes`, { method: 'HEAD', headers: { prefer: 'wait=20' } })
  assert.deepEqual([head.status, head.headers.get('etag'), await head.text()], [200, etag, ''])
  const known = { 'if-none-match': etag }
  assert.equal((await service.send('GET', '/changes', undefined, known)).status, 304)
  await service.succeed('POST', '/notes', { text: 'b' })
  const fresh = await until(
    () => service.send('GET', '/changes', undefined, known),
    ({ status, body }) => {
      // A change that gets its position while the page is read is not in it: then the page says that the log continues.
      if (status === 200) assert.equal(body.pageInfo.hasNextPage, body.edges.length < 2)
      return body.edges?.length === 2
    },
  )
  assert.equal(fresh.status, 200)
  const twice = await service.send('GET', '/changes?resource=notes&resource=notes')
  assert.deepEqual(
    [twice.status, twice.body.errors],
    [400, [{ path: 'resource', code: 'UNKNOWN', message: 'appears more than once.' }]],
  )
  const none = await service.succeed('GET', '/changes?first=0')
  assert.deepEqual([none.edges, none.pageInfo.hasNextPage], [[], true])
})
