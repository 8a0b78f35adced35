// The `type` of a problem document leads to a page of this server that explains it (docs/reference/errors.md).
// stores: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '../../packages/twain/src/base/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Post @allow { id: ID! title: String! @unique }'

test('the type of a problem resolves to a page with the code and what to do', async (t) => {
  const service = await TestService.open(t, sdl)
  await service.succeed('POST', '/posts', { title: 'a' })
  const conflict = await service.send('POST', '/posts', { title: 'a' })
  assert.equal(conflict.body.type, '/docs/errors/CONFLICT')
  const page = await service.send('GET', conflict.body.type, undefined, { accept: 'text/html' })
  assert.equal(page.status, 200)
  assert.match(page.headers.get('content-type')!, /^text\/html/)
  assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/)
  assert.match(page.body, /<h1><code>CONFLICT<\/code><\/h1>[\s\S]*HTTP status 409[\s\S]*What to do/)
  const style = new URL(/href="([^"]+\.css)"/.exec(page.body)![1]!, `${service.address}${conflict.body.type}`)
  assert.equal((await fetch(style)).status, 200)
})

test('every code has its page, and /docs/errors lists them', async (t) => {
  const service = await TestService.open(t, sdl)
  const list = await service.succeed('GET', '/docs/errors')
  for (const code of Object.keys(catalogue)) {
    assert.match(list, new RegExp(`href="errors/${code}"`))
    assert.match(await service.succeed('GET', `/docs/errors/${code}`), new RegExp(code))
  }
  for (const path of ['/docs/errors/NOPE', '/docs/errorsX', '/docs/errors/toString'])
    assert.equal((await service.send('GET', path)).status, 404, path)
  assert.equal((await service.send('POST', '/docs/errors', {})).status, 405)
})

test('the type is absolute below the public origin and the base path; errors of HTTP itself have about:blank', async (t) => {
  const listening = { http: { origin: 'https://api.example.org', basePath: '/api', urlBytes: 300 } }
  const service = await TestService.open(t, sdl, { listening, http: listening.http })
  const headers = { 'x-forwarded-host': 'api.example.org' }
  const missing = await service.send('GET', '/api/posts/none', undefined, headers)
  assert.equal(missing.body.type, 'https://api.example.org/api/docs/errors/NOT_FOUND')
  const long = await service.send('GET', `/api/posts?x=${'x'.repeat(400)}`)
  assert.equal(long.status, 414)
  assert.deepEqual([long.body.type, long.body.title], ['about:blank', 'URI Too Long'])
})
