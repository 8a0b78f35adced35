// A server that disconnects, stalls or breaks the protocol before it is ready: no query hangs, no socket stays open, and the
// next query is answered.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  FakeServer,
  probeReply,
  queryReply,
  type Respond,
  respondNormally,
  startupReply,
} from './fake-server.fixture.ts'
import { ReadPool } from './read-pool.ts'
import { asyncMessages, error, message } from './server-messages.fixture.ts'

const silent = { info() {}, warn() {}, error() {} }
const unavailable = { code: 'UNAVAILABLE' }

const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

async function open(
  t: TestContext,
  { respond = respondNormally, more = '', size = 1, time = 30, outageWaitSeconds = 0 } = {},
) {
  const server = await FakeServer.start(respond)
  const pool = new ReadPool(server.address + more, { size, time, outageWaitSeconds }, silent)
  t.after(async () => {
    await pool.close()
    await server.close()
  })
  return { server, query: () => pool.query('SELECT', []) }
}

const disconnects = [
  (socket: Socket) => socket.end(),
  (socket: Socket) => socket.resetAndDestroy(),
  (socket: Socket) => socket.destroy(),
]

test('a server that disconnects at any byte of the startup fails the query', async (t) => {
  const cuts = [...startupReply.keys()].map((byte) => [0, startupReply, byte] as const)
  for (const [index, bytes, byte] of [
    ...cuts,
    ...[...probeReply.keys()].map((byte) => [1, probeReply, byte] as const),
  ]) {
    const { server, query } = await open(t)
    server.respond = (socket, received, at) => {
      if (at < index) return respondNormally(socket, received, at)
      socket.write(bytes.subarray(0, byte), () => disconnects[byte % 3]!(socket))
      return null
    }
    await assert.rejects(query(), unavailable)
    if (byte % 10 > 0) continue
    server.respond = respondNormally
    assert.deepEqual(await query(), [['here']])
    assert.equal(server.sockets.size, 1)
  }
})

test('a server that stalls at any byte of the startup fails the query after the timeout', async (t) => {
  const bytes = [0, 1, 4, 9, startupReply.length - 1, startupReply.length]
  await Promise.all(
    bytes.map(async (byte) => {
      const stalls: Respond = (_, __, at) => (at === 0 ? startupReply.subarray(0, byte) : null)
      const { server, query } = await open(t, { respond: stalls, time: 3 })
      await assert.rejects(query(), unavailable)
      while (server.sockets.size > 0) await sleep(5) // until the attempt to connect has ended too
      server.respond = respondNormally
      assert.deepEqual(await query(), [['here']])
    }),
  )
})

test('with sslmode=require a server that refuses TLS, disconnects or breaks the protocol fails the query', async (t) => {
  const replies: Respond[] = [
    () => Buffer.from('N'),
    () => Buffer.from('E'),
    () => error('53300', 'FATAL'),
    () => Buffer.from('SN'),
    (socket) => {
      socket.end()
      return null
    },
    (socket) => {
      socket.end('S')
      return null
    },
    () => Buffer.from('S'), // and then no TLS
  ]
  const { server, query } = await open(t, { more: '?sslmode=require' })
  for (const reply of replies) {
    server.respond = (socket, bytes, at) => (at === 0 ? reply(socket, bytes, at) : Buffer.from('no TLS at all'))
    await assert.rejects(query(), unavailable)
  }
})

test('with sslmode=prefer a server without TLS is used without, and a server that fails is not used', async (t) => {
  const { server, query } = await open(t, {
    more: '?sslmode=prefer',
    respond: (socket, bytes, at) => (bytes.equals(tlsRequest) ? Buffer.from('N') : respondNormally(socket, bytes, at)),
  })
  assert.deepEqual(await query(), [['here']])
  for (const socket of server.sockets) socket.destroy()
  server.respond = () => Buffer.from('E')
  await assert.rejects(query(), unavailable)
})

test('a startup in pieces, with notices in it, may end inside a notice', async (t) => {
  const notices = Buffer.concat(asyncMessages)
  for (const byte of notices.keys()) {
    const { query } = await open(t, {
      respond: (_, __, at) =>
        Buffer.concat(
          [
            [notices, startupReply],
            [probeReply, notices.subarray(0, byte)],
            [notices.subarray(byte), queryReply],
          ][at]!,
        ),
    })
    assert.deepEqual(await query(), [['here']])
  }
})

test('a server that refuses the connection fails the query, whatever the error', async (t) => {
  const { server, query } = await open(t, { size: 3 })
  const refusals = [error('53300', 'FATAL'), error('28P01', 'FATAL'), error('3D000', 'FATAL')]
  for (const refusal of [...refusals, error('XX000', 'FATAL'), message('D'), message('T')]) {
    server.respond = (socket) => {
      socket.end(refusal)
      return null
    }
    const pending = [query(), query(), query(), query()]
    for (const one of pending) await assert.rejects(one, unavailable)
  }
  server.respond = respondNormally
  assert.deepEqual(await query(), [['here']])
})

test('a server that starts is waited for', async (t) => {
  const { server, query } = await open(t, { size: 3, outageWaitSeconds: 30 })
  let refused = 0
  server.respond = (socket, bytes, at) => {
    if (refused >= 5) return respondNormally(socket, bytes, at)
    refused++
    socket.end(error('57P03', 'FATAL'))
    return null
  }
  assert.deepEqual(await Promise.all([query(), query(), query(), query()]), Array(4).fill([['here']]))
})

test('if the server accepts only one of many connections, it answers all queries', async (t) => {
  let accepted = false
  const { query } = await open(t, {
    size: 5,
    respond: (socket, bytes, at) => {
      if (at > 0 || !accepted) {
        accepted = true
        return respondNormally(socket, bytes, at)
      }
      socket.end(error('53300', 'FATAL'))
      return null
    },
  })
  const pending = Array.from({ length: 50 }, query)
  for (const one of pending) assert.deepEqual(await one, [['here']])
})

test('of several servers the first that accepts is used', async (t) => {
  const server = await FakeServer.start()
  const refusing = await FakeServer.start((socket) => {
    socket.end(error('57P03', 'FATAL'))
    return null
  })
  const [{ port }, { port: other }] = [new URL(server.address), new URL(refusing.address)]
  const hosts = `127.0.0.1%3A1,127.0.0.1%3A${other},127.0.0.1`
  const pool = new ReadPool(`postgres://twain@${hosts}:${port}/fake`, { size: 2, time: 30 }, silent)
  t.after(async () => {
    await pool.close()
    await Promise.all([server.close(), refusing.close()])
  })
  assert.deepEqual(await pool.query('SELECT', []), [['here']])
  for (const socket of server.sockets) socket.destroy()
  server.respond = refusing.respond
  await assert.rejects(pool.query('SELECT 2', []), unavailable)
})
