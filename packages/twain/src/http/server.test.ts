import assert from 'node:assert/strict'
import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { ApiError, type Log } from '#base'
import { type HttpReply, notModified } from '#base/http'
import { Metrics } from './metrics.ts'
import type { ServedRequest } from './request/served-request.ts'
import type { HttpHandler } from './routes.ts'
import { type HttpServer, type ListenOptions, listen } from './server.ts'

test('passes the path, the query and the headers to the handler, and its reply with a length to the client', async (t) => {
  const { url } = await serve(t, async ({ method, path, query, headers }) =>
    json({ method, path, query, shoe: headers['x-shoe'] ?? null }),
  )

  const reply = await fetch(`${url}/posts/a%20b?limit=1&x`, { headers: { 'X-Shoe': '42' } })

  assert.equal(reply.headers.get('content-length'), '70')
  assert.deepEqual(await reply.json(), { method: 'GET', path: '/posts/a%20b', query: 'limit=1&x', shoe: '42' })
})

test('an absolute URI as request target is reduced to its path', async (t) => {
  const { server } = await serve(t, async ({ path, query }) => json([path, query]))
  const got = await raw(server, 'GET http://example.org/posts?a=1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  assert.match(got, /\["\/posts","a=1"\]$/)
})

test('reads a body, whole or in chunks', async (t) => {
  const { url } = await serve(t, echo)
  const stream = new ReadableStream({
    async start(controller) {
      for (const part of ['ab', 'cd', 'ef']) {
        controller.enqueue(Buffer.from(part))
        await sleep(2)
      }
      controller.close()
    },
  })

  assert.equal(await (await fetch(url, { method: 'POST', body: 'hello' })).text(), 'hello')
  assert.equal(await (await fetch(url, { method: 'POST', body: stream, duplex: 'half' })).text(), 'abcdef')
  assert.equal(await (await fetch(url, { method: 'POST' })).text(), '')
})

test('a body whose Content-Length is too large is refused without reading it', async (t) => {
  const { url } = await serve(t, echo, { body: 10 })
  const reply = await fetch(url, { method: 'POST', body: 'x'.repeat(1_000_000) })
  assert.equal(reply.status, 413)
  assert.equal(((await reply.json()) as { code: string }).code, 'PAYLOAD_TOO_LARGE')
})

test('a body in chunks that becomes too large is refused', async (t) => {
  const { server } = await serve(t, echo, { body: 10 })
  const message = send(server, { method: 'POST' })
  for (let n = 0; n < 100; n++) message.write('0123456789')
  const reply = await answered(message)
  assert.equal(reply.statusCode, 413)
  assert.equal(reply.headers.connection, 'close')
})

test('a stream is produced as fast as the client reads it, and ends when the client disconnects', async (t) => {
  let made = 0
  let ended = false
  const { url } = await serve(t, async ({ path }) => {
    async function* numbers() {
      try {
        for (; path === '/endless' || made < 3; made++) yield `${made}\n`.repeat(path === '/endless' ? 10_000 : 1)
      } finally {
        ended = true
      }
    }
    return { status: 200, headers: {}, body: numbers() }
  })

  assert.equal(await (await fetch(url)).text(), '0\n1\n2\n')
  ended = false

  const endless = await fetch(`${url}/endless`)
  while (made === 3) await sleep(1)
  // The client does not read: the stream pauses when all buffers are full.
  for (let ahead = -1; made !== ahead; await sleep(100)) ahead = made
  await endless.body!.cancel()
  while (!ended) await sleep(10)
})

test('a stream that fails in the middle is aborted, so that no client takes a part for the whole', async (t) => {
  const { url, logged } = await serve(t, async () => {
    async function* half() {
      yield 'half'
      throw new Error('no more')
    }
    return { status: 200, headers: {}, body: half() }
  })
  await assert.rejects((await fetch(url)).text())
  assert.equal(logged.length, 1)
})

test('streams a body as it arrives, and stops at the limit', async (t) => {
  const { url } = await serve(t, async (request) => {
    let size = 0
    for await (const chunk of request.stream(1_000_000)) size += chunk.length
    return json(size)
  })
  assert.equal(await (await fetch(url, { method: 'POST', body: 'x'.repeat(900_000) })).json(), 900_000)
  assert.equal((await fetch(url, { method: 'POST', body: 'x'.repeat(1_100_000) })).status, 413)
  const chunks = new ReadableStream({
    start(controller) {
      for (let n = 0; n < 20; n++) controller.enqueue(Buffer.alloc(100_000))
      controller.close()
    },
  })
  assert.equal((await fetch(url, { method: 'POST', body: chunks, duplex: 'half' })).status, 413)
})

test('R6: answers HEAD with the headers of GET, its length, and no body', async (t) => {
  const { url } = await serve(t, async () => json('hello'))
  const reply = await fetch(url, { method: 'HEAD' })
  assert.equal(reply.headers.get('content-length'), '7')
  assert.equal(await reply.text(), '')
})

test('R6: HEAD produces nothing of a stream and ends it', async (t) => {
  const calls: string[] = []
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        calls.push('next')
        return { done: true as const, value: undefined }
      },
      return: async () => {
        calls.push('return')
        return { done: true as const, value: undefined }
      },
    }),
  }
  const { url } = await serve(t, async () => ({ status: 200, headers: {}, body }))
  const reply = await fetch(url, { method: 'HEAD' })
  assert.deepEqual([reply.status, await reply.text(), calls], [200, '', ['return']])
})

