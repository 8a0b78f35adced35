// The order in which requests are handled that wait for each other: of a turn (`request-slices.ts`) and of a connection
// (`connection-order.ts`).

import { deepEqual, equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#base'
import type { HttpReply } from '#base/http'
import { Metrics } from './metrics.ts'
import type { HttpHandler } from './routes.ts'
import { type ListenOptions, listen } from './server.ts'

const silent: Log = { error() {}, warn() {}, info() {} }

/** Sends each text on a connection of its own, all at the same time, and returns the paths in the order in which they were handled. Each
 *  request takes longer than a slice, so that all others wait for the first. */
async function handledOrder(t: TestContext, texts: readonly string[], requests: number): Promise<string[]> {
  const handled: string[] = []
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    body: 1000,
    log: silent,
    handle({ path, query }) {
      const until = performance.now() + 8
      while (performance.now() < until);
      handled.push(query === '' ? path : query)
      if (handled.length === requests) resolve()
      return { status: 200, headers: {}, body: null }
    },
  })
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await server.close()
  })
  for (const _ of texts) {
    const socket = connect(server.port, '127.0.0.1').resume()
    sockets.push(socket)
    await once(socket, 'connect')
  }
  for (const [index, socket] of sockets.entries()) socket.write(texts[index]!)
  await all
  return handled
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`
}

function post(path: string, body = '{}'): string {
  return send('POST', path, body)
}

function send(method: string, path: string, body: string): string {
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

const reads = ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8'].map(get)

test('a write does not wait for all reads that came before it', async (t) => {
  const handled = await handledOrder(t, [...reads, post('/posts')], 9)
  ok(handled.indexOf('/posts') < 4, `${handled}`)
  deepEqual(
    handled.filter((path) => path !== '/posts'),
    ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8'],
  )
})

test('a mutation is a write, and a query is a read', async (t) => {
  const query = post('/graphql?query', '{"query": "{ posts { id } }"}')
  const mutation = post('/graphql?mutation', '{"query": "mutation { deletePost(id: 1) { id } }"}')
  const handled = await handledOrder(t, [...reads, query, mutation], 10)
  ok(handled.indexOf('mutation') < 4, `${handled}`)
  ok(handled.indexOf('query') > 4, `${handled}`)
})

test('writes of one connection are handled in order, whatever waits on others', async (t) => {
  const writes = ['/a', '/b', '/c'].map((path) => post(path))
  const pipelined = send('PUT', '/x?n=1', '{}') + send('PUT', '/x?n=2', '{}') + get('/x?then')
  const handled = await handledOrder(t, [...reads, ...writes, get('/first') + pipelined], 15)
  deepEqual(
    handled.filter((path) => /first|n=|then/.test(path)),
    ['/first', 'n=1', 'n=2', 'then'],
  )
})

const empty: HttpReply = { status: 200, headers: {}, body: null }

/** A server that notes when it begins and answers each request, after some milliseconds. */
async function served(t: TestContext, handle: HttpHandler | number = 10, options: Partial<ListenOptions> = {}) {
  const events: string[] = []
  const metrics = new Metrics()
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    body: 100_000,
    log: silent,
    metrics,
    grace: { idle: 1, all: 2000 },
    async handle(request) {
      const name = `${request.method} ${request.query === '' ? request.path : request.query}`
      events.push(name)
      const reply = typeof handle === 'number' ? await sleep(handle, empty) : await handle(request)
      events.push(`${name} done`)
      return reply
    },
    ...options,
  })
  t.after(() => server.close())
  /** How many requests have not been answered. */
  const open = () => Number(/^http_server_active_requests (\d+)$/m.exec(metrics.text([]))![1])
  return { server, events, open, connected: () => connect(server.port, '127.0.0.1').on('error', () => {}) }
}

/** Sends all in one packet, the last with `Connection: close`, and returns the statuses of the replies. */
async function statuses(socket: Socket, ...requests: string[]): Promise<number[]> {
  socket.write(requests.join('') + get('/last').replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))
  const replies = await text(socket)
  return [...replies.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => Number(status))
}

/** Resolves when all requests have been answered. */
async function idle(open: () => number): Promise<void> {
  while (open() > 0) await sleep(5)
}

function inOrder(...names: string[]): string[] {
  return names.flatMap((name) => [name, `${name} done`])
}

test('a write begins after the write before it has been answered, and a read after both', async (t) => {
  const { connected, events } = await served(t)
  await statuses(connected(), send('PUT', '/1', '{}'), send('PUT', '/2', '{}'), 'DELETE /3 HTTP/1.1\r\nhost: x\r\n\r\n')
  deepEqual(events, inOrder('PUT /1', 'PUT /2', 'DELETE /3', 'GET /last'))
})

test('a body that comes later, or is too large to be read in advance, keeps its place', async (t) => {
  const { connected, events } = await served(t, async (request) => {
    await request.body()
    return empty
  })
  const large = 'x'.repeat(40_000)
  const chunked = 'PATCH /3 HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'
  const answered = statuses(connected(), post('/1'), post('/2', large), chunked, post('/4'))
  deepEqual(await answered, [200, 200, 200, 200, 200])
  deepEqual(events, inOrder('POST /1', 'POST /2', 'PATCH /3', 'POST /4', 'GET /last'))
})

test('safe requests of one connection are handled in parallel, and a write behind them waits', async (t) => {
  const { connected, events } = await served(t)
  await statuses(connected(), get('/1'), get('/2'), post('/3'))
  deepEqual(events, ['GET /1', 'GET /2', 'GET /1 done', 'GET /2 done', ...inOrder('POST /3', 'GET /last')])
})

test('a write waits for the end of a stream before it', async (t) => {
  const streams: string[] = []
  const { connected, events } = await served(t, async ({ path }) => {
    async function* stream() {
      for (const part of ['a', 'b']) {
        await sleep(10)
        streams.push(part)
        yield part
      }
    }
    return path === '/stream' ? { ...empty, body: stream() } : { ...empty, body: streams.join() }
  })
  await statuses(connected(), get('/stream'), post('/write'))
  deepEqual(events, inOrder('GET /stream', 'POST /write', 'GET /last'))
  deepEqual(streams, ['a', 'b'])
})

test('requests that are answered without a handler do not change the order of the others', async (t) => {
  const { connected, events } = await served(t, 10, { http: { urlBytes: 50 } })
  const unknown = 'COPY /x HTTP/1.1\r\nhost: x\r\n\r\n'
  const requests = [post('/1'), unknown, post('/2'), get(`/${'x'.repeat(60)}`), send('PUT', `/${'y'.repeat(60)}`, '{}')]
  deepEqual(await statuses(connected(), ...requests, post('/3')), [200, 501, 200, 414, 414, 200, 200])
  deepEqual(events, inOrder('POST /1', 'POST /2', 'POST /3', 'GET /last'))
})

test('thousands of writes in advance are answered in order, and most of them wait outside the process', async (t) => {
  let most = 0
  const { connected, events, open } = await served(t, async (request) => {
    most = Math.max(most, open())
    await request.body()
    return { ...empty, body: request.path.slice(1) }
  })
  const numbers = [...Array(5000).keys()]
  const body = JSON.stringify({ text: 'x'.repeat(1000) })
  const answered = await statuses(connected(), ...numbers.map((number) => send('PUT', `/${number}`, body)))
  equal(answered.length, 5001)
  deepEqual(events, inOrder(...numbers.map((number) => `PUT /${number}`), 'GET /last'))
  ok(most < 200, `${most}`)
})

test('the time for a header or a body does not run while its connection waits for earlier writes', async (t) => {
  const { connected } = await served(t, 20, { timeouts: { headers: 100, body: 100 } })
  const many = Array.from({ length: 40 }, (_, n) => post(`/${n}`))
  const answers = [20, post('/').length - 1].map(async (cut) => {
    const socket = connected()
    socket.write(many.join('') + post('/').slice(0, cut))
    await sleep(300)
    return statuses(socket, post('/').slice(cut))
  })
  for (const answered of await Promise.all(answers)) deepEqual(answered, Array(42).fill(200))
})

test('of requests that wait when their client disconnects only those run, in order, whose outcome it can ask for, and all are counted out', async (t) => {
  for (const count of [3, 100]) {
    const aborted: string[] = []
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>()
    const handle: HttpHandler = async ({ path }) => {
      if (path === '/first') await gone
      async function* stream() {
        yield 'x'.repeat(100_000)
      }
      return path === '/stream' ? { ...empty, body: stream() } : empty
    }
    const onServed: ListenOptions['onServed'] = (served) => {
      if (served.aborted) aborted.push(served.path)
    }
    const { connected, events, open } = await served(t, handle, { onServed })
    const socket = connected()
    const numbers = [...Array(count).keys()]
    const keyed = (path: string) => post(path).replace('\r\n\r\n', '\r\nidempotency-key: "k"\r\n\r\n')
    const later = (path: string) => post(path).replace('\r\n\r\n', '\r\nprefer: respond-async\r\n\r\n')
    const kinds = [keyed, later, post]
    const requests = [post('/first'), get('/stream'), ...numbers.map((number) => kinds[number % 3]!(`/${number}`))]
    socket.write(`${requests.join('')}${post('/broken').slice(0, -1)}`)
    while (events.length === 0) await sleep(1)
    await statuses(connected()) // by then the server has read all of the others
    socket.destroy()
    await statuses(connected()) // and knows that the client has left
    leave()
    await idle(open)
    const ofOthers = events.filter((event) => !event.startsWith('GET /last'))
    const begun = numbers.filter((number) => number % 3 < 2).map((number) => `POST /${number}`)
    // While it reads nothing from a connection (many requests wait), the server does not know that the client has left.
    const isChosen = (event: string) => count === 3 || begun.some((one) => event === one || event === `${one} done`)
    deepEqual(ofOthers.slice(2).filter(isChosen), inOrder(...begun))
    for (const number of numbers) ok(aborted.includes(`/${number}`))
  }
})

test('a read that streams behind another is counted out when its client disconnects', async (t) => {
  const { connected, events, open } = await served(t, async ({ path }) => {
    if (path === '/first') return sleep(50, empty)
    async function* stream() {
      for (;;) yield 'x'.repeat(100_000)
    }
    return { ...empty, body: stream() }
  })
  const socket = connected()
  socket.write(get('/first') + get('/stream') + post('/write'))
  while (!events.includes('GET /stream done')) await sleep(1)
  socket.destroy()
  await idle(open)
})

test('a stopping server answers all requests of a connection', async (t) => {
  const { connected, server, events } = await served(t, 20)
  const socket = connected()
  socket.write(post('/1') + post('/2') + get('/3') + get('/4'))
  while (events.length === 0) await sleep(1)
  const closed = server.close()
  const replies = await text(socket)
  await closed
  deepEqual(replies.match(/HTTP\/1.1 200|connection: close/gi), [...Array(4).fill('HTTP/1.1 200'), 'connection: close'])
})
