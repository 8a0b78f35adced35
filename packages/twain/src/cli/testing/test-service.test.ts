// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { makeTestPlace } from '#test-place'
import { startTestService, type TestServiceOptions } from './index.ts'

const sdl = `
type User @account(roles: "role") @allow(to: [READ, CREATE]) @allow(who: "self") @allow(role: "admin") {
  id: ID!
  email: String! @unique
  name: String!
  role: Role! @default(value: READER) @allow(role: "admin")
}
enum Role { READER EDITOR }
type Note @allow(to: [READ]) @allow(who: "author") @allow(role: "EDITOR", to: [UPDATE]) {
  id: ID!
  text: String!
  author: User @auto(set: VIEWER)
}`

/** A folder with the schema file and others. */
function makeFolder(t: TestContext, files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-test-service-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries({ 'schema.graphql': sdl, ...files }))
    writeFileSync(join(folder, name), text)
  return folder
}

async function start(t: TestContext, options: TestServiceOptions = {}) {
  const schema = join(makeFolder(t), 'schema.graphql')
  const service = await startTestService({ schema, ...options })
  t.after(() => service.close())
  return service
}

describe('a service for tests', () => {
  test('takes a folder of schema files, with the config file beside it', async (t) => {
    const config = 'export default { resolvers: { Query: { answer: () => 42 } } }'
    const folder = makeFolder(t, { 'twain.config.ts': config })
    mkdirSync(join(folder, 'schema'))
    renameSync(join(folder, 'schema.graphql'), join(folder, 'schema/notes.graphql'))
    writeFileSync(join(folder, 'schema/answer.graphql'), 'extend type Query { answer: Int @allow }')
    const service = await start(t, { schema: join(folder, 'schema') })
    assert.equal((await service.anonymous.get('/answer')).body, 42)
    const refused = await service.anonymous.post('/notes', { text: 'Hello' })
    assert.match(refused.body.hint, /schema\/notes\.graphql:9 @allow/)
  })

  test('has people, operators and both APIs', async (t) => {
    const { place, drop } = await makeTestPlace('')
    const service = await start(t, place.database === null ? {} : { database: place.database })
    t.after(drop)
    const [ann, bob, eva] = [
      await service.as('ann'),
      await service.as('bob'),
      await service.as('eva', { role: 'EDITOR' }),
    ]
    assert.equal(await service.as('ann'), ann)
    const note = await ann.post('/notes', { text: 'Hello' })
    assert.deepEqual([note.status, note.body.author], [201, ann.id])
    const path = `/notes/${note.body.id}`
    const refused = await bob.patch(path, { text: 'Mine' })
    assert.equal(refused.status, 403)
    assert.match(refused.body.hint, /@allow\(who: "author"\)/)
    assert.equal((await eva.patch(path, { text: 'Better' })).status, 200)
    assert.deepEqual((await service.anonymous.graphql('{ notes { text } }')).body, {
      data: { notes: [{ text: 'Better' }] },
    })
    const admin = await service.operator('admin')
    assert.equal((await admin.patch(`/users/${bob.id}`, { role: 'EDITOR' })).status, 200)
    assert.equal((await ann.delete(path)).status, 204)
  })

  test('has a clock by which tokens end', async (t) => {
    const service = await start(t, { settings: { 'auth.accessTokenSeconds': 60 } })
    const ann = await service.as('ann')
    service.clock.advance(50)
    assert.equal((await ann.get('/notes')).status, 200)
    service.clock.advance(20)
    assert.equal((await ann.get('/notes')).status, 401)
  })

  test('runs the code and the settings of twain.config.ts, and a seed', async (t) => {
    const folder = makeFolder(t, {
      'twain.config.ts': `export default {
        limits: { page: 50 },
        before: { Note: ({ next }) => { if (next?.text === 'no') throw new Error('refused') } },
      }`,
      'seed.ts': `export async function seed(make) { await make('Note', { text: 'seeded' }) }`,
    })
    const service = await startTestService({
      schema: join(folder, 'schema.graphql'),
      seed: join(folder, 'seed.ts'),
      log: () => undefined,
    })
    t.after(() => service.close())
    assert.equal((await service.anonymous.get('/notes')).body[0].text, 'seeded')
    assert.equal((await service.anonymous.get('/notes?limit=51')).status, 400)
    assert.equal((await (await service.as('ann')).post('/notes', { text: 'no' })).status, 500)
  })

  test('leaves nothing behind', async (t) => {
    const schema = join(makeFolder(t), 'schema.graphql')
    const own = mkdtempSync(join(tmpdir(), 'twain-own-tmp-'))
    t.after(() => rmSync(own, { recursive: true }))
    const former = process.env.TMPDIR
    process.env.TMPDIR = own
    const service = await startTestService({ schema }).finally(() => {
      if (former === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = former
    })
    assert.equal(readdirSync(own).length, 1)
    await service.close()
    await service.close()
    assert.deepEqual(readdirSync(own), [])
    await assert.rejects(fetch(service.address))
  })

  test('reports mistakes of settings and of the schema', async (t) => {
    const schema = join(makeFolder(t), 'schema.graphql')
    await assert.rejects(startTestService({ schema, settings: { 'limits.dept': 3 } }), /--limits-dept.*--limits-depth/s)
    const wrong = join(makeFolder(t, { 'schema.graphql': 'type Note { id: Int! }' }), 'schema.graphql')
    await assert.rejects(startTestService({ schema: wrong }))
  })

  test('says that nobody can sign in without an account type', async (t) => {
    const schema = join(makeFolder(t, { 'schema.graphql': 'type Note @allow { id: ID! }' }), 'schema.graphql')
    const service = await startTestService({ schema })
    t.after(() => service.close())
    await assert.rejects(service.as('ann'), /no account type/)
  })
})
