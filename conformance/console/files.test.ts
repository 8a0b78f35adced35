// The page of the console and its files as the server sends them, and the sign-in by a link of `twain dev`.
// stores: none

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { bodyText, type HttpReply, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { createConsole, SignInLinks } from '../../packages/twain/src/http/index.ts'
import { buildConsole } from '../../scripts/build/build-console.ts'

const links = new SignInLinks(() => {})
const open = createConsole({ links, makeToken: async () => ({ token: 't', expiresAt: 'later' }) })
const get = async (path: string, headers = {}): Promise<HttpReply> => open(plainRequest('GET', path, { headers }))

before(() => buildConsole())

test('every path below /console is the page, which loads only files of this server', async () => {
  const reply = await get('/console/posts/p1')
  assert.match(
    String(reply.headers['content-security-policy']),
    /default-src 'none'; script-src 'self'; style-src 'self'/,
  )
  const html = await bodyText(reply)
  assert.equal(html, await bodyText(await get('/console')))
  assert.doesNotMatch(html, /<style|<script(?! type="module" src="\/console\/files\/)|https?:/)
  const again = await get('/console', { 'if-none-match': String(reply.headers.etag) })
  assert.equal(again.status, 304)
})

test('the page knows the base path', async () => {
  const html = await bodyText(await open({ ...plainRequest('GET', '/console'), basePath: '/api' }))
  assert.match(html, /src="\/api\/console\/files\/main-/)
})

test('files never change, so a browser keeps them', async () => {
  const html = await bodyText(await get('/console'))
  for (const [, path] of html.matchAll(/"(\/console\/files\/[^"]+)"/g)) {
    const reply = await get(path!)
    assert.equal(reply.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.match(String(reply.headers['content-type']), /^text\/(javascript|css); charset=utf-8$/)
  }
})

test('other files do not exist, whatever the path', async () => {
  for (const name of ['nothing.js', 'main-AAAAAAAA.js', 'index.html', '../package.json', '%2e%2e%2fpackage.json', '']) {
    await assert.rejects(get(`/console/files/${name}`), { code: 'NOT_FOUND' }, name)
  }
  assert.throws(() => open(plainRequest('POST', '/console')), { code: 'METHOD_NOT_ALLOWED' })
})

test('a file of another build is a 404 anywhere below /console, and the page of a row whose id ends like a file is there', async () => {
  for (const path of ['/console/none-such.css', '/console/assets/x.js', '/console/posts/a.map']) {
    for (const headers of [{}, { accept: '*/*' }, { accept: 'text/css,*/*;q=0.1' }])
      await assert.rejects(async () => get(path, headers), { code: 'NOT_FOUND' }, path)
    assert.equal((await get(path, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })).status, 200)
  }
  assert.equal((await get('/console/users/ann@example.org')).status, 200)
})

const signIn = (body: string, parts: { headers?: Record<string, string>; address?: string } = {}) =>
  Promise.resolve(
    open(
      plainRequest('POST', '/console/sign-in', {
        body,
        ...parts,
        headers: { 'content-type': 'application/json', ...parts.headers },
      }),
    ),
  )

test('a link gives a token once, by a POST of a page on this machine', async () => {
  const body = JSON.stringify({ key: links.make() })
  await assert.rejects(Promise.resolve(get('/console/sign-in')), { code: 'METHOD_NOT_ALLOWED' })
  await assert.rejects(signIn(body, { address: '10.0.0.7' }), { code: 'FORBIDDEN' })
  await assert.rejects(signIn(body, { headers: { 'x-forwarded-for': '10.0.0.7' } }), { code: 'FORBIDDEN' })
  await assert.rejects(signIn(body, { headers: { 'content-type': 'text/plain' } }), { code: 'UNSUPPORTED_MEDIA_TYPE' })
  for (const wrong of ['', 'null', '{"key": 1}', '[]']) await assert.rejects(signIn(wrong), { code: 'BAD_REQUEST' })
  const reply = await signIn(body)
  assert.equal(reply.headers['cache-control'], 'no-store')
  assert.deepEqual(JSON.parse(await bodyText(reply)), { token: 't', expiresAt: 'later' })
  await assert.rejects(signIn(body), { code: 'UNAUTHENTICATED' })
})

test('without links there is no such sign-in', async () => {
  const closed = createConsole({ links: null, makeToken: async () => ({ token: 't', expiresAt: 'later' }) })
  const request = plainRequest('POST', '/console/sign-in', { body: '{}' })
  await assert.rejects(Promise.resolve(closed(request)), { code: 'NOT_FOUND' })
})
