// The rules of the WebSocket protocol, as black-box audits; and Twain's own: who may open a connection, and from which page.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { TestService } from '../harness/test-service.ts'
import { audits } from './protocol-audits.ts'

let service: TestService
let url: string
const ends: (() => unknown)[] = []

before(async () => {
  service = await TestService.open(
    { after: (end) => void ends.push(end as () => unknown) },
    'type Note { id: ID! text: String! }',
  )
  url = `${service.address.replace('http', 'ws')}/graphql`
})
after(async () => {
  for (const end of ends) await end()
})

for (const { id, title, run } of audits) test(`${id}: ${title}`, () => run(url))

/** The status of the refusal, or the code of the close. */
async function opening(headers: Record<string, string>, path = '/graphql'): Promise<number> {
  const socket = new WebSocket(`${service.address.replace('http', 'ws')}${path}`, 'graphql-transport-ws', { headers })
  return new Promise((resolve) => {
    socket.on('open', () => {
      socket.send('{"type":"connection_init"}')
      socket.once('message', () => {
        socket.terminate()
        resolve(101)
      })
    })
    socket.on('close', (code) => resolve(code))
    socket.on('unexpected-response', (request, reply) => {
      request.destroy()
      resolve(reply.statusCode!)
    })
    socket.on('error', () => {})
  })
}

test('a page of another origin opens no connection, a page of the same origin does', async () => {
  assert.equal(await opening({}), 101)
  assert.equal(await opening({ origin: service.address }), 101)
  assert.equal(await opening({ origin: 'https://evil.example' }), 403)
  assert.equal(await opening({ origin: 'null' }), 403)
})

test('an invalid token closes the connection with 4403, in connection_init or in the header', async () => {
  assert.equal(await opening({ authorization: 'Bearer x' }), 4403)
  const socket = new WebSocket(url, 'graphql-transport-ws')
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: 'Bearer x' } }))
  assert.equal((await once(socket, 'close'))[0], 4403)
})

test('an upgrade at any other path is an ordinary request', async () => {
  assert.equal(await opening({}, '/notes'), 200)
})

test('a connection has at most a hundred operations at once', async () => {
  const socket = new WebSocket(url, 'graphql-transport-ws')
  await once(socket, 'open')
  const errors: string[] = []
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  socket.on('message', (data) => {
    const { type, id } = JSON.parse(String(data))
    if (type === 'error') errors.push(id)
    if (type === 'pong') resolve()
    if (type !== 'connection_ack') return
    const payload = { query: 'subscription { noteCreated { id } }' }
    for (let n = 0; n < 103; n++) socket.send(JSON.stringify({ type: 'subscribe', id: `s${n}`, payload }))
    socket.send(JSON.stringify({ type: 'ping' }))
  })
  socket.send('{"type":"connection_init"}')
  await answered
  await pause(500) // the subscriptions start before the service is closed
  assert.deepEqual(errors, ['s100', 's101', 's102'])
  socket.terminate()
})
