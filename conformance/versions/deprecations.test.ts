// Deprecations: answers announce them, their usage is counted, and a schema that removes a used field is refused with who uses it.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText, type HttpReply, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { run } from '../../packages/twain/src/cli/cli.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { makeTestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'

const account = 'type User @account @allow { id: ID! email: String! @unique }'

const sdl = `
type Post {
  id: ID!
  title: String!
  body: String @deprecated(reason: "Use text. It goes on 2030-06-30, or later.")
  text: String
  tag: Tag
}
type Tag {
  id: ID!
  word: String
  colour: String @deprecated(reason: "Nobody sees it.")
}
type Old {
  id: ID!
  what: String @deprecated(reason: "The type goes on 2031-01-01T12:00:00Z.")
}
`

test('R180, R181: an answer to a request with deprecated fields has Deprecation, Sunset and a Link', async (t) => {
  const before = Math.floor(Date.now() / 1000)
  const { service } = await open(t, sdl)
  const { id } = await row(service, 'POST', '/posts', { title: 'One', text: 'Long.' })
  const whole = await ask(service, 'GET', `/posts/${id}`)
  assertSince(whole, before)
  assert.equal(whole.headers.sunset, 'Sun, 30 Jun 2030 00:00:00 GMT')
  assert.equal(whole.headers.link, '</docs>; rel="deprecation"; type="text/html"')
  const chosen = await ask(service, 'GET', `/posts/${id}?fields=id,title`)
  for (const name of ['deprecation', 'sunset', 'link']) assert.equal(chosen.headers[name], undefined)
  const filtered = await ask(service, 'GET', '/posts?fields=id&body=x')
  assertSince(filtered, before)
  assert.match(String(filtered.headers.link), /rel="first".*, <\/docs>; rel="deprecation"/)
  const unchanged = await ask(service, 'GET', `/posts/${id}`, undefined, {
    'if-none-match': String(whole.headers.etag),
  })
  assert.equal(unchanged.status, 304)
  assertSince(unchanged, before)
  assertSince(await ask(service, 'PATCH', `/posts/${id}?fields=id`, { body: 'x' }), before)
  const patched = await ask(
    service,
    'PATCH',
    `/posts/${id}?fields=id`,
    [{ op: 'replace', path: '/body', value: 'y' }],
    {
      'content-type': 'application/json-patch+json',
    },
  )
  assertSince(patched, before)
  assert.equal((await ask(service, 'PATCH', `/posts/${id}?fields=id`, { text: 'x' })).headers.deprecation, undefined)
  const batch = [{ method: 'PATCH', path: `/posts/${id}?fields=id`, body: { body: 'z' } }]
  assertSince(await ask(service, 'POST', '/batch', batch), before)
  const undated = await ask(service, 'GET', '/tags')
  assertSince(undated, before)
  assert.equal(undated.headers.sunset, undefined)
})

test('R180: a type whose fields are all deprecated is deprecated', async (t) => {
  const { service } = await open(t, sdl)
  const { id } = await row(service, 'POST', '/olds', {})
  const deleted = await ask(service, 'DELETE', `/olds/${id}`)
  assert.equal(deleted.status, 204)
  assert.equal(deleted.headers.sunset, 'Wed, 01 Jan 2031 12:00:00 GMT')
})

test('GraphQL answers with the same headers, if a document uses a deprecated field', async (t) => {
  const before = Math.floor(Date.now() / 1000)
  const { service } = await open(t, sdl)
  assert.equal((await graphql(service, '{ posts { id title } }')).headers.deprecation, undefined)
  const named = await graphql(service, '{ posts { id body } }')
  assertSince(named, before)
  assert.equal(named.headers.sunset, 'Sun, 30 Jun 2030 00:00:00 GMT')
  assertSince(await graphql(service, '{ posts { tag { colour } } }'), before)
  assertSince(await graphql(service, '{ posts(where: {body: {eq: "x"}}) { id } }'), before)
  assertSince(await graphql(service, 'mutation { createPost(input: {title: "a", body: "b"}) { id } }'), before)
  const written = 'mutation @transaction { createPost(input: {title: "a", body: "b"}) { id } }'
  assertSince(await graphql(service, written), before)
  const batch = JSON.stringify([{ query: '{ posts { id } }' }, { query: '{ posts { body } }' }])
  assertSince(await ask(service, 'POST', '/graphql', batch), before)
})

test('R180: the fields of a view, too', async (t) => {
  const before = Math.floor(Date.now() / 1000)
  const select = JSON.stringify('SELECT word, colour FROM "Tag"')
  const { service } = await open(
    t,
    `${sdl}
    type Word @view(key: ["word"], sqlite: ${select}, postgres: ${select}) {
      word: String! colour: String @deprecated(reason: "Nobody sees it.")
    }`,
  )
  assertSince(await ask(service, 'GET', '/words'), before)
  assertSince(await graphql(service, '{ words { colour } }'), before)
  assert.equal((await ask(service, 'GET', '/words?fields=word')).headers.deprecation, undefined)
})

test('the date of a deprecation is stored until the deprecation ends', async (t) => {
  const { service, again } = await open(t, sdl, () => Date.parse('2026-01-01T00:00:00Z'))
  const deprecation = async (of: Service) => (await ask(of, 'GET', '/posts?fields=body')).headers.deprecation
  assert.equal(await deprecation(service), '@1767225600')
  const later = await again(`${sdl} type New { id: ID! }`)
  assert.equal(await deprecation(later), '@1767225600')
})

