// The change feed `/changes` of a whole service (docs/reference/rest.md, R120–R131).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { readAllEvents, readEvents, TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type User @account @allow(to: [CREATE]) @allow(who: "self") @allow(who: "signedIn", to: [READ]) {
    id: ID! email: String! @unique @allow(who: "self", to: [READ, UPDATE]) name: String
  }
  type Note @allow(who: "author") @allow(to: [READ], where: {status: {eq: OPEN}}) {
    id: ID!
    text: String!
    status: Status! @default(value: OPEN)
    private: String @allow(who: "author")
    author: User! @auto(set: VIEWER)
  }
  enum Status { OPEN CLOSED }
`

interface Node {
  id: string
  source: string
  type: string
  subject: string
  version: number
  data: Record<string, unknown>
}

async function nodes(service: TestService, query = '', headers: Record<string, string> = {}): Promise<Node[]> {
  const page = await service.succeed('GET', `/changes?resource=notes${query}`, undefined, headers)
  return page.edges.map(({ node }: { node: Node }) => node)
}

test('R120: a page has the changes that its viewer may see, as CloudEvents', async (t) => {
  const service = await TestService.open(t, sdl)
  const ann = await service.signUp('ann')
  const { authorization } = ann
  const note = await service.succeed('POST', '/notes', { text: 'a', private: 'p' }, { authorization })
  await service.succeed('PATCH', `/notes/${note.id}`, { private: 'q' }, { authorization })
  await service.succeed('PATCH', `/notes/${note.id}`, { text: 'b' }, { authorization })
  await service.succeed('DELETE', `/notes/${note.id}`, undefined, { authorization })
  const own = await until(
    () => nodes(service, '', { authorization }),
    (found) => found.length === 4,
  )
  assert.deepEqual(
    own.map(({ type, version, data }) => [type, version, data]),
    [
      ['note.created', 1, { ...note, private: 'p' }],
      ['note.updated', 2, { ...note, private: 'q' }],
      ['note.updated', 3, { ...note, text: 'b', private: 'q' }],
      ['note.deleted', 4, { id: note.id }],
    ],
  )
  assert.deepEqual(Object.keys(own[0]!), ['specversion', 'id', 'source', 'type', 'subject', 'time', 'version', 'data'])
  assert.deepEqual([own[0]!.source, own[0]!.subject], ['/notes', note.id])

  // R124: a viewer who may not read `private` gets no event for a change of this field alone. (The author is null: not readable.)
  const others = await nodes(service)
  const { private: _, ...seen } = note
  assert.deepEqual(
    others.map(({ type, version, data }) => [type, version, data]),
    [
      ['note.created', 1, { ...seen, author: null }],
      ['note.updated', 3, { ...seen, text: 'b', author: null }],
      ['note.deleted', 4, { id: note.id }],
    ],
  )
})

test('R121, R122: pages follow each other by cursor, and any other cursor is refused', async (t) => {
  const service = await TestService.open(t, sdl)
  const { authorization } = await service.signUp('ann')
  for (let n = 1; n <= 5; n++) await service.succeed('POST', '/notes', { text: `${n}` }, { authorization })
  await until(
    () => nodes(service),
    (found) => found.length === 5,
  )
  const texts: unknown[] = []
  let after = ''
  for (;;) {
    const page = await service.succeed('GET', `/changes?resource=notes&first=2${after}`)
    for (const { node, cursor } of page.edges) {
      texts.push(node.data.text)
      assert.equal(node.id, cursor)
    }
    after = `&after=${page.pageInfo.endCursor}`
    if (!page.pageInfo.hasNextPage) break
  }
  assert.deepEqual(texts, ['1', '2', '3', '4', '5'])
  assert.deepEqual(await nodes(service, after), [])
  assert.deepEqual(await nodes(service, '&after=now'), [])

  const cursor = after.slice('&after='.length)
  const [log, position, check] = cursor.split(':')
  const other = await TestService.open(t, sdl)
  const otherLog = (await other.succeed('GET', '/changes?after=now')).pageInfo.endCursor
  for (const wrong of ['x', `${log}:${Number(position) + 1}:${check}`, `${log}:1:${check}`, otherLog]) {
    const { status, body } = await service.send('GET', `/changes?after=${wrong}`)
    assert.deepEqual([status, body.code, body.errors[0].path], [400, 'VALIDATION_FAILED', 'after'], wrong)
  }
})

test('R123: a feed can be filtered by type and by its fields, and unknown parameters are refused', async (t) => {
  const service = await TestService.open(t, sdl)
  const { authorization } = await service.signUp('ann')
  for (const text of ['x', 'y', 'x']) await service.succeed('POST', '/notes', { text }, { authorization })
  const found = await until(
    () => nodes(service, '&text=x'),
    (some) => some.length === 2,
  )
  assert.deepEqual(
    found.map(({ data }) => data.text),
    ['x', 'x'],
  )
  for (const [query, path] of [
    ['resource=nots', 'resource'],
    ['resource=notes&txt=x', 'txt'],
    ['text=x', 'text'],
    ['resource=notes&sort=text', 'sort'],
    ['first=1000', 'first'],
    ['first=x', 'first'],
    ['resource=notes&private=p', 'private'], // unknown to viewers who can never read it
  ]) {
    const { status, body } = await service.send('GET', `/changes?${query}`)
    assert.deepEqual([status, body.errors?.[0].path], [400, path], query)
  }
  assert.match((await service.send('GET', '/changes?resource=nots')).body.detail, /Did you mean notes/)
  assert.equal((await service.send('POST', '/changes', {})).status, 405)
  assert.equal((await service.send('GET', '/changes', undefined, { accept: 'text/csv' })).status, 406)
})

test('R124: a row that becomes hidden is an event "deleted", and one that becomes visible is "updated"', async (t) => {
  const service = await TestService.open(t, sdl)
  const { authorization } = await service.signUp('ann')
  const { id } = await service.succeed('POST', '/notes', { text: 'a' }, { authorization })
  await service.succeed('PATCH', `/notes/${id}`, { status: 'CLOSED' }, { authorization })
  await service.succeed('PATCH', `/notes/${id}`, { text: 'b' }, { authorization })
  const hidden = await until(
    () => nodes(service),
    (found) => found.length === 2,
  )
  // The first too: the row exists, but the viewer may not read its current state.
  assert.deepEqual(
    hidden.map(({ type, data }) => [type, data]),
    [
      ['note.deleted', { id }],
      ['note.deleted', { id }],
    ],
  )
  await service.succeed('PATCH', `/notes/${id}`, { status: 'OPEN' }, { authorization })
  const shown = await until(
    () => nodes(service),
    (found) => found.length === 3,
  )
  assert.deepEqual(
    shown.map(({ type, data }) => [type, data.text]),
    [
      ['note.created', 'a'],
      ['note.deleted', undefined],
      ['note.updated', 'b'],
    ],
  )
})

test('R125: a long poll is answered as soon as there is a change, or with an empty page', async (t) => {
  const service = await TestService.open(t, sdl)
  const { authorization } = await service.signUp('ann')
  const { endCursor } = (await service.succeed('GET', '/changes?resource=notes&after=now')).pageInfo
  const ask = (seconds: number) =>
    service.send('GET', `/changes?resource=notes&after=${endCursor}`, undefined, { prefer: `wait=${seconds}` })
  const began = performance.now()
  const empty = await ask(1)
  assert.ok(performance.now() - began > 900)
  assert.deepEqual([empty.status, empty.body.edges], [200, []])
  assert.equal(empty.headers.get('preference-applied'), 'wait=1')
  const longPoll = ask(20)
  await pause(100)
  await service.succeed('POST', '/notes', { text: 'now' }, { authorization })
  const { body } = await longPoll
  assert.deepEqual(
    body.edges.map(({ node }: { node: Node }) => node.data.text),
    ['now'],
  )
  assert.ok(performance.now() - began < 18_000)
  assert.deepEqual((await nodes(service, `&after=${body.pageInfo.endCursor}`)).length, 0)
  const longer = await ask(9999) // there is a change already
  assert.deepEqual([longer.body.edges.length, longer.headers.get('preference-applied')], [1, 'wait=25'])
})

test('R126, R127: an event stream starts now or after the last id, and each event has its position', async (t) => {
  const service = await TestService.open(t, sdl, { events: { retentionSeconds: 0, heartbeatSeconds: 1 } })
  const { authorization } = await service.signUp('ann')
  const open = async (headers: Record<string, string> = {}) => {
    const reply = await fetch(`${service.address}/changes?resource=notes`, {
      headers: { accept: 'text/event-stream', ...headers },
    })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    return readEvents(reply)
  }
  const next = async (events: ReturnType<typeof readEvents>) => {
    for (;;) {
      const { value } = await events.next()
      if (value?.data !== undefined) return value as { id: string; data: string }
    }
  }
  await service.succeed('POST', '/notes', { text: 'before' }, { authorization })
  await service.settle()
  const events = await open()
  const first = (await events.next()).value
  assert.match(first!.id!, /:/)
  assert.equal(first!.data, undefined)
  await service.succeed('POST', '/notes', { text: 'one' }, { authorization })
  await service.succeed('POST', '/notes', { text: 'two' }, { authorization })
  const one = await next(events)
  assert.equal(JSON.parse(one.data).data.text, 'one')
  assert.equal(JSON.parse(one.data).id, one.id)
  assert.equal(JSON.parse((await next(events)).data).data.text, 'two')
  const sign = (await events.next()).value // no change: a heartbeat
  assert.equal(sign!.data, undefined)
  await events.return(undefined)

  const resumed = await open({ 'last-event-id': one.id })
  assert.equal(JSON.parse((await next(resumed)).data).data.text, 'two')
  await service.succeed('POST', '/notes', { text: 'three' }, { authorization })
  assert.equal(JSON.parse((await next(resumed)).data).data.text, 'three')
  await resumed.return(undefined)
})

test('R130: a server that stops answers its long polls and ends its streams, and cuts no request', async (t) => {
  const service = await TestService.open(t, sdl)
  const reply = await fetch(`${service.address}/changes`, { headers: { accept: 'text/event-stream' } })
  const events = readEvents(reply)
  await events.next()
  const longPoll = service.send('GET', '/changes?after=now', undefined, { prefer: 'wait=20' })
  await pause(200)
  const began = performance.now()
  const closed = service.close()
  const { status, body } = await longPoll
  assert.deepEqual([status, body.edges], [200, []])
  for await (const _ of events); // ends, and does not fail
  await closed
  assert.ok(performance.now() - began < 15_000)
})

test('R130: a client that connects to a stopping server is asked to reconnect, and no API refuses it', async (t) => {
  const service = await TestService.open(t, sdl)
  service.service.retire()
  const longPoll = await service.send('GET', '/changes?after=now', undefined, { prefer: 'wait=20' })
  assert.deepEqual([longPoll.status, longPoll.body.edges], [200, []])
  const subscription = encodeURIComponent('subscription { noteCreated { id } }')
  for (const path of ['/changes', `/graphql?query=${subscription}`]) {
    const reply = await fetch(service.address + path, { headers: { accept: 'text/event-stream' } })
    assert.equal(reply.status, 200) // after any other status EventSource does not reconnect
    const output = await readAllEvents(reply)
    assert.match(output[0]!.id!, /:/)
    assert.ok(output.every(({ data, event }) => data === undefined && event === undefined))
  }
  const socket = new WebSocket(`${service.address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  socket.on('open', () => socket.send('{"type":"connection_init"}'))
  socket.once('message', () => {
    const payload = { query: 'subscription { noteCreated { id } }' }
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }))
  })
  assert.equal((await once(socket, 'close'))[0], 1012)
})

test('R131: GraphQL has the same page', async (t) => {
  const service = await TestService.open(t, sdl)
  const { authorization } = await service.signUp('ann')
  await service.succeed('POST', '/notes', { text: 'a', private: 'p' }, { authorization })
  await until(
    () => nodes(service),
    (found) => found.length === 1,
  )
  const query = `query ($after: String) { changes(first: 2, after: $after, resource: "notes") {
    __typename
    edges { node { specversion id source type subject time version data } cursor }
    pageInfo { hasNextPage endCursor }
  } }`
  const ask = async (variables: object, headers: Record<string, string> = {}) =>
    (await service.succeed('POST', '/graphql', { query, variables }, headers)) as {
      data: { changes: Record<string, unknown> }
      errors?: { extensions: { code: string } }[]
    }
  for (const headers of [{}, { authorization }] as Record<string, string>[]) {
    const page = await service.succeed('GET', '/changes?resource=notes&first=2', undefined, headers)
    assert.equal(page.edges.length, 1)
    assert.deepEqual((await ask({}, headers)).data.changes, { __typename: 'ChangeConnection', ...page })
  }
  assert.equal((await ask({ after: 'x' })).errors?.[0]?.extensions.code, 'VALIDATION_FAILED')
})
