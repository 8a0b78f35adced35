// `Host` and `http.origin` of `twain start`, over a real port (docs/reference/http.md, "Host and public address").
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ServerProcess } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type User @account @allow { id: ID! email: String! @unique }
  type Note @allow(to: [READ, CREATE]) { id: ID! text: String! picture: File }
`

interface OpenServer {
  server: ServerProcess
  stop(): Promise<void>
}

async function start(...flags: string[]): Promise<OpenServer> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-hosts-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, sdl)
  const server = await ServerProcess.start(schemaFile, join(folder, 'data'), flags)
  return {
    server,
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true })
    },
  }
}

interface RawAnswer {
  status: number
  head: string
  body: string
}

/** Sends a request as it stands, since no client sends a wrong `Host`. */
function raw({ address }: ServerProcess, line: string, headers: readonly string[], body = ''): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  const { hostname, port } = new URL(address)
  const isHandshake = headers.includes(handshake[0]!)
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`, 'content-type: application/json']
  const socket = connect(Number(port), hostname, () => {
    const ending = isHandshake ? [] : ['connection: close']
    const head = [/ HTTP\/\d/.test(line) ? line : `${line} HTTP/1.1`, ...headers, ...length, ...ending, '', ''].join(
      '\r\n',
    )
    socket.write(head + body)
  })
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
    if (text.startsWith('HTTP/1.1 101')) socket.destroy()
  })
  socket.on('error', reject)
  socket.on('close', () => {
    const [head = '', ...rest] = text.split('\r\n\r\n')
    resolve({ status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') })
  })
  return promise
}

const handshake = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
]

describe('on loopback', () => {
  let server: ServerProcess
  let stop: () => Promise<void>
  before(async () => {
    ;({ server, stop } = await start())
  })
  after(() => stop())

  test('a page whose name leads here is refused with 421, on every path and for WebSockets', async () => {
    const evil = ['Host: evil.example:5271', 'Origin: http://evil.example:5271']
    for (const path of ['/', '/notes', '/graphql', '/openapi.json', '/docs', '/nowhere']) {
      const { status, body } = await raw(server, `GET ${path}`, evil)
      assert.equal(status, 421, path)
      const { detail, errors } = JSON.parse(body)
      assert.match(path === '/graphql' ? errors[0].message : detail, /setting http\.origin/)
    }
    assert.equal((await raw(server, 'POST /notes', evil, '{"text":"x"}')).status, 421)
    assert.equal((await raw(server, 'OPTIONS /notes', [...evil, 'Access-Control-Request-Method: POST'])).status, 421)
    const socket = await raw(server, 'GET /graphql', [...evil, ...handshake])
    assert.deepEqual([socket.status, /http\.origin/.test(socket.body)], [421, true])
    assert.equal((await raw(server, 'GET http://evil.example/notes', ['Host: localhost'])).status, 421)

    for (const path of ['/healthz', '/readyz', '/metrics']) {
      assert.equal((await raw(server, `GET ${path}`, ['Host: evil.example'])).status, 200, path)
    }
    for (const host of ['localhost', 'localhost:4000', '127.0.0.1:4000', '[::1]:4000', '192.0.2.1']) {
      assert.equal((await raw(server, 'GET /notes', [`Host: ${host}`])).status, 200, host)
    }
  })

  test('two Host headers are a 400, for WebSockets too', async () => {
    for (const second of ['localhost', 'evil.example']) {
      const { status, body } = await raw(server, 'GET /notes', ['Host: localhost', `hOST: ${second}`])
      assert.deepEqual([status, JSON.parse(body).code], [400, 'BAD_REQUEST'])
    }
    const socket = await raw(server, 'GET /graphql', ['Host: localhost', 'Host: localhost', ...handshake])
    assert.equal(socket.status, 400)
  })

  test('two Authorization headers are a 400: which one counts would depend on the servers on the way', async () => {
    const fields = ['Host: localhost', 'Authorization: Bearer a', 'authorization: Bearer b']
    const { status, body } = await raw(server, 'GET /notes', fields)
    assert.deepEqual([status, JSON.parse(body).code], [400, 'BAD_REQUEST'])
  })

  test('another version of HTTP is a 505', async () => {
    assert.equal((await raw(server, 'GET /notes HTTP/2.0', ['Host: localhost'])).status, 505)
  })

  test("a part of a row can't be put", async () => {
    const fields = ['Host: localhost', 'Content-Range: bytes 0-3/100']
    const { status, body } = await raw(server, 'PUT /notes/a', fields, '{"text": "x"}')
    assert.deepEqual([status, JSON.parse(body).code], [400, 'BAD_REQUEST'])
  })

  test('a WebSocket of another version than 13 is a 426 that names it', async () => {
    const older = handshake.map((field) => field.replace(/^(Sec-WebSocket-Version): .*/i, '$1: 12'))
    const reply = await raw(server, 'GET /graphql', ['Host: localhost', ...older])
    assert.equal(reply.status, 426)
    assert.match(reply.body, /BAD_REQUEST/)
    assert.match(reply.head, /\r\nsec-websocket-version: 13\r\n/)
  })

  test('a token has one spelling: Bearer, one space, the token', async () => {
    const account = { email: 'ann@example.org', password: 'correct horse battery' }
    const post = (path: string) =>
      fetch(server.address + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(account),
      })
    await post('/users')
    const { token } = (await (await post('/tokens')).json()) as { token: string }
    const ask = async (authorization: string) => {
      const { status, body } = await raw(server, 'GET /notes', ['Host: localhost', `Authorization: ${authorization}`])
      return [status, status === 200 ? '' : JSON.parse(body).detail]
    }
    assert.deepEqual(await ask(`Bearer ${token}`), [200, ''])
    assert.deepEqual(await ask(`bEARER ${token}`), [200, ''])
    for (const wrong of [`Bearer  ${token}`, `Bearer ${token}=`, 'Bearer']) {
      assert.deepEqual(await ask(wrong), [401, 'The token is not valid, or has expired.'])
    }
    for (const wrong of [token, `Basic ${token}`, `Bearer\t${token}`, `Bearer${token}`]) {
      assert.deepEqual(await ask(wrong), [401, 'The authorization header does not start with "Bearer ".'])
    }
  })

  test('a forwarded Host of somebody else does not count', async () => {
    const headers = ['Host: twain', 'X-Forwarded-For: 192.0.2.1', 'X-Forwarded-Host: localhost']
    assert.equal((await raw(server, 'GET /notes', headers)).status, 421)
  })
})

