// Subscriptions of a whole service over WebSocket, with the client of graphql-ws.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient as createSseClient } from 'graphql-sse'
import { type Client, createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { type Person, TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [CREATE]) @allow(who: "self") @allow(who: "signedIn", to: [READ]) {
    id: ID! email: String! @unique @allow(who: "self", to: [READ, UPDATE]) name: String
  }
  type Channel @allow(who: "members") @allow(who: "signedIn", to: [CREATE]) {
    id: ID! name: String! members: [User!]! messages: [Message!]!
  }
  type Message @allow(who: "channel", to: [READ]) @allow(who: "author") {
    id: ID! body: String! note: String @allow(who: "author") author: User! @auto(set: VIEWER) channel: Channel!
  }
`

interface Result {
  data?: Record<string, Record<string, unknown>> | null
  errors?: { message: string; path?: string[]; extensions: { code: string } }[]
  extensions?: { cursor: string }
}

/** The events of a subscription, which a test can wait for. */
class ReceivedEvents {
  readonly results: Result[] = []
  readonly errors: unknown[] = []
  isOver = false
  stop: () => void = () => {}

  async next(): Promise<Result> {
    for (let waited = 0; this.results.length === 0 && waited < 5000; waited += 5) {
      if (this.errors.length > 0) throw this.errors[0]
      await pause(5)
    }
    const result = this.results.shift()
    if (result === undefined) throw new Error('no event came')
    return result
  }
}

function receive(client: Client, query: string, variables: Record<string, unknown> = {}): ReceivedEvents {
  const received = new ReceivedEvents()
  received.stop = client.subscribe<Result['data'], Result['extensions']>(
    { query, variables },
    {
      next: (result) => void received.results.push(result as Result),
      error: (error) => void received.errors.push(error),
      complete: () => {
        received.isOver = true
      },
    },
  )
  return received
}

let service: TestService
let [ann, bob, cid] = [] as unknown as [Person, Person, Person]
let channel: string
const ends: (() => unknown)[] = []

before(async () => {
  service = await TestService.open({ after: (end) => void ends.push(end as () => unknown) }, sdl)
  ann = await service.signUp('ann')
  bob = await service.signUp('bob')
  cid = await service.signUp('cid')
  ;({ id: channel } = await service.succeed('POST', '/channels', { name: 'one', members: [ann.id, bob.id] }, as(ann)))
})
after(async () => {
  for (const end of ends) await end()
})

const as = ({ authorization }: Person) => ({ authorization })
const say = (body: string, person = ann, more: object = {}) =>
  service.succeed('POST', '/messages', { body, channel, ...more }, as(person))

function connect(person: Person | null, on: Parameters<typeof createClient>[0]['on'] = {}): Client {
  const client = createClient({
    url: `${service.address.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError() {},
    connectionParams: person === null ? {} : as(person),
    on,
  })
  ends.unshift(() => client.dispose())
  return client
}

/** So that what follows is live, and what was before is not. Requests go the same way as subscriptions, so that on a busy machine
 *  this takes longer too. */
async function settled(): Promise<void> {
  await service.settle()
  await pause(100)
  for (let turn = 0; turn < 5; turn++) await service.succeed('GET', '/channels?limit=1', undefined, as(ann))
}

test('an event has the selected fields, and its cursor', async () => {
  const received = receive(
    connect(bob),
    `subscription ($channel: ID!) { sent: messageCreated(channel: $channel) { body author { name } channel { name } } }`,
    { channel },
  )
  await settled()
  await say('hello')
  const { data, extensions } = await received.next()
  assert.deepEqual(data, { sent: { body: 'hello', author: { name: 'ann' }, channel: { name: 'one' } } })
  assert.match(extensions!.cursor, /:/)
})

