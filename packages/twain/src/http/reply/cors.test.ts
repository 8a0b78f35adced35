import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainRequest } from '#base/http'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { loadOpenapiText } from '#rest'
import { Cors, corsMistake } from './cors.ts'

const requestFrom = (origin: string, method = 'GET', more = {}) =>
  plainRequest(method, '/posts', { headers: { origin, ...more } })

test('an origin of the list may read, and no other', () => {
  const cors = new Cors('https://app.example.org, https://other.example.org')
  const fields = cors.fields(requestFrom('https://app.example.org'))
  assert.deepEqual(fields.slice(0, 4), ['vary', 'origin', 'access-control-allow-origin', 'https://app.example.org'])
  for (const name of ['ETag', 'Link', 'Location', 'X-Total-Count', 'RateLimit', 'X-Request-Id']) {
    assert.ok(fields[5]!.split(', ').includes(name), name)
  }
  for (const origin of [
    'https://evil.example',
    'https://app.example.org.evil.example',
    'http://app.example.org',
    'null',
  ]) {
    assert.deepEqual(cors.fields(requestFrom(origin)), ['vary', 'origin'])
  }
})

/** Readable without being exposed (the Fetch standard, 2.2.2), or of no use to a page. */
const notExposed = ['Cache-Control', 'Last-Modified', 'Vary']

test('a page may read every response header of the OpenAPI document', async () => {
  const sdl =
    'type Post { id: ID! title: String @unique old: String @deprecated cover: File loud: String @computed(from: ["title"]) }'
  const text = await loadOpenapiText(loadModel(sdl, 'schema.graphql'), defaultLimits, 'full')
  const { components } = JSON.parse(text) as { components: { headers: Record<string, unknown> } }
  const documented = Object.keys(components.headers).filter((name) => !notExposed.includes(name))
  const exposed = new Cors('*').fields(requestFrom('https://app.example.org'))[3]!.split(', ')
  assert.deepEqual([...new Set([...documented, 'Content-Length'])].sort(), exposed.sort())
})

test('a preflight is granted the requested headers, with a max age and without credentials', () => {
  const cors = new Cors('https://app.example.org')
  const preflight = {
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,if-match',
  }
  const reply = cors.preflight(requestFrom('https://app.example.org', 'OPTIONS', preflight))!
  assert.equal(reply.status, 204)
  assert.match(String(reply.headers['access-control-allow-methods']), /PATCH/)
  assert.equal(reply.headers['access-control-allow-headers'], 'authorization,if-match')
  assert.equal(reply.headers['access-control-max-age'], '7200')
  assert.equal(reply.headers['access-control-allow-credentials'], undefined)

  assert.equal(cors.preflight(requestFrom('https://evil.example', 'OPTIONS', preflight)), null)
  assert.equal(
    cors.preflight(requestFrom('https://app.example.org', 'OPTIONS')),
    null,
    'no preflight: the API answers it',
  )
})

test('the setting can allow all origins, or those of this machine', () => {
  const all = new Cors('*').fields(requestFrom('https://evil.example'))
  assert.deepEqual(all.slice(0, 2), ['access-control-allow-origin', '*'])
  const local = new Cors('localhost')
  for (const origin of ['http://localhost:5173', 'http://127.0.0.1', 'https://[::1]:8443', 'http://app.localhost']) {
    assert.ok(local.fields(requestFrom(origin)).includes(origin), origin)
  }
  for (const origin of ['http://localhost.evil.example', 'http://evil.example/localhost', 'http://notlocalhost']) {
    assert.deepEqual(local.fields(requestFrom(origin)), ['vary', 'origin'])
  }
})

test('invalid origins are reported', () => {
  assert.equal(corsMistake(null), null)
  assert.equal(corsMistake('https://a.example:8443, *, localhost'), null)
  assert.match(corsMistake('https://a.example/, b.example')!, /not "https:\/\/a.example\/", "b.example"/)
})
