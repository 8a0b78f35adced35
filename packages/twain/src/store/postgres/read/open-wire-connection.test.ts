// A server that goes, stalls or talks nonsense before it is ready: nobody hangs, nothing is left open, and the next is answered.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { answer, FakeServer, greeting, kind, one, type Turn } from './fake-server.fixture.ts'
import { ReadPool } from './read-pool.ts'
import { asides, error, said } from './server-messages.fixture.ts'

const silent = { info() {}, warn() {}, error() {} }
const away = { code: 'UNAVAILABLE' }

async function open(t: TestContext, { turn = kind, more = '', size = 1, time = 30 } = {}) {
  const server = await FakeServer.start(turn)
  const connections = new ReadPool(server.address + more, { size, time }, silent)
  t.after(async () => {
    await connections.close()
    await server.close()
  })
  return { server, ask: () => connections.query('SELECT', []) }
}

const goodbyes = [
  (socket: Socket) => socket.end(),
  (socket: Socket) => socket.resetAndDestroy(),
  (socket: Socket) => socket.destroy(),
]

test('a server that goes at any byte of its greeting', async (t) => {
  const cuts = [...greeting.keys()].map((byte) => [0, greeting, byte] as const)
  for (const [turn, bytes, byte] of [...cuts, ...[...one.keys()].map((byte) => [1, one, byte] as const)]) {
    const { server, ask } = await open(t)
    server.turn = (socket, said, at) => {
      if (at < turn) return kind(socket, said, at)
      socket.write(bytes.subarray(0, byte), () => goodbyes[byte % 3]!(socket))
      return null
    }
    await assert.rejects(ask(), away)
    if (byte % 10 > 0) continue
    server.turn = kind
    assert.deepEqual(await ask(), [['here']])
    assert.equal(server.sockets.size, 1)
  }
})

test('a server that says nothing more, at any byte of its greeting', async (t) => {
  const bytes = [0, 1, 4, 9, greeting.length - 1, greeting.length]
  await Promise.all(
    bytes.map(async (byte) => {
      const stalls: Turn = (_, __, at) => (at === 0 ? greeting.subarray(0, byte) : null)
      const { server, ask } = await open(t, { turn: stalls, time: 3 })
      await assert.rejects(ask(), away)
      server.turn = kind
      assert.deepEqual(await ask(), [['here']])
    }),
  )
})

test('a server that takes no encrypted connections, goes, or says something else when it is asked for one', async (t) => {
  const replies: Turn[] = [
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
  const { server, ask } = await open(t, { more: '?sslmode=require' })
  for (const reply of replies) {
    server.turn = (socket, said, at) => (at === 0 ? reply(socket, said, at) : Buffer.from('no TLS at all'))
    await assert.rejects(ask(), away)
  }
})

test('where encryption is preferred, one that has none is spoken to without; one that fails is not', async (t) => {
  const { server, ask } = await open(t, {
    more: '?sslmode=prefer',
    turn: (socket, said, at) => (at === 0 ? Buffer.from('N') : kind(socket, said, at - 1)),
  })
  assert.deepEqual(await ask(), [['here']])
  for (const socket of server.sockets) socket.destroy()
  server.turn = () => Buffer.from('E')
  await assert.rejects(ask(), away)
})

test('a greeting in pieces, with notices in it, of which the last has only begun', async (t) => {
  const notices = Buffer.concat(asides)
  for (const byte of notices.keys()) {
    const { ask } = await open(t, {
      turn: (_, __, at) =>
        Buffer.concat(
          [
            [notices, greeting],
            [one, notices.subarray(0, byte)],
            [notices.subarray(byte), answer],
          ][at]!,
        ),
    })
    assert.deepEqual(await ask(), [['here']])
  }
})

test('a server that refuses us, whatever it says', async (t) => {
  const { server, ask } = await open(t, { size: 3 })
  const words = [error('53300', 'FATAL'), error('57P03', 'FATAL'), error('28P01', 'FATAL'), error('3D000', 'FATAL')]
  for (const word of [...words, error('XX000', 'FATAL'), said('D'), said('T')]) {
    server.turn = (socket) => {
      socket.end(word)
      return null
    }
    const asked = [ask(), ask(), ask(), ask()]
    for (const one of asked) await assert.rejects(one, away)
  }
  server.turn = kind
  assert.deepEqual(await ask(), [['here']])
})

test('of many connections that are asked for only one is given: all are answered over it', async (t) => {
  let given = false
  const { ask } = await open(t, {
    size: 5,
    turn: (socket, said, at) => {
      if (at > 0 || !given) {
        given = true
        return kind(socket, said, at)
      }
      socket.end(error('53300', 'FATAL'))
      return null
    },
  })
  const asked = Array.from({ length: 50 }, ask)
  for (const one of asked) assert.deepEqual(await one, [['here']])
})

test('of several servers the first that takes us', async (t) => {
  const server = await FakeServer.start()
  const refusing = await FakeServer.start((socket) => {
    socket.end(error('57P03', 'FATAL'))
    return null
  })
  const [{ port }, { port: other }] = [new URL(server.address), new URL(refusing.address)]
  const hosts = `127.0.0.1%3A1,127.0.0.1%3A${other},127.0.0.1`
  const connections = new ReadPool(`postgres://twain@${hosts}:${port}/fake`, { size: 2, time: 30 }, silent)
  t.after(async () => {
    await connections.close()
    await Promise.all([server.close(), refusing.close()])
  })
  assert.deepEqual(await connections.query('SELECT', []), [['here']])
  for (const socket of server.sockets) socket.destroy()
  server.turn = refusing.turn
  await assert.rejects(connections.query('SELECT 2', []), away)
})
