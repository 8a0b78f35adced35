import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { blog, fakeRestWith } from '../blog.fixture.ts'
import { openapiText } from './document.ts'

const { send } = fakeRestWith({})

test('R90: /openapi.json is the document, with an ETag', async () => {
  const reply = await send('/openapi.json')
  assert.equal(reply.status, 200)
  assert.match(String(reply.headers['content-type']), /^application\/json/)
  assert.equal(reply.body, openapiText(blog, defaultLimits, 'clients'))
  assert.equal((await send('/openapi.json?profile=clients')).body, reply.body)
  const full = await send('/openapi.json?profile=full')
  assert.equal(full.body, openapiText(blog, defaultLimits, 'full'))
  assert.notEqual(full.headers.etag, reply.headers.etag)
  const again = await send('/openapi.json', { headers: { 'if-none-match': String(reply.headers.etag) } })
  assert.deepEqual([again.status, again.body], [304, null])
})

test('R92: the policy of /docs allows only its own files', async () => {
  const page = await send('/docs', { headers: { accept: 'text/html' } })
  assert.match(String(page.headers['content-type']), /^text\/html/)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
  assert.doesNotMatch(policy, /unsafe/)
  const loaded = [...String(page.body).matchAll(/<(?:script|link|img|iframe)[^>]*?(?:src|href)="([^"]*)"/g)]
  assert.deepEqual(
    loaded.map(([, address]) => address),
    ['favicon.svg', 'docs/page.css', 'docs/page.js'],
  )
  for (const [, address] of loaded.slice(1)) assert.equal((await send(`/${address}`)).status, 200)
  assert.doesNotMatch(String(page.body), /https?:\/\/(?!localhost:4000|example\.com)/)
})

test('R92: script in a description, a name or a pattern is text', async () => {
  const evil = '<script>alert(1)</script><img src=x onerror=alert(2)> `<b>` \\" autofocus onfocus=alert(3)'
  const sdl = `extend schema @service(name: "${evil}", description: "${evil}")
    "${evil}" type A { id: ID! "${evil}" a: String @deprecated(reason: "${evil}") b: String @constraint(pattern: "^<script>$") c: E }
    enum E { "${evil}" X }`
  const rest = fakeRestWith({ model: loadModel(sdl, 'x.graphql') })
  const html = String((await rest.send('/docs')).body)
  assert.equal(html.split('<script').length, 2, 'the one script is our own')
  assert.doesNotMatch(html, /<img|<b>/)
  assert.doesNotMatch(html, /<[^>]*\sonfocus/)
})

test('R92: the page has each operation with its filters, its example and a command to copy', async () => {
  const html = String((await send('/docs')).body)
  assert.match(html, /<details class="operation" id="listPosts">/)
  assert.match(html, /curl 'http:\/\/localhost:4000\/posts\?limit=3'/)
  assert.match(html, /<code>address\.country\.code<\/code>/)
  assert.match(html, /--json '\{"title":/)
  assert.match(html, /<b class="status s4">412<\/b>/)
})

test('R93: the pages are read-only and take no parameters but the profile of the document', async () => {
  const refused = await send('/docs', { method: 'POST' })
  assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD, OPTIONS'])
  assert.equal((await send('/openapi.json', { method: 'OPTIONS' })).status, 204)
  assert.equal((await send('/openapi.json?x=1')).status, 400)
  assert.equal((await send('/openapi.json?profile=other')).status, 400)
  assert.equal((await send('/openapi.json?profile=full&profile=full')).status, 400)
  assert.equal((await send('/docs?profile=full')).status, 400)
  assert.equal((await send('/openapi.json', { headers: { accept: 'text/csv' } })).status, 406)
})