test('requests of many clients at once let other events come in between, and all of them are answered', async (t) => {
  const handled: string[] = []
  const { url } = await serve(t, ({ path }) => {
    if (handled.length === 0) setImmediate(() => handled.push('event'))
    for (const until = performance.now() + 3; performance.now() < until; ) {} // a list of 3 ms
    handled.push(path)
    return json(path)
  })

  const paths = Array.from({ length: 30 }, (_, index) => `/${index}`)
  const replies = await Promise.all(paths.map(async (path) => (await fetch(url + path)).json()))

  assert.deepEqual(replies, paths)
  assert.ok(handled.indexOf('event') < handled.length - 1)
})

test('texts are sent as UTF-8, whatever characters they have', async (t) => {
  const texts = ['plain', 'é', '日本', '😀', 'x'.repeat(20_000), 'ü'.repeat(20_000)]
  const { url } = await serve(t, ({ path }) => json(texts[Number(path.slice(1))]))
  for (const [index, text] of texts.entries()) assert.equal(await (await fetch(`${url}/${index}`)).json(), text)
})

test('a 204 has no length and no body', async (t) => {
  const { server } = await serve(t, async () => ({ status: 204, headers: {}, body: null }))
  const got = await raw(server, 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  assert.match(got, /^HTTP\/1.1 204/)
  assert.doesNotMatch(got, /content-length|transfer-encoding/i)
})

test('a header with a list of values is sent as several fields', async (t) => {
  const { server } = await serve(t, async () => ({ status: 200, headers: { link: ['<a>', '<b>'] }, body: '' }))
  const got = await raw(server, 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  assert.match(got, /link: <a>\r\nlink: <b>\r\n/)
})

test('100 Continue is sent only when the handler reads the body', async (t) => {
  const { server } = await serve(t, async (request) => {
    if (request.path === '/no') throw new ApiError('NOT_FOUND', 'There is nothing here.')
    return echo(request)
  })
  const head = 'HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\nconnection: close\r\n\r\n'

  assert.match(await raw(server, `POST /yes ${head}`, 'ok'), /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK.*ok$/s)
  assert.match(await raw(server, `POST /no ${head}`), /^HTTP\/1.1 404 /)
})

test('the client sees only the id of an unexpected error, and the log has its stack under that id', async (t) => {
  const { url, logged } = await serve(t, async () => {
    throw new TypeError('secret')
  })

  const reply = await fetch(url)
  const { instance, detail, code } = (await reply.json()) as Record<string, string>

  assert.equal(reply.status, 500)
  assert.equal(code, 'INTERNAL')
  assert.doesNotMatch(String(detail), /secret/)
  const [entry] = logged as [Record<string, string>]
  assert.equal(entry.request_id, reply.headers.get('x-request-id'))
  assert.equal(instance, `urn:uuid:${entry.error_id}`)
  assert.match(entry['exception.stacktrace']!, /TypeError: secret\n +at /)
})

test('a reply that can not be sent becomes a 500', async (t) => {
  const { url } = await serve(t, async () => ({ status: 200, headers: { location: 'a\r\nb' }, body: '' }))
  assert.equal((await fetch(url)).status, 500)
})

test('bytes that are not HTTP are a 400, and the connection closes', async (t) => {
  const { server } = await serve(t, async () => json('hello'))
  assert.match(await raw(server, 'hello\r\n\r\n'), /^HTTP\/1.1 400 Bad Request\r\n.*"code":"BAD_REQUEST"/s)
  const large = await raw(server, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(30_000)}\r\n\r\n`)
  assert.match(large, /^HTTP\/1.1 431 .*application\/problem\+json.*"status":431/s)
  for (const size of [9_000, 40_000]) {
    const long = await raw(server, `GET /${'x'.repeat(size)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    assert.match(long, /^HTTP\/1.1 414 .*application\/problem\+json.*"status":414/s)
  }
  assert.match(await raw(server, 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'), /^HTTP\/1.1 400 .*"status":400/s)
  const odd = await raw(server, 'GET / HTTP/1.1\r\nhost: x\r\nexpect: tea\r\nconnection: close\r\n\r\n')
  assert.match(odd, /^HTTP\/1.1 417 .*application\/problem\+json.*"status":417/s)
  assert.match(await raw(server, 'GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n'), /^HTTP\/1.1 400 /)
})

test('compressed request bodies are refused', async (t) => {
  const { url } = await serve(t, async (request) => {
    if (request.path === '/') return echo(request)
    for await (const _ of request.stream(0)) assert.fail('nothing is read')
    return json('read')
  })
  for (const path of ['/', '/stream']) {
    const body = gzipSync(Buffer.alloc(10_000_000))
    const reply = await fetch(url + path, { method: 'POST', body, headers: { 'content-encoding': 'gzip' } })
    assert.equal(reply.status, 415)
    assert.equal(reply.headers.get('accept-encoding'), 'identity')
    assert.equal(((await reply.json()) as { code: string }).code, 'UNSUPPORTED_MEDIA_TYPE')
  }
  const plain = await fetch(url, { method: 'POST', body: 'hello', headers: { 'content-encoding': 'identity' } })
  assert.equal(await plain.text(), 'hello')
})

test('a handler that takes too long is a 503 at the time limit', async (t) => {
  const { url } = await serve(
    t,
    async (request) => {
      if (request.method === 'POST') await request.body()
      if (request.path === '/reads') request.context!.onlyReads = true
      return sleep(3000, json('late'))
    },
    { time: 0.05 },
  )
  const [read, write, graphql, query] = await Promise.all([
    fetch(url),
    fetch(url, { method: 'POST', body: 'x' }),
    fetch(`${url}/graphql`),
    fetch(`${url}/reads`, { method: 'POST', body: 'x' }),
  ])
  assert.deepEqual([read.status, read.headers.get('retry-after')], [503, '5'])
  for (const one of [read, query]) assert.doesNotMatch(await one.text(), /unknown/)
  assert.match(await write.text(), /It is unknown whether the change was made/)
  assert.equal(graphql.status, 503)
  assert.match(await graphql.text(), /^\{"errors":\[\{.*"code":"UNAVAILABLE"/)
})

test('responses are compressed for clients that accept it, and their entity tag is recognized', async (t) => {
  const text = JSON.stringify('hello '.repeat(1000))
  const { url } = await serve(t, async ({ headers }) => {
    const etag = '"7-x"'
    if (headers['if-none-match'] !== undefined) {
      return notModified({ etag, vary: 'accept' }, { type: 'application/json', length: text.length })
    }
    return { status: 200, headers: { 'content-type': 'application/json', etag, vary: 'accept' }, body: text }
  })
  const zipped = await fetch(url, { headers: { 'accept-encoding': 'br' } })
  assert.equal(zipped.headers.get('content-encoding'), 'br')
  assert.equal(zipped.headers.get('etag'), '"7-x+br"')
  assert.equal(zipped.headers.get('vary'), 'accept-encoding, accept')
  assert.ok(Number(zipped.headers.get('content-length')) < 200)
  assert.equal(await zipped.text(), text)
  const again = await fetch(url, { headers: { 'accept-encoding': 'br', 'if-none-match': '"7-x+br"' } })
  assert.deepEqual([again.status, again.headers.get('etag')], [304, '"7-x+br"'])
  assert.equal(again.headers.get('vary'), 'accept-encoding, accept')
  const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
  assert.deepEqual([plain.headers.get('content-encoding'), plain.headers.get('etag')], [null, '"7-x"'])
  assert.equal(plain.headers.get('vary'), 'accept-encoding, accept')
})

test("replies and log entries have the id of the request: the client's if it is safe, else a generated one", async (t) => {
  const served: ServedRequest[] = []
  const onServed = (one: ServedRequest) => served.push(one)
  const { url } = await serve(t, async () => json('hello'), { onServed })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const traced = await fetch(`${url}/posts?secret=1`, { headers: { 'x-request-id': 'abc-1', traceparent } })
  const odd = await fetch(url, { headers: { 'x-request-id': 'a "b"', traceparent: 'x' } })

  assert.equal(traced.headers.get('x-request-id'), 'abc-1')
  const own = odd.headers.get('x-request-id')!
  assert.match(own, /^[\w-]{14,}$/)
  const entries = served.map(({ at, milliseconds, address, ...rest }) => rest)
  const same = { method: 'GET', status: 200, bytes: 7, viewer: null, actor: undefined, stages: null, aborted: false }
  assert.deepEqual(entries, [
    { ...same, id: 'abc-1', path: '/posts', traceparent },
    { ...same, id: own, path: '/', traceparent: null },
  ])
})

test('malformed requests are counted by reason and logged with the id that the client sees', async (t) => {
  const served: ServedRequest[] = []
  const metrics = new Metrics()
  t.after(() => metrics.close())
  const more = { onServed: (one: ServedRequest) => served.push(one), metrics, timeouts: { headers: 50, body: 100 } }
  const { server } = await serve(t, async () => json('hello'), more)
  const replies = await Promise.all([
    raw(server, 'hello\r\n\r\n'),
    raw(server, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(30_000)}\r\n\r\n`),
    raw(server, 'GET / HTTP/1.1\r\nhost:'),
  ])
  const ids = replies.map((reply) => /x-request-id: (\S+)/.exec(reply)?.[1])
  for (const [at, status] of [400, 431, 408].entries()) {
    const entry = served.find(({ id }) => id === ids[at])
    assert.deepEqual([entry?.method, entry?.path, entry?.status], ['-', '-', status])
    assert.match(entry!.address, /127\.0\.0\.1/)
  }
  const text = metrics.text([])
  for (const reason of ['malformed', 'header_too_large', 'timeout']) {
    assert.match(text, new RegExp(`^twain_http_malformed_requests_total\\{reason="${reason}"\\} 1$`, 'm'))
  }
})

test('Server-Timing has the duration of the stages if the setting is on', async (t) => {
  const { url } = await serve(
    t,
    async (request) => {
      request.context?.stages?.mark('parse')
      return json('hello')
    },
    { http: { serverTiming: true } },
  )
  assert.match((await fetch(url)).headers.get('server-timing')!, /^parse;dur=[\d.]+, total;dur=[\d.]+$/)
})

test('headers and bodies that arrive too slowly time out', async (t) => {
  const { server } = await serve(t, echo, { timeouts: { headers: 50, body: 100 } })
  const started = Date.now()
  const [slowHead, slowBody] = await Promise.all([
    raw(server, 'GET / HTTP/1.1\r\nhost:'),
    raw(server, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nab'),
  ])
  assert.match(slowHead, /^HTTP\/1.1 408 .*application\/problem\+json.*"status":408/s)
  assert.match(slowBody, /^HTTP\/1.1 408 .*connection: close.*"status":408/s)
  assert.ok(Date.now() - started < 20_000)
})

test('the server survives clients that disconnect during the response or during their request body', async (t) => {
  let began = 0
  const { url, server, logged } = await serve(t, async (request) => {
    if (request.path === '/') return json('still here')
    began++
    if (request.method === 'GET') await sleep(20)
    return echo(request)
  })

  const leaving = [send(server, { path: '/x' }), send(server, { path: '/x', method: 'POST' })]
  leaving[0]!.end()
  leaving[1]!.write('half')
  while (began < 2) await sleep(1)
  for (const message of leaving) message.on('error', () => {}).destroy()
  await sleep(40)

  assert.equal(await (await fetch(url)).json(), 'still here')
  assert.deepEqual(logged, [])
})

test('what waits in a stream for its client counts for limits.unsentBytes', { timeout: 60_000 }, async (t) => {
  async function* endless() {
    yield 'first'
    await new Promise(() => {})
  }
  const handle: HttpHandler = ({ path }) => {
    const body = { waitingSize: path === '/large' ? 2_000_000 : 0, [Symbol.asyncIterator]: endless }
    return { status: 200, headers: {}, body }
  }
  const { server } = await serve(t, handle, { http: { unsentBytes: 1_000_000 }, idle: 100 })
  const closed = ['/small', '/large'].map(async (path) => {
    await raw(server, `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).catch(() => {}) // it is reset
    return path
  })
  assert.equal(await Promise.race(closed), '/large')
})

test('idle connections are closed, and connections with a request in progress are not', async (t) => {
  const { server } = await serve(t, async ({ path }) => sleep(path === '/slow' ? 400 : 0, json(path)), { idle: 80 })
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
  const [silent, quick, slow] = await Promise.all([
    raw(server, ''),
    raw(server, request('/quick')),
    raw(server, request('/slow')),
  ])
  assert.equal(silent, '')
  assert.match(quick, /"\/quick"$/)
  assert.match(slow, /"\/slow"$/)
})

test('a stopping server answers received requests with Connection: close and closes idle connections', async (t) => {
  const came = Promise.withResolvers<void>()
  const slowly = async () => {
    came.resolve()
    return sleep(60, json('done'))
  }
  const { server } = await serve(t, slowly, { grace: { idle: 20, all: 30_000 } })
  const silent = raw(server, '')
  const going = answered(send(server, { headers: { connection: 'keep-alive' } }).end() as ClientRequest)
  await came.promise

  const started = Date.now()
  const closed = server.close()
  const reply = await going
  await closed

  assert.equal(await text(reply), '"done"')
  assert.equal(reply.headers.connection, 'close')
  assert.equal(await silent, '')
  assert.ok(Date.now() - started < 20_000)
  await assert.rejects(fetch(`http://127.0.0.1:${server.port}`))
})

test('a stopping server answers requests that were still in the kernel, at the stop and when it closes idle connections', async (t) => {
  const { server } = await serve(t, async () => json('done'), { grace: { idle: 20, all: 30_000 } })
  const requestText = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
  const keepAlive = connect(server.port, '127.0.0.1')
  keepAlive.write(requestText)
  await new Promise((resolve) => keepAlive.once('data', resolve))
  const waiting = raw(server, requestText)
  await afterTicks() // the connection is open but not yet accepted

  const closed = server.close()
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  keepAlive.write(requestText)
  stall(100)

  assert.match(await text(keepAlive), /connection: close\r\n.*"done"$/is)
  assert.match(await waiting, /"done"$/)
  await closed
})

test('a taken port is an error', async (t) => {
  const { server } = await serve(t, async () => json(''))
  await assert.rejects(
    serve(t, async () => json(''), { port: server.port }),
    { code: 'EADDRINUSE' },
  )
})

/** After all callbacks that Node has already queued. */
async function afterTicks(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)))
}

/** Blocks the event loop. */
function stall(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

const json = (value: unknown): HttpReply => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

const echo: HttpHandler = async (request) => ({ status: 200, headers: {}, body: await request.body() })

async function serve(t: TestContext, handle: HttpHandler, options: Partial<ListenOptions> = {}) {
  const logged: object[] = []
  const record = (fields: object) => logged.push(fields)
  const log: Log = { info: record, warn: record, error: record }
  const grace = { idle: 1, all: 100 }
  const server = await listen({ handle, host: '127.0.0.1', port: 0, body: 1_048_576, log, grace, ...options })
  t.after(() => server.close())
  return { server, url: `http://127.0.0.1:${server.port}`, logged }
}

/** All bytes of a raw connection until the server closes it. */
function raw(server: HttpServer, ...parts: string[]): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  for (const [n, part] of parts.entries()) setTimeout(() => socket.write(part), n * 20)
  return text(socket)
}

function send(server: HttpServer, options: object): ClientRequest {
  return sendRequest({ host: '127.0.0.1', port: server.port, ...options })
}

function answered(message: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => message.on('response', resolve).on('error', reject))
}
