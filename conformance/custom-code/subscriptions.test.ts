// Custom subscriptions over WebSocket, GraphQL over SSE and REST: values, errors, rules, and how they end.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { readAllEvents, readEvents, TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") { id: ID! email: String! @unique name: String roles: [String!] }
  type Note @allow(to: [READ], where: {hidden: {eq: false}}) @allow(role: "admin") {
    id: ID! text: String! hidden: Boolean! @default(value: false) length: Int @computed(from: ["text"])
  }
  extend type Subscription {
    "Counts."
    count(to: Int! @constraint(max: 5), from: Int = 1): Int! @allow
    arrivals(of: [ID!]!): Note @allow @resource(path: "note-arrivals")
    odd: Int @allow
    failing: Int! @allow
    forever: Int @allow
    flood: String! @allow
    staff: Int! @allow(role: "staff")
    wrong: Int @allow
  }
`

/** The config is a module of its own. \`ended\` holds the names of subscriptions whose code has ended. */
const shared = globalThis as typeof globalThis & {
  subscriptions?: { ended: string[]; flooded: number; aborted: number }
}
const code = `import { setTimeout as sleep } from 'node:timers/promises'
const { subscriptions } = globalThis
const error = (code, message) => Object.assign(new Error(message), { code })
export default {
  resolvers: {
    Note: { length: (rows) => rows.map(({ text }) => text.length) },
    Subscription: {
      count: { async *subscribe({ from, to }) { for (let n = from; n <= to; n++) yield n } },
      arrivals: { async *subscribe({ of }) { for (const id of of) yield id } },
      odd: { async *subscribe() { yield 1; yield 'two'; yield 3 } },
      failing: { async *subscribe() { yield 1; throw error('CONFLICT', 'No more.') } },
      forever: {
        async *subscribe(_args, { signal }) {
          signal.addEventListener('abort', () => subscriptions.aborted++)
          try {
            yield 1
            await sleep(1e9, null, { signal })
          } finally {
            subscriptions.ended.push('forever')
          }
        },
      },
      flood: {
        subscribe: () => ({
          [Symbol.asyncIterator]: () => ({
            next: async () => ({ done: false, value: 'x'.repeat(1000) + subscriptions.flooded++ }),
            return: async () => (subscriptions.ended.push('flood'), { done: true }),
          }),
        }),
      },
      staff: { async subscribe(_args, { viewer }) { return (async function* () { yield viewer.roles.length })() } },
      wrong: { subscribe: () => [1, 2] },
    },
  },
}
`

async function open(
  t: TestContext,
): Promise<{ service: TestService; shared: NonNullable<typeof shared.subscriptions> }> {
  shared.subscriptions = { ended: [], flooded: 0, aborted: 0 }
  const service = await TestService.open(t, sdl, { code })
  return { service, shared: shared.subscriptions }
}

const eventStream = { accept: 'text/event-stream' }
const sse = (service: TestService, query: string, headers: object = {}, signal?: AbortSignal) =>
  fetch(`${service.address}/graphql?query=${encodeURIComponent(query)}`, {
    headers: { ...eventStream, ...headers },
    ...(signal && { signal }),
  })
const rest = (service: TestService, path: string, headers: object = {}, signal?: AbortSignal) =>
  fetch(`${service.address}${path}`, { headers: { ...eventStream, ...headers }, ...(signal && { signal }) })

/** What the server sends, as \`event data\`, without heartbeats. */
async function eventsOf(reply: Response): Promise<string[]> {
  const events = await readAllEvents(reply)
  return events
    .filter(({ data, event }) => data !== undefined || event !== undefined)
    .map(({ event, data }) => `${event ?? 'message'} ${data}`)
}

test('R203: each value is an event, on all three ways, and the end of the code is the end of the stream', async (t) => {
  const { service } = await open(t)
  const query = 'subscription ($to: Int!) { n: count(to: $to) }'
  const socket = await openSocket(t, service)
  socket.subscribe('a', query, { to: 2 })
  assert.deepEqual(await socket.take(3), [
    { id: 'a', type: 'next', payload: { data: { n: 1 } } },
    { id: 'a', type: 'next', payload: { data: { n: 2 } } },
    { id: 'a', type: 'complete' },
  ])
  assert.deepEqual(await eventsOf(await sse(service, 'subscription { count(to: 2) }')), [
    'next {"data":{"count":1}}',
    'next {"data":{"count":2}}',
    'complete ',
  ])
  assert.deepEqual(await eventsOf(await rest(service, '/count?to=3&from=2')), ['message 2', 'message 3', 'complete '])
  const { data } = await service.succeed('POST', '/graphql', {
    query: '{ __type(name: "Subscription") { fields { name description } } }',
  })
  const fields = data.__type.fields as { name: string; description: string | null }[]
  assert.equal(fields.find(({ name }) => name === 'count')!.description, 'Counts.')
  assert.ok(fields.some(({ name }) => name === 'noteCreated'))
})

test('rows are read back as the viewer may see them, with what the client selected', async (t) => {
  const { service } = await open(t)
  const asSystem = async (body: object) => {
    const request = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    return JSON.parse(String((await service.service.handleAsSystem(plainRequest('POST', '/notes', request))).body)).id
  }
  const [shown, hidden] = [await asSystem({ text: 'hello' }), await asSystem({ text: 'secret', hidden: true })]
  const ids = JSON.stringify([shown, hidden])
  assert.deepEqual(await eventsOf(await sse(service, `subscription { arrivals(of: ${ids}) { text length } }`)), [
    'next {"data":{"arrivals":{"text":"hello","length":5}}}',
    'next {"data":{"arrivals":null}}',
    'complete ',
  ])
  assert.deepEqual(await eventsOf(await rest(service, `/note-arrivals?of=${shown},${hidden}`)), [
    `message {"id":"${shown}","text":"hello","hidden":false}`,
    'message null',
    'complete ',
  ])
  assert.deepEqual(await eventsOf(await rest(service, `/note-arrivals?of=${shown}&fields=length`)), [
    'message {"length":5}',
    'complete ',
  ])
})

test('a value of another type fails alone; an error of the code ends its subscription alone', async (t) => {
  const { service } = await open(t)
  const socket = await openSocket(t, service)
  socket.subscribe('kept', 'subscription { forever }')
  assert.deepEqual(await socket.take(1), [{ id: 'kept', type: 'next', payload: { data: { forever: 1 } } }])
  socket.subscribe('odd', 'subscription { odd }')
  const [one, two, three, end] = await socket.take(4)
  assert.deepEqual([one!.payload, three!.payload, end!.type], [{ data: { odd: 1 } }, { data: { odd: 3 } }, 'complete'])
  assert.deepEqual([two!.payload.data, two!.payload.errors[0].path], [{ odd: null }, ['odd']])
  socket.subscribe('failing', 'subscription { failing }')
  const [value, failed] = await socket.take(2)
  assert.deepEqual([value!.payload, failed!.type], [{ data: { failing: 1 } }, 'error'])
  assert.deepEqual([failed!.payload[0].message, failed!.payload[0].extensions.code], ['No more.', 'CONFLICT'])
  socket.subscribe('again', 'subscription { count(to: 1) }')
  assert.equal((await socket.take(2))[0]!.id, 'again')

  const failing = await eventsOf(await rest(service, '/failing'))
  assert.deepEqual(failing, ['message 1', 'end {"code":"CONFLICT","detail":"No more."}'])
  const [, error, complete] = await eventsOf(await sse(service, 'subscription { failing }'))
  assert.match(error!, /^next \{"errors":\[\{"message":"No more\."/)
  assert.equal(complete, 'complete ')
  const [, problem] = await eventsOf(await rest(service, '/odd'))
  assert.match(problem!, /^problem \{"code":"INTERNAL"/)
  const wrong = await rest(service, '/wrong')
  assert.equal(wrong.status, 500)
})

test('R203: rules, arguments and the requested format are checked before the code starts', async (t) => {
  const { service } = await open(t)
  assert.equal((await rest(service, '/staff')).status, 401)
  const ann = await service.signUp('ann')
  const { authorization } = ann
  assert.equal((await rest(service, '/staff', { authorization })).status, 403)
  const socket = await openSocket(t, service, authorization)
  socket.subscribe('s', 'subscription { staff }')
  const [refused] = await socket.take(1)
  assert.deepEqual([refused!.type, refused!.payload[0].extensions.code], ['error', 'FORBIDDEN'])
  const roles = { headers: { 'content-type': 'application/json' }, body: '{"roles":["staff"]}' }
  await service.service.handleAsSystem(plainRequest('PATCH', `/users/${ann.id}`, roles))
  await waitFor(async () => (await rest(service, '/staff', { authorization })).status === 200, 'the role counts')
  assert.deepEqual(await eventsOf(await rest(service, '/staff', { authorization })), ['message 1', 'complete '])
  const { ticket } = await service.succeed('POST', '/tokens', { for: 'stream' }, { authorization })
  assert.deepEqual(await eventsOf(await rest(service, `/staff?ticket=${ticket}`)), ['message 1', 'complete '])

  for (const [path, status] of [
    ['/count?to=6', 400],
    ['/count', 400],
    ['/count?to=1&top=2', 400],
    ['/count?to=1', 200],
  ] as const) {
    assert.equal((await rest(service, path)).status, status, path)
  }
  assert.equal((await service.send('GET', '/count?to=1')).status, 406)
  assert.equal((await service.send('POST', '/count', {}, eventStream)).status, 405)
  const wrong = await sse(service, 'subscription { count(to: 6) }')
  assert.deepEqual([wrong.status, (await wrong.text()).includes('RANGE')], [400, true])
  const plain = await service.send('POST', '/graphql', { query: 'subscription { count(to: 1) }' })
  assert.match(JSON.stringify(plain.body), /A subscription needs a connection that stays open/)
})

test('the code ends when its client goes: complete, a closed socket, a closed stream', async (t) => {
  const { service, shared: seen } = await open(t)
  const socket = await openSocket(t, service)
  socket.subscribe('a', 'subscription { forever }')
  socket.subscribe('b', 'subscription { forever }')
  await socket.take(2)
  socket.send({ id: 'a', type: 'complete' })
  await waitFor(async () => seen.ended.length === 1, 'the code of "a" has ended')
  socket.close()
  await waitFor(async () => seen.ended.length === 2, 'the code of "b" has ended')
  for (const openOne of [
    (signal: AbortSignal) => rest(service, '/forever', {}, signal),
    (signal: AbortSignal) => sse(service, 'subscription { forever }', {}, signal),
  ]) {
    const ending = new AbortController()
    const before = seen.ended.length
    const reply = await openOne(ending.signal)
    for await (const { data } of readEvents(reply)) if (data !== undefined) break
    ending.abort()
    await waitFor(async () => seen.ended.length === before + 1, 'the code of a stream has ended')
  }
  assert.equal(seen.aborted, 4)
})

test('the code ends when the server stops or loads another file, and clients reconnect', async (t) => {
  const { service, shared: seen } = await open(t)
  const socket = await openSocket(t, service)
  socket.subscribe('a', 'subscription { forever }')
  await socket.take(1)
  const [stream, overSse] = [await rest(service, '/forever'), await sse(service, 'subscription { forever }')]
  await writeFile(join(dirname(service.schemaFile), 'twain.config.ts'), `${code}\n// changed`)
  assert.equal((await service.service.reload()).kind, 'swapped')
  assert.equal(await socket.closed, 1012)
  assert.deepEqual(await eventsOf(stream), ['message 1'])
  assert.deepEqual(await eventsOf(overSse), ['next {"data":{"forever":1}}'])
  assert.equal(seen.ended.length, 3)
  const again = await rest(service, '/forever')
  service.service.retire()
  assert.deepEqual(await eventsOf(again), ['message 1'])
  assert.equal(seen.ended.length, 4)
  assert.deepEqual(
    await eventsOf(await rest(service, '/forever')),
    [],
    'a stream that opens while the server drains ends',
  )
})

