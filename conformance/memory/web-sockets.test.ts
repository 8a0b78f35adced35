// WebSocket clients that send much, finish nothing and read nothing.
// stores: sqlite

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { TestService } from '../harness/test-service.ts'

const sdl = `
type User @account(login: "email") @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String }
type Note @allow { id: ID! text: String! }
`

test('a client that floods the server with pings is disconnected', async (t) => {
  const service = await TestService.open(t, sdl)
  const pings = await open(service)
  const messages = await open(service)
  for (let n = 0; n < 2000; n++) pings.ping('x'.repeat(125))
  for (let n = 0; n < 2000; n++) messages.send('{"type":"ping"}')

  assert.deepEqual(await Promise.all([closeOf(pings), closeOf(messages)]), [
    [1008, 'Too many control frames'],
    [1013, 'Too many pings'],
  ])
})

test('a few pings are answered, with the data that they carry', async (t) => {
  const service = await TestService.open(t, sdl)
  const socket = await open(service)

  socket.ping('hello')
  const [data] = await once(socket, 'pong')

  assert.equal(String(data), 'hello')
  socket.close()
})

test('a message that does not arrive in time ends its connection, also with pings in between', async (t) => {
  const service = await TestService.open(t, sdl, { listening: { timeouts: { headers: 10_000, body: 600 } } })
  const half = await open(service)
  const idle = await open(service)
  half.send('{"type":"subscribe",', { fin: false })
  const pinging = setInterval(() => half.readyState === half.OPEN && half.ping(), 50)

  assert.deepEqual(await closeOf(half), [1006, ''])
  clearInterval(pinging)
  assert.equal(idle.readyState, idle.OPEN)
  idle.close()
})

test('before the acknowledgement a message has 64 KiB at most, and then as much as a body', async (t) => {
  const service = await TestService.open(t, sdl)
  const long = JSON.stringify({ type: 'connection_init', payload: { padding: 'x'.repeat(100_000) } })
  const eager = await connect(service)
  eager.send(long)
  assert.equal((await closeOf(eager))[0], 1009)

  const patient = await open(service)
  const query = `{ notes { id } } #${'x'.repeat(500_000)}`
  patient.send(JSON.stringify({ id: 'a', type: 'subscribe', payload: { query } }))
  const [answer] = await once(patient, 'message')
  assert.deepEqual(JSON.parse(String(answer)).payload, { data: { notes: [] } })
  patient.close()
})

test('the sockets of an address are bounded, and those of a viewer count for the viewer', async (t) => {
  const service = await TestService.open(t, sdl, { listening: { http: { socketsPerClient: 2 } } })
  const { authorization } = await service.signUp('ann')
  const anns = [await open(service, { authorization }), await open(service, { authorization })]
  const others = [await open(service), await open(service)]

  assert.deepEqual(await closeOf(await connect(service)), [1013, 'Too many WebSockets of this address are open'])
  others[0]!.close()
  await once(others[0]!, 'close')
  const third = await connect(service)
  third.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }))
  assert.deepEqual(await closeOf(third), [1013, 'Too many WebSockets of this client are open'])
  anns[0]!.close()
  await once(anns[0]!, 'close')
  for (const socket of [anns[1]!, others[1]!, await open(service, { authorization })]) socket.close()
})

async function connect({ address }: TestService): Promise<WebSocket> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  socket.on('error', () => {})
  await once(socket, 'open')
  return socket
}

async function open(service: TestService, payload: object = {}): Promise<WebSocket> {
  const socket = await connect(service)
  socket.send(JSON.stringify({ type: 'connection_init', payload }))
  const [message] = await once(socket, 'message')
  assert.equal(JSON.parse(String(message)).type, 'connection_ack')
  return socket
}

async function closeOf(socket: WebSocket): Promise<[number, string]> {
  if (socket.readyState === socket.CLOSED) throw new Error('the socket is closed already')
  const [code, reason] = await once(socket, 'close')
  return [code, String(reason)]
}