test('without http.origin links are relative, whatever Host says, and other networks are not checked', async (t) => {
  const { server, stop } = await start('--host', '0.0.0.0')
  t.after(stop)
  const host = ['Host: evil.example']
  const made = await raw(server, 'POST /notes', host, '{"text":"x"}')
  assert.match(made.head, /\r\nlocation: \/notes\//i)
  const all = [await raw(server, 'GET /openapi.json', host), await raw(server, 'GET /notes?limit=1', host), made]
  all.push(await raw(server, 'GET /', [...host, 'Accept: text/html']))
  for (const { status, head, body } of all) {
    assert.ok(status < 300)
    assert.doesNotMatch(head + body, /evil/)
  }
})

test('with http.origin its names are served, and all links are absolute', async (t) => {
  const origins = 'https://api.example.org,https://two.example.org:8443'
  const flags = ['--http-origin', origins, '--http-trust-proxy', 'loopback', '--host', '0.0.0.0']
  const { server, stop } = await start(...flags)
  t.after(stop)
  assert.equal((await raw(server, 'GET /notes', ['Host: evil.example'])).status, 421)
  const host = ['Host: api.example.org']
  const form = new FormData()
  form.set('file', new File(['bytes'], 'a.txt', { type: 'text/plain' }))
  const upload = await fetch(`${server.address}/files`, { method: 'POST', body: form })
  const { id: picture, url } = (await upload.json()) as { id: string; url: string }
  assert.match(url, /^https:\/\/api\.example\.org\/files\//)
  const made = await raw(server, 'POST /notes', ['Host: two.example.org:8443'], JSON.stringify({ text: 'x', picture }))
  assert.match(made.head, /\r\nlocation: https:\/\/two\.example\.org:8443\/notes\//i)
  await raw(server, 'POST /notes', host, '{"text":"y"}')
  const page = await raw(server, 'GET /notes?limit=1', ['Host: 127.0.0.1'])
  assert.match(page.head, /\r\nlink: <https:\/\/api\.example\.org\/notes\?[^>]*>; rel="/i)
  const redirect = await raw(server, 'GET /notes/', host)
  assert.match(redirect.head, /\r\nlocation: https:\/\/api\.example\.org\/notes\r\n/i)
  const { servers } = JSON.parse((await raw(server, 'GET /openapi.json', host)).body)
  assert.deepEqual(servers, [{ url: 'https://api.example.org' }, { url: 'https://two.example.org:8443' }])
  const { body } = await until(
    () => raw(server, 'GET /changes', host),
    (answer) => answer.body.includes('note.created'),
  )
  assert.equal(JSON.parse(body).edges[0].node.source, 'https://api.example.org/notes')
  assert.match((await raw(server, 'GET /', [...host, 'Accept: text/html'])).body, /https:\/\/api\.example\.org\/users/)
  const own = await raw(server, 'GET /graphql', ['Host: 127.0.0.1', 'Origin: https://api.example.org', ...handshake])
  const other = await raw(server, 'GET /graphql', ['Host: 127.0.0.1', 'Origin: https://evil.example', ...handshake])
  assert.deepEqual([own.status, other.status], [101, 403])

  // Behind a trusted proxy the Host that it forwards counts.
  const forwarded = (name: string) => ['Host: twain', 'X-Forwarded-For: 192.0.2.1', `X-Forwarded-Host: ${name}`]
  assert.equal((await raw(server, 'GET /notes', forwarded('api.example.org'))).status, 200)
  assert.equal((await raw(server, 'GET /notes', forwarded('evil.example'))).status, 421)
  assert.equal((await raw(server, 'GET /notes', ['Host: twain'])).status, 421)
})