test('each viewer gets the events that they may see, and no others', async () => {
  const query = `subscription { messageCreated { body note } }`
  const [own, other, outside] = [ann, bob, cid].map((person) => receive(connect(person), query))
  const nobody = receive(connect(null), query)
  await settled()
  await say('secret', ann, { note: 'mine' })
  assert.deepEqual((await own!.next()).data, { messageCreated: { body: 'secret', note: 'mine' } })
  const { data, errors } = await other!.next()
  assert.deepEqual(data, { messageCreated: { body: 'secret', note: null } })
  assert.deepEqual(errors?.[0]?.path, ['messageCreated', 'note'])
  assert.equal(errors?.[0]?.extensions.code, 'FORBIDDEN')
  await settled()
  assert.deepEqual([outside!.results, nobody.results], [[], []])
})

test('subscriptions to created, updated and deleted rows, and to all changes', async () => {
  const client = connect(bob)
  const created = receive(client, 'subscription { messageCreated { id } }')
  const updated = receive(client, 'subscription { messageUpdated { id body _version } }')
  const deleted = receive(client, 'subscription { messageDeleted { id __typename } }')
  const all = receive(
    client,
    'subscription { m: messageChanged { __typename kind cursor version id message { body } again: message { v: _version } } }',
  )
  await settled()
  const { id } = await say('a')
  await service.succeed('PATCH', `/messages/${id}`, { body: 'b' }, as(ann))
  await service.succeed('DELETE', `/messages/${id}`, undefined, as(ann))
  assert.deepEqual((await created.next()).data, { messageCreated: { id } })
  assert.deepEqual((await updated.next()).data, { messageUpdated: { id, body: 'b', _version: 2 } })
  assert.deepEqual((await deleted.next()).data, { messageDeleted: { id, __typename: 'MessageDeleted' } })
  for (const [kind, version, message, again] of [
    ['CREATED', 1, { body: 'a' }, { v: 1 }],
    ['UPDATED', 2, { body: 'b' }, { v: 2 }],
    ['DELETED', 3, null, null],
  ]) {
    const { data, extensions } = await all.next()
    const { cursor } = extensions!
    assert.deepEqual(data, { m: { __typename: 'MessageChanged', kind, cursor, version, id, message, again } })
  }
})

test('subscriptions to one row, one channel, or the rows of a filter', async () => {
  const client = connect(ann)
  const { id: other } = await service.succeed('POST', '/channels', { name: 'two', members: [ann.id] }, as(ann))
  const { id } = await say('x')
  await settled()
  const row = receive(client, 'subscription ($id: ID) { messageChanged(id: $id) { id kind } }', { id })
  const there = receive(client, 'subscription ($c: ID!) { messageChanged(channel: $c) { message { body } kind } }', {
    c: other,
  })
  const filtered = receive(client, 'subscription { messageChanged(where: {body: {startsWith: "f"}}) { kind } }')
  await settled()
  await say('y')
  await say('z', ann, { channel: other })
  await service.succeed('PATCH', `/messages/${id}`, { body: 'found' }, as(ann))
  await service.succeed('PATCH', `/messages/${id}`, { channel: other }, as(ann))
  await service.succeed('PATCH', `/messages/${id}`, { body: 'gone', channel }, as(ann))
  const kinds = async (received: ReceivedEvents, count: number) => {
    const found: unknown[] = []
    for (let n = 0; n < count; n++) found.push((await received.next()).data!.messageChanged!.kind)
    await settled()
    assert.equal(received.results.length, 0)
    return found
  }
  assert.deepEqual(await kinds(row, 3), ['UPDATED', 'UPDATED', 'UPDATED'])
  assert.deepEqual(await kinds(there, 3), ['CREATED', 'UPDATED', 'DELETED'])
  assert.deepEqual(await kinds(filtered, 3), ['UPDATED', 'UPDATED', 'DELETED'])
})

