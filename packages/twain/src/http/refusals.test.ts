// Errors that the HTTP server answers itself: in the format that the request accepts, each with `instance`.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { ApiError } from '#base'
import { type HttpServer, type ListenOptions, listen } from './server.ts'

const json = 'application/problem+json'
const xml = 'application/problem+xml'

async function serve(t: TestContext, options: Partial<ListenOptions> = {}): Promise<HttpServer> {
  const server = await listen({
    handle: async (request) => {
      if (request.path === '/bug') throw new TypeError('secret')
      if (request.path === '/busy') throw new ApiError('TOO_MANY_REQUESTS', 'Too many.')
      await request.body()
      return { status: 200, headers: {}, body: 'hello' }
    },
    host: '127.0.0.1',
    port: 0,
    body: 1000,
    log: { info() {}, warn() {}, error() {} },
    grace: { idle: 10, all: 100 },
    ...options,
  })
  t.after(() => server.close())
  return server
}

/** Sends these bytes, and reads until the server closes the connection. */
async function send(server: HttpServer, bytes: string) {
  const socket = connect(server.port, server.host)
  socket.write(bytes)
  const reply = await text(socket)
  const [head = '', body = ''] = reply.split('\r\n\r\n')
  return {
    status: Number(head.slice(9, 12)),
    type: /^content-type: (\S+)/im.exec(head)?.[1],
    id: /^x-request-id: (\S+)/im.exec(head)?.[1],
    body,
  }
}

const heads = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}connection: close\r\n`

test('every error has the format that the request accepts, and its path as instance', async (t) => {
  const server = await serve(t, { timeouts: { headers: 200, body: 100 } })
  const long = 'x'.repeat(9000)
  const requests: [status: number, head: string, instance: string][] = [
    [400, 'GET /notes HTTP/1.1\r\nconnection: close\r\n', '/notes'],
    [408, 'POST /notes HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n', '/notes'],
    [414, heads(`/${long}`), `/${long}`],
    [417, heads('/notes?a=1', 'expect: tea\r\n'), '/notes'],
    [429, heads('/busy'), '/busy'],
    [431, heads('/notes?a=1', `x: ${'x'.repeat(17_000)}\r\n`), '/notes'],
    [431, heads('/notes?a=1', `x: ${'x'.repeat(30_000)}\r\n`), '/notes'],
    [501, heads('/notes').replace('GET', 'FOO'), '/notes'],
    [501, heads('/notes').replace('GET', 'PROPFIND'), '/notes'],
  ]
  for (const [status, head, instance] of requests) {
    const plain = await send(server, `${head}\r\n`)
    assert.deepEqual([plain.status, plain.type], [status, json], head.slice(0, 40))
    assert.equal(JSON.parse(plain.body).instance, instance)
    const [line, ...fields] = head.split('\r\n')
    const wanted = await send(server, `${[line, 'accept: application/xml', ...fields].join('\r\n')}\r\n`)
    assert.deepEqual([wanted.status, wanted.type], [status, xml], head.slice(0, 40))
    assert.ok(wanted.body.includes(`<status>${status}</status>`))
    assert.ok(wanted.body.includes(`<instance>${instance}</instance>`))
  }
})

test('a bug has the id of its log entry as instance, in both formats', async (t) => {
  const server = await serve(t)
  const plain = await send(server, `${heads('/bug')}\r\n`)
  assert.match(JSON.parse(plain.body).instance, /^urn:uuid:/)
  const wanted = await send(server, `${heads('/bug', 'accept: text/xml\r\n')}\r\n`)
  assert.deepEqual([wanted.status, wanted.type], [500, xml])
  assert.match(wanted.body, /<instance>urn:uuid:[^<]+<\/instance>/)
})

test('a request without a readable path has its request id as instance', async (t) => {
  const server = await serve(t, { timeouts: { headers: 50, body: 100 } })
  const requests: [status: number, bytes: string][] = [
    [400, 'hello\r\n\r\n'],
    [408, 'GET / HTTP/1.1\r\nhost:'],
    [501, 'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org\r\n\r\n'],
  ]
  for (const [status, bytes] of requests) {
    const reply = await send(server, bytes)
    assert.equal(reply.status, status, bytes)
    assert.equal(JSON.parse(reply.body).instance, `urn:uuid:${reply.id}`)
  }
})

test('an error at /graphql is a GraphQL response', async (t) => {
  const server = await serve(t)
  const reply = await send(
    server,
    `${heads('/graphql', 'expect: tea\r\naccept: application/graphql-response+json\r\n')}\r\n`,
  )
  assert.deepEqual([reply.status, reply.type], [417, 'application/graphql-response+json;'])
  assert.equal(JSON.parse(reply.body).errors[0].extensions.code, 'BAD_REQUEST')
})

test('an unknown method is a 501 also behind another request on the connection', async (t) => {
  const server = await serve(t)
  const first = 'GET /a HTTP/1.1\r\nhost: x\r\n\r\n'
  const socket = connect(server.port, server.host)
  socket.write(`${first}${heads('/notes').replace('GET', 'FOO')}\r\n`)
  const replies = await text(socket)
  assert.match(replies, /HTTP\/1\.1 501 Not Implemented/)
})

test('the header may have limits.headerBytes, whatever the length of the URL', async (t) => {
  const server = await serve(t)
  const field = (bytes: number) => `x: ${'x'.repeat(bytes)}\r\n`
  assert.equal((await send(server, `${heads('/a', field(16_000))}\r\n`)).status, 200)
  assert.equal((await send(server, `${heads(`/${'a'.repeat(8000)}`, field(16_000))}\r\n`)).status, 200)
  assert.equal((await send(server, `${heads('/a', field(16_384))}\r\n`)).status, 431)
})
