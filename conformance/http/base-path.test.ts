// `http.basePath` and `http.static`: one origin serves the APIs below a path and an application's page everywhere else.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { defaultHttpSettings } from '../../packages/twain/src/http/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow { id: ID! email: String! @unique name: String }
  type Note @allow { id: ID! text: String! picture: File }
  extend type Mutation { shout(text: String!): String! @allow }`
const code = `export default { resolvers: { Mutation: { shout: ({ text }) => text.toUpperCase() } } }`

const page = '<!doctype html><title>An application</title>'

function makePage(folder: string): string {
  const web = join(folder, 'web')
  mkdirSync(join(web, 'assets'), { recursive: true })
  mkdirSync(join(web, 'help'))
  mkdirSync(join(web, '.git'))
  writeFileSync(join(web, 'index.html'), page)
  writeFileSync(join(web, 'help/index.html'), 'help')
  writeFileSync(join(web, 'assets/index-B3fGh1kQ.js'), '0123456789'.repeat(1000))
  writeFileSync(join(web, 'a b.txt'), 'a space')
  writeFileSync(join(web, '.env'), 'SECRET=1')
  writeFileSync(join(web, '.git/config'), 'secret')
  writeFileSync(join(folder, 'outside.txt'), 'secret')
  symlinkSync(join(folder, 'outside.txt'), join(web, 'outside.txt'))
  symlinkSync(folder, join(web, 'parent'))
  symlinkSync(join(web, 'a b.txt'), join(web, 'inside.txt'))
  return web
}

describe('a base path and a page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-base-path-'))
  const opened: (() => Promise<void>)[] = []
  const t = { after: (close: () => Promise<void>) => void opened.push(close) } as unknown as Parameters<
    typeof TestService.open
  >[0]
  let service: TestService
  before(async () => {
    const http = { ...defaultHttpSettings, basePath: '/api/v1', static: makePage(folder) }
    service = await TestService.open(t, sdl, { code, http, listening: { http } })
  })
  after(async () => {
    for (const close of opened) await close()
    rmSync(folder, { recursive: true })
  })

  test('both APIs are below it, and their links have it', async () => {
    const created = await service.send('POST', '/api/v1/notes', { text: 'Hello' })
    assert.equal(created.status, 201)
    assert.equal(created.headers.get('location'), `/api/v1/notes/${created.body.id}`)
    assert.equal((await service.send('GET', created.headers.get('location')!)).body.text, 'Hello')
    await service.succeed('POST', '/api/v1/notes', { text: 'More' })
    const list = await service.send('GET', '/api/v1/notes?limit=1')
    assert.match(list.headers.get('link')!, /^<\/api\/v1\/notes\?/)
    const graphql = await service.succeed('POST', '/api/v1/graphql', { query: '{ notes { text } }' })
    assert.equal(graphql.data.notes.length, 2)
    assert.equal((await service.send('POST', '/api/v1/shout-requests', { text: 'hey' })).body, 'HEY')
    const slash = await service.send('GET', '/api/v1/notes/')
    assert.equal(slash.status, 200, 'the redirect leads below it')
  })

  test('the address of a file and the source of an event have it', async () => {
    const file = await fetch(`${service.address}/api/v1/files?name=a.txt`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'bytes',
    })
    assert.match(file.headers.get('location')!, /^\/api\/v1\/files\//)
    const { id, url } = (await file.json()) as { id: string; url: string }
    assert.match(url, /^\/api\/v1\/files\//)
    assert.equal(await (await fetch(service.address + url)).text(), 'bytes')
    const note = await service.succeed('POST', '/api/v1/notes', { text: 'With a picture', picture: id })
    const { data } = await service.succeed('POST', '/api/v1/graphql', {
      query: `{ note(id: "${note.id}") { picture { url } } }`,
    })
    assert.match(data.note.picture.url, /^\/api\/v1\/files\//)
  })

  test('an error has it in its instance; the documents have it in their addresses', async () => {
    const missing = await service.send('GET', '/api/v1/notes/nope')
    assert.deepEqual([missing.status, missing.body.instance], [404, '/api/v1/notes/nope'])
    const home = await service.succeed('GET', '/api/v1')
    assert.deepEqual(home, await service.succeed('GET', '/api/v1/'))
    assert.equal(home.graphql, '/api/v1/graphql')
    assert.equal(home.rest.Note, '/api/v1/notes')
    const document = await service.succeed('GET', '/api/v1/openapi.json')
    assert.deepEqual(document.servers, [{ url: '/api/v1' }])
    const html = await service.send('GET', '/api/v1/', undefined, { accept: 'text/html' })
    const links = [...String(html.body).matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, link]) => link!)
    assert.ok(links.length > 5)
    for (const link of links) {
      assert.match(link, /^\/api\/v1\//)
      const reply = await fetch(service.address + link, { headers: { accept: 'text/html,*/*' } })
      assert.equal(reply.status, 200, link)
    }
    for (const path of ['docs', 'graphql']) {
      const own = await service.send('GET', `/api/v1/${path}`, undefined, { accept: 'text/html' })
      for (const [, link] of String(own.body).matchAll(/(?:src|rel="[a-z]+" href)="([^"#]+)"/g)) {
        const address = new URL(link!, `${service.address}/api/v1/${path}`)
        assert.equal((await fetch(address)).status, 200, address.href)
      }
    }
  })

  test('WebSockets and event streams', async () => {
    const url = `${service.address.replace('http', 'ws')}/api/v1/graphql`
    const client = createClient({ url, webSocketImpl: WebSocket })
    const values = client.iterate({ query: '{ notes(limit: 1) { text } }' })
    const { value } = await values.next()
    assert.equal((value as { data: { notes: unknown[] } }).data.notes.length, 1)
    await client.dispose()
    const outside = new WebSocket(url.replace('/api/v1', ''), 'graphql-transport-ws')
    await new Promise((resolve) => outside.once('error', resolve))
    const stream = await fetch(`${service.address}/api/v1/changes`, { headers: { accept: 'text/event-stream' } })
    assert.match(stream.headers.get('content-type')!, /^text\/event-stream/)
    await stream.body!.cancel()
  })

  test('monitors need no base path', async () => {
    for (const path of ['/healthz', '/readyz', '/api/v1/healthz', '/api/v1/readyz'])
      assert.equal((await service.send('GET', path)).status, 200, path)
  })

  test('everything else is the page: its files, and index.html for a browser', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    for (const path of ['/', '/index.html', '/notes', '/people/7', '/api', '/api/v10'])
      assert.equal((await service.send('GET', path, undefined, browser)).body, page, path)
    assert.equal((await service.send('GET', '/help/')).body, 'help')
    assert.equal((await service.send('GET', '/a%20b.txt')).body, 'a space')
    assert.equal((await service.send('GET', '/inside.txt')).body, 'a space')
    const missing = await service.send('GET', '/missing.js')
    assert.deepEqual([missing.status, missing.body.code], [404, 'NOT_FOUND'])
    const post = await service.send('POST', '/notes', { text: 'x' })
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
  })

  test('no dot files, nothing outside of the folder', async () => {
    const paths = [
      '/.env',
      '/.git/config',
      '/help/../.env',
      '/%2e%2e/outside.txt',
      '/..%2foutside.txt',
      '/%2e%2e%2foutside.txt',
      '/outside.txt',
      '/parent/outside.txt',
      '/parent/web/index.html%00.txt',
      '//outside.txt',
      '/%',
      '/a%5c..%5coutside.txt',
    ]
    for (const path of paths) {
      const reply = await service.send('GET', path)
      assert.equal(reply.status, 404, path)
      assert.doesNotMatch(JSON.stringify(reply.body), /secret/i, path)
    }
  })

  test('caching, ranges and HEAD', async () => {
    const path = '/assets/index-B3fGh1kQ.js'
    const whole = await fetch(service.address + path)
    assert.equal(whole.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.equal(whole.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.ok(whole.headers.get('content-encoding'), 'it is compressed')
    assert.equal((await whole.text()).length, 10_000)
    const etag = (await fetch(service.address + path, { headers: { 'accept-encoding': 'identity' } })).headers.get(
      'etag',
    )!
    for (const tag of [etag, whole.headers.get('etag')!]) {
      const same = await fetch(service.address + path, { headers: { 'if-none-match': tag } })
      assert.equal(same.status, 304, tag)
    }
    const part = await fetch(service.address + path, { headers: { range: 'bytes=1-3' } })
    assert.deepEqual(
      [part.status, part.headers.get('content-range'), await part.text()],
      [206, 'bytes 1-3/10000', '123'],
    )
    assert.equal((await fetch(service.address + path, { headers: { range: 'bytes=20000-' } })).status, 416)
    const head = await fetch(service.address + path, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
    assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '10000', ''])
    assert.equal((await fetch(`${service.address}/`)).headers.get('cache-control'), 'no-cache')
  })
})