test('a subscription resumes after its last cursor: no event is missing or repeated', async () => {
  let first = ''
  const client = connect(bob, {
    connected(_, payload) {
      first ||= (payload as { cursor: string }).cursor
    },
  })
  const query = 'subscription ($after: String) { messageCreated(after: $after) { body } }'
  const received = receive(client, query)
  await settled()
  await say('1')
  const { extensions } = await received.next()
  received.stop()
  await settled()
  await say('2')
  await say('3')
  const resumed = receive(client, query, { after: extensions!.cursor })
  const bodies: unknown[] = []
  for (let n = 0; n < 2; n++) bodies.push((await resumed.next()).data!.messageCreated!.body)
  await say('4')
  bodies.push((await resumed.next()).data!.messageCreated!.body)
  assert.deepEqual(bodies, ['2', '3', '4'])
  // The cursor of connection_ack is from before all of them.
  const all = receive(client, query, { after: first })
  for (const body of ['1', '2', '3', '4']) assert.equal((await all.next()).data!.messageCreated!.body, body)
  const wrong = receive(client, query, { after: 'x' })
  await assert.rejects(wrong.next(), (errors: Result['errors']) => errors![0]!.extensions.code === 'VALIDATION_FAILED')
})

test('queries and mutations work over WebSocket too, with the same limits as over HTTP', async () => {
  const client = connect(ann)
  const sent = receive(client, '{ __typename }')
  assert.deepEqual((await sent.next()).data, { __typename: 'Query' })
  await pause(20)
  assert.equal(sent.isOver, true)
  const written = receive(client, 'mutation ($c: ID!) { createMessage(input: {body: "w", channel: $c}) { body } }', {
    c: channel,
  })
  assert.deepEqual((await written.next()).data, { createMessage: { body: 'w' } })
  const code = async (query: string) => {
    try {
      await receive(client, query).next()
      return null
    } catch (errors) {
      return (errors as Result['errors'])![0]!.extensions.code
    }
  }
  assert.equal(await code('subscription { nothing { id } }'), 'GRAPHQL_VALIDATION_FAILED')
  assert.equal(await code('subscription {'), 'GRAPHQL_PARSE_FAILED')
  assert.equal(await code('subscription { messageCreated { id } messageDeleted { id } }'), 'GRAPHQL_VALIDATION_FAILED')
  const deep = 'channel { messages { channel { messages { channel { messages { id } } } } } }'
  assert.equal(await code(`subscription { messageCreated { ${deep} } }`), 'QUERY_TOO_DEEP')
  assert.equal(
    await code('subscription { messageCreated(where: {note: {eq: 3}}) { id } }'),
    'GRAPHQL_VALIDATION_FAILED',
  )
})

test('the same over Server-Sent Events, with the client of graphql-sse', async () => {
  await settled()
  const client = createSseClient({ url: `${service.address}/graphql`, headers: as(bob), retryAttempts: 0 })
  const events = client.iterate<Record<string, unknown>>({
    query: 'subscription ($c: ID!) { messageCreated(channel: $c) { body } }',
    variables: { c: channel },
  })
  const next = events.next()
  await settled()
  await say('over http')
  assert.deepEqual((await next).value?.data, { messageCreated: { body: 'over http' } })
  await events.return?.()
  const once = client.iterate({ query: '{ __typename }' })
  assert.deepEqual((await once.next()).value?.data, { __typename: 'Query' })
  assert.equal((await once.next()).done, true)
  client.dispose()

  const stream = { accept: 'text/event-stream' }
  const wrong = await service.send('POST', '/graphql', { query: 'subscription { nothing }' }, stream)
  assert.deepEqual([wrong.status, wrong.body.errors[0].extensions.code], [400, 'GRAPHQL_VALIDATION_FAILED'])
  const mutation = encodeURIComponent('mutation { deleteMessage(id: "x") { success } }')
  assert.equal((await service.send('GET', `/graphql?query=${mutation}`, undefined, stream)).status, 405)
  // Without either there is nothing to resume.
  const plain = await service.send('POST', '/graphql', { query: 'subscription { messageCreated { id } }' })
  assert.deepEqual([plain.status, plain.body.errors[0].extensions.code], [400, 'BAD_REQUEST'])
})
