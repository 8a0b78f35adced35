// Cross-site requests that a page of another site could make a browser send, and shared caches that could answer the wrong viewer: each
// is refused.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type HttpReply, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import type { MaybePromise } from '../../packages/twain/src/base/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") { id: ID! email: String! @unique @allow(who: "self", to: [READ]) }
  type Note @allow(to: [READ, CREATE]) { id: ID! text: String! }
`
const quiet = { limits: defaultLimits, log: { info() {}, warn() {}, error() {} } }
const mutation = 'mutation { createNote(input: {text: "made"}) { id } }'

describe('requests of other sites', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-browser-'))
  let service: Service
  before(async () => {
    const schemaFile = join(folder, 'schema.graphql')
    writeFileSync(schemaFile, sdl)
    service = await openService({ schemaFile, data: join(folder, 'data'), ...quiet })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })

  test('a mutation by GET, as a link or an image could send it, is 405 and writes nothing', async () => {
    const reply = await send('GET', '/graphql', '', {}, `query=${encodeURIComponent(mutation)}`)
    assert.deepEqual([reply.status, reply.headers.allow], [405, 'POST'])
    assert.equal(await notes(), '[]')
  })

  test('a form can send only content types without a preflight, and none of them is accepted', async () => {
    const forms = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']
    for (const type of forms) {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
      const graphql = await send('POST', '/graphql', JSON.stringify({ query: mutation }), headers)
      const rest = await send('POST', '/notes', '{"text": "made"}', headers)
      assert.deepEqual([graphql.status, rest.status], [415, 415], type)
    }
    assert.equal(await notes(), '[]')
  })

  test('CORS grants nothing to another origin, in the preflight and in the request', async () => {
    const origin = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    for (const path of ['/graphql', '/notes', '/tokens']) {
      const replies = [await send('OPTIONS', path, '', origin), await send('GET', path, '', origin)]
      for (const { headers } of replies) {
        assert.deepEqual(
          Object.keys(headers).filter((name) => name.toLowerCase().startsWith('access-control')),
          [],
        )
      }
    }
  })

  test('an answer that depends on the viewer is private, has Vary, and has another ETag for each viewer', async () => {
    const account = '{"email": "ann@example.org", "password": "correct horse"}'
    const { headers: made } = await send('POST', '/users', account, json)
    const path = String(made.location)
    const { token } = JSON.parse(String((await send('POST', '/tokens', account, json)).body)) as { token: string }
    const own = await send('GET', path, '', { authorization: `Bearer ${token}` })
    const other = await send('GET', path)
    assert.match(String(own.body), /ann@example\.org/)
    assert.doesNotMatch(String(other.body), /ann@example\.org/)
    for (const { headers } of [own, other]) {
      assert.match(String(headers['cache-control']), /private/)
      assert.match(String(headers.vary), /authorization/)
    }
    assert.notEqual(own.headers.etag, other.headers.etag)
    const confirmed = await send('GET', path, '', { 'if-none-match': String(own.headers.etag) })
    assert.equal(confirmed.status, 200)
  })

  test('a line break in a value never becomes a line break in a header', async () => {
    const made = await send('POST', '/notes', JSON.stringify({ text: 'a\r\nSet-Cookie: x=1' }), json)
    const listed = await send('GET', '/notes', '', {}, 'text[ne]=%0d%0aSet-Cookie:%20x=1&limit=1')
    assert.deepEqual([made.status, listed.status], [201, 200])
    for (const value of [made, listed].flatMap(({ headers }) => Object.values(headers))) {
      assert.doesNotMatch(String(value), /[\r\n]/)
    }
  })

  test('a browser that opens /graphql goes to the console, and without a console gets a page', async () => {
    const visit = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const shown = await send('GET', '/graphql', '', visit)
    assert.deepEqual([shown.status, shown.headers.vary, shown.headers.location], [302, 'accept', '/console/query'])
    assert.equal((await send('GET', '/graphql', '', { accept: '*/*' })).status, 400, 'curl gets a hint')

    const data = join(folder, 'other')
    const other = await openService({ schemaFile: join(folder, 'schema.graphql'), data, console: false, ...quiet })
    const page = await other.handle(plainRequest('GET', '/graphql', { headers: visit }))
    await other.close()
    assert.equal(page.status, 200)
    assert.match(String(page.body), /^<!doctype html>/)
    assert.doesNotMatch(String(page.body), /\/console/)
  })

  const json = { 'content-type': 'application/json' }

  async function notes(): Promise<unknown> {
    return (await send('GET', '/notes')).body
  }

  function send(
    method: string,
    path: string,
    body = '',
    headers: Record<string, string> = {},
    query = '',
  ): MaybePromise<HttpReply> {
    return service.handle(plainRequest(method, `${path}?${query}`, body === '' ? { headers } : { headers, body }))
  }
})