test('code that yields without a pause waits for a client that does not read, and other requests go on', async (t) => {
  const { service, shared: seen } = await open(t)
  const ending = new AbortController()
  const reply = await rest(service, '/flood', {}, ending.signal)
  assert.equal(reply.status, 200)
  const socket = await openSocket(t, service)
  socket.pause()
  socket.subscribe('a', 'subscription { flood }')
  let last = -1
  await waitFor(async () => {
    assert.equal((await service.send('GET', '/notes')).status, 200)
    const stands = seen.flooded === last
    last = seen.flooded
    await sleep(200)
    return stands
  }, 'the code waits')
  assert.ok(seen.flooded < 100_000, `${seen.flooded} values for clients that do not read`)
  ending.abort()
  socket.close()
  await waitFor(async () => seen.ended.length === 2, 'the code has ended')
})

test('OpenAPI has the stream with its items', async (t) => {
  const { service } = await open(t)
  const { paths } = await service.succeed('GET', '/openapi.json?profile=full')
  const { get } = paths['/note-arrivals']
  assert.equal(get.operationId, 'subscription.arrivals')
  const items = get.responses['200'].content['text/event-stream'].schema['x-itemSchema']
  assert.match(JSON.stringify(items), /#\/components\/schemas\/Note/)
  assert.deepEqual(
    get.parameters.map((one: { name?: string; $ref?: string }) => one.name ?? one.$ref),
    ['of', '#/components/parameters/Note.fields', 'ticket'],
  )
  assert.deepEqual(paths['/staff'].get.security, [{ bearer: ['staff'] }])
})

async function waitFor(isSo: () => Promise<boolean>, what: string): Promise<void> {
  assert.ok(await until(isSo, Boolean), what)
}

interface SocketMessage {
  id?: string
  type: string
  payload?: ReturnType<typeof JSON.parse>
}

/** A connection that has been acknowledged. */
async function openSocket(t: TestContext, { address }: TestService, authorization?: string) {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  t.after(() => socket.terminate())
  const received: SocketMessage[] = []
  socket.on('message', (text) => received.push(JSON.parse(String(text))))
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  const send = (message: object) => socket.send(JSON.stringify(message))
  /** The next messages. */
  const take = async (count: number): Promise<SocketMessage[]> => {
    await waitFor(async () => received.length >= count, `${count} messages: ${JSON.stringify(received)}`)
    return received.splice(0, count)
  }
  await new Promise((resolve) => socket.on('open', resolve))
  send({ type: 'connection_init', payload: authorization === undefined ? {} : { authorization } })
  assert.equal((await take(1))[0]!.type, 'connection_ack')
  return {
    send,
    take,
    closed,
    subscribe: (id: string, query: string, variables: object = {}) =>
      send({ id, type: 'subscribe', payload: { query, variables } }),
    pause: () => socket.pause(),
    close: () => socket.terminate(),
  }
}
