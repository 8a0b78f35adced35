import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpReply } from '#base/http'
import type { HttpHandler } from '../routes.ts'
import { type ListenOptions, listen } from '../server.ts'
import { BodyTimeouts } from './body-timeouts.ts'

test('every 128 KiB renew the timeout, fewer bytes do not, and time in which the handler does not read does not count', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const arrivals = new BodyTimeouts(30_000)
  const cut: string[] = []
  const begin = (name: string) => arrivals.begin(() => cut.push(name))
  const [steady, drip, unread, done] = [begin('steady'), begin('drip'), begin('unread'), begin('done')]
  unread.isAwaited = false
  arrivals.end(done)

  for (let second = 0; second < 29; second++) {
    t.mock.timers.tick(1000)
    steady.came(5000)
    drip.came(1)
  }
  assert.deepEqual(cut, [])
  t.mock.timers.tick(1000)
  assert.deepEqual(cut, ['drip'])
  t.mock.timers.tick(26_000)
  assert.deepEqual(cut, ['drip'])
  unread.isAwaited = true
  t.mock.timers.tick(2000)
  assert.deepEqual(cut, ['drip', 'steady'])
  t.mock.timers.tick(28_000)
  assert.deepEqual(cut, ['drip', 'steady', 'unread'])
})

test('a body may take longer than the timeout of a portion and the timeout of a request, while bytes arrive', async (t) => {
  for (const path of ['/whole', '/stream']) {
    const socket = await begin(t, count, path, 40 * portion, { timeouts: { headers: 2000, body: 2000 }, time: 0.1 })
    for (let n = 0; n < 40; n++) {
      socket.write(Buffer.alloc(portion))
      await sleep(60)
    }
    const reply = await replyOf(socket)
    assert.match(reply, new RegExp(`^HTTP/1.1 200 .*\r\n\r\n${40 * portion}$`, 's'))
  }
})

test('a client that sends too slowly gets 408, whatever reads its body', async (t) => {
  const cases: [path: string, length: number, reply: RegExp][] = [
    ['/whole', 20_000, tooSlow],
    ['/stream', 20_000, tooSlow],
    ['/unread', 20_000, /^HTTP\/1.1 200 /], // and then the connection is closed
    ['/unread', 10_000, tooSlow], // a small one is read before the handler runs
  ]
  for (const [path, length, reply] of cases) {
    const socket = await begin(t, count, path, length, { timeouts: { headers: 100, body: 200 } })
    const dripping = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(dripping))
    assert.match(await replyOf(socket), reply)
  }
})

test('a client that waits for the server gets 503 at the time limit, not 408', async (t) => {
  const slowly = async (request: Parameters<HttpHandler>[0], pause: number) => {
    let size = 0
    for await (const chunk of request.stream(0)) {
      size += chunk.length
      await sleep(pause)
    }
    return answer(size)
  }
  const timeouts = { headers: 100, body: 100 }
  const patient = await begin(t, (request) => slowly(request, 300), '/', 20, { timeouts })
  const late = await begin(t, (request) => slowly(request, 2000), '/', 20, { timeouts, time: 0.05 })
  for (const socket of [patient, late]) socket.write('x'.repeat(10))
  await sleep(50)
  for (const socket of [patient, late]) socket.write('x'.repeat(10))
  assert.match(await replyOf(patient), /^HTTP\/1.1 200 .*\r\n\r\n20$/s)
  assert.match(await replyOf(late), /^HTTP\/1.1 503 .*It is unknown whether the change was made/s)
})

const portion = 128 * 1024
const tooSlow = /^HTTP\/1.1 408 .*connection: close/s

const answer = (size: number): HttpReply => ({ status: 200, headers: {}, body: String(size) })

const count: HttpHandler = async (request) => {
  if (request.path === '/unread') return answer(0)
  if (request.path === '/whole') return answer((await request.body()).length)
  let size = 0
  for await (const chunk of request.stream(0)) size += chunk.length
  return answer(size)
}

/** A connection that has sent the header of a request and will send its body. */
async function begin(
  t: TestContext,
  handle: HttpHandler,
  path: string,
  length: number,
  options: Partial<ListenOptions>,
): Promise<Socket> {
  const log = { info() {}, warn() {}, error() {} }
  const grace = { idle: 1, all: 100 }
  const server = await listen({ handle, host: '127.0.0.1', port: 0, body: 0, log, grace, ...options })
  t.after(() => server.close())
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => {}) // the server closes the connection while the client sends
  const connection = path === '/unread' ? 'keep-alive' : 'close'
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\ncontent-length: ${length}\r\n\r\n`)
  return socket
}

/** All bytes until the server closes or resets the connection. */
async function replyOf(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const closed = Promise.withResolvers<void>()
  socket.on('close', closed.resolve)
  if (!socket.closed) await closed.promise
  return text
}