test('R182: a refused start and twain check say when and by whom a removed field was last used', async (t) => {
  const { service, again, close, place, folder } = await open(t, sdl)
  const now = new Date().toISOString().slice(0, 10)
  for (let times = 0; times < 3; times++) {
    await ask(service, 'GET', '/posts', undefined, { 'user-agent': 'curl/8.1' })
    await graphql(service, '{ posts { title } }', { 'user-agent': 'Mozilla', 'x-client-name': 'web' })
  }
  await ask(service, 'POST', '/posts', { title: 'One', text: 'Long.' }, { 'x-client-name': 'import' })
  const next = sdl.replace('title: String!', '').replace('text: String', '').replace('word: String', '')
  await assert.rejects(again(next), (error: Error) => {
    assert.match(
      error.message,
      new RegExp(`field Post.title was removed. Last requested on ${now} by (import, web|web, import)\\. Put`),
    )
    assert.match(error.message, new RegExp(`field Post.text was removed. Last requested on ${now} by import\\.`))
    assert.match(
      error.message,
      new RegExp(`field Tag.word was removed. Nobody used it since ${now}, when counting began\\.`),
    )
    return true
  })
  await close()
  const file = join(folder, 'schema.graphql')
  await writeFile(file, sdl.replace('tag: Tag', '').replace('text: String', ''))
  const { code, out } = await command(['check', file, '--against', place.database ?? place.data])
  assert.equal(code, 1)
  assert.match(
    out,
    new RegExp(
      `field Post.tag was removed \\(clients\\)\n {4}Last returned by default on ${now} to .*; no client requested`,
    ),
  )
  const report = JSON.parse((await command(['check', file, '--json', '--against', place.database ?? place.data])).out)
  const text = report.differences.find(({ path }: { path: string }) => path === 'Post.text')
  assert.equal(text.used, `Last requested on ${now} by import.`)
})

function assertSince({ headers }: HttpReply, before: number): void {
  const since = Number(/^@(\d+)$/.exec(String(headers.deprecation))?.[1])
  assert.ok(since >= before && since <= Date.now() / 1000, `${headers.deprecation} is a time since the start`)
}

async function ask(
  service: Service,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<HttpReply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const sent =
    body === undefined ? { headers } : { headers: { 'content-type': 'application/json', ...headers }, body: text }
  return service.handle(plainRequest(method, path, sent))
}

async function row(
  service: Service,
  method: string,
  path: string,
  body: unknown,
): Promise<{ id: string; token?: string }> {
  return JSON.parse(await bodyText(await ask(service, method, path, body)))
}

async function graphql(service: Service, query: string, headers: Record<string, string> = {}): Promise<HttpReply> {
  const reply = await ask(service, 'POST', '/graphql', { query }, headers)
  assert.equal(reply.status, 200)
  assert.equal(JSON.parse(await bodyText(reply)).errors, undefined)
  return reply
}

/** `again` serves another schema on the same data. */
async function open(t: TestContext, text: string, clock?: () => number) {
  const folder = await mkdtemp(join(tmpdir(), 'twain-deprecations-'))
  const { place, drop } = await makeTestPlace(folder)
  const schemaFile = join(folder, 'schema.graphql')
  let served: Service | null = null
  const close = async () => {
    await served?.close()
    served = null
  }
  const serve = async (schema: string) => {
    await close()
    await writeFile(schemaFile, schema)
    const common = { schemaFile, ...place, limits: defaultLimits, log: silent }
    served = await openService(clock === undefined ? common : { ...common, clock })
    return served
  }
  t.after(async () => {
    await close()
    await drop()
    await rm(folder, { recursive: true, force: true })
  })
  return { service: await serve(text), again: serve, close, place, folder }
}

async function command(words: string[]) {
  let out = ''
  const code = await run(words, {
    env: {},
    out: (part) => {
      out += part
    },
    err() {},
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  })
  return { code, out }
}

test('R183: the schema file and the usage are for the role admin, or for all where there are no rules', async (t) => {
  const { service, again } = await open(t, sdl)
  await ask(service, 'GET', '/posts?fields=title', undefined, { 'x-client-name': 'web' })
  const reply = await ask(service, 'GET', '/docs/contract')
  assert.deepEqual([reply.status, reply.headers['cache-control']], [200, 'no-store'])
  const { sdl: served, since, uses } = JSON.parse(await bodyText(reply))
  assert.equal(served, sdl)
  assert.deepEqual(uses['Post.title'], {
    requested: since,
    returned: null,
    clients: ['web'],
    by: [{ client: 'web', requested: since, returned: null, rest: since, graphql: null }],
  })
  const ruled = await again(`${sdl.replaceAll(/^type (\w+)/gm, 'type $1 @allow')} ${account}`)
  const refused = await ask(ruled, 'GET', '/docs/contract')
  assert.deepEqual([refused.status, refused.headers['www-authenticate']], [401, 'Bearer'])
  assert.equal((await ask(ruled, 'POST', '/users', { email: 'a@b.c', password: 'long enough' })).status, 201)
  const { token } = await row(ruled, 'POST', '/tokens', { email: 'a@b.c', password: 'long enough' })
  const signedIn = { authorization: `Bearer ${token}` }
  assert.equal((await ask(ruled, 'GET', '/docs/contract', undefined, signedIn)).status, 403)
  assert.equal((await ask(ruled, 'POST', '/docs/contract')).status, 405)
})
