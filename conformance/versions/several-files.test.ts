// A schema in several files: the same types in other files are the same schema, for clients, for the stored schema and for readers
// of the change log. Explanations of denied requests follow the types into their files.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { openService } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { makeTestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'
import { until } from '../harness/until.ts'
import { runSql } from './run-sql.ts'

const user = `type User @account @allow(to: [READ, CREATE]) @allow(who: "self") {
  id: ID!
  email: String! @unique
}
`
const post = `type Post @allow(to: [READ, CREATE]) @allow(who: "author") {
  id: ID!
  title: String! @index
}
`
const author = `extend type Post {
  author: User
}
`
const slug = `extend type Post {
  slug: String @unique
}
`

test('types that move between files are no change', async (t) => {
  const { write, send, reload, storedSchemas, schemaTexts } = await openFolder(t)
  await write({ 'posts.graphql': post + author, 'people/users.graphql': user, 'slugs.graphql': slug })
  await reload('swapped')
  const { id } = JSON.parse((await send('POST', '/posts', { title: 'First' })).text) as { id: string }
  const before = { schemas: await storedSchemas(), texts: await schemaTexts() }
  const feed = await until(
    () => send('GET', '/changes'),
    ({ text }) => text.includes(id),
  )
  const [{ cursor }] = (JSON.parse(feed.text) as { edges: [{ cursor: string }] }).edges
  const denied = await send('PATCH', `/posts/${id}`, { title: 'Mine' })
  assert.match(denied.text, /posts\.graphql:1 @allow\(who: \\"author\\"\)/)

  await write({ 'all.graphql': `# all\n${slug}\n${author}\n${user}\n${post}` })
  await reload('swapped')
  assert.deepEqual({ schemas: await storedSchemas(), texts: await schemaTexts() }, before)
  assert.equal((await send('GET', `/posts/${id}`)).status, 200)
  assert.equal((await send('GET', `/changes?after=${encodeURIComponent(cursor)}`)).status, 200, 'the cursor is valid')
  const deniedAgain = await send('PATCH', `/posts/${id}`, { title: 'Mine' })
  assert.match(deniedAgain.text, /all\.graphql:15 @allow\(who: \\"author\\"\)/)
  await reload('same')
})

test('a mistake in one of the files leaves the served schema unchanged, and files may come and go', async (t) => {
  const { write, send, reload } = await openFolder(t)
  await write({ 'posts.graphql': post + author, 'users.graphql': user, 'more.graphql': 'extend type Pots { x: Int }' })
  const rejected = await reload('rejected')
  assert.match(String(rejected), /has a mistake/)
  await write({ 'posts.graphql': post + author, 'users.graphql': user, 'more.graphql': 'extend type Post { x: Int }' })
  await reload('swapped')
  assert.equal((await send('GET', '/posts?fields=id,x')).status, 200)
  await write({ 'posts.graphql': post + author, 'users.graphql': user })
  await reload('swapped')
  assert.equal((await send('GET', '/posts?fields=id,x')).status, 400)
})

async function openFolder(t: TestContext) {
  const data = await mkdtemp(join(tmpdir(), 'twain-files-'))
  const place = await makeTestPlace(data)
  const schemaFile = join(data, 'schema')
  const write = async (files: Record<string, string>) => {
    await rm(schemaFile, { recursive: true, force: true })
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(schemaFile, path)), { recursive: true })
      await writeFile(join(schemaFile, path), text)
    }
  }
  await write({ 'users.graphql': user, 'posts.graphql': post + author })
  const options = { schemaFile, ...place.place, limits: defaultLimits, log: silent, allowBreaking: true }
  const service = await openService({ ...options, denials: { inAnswer: true } })
  t.after(async () => {
    await service.close()
    await place.drop()
    await rm(data, { recursive: true, force: true })
  })
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const request = plainRequest(method, path, {
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const reply = await service.handle(request)
    return { status: reply.status, headers: reply.headers, text: await bodyText(reply) }
  }
  return {
    write,
    send,
    async reload(expected: string): Promise<unknown> {
      const outcome = await service.reload()
      const reason = 'reason' in outcome ? outcome.reason : null
      assert.equal(outcome.kind, expected, String(reason))
      return reason
    },
    /** How many schemas are stored, and the last one. */
    async storedSchemas() {
      const rows = await runSql({ place }, 'SELECT n, sdl FROM twain_schema ORDER BY n')
      return { count: rows.length, last: rows.at(-1) }
    },
    /** What clients cache of the schema. */
    async schemaTexts() {
      const openapi = await send('GET', '/openapi.json')
      const query = '{ __schema { types { name fields { name } inputFields { name } } } }'
      return {
        tag: openapi.headers.etag,
        openapi: openapi.text,
        graphql: (await send('POST', '/graphql', { query })).text,
      }
    },
  }
}
