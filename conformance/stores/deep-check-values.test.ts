// `twain doctor --deep` compares rows with their last entries in the change log. It names what somebody changed with SQL, and nothing of
// a service that is well, after every kind of write and beside a server that writes.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { command } from '../../packages/twain/src/cli/command.fixture.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { checkStored, copyService, migrateStore } from '../../packages/twain/src/store/index.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { makeEmptyPlace, makeTestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'
import { TestService } from '../harness/test-service.ts'

const isWhole = { wrong: [], unchecked: [] }

const post = `type Post @allow @softDelete(keep: "2d") @history(keep: "30d") {
  id: ID! title: String! @search status: Status! @default(value: DRAFT) price: Decimal big: BigInt ratio: Float flag: Boolean
  meta: JSON place: Point words: [String!] day: Date author: User cover: File tags: [Tag!]! comments: [Comment!]! about: Item
  changedAt: DateTime! @auto(set: UPDATE_TIME)`
const others = `
  type User @account @allow { id: ID! email: String! @unique @constraint(format: "email") name: String posts: [Post!]! }
  enum Status { DRAFT DONE } type Point { x: Float! y: Float! }
  interface Item { id: ID! name: String! }
  type Tag implements Item @allow { id: ID! name: String! @unique posts: [Post!]! @relation(inverse: "tags") }
  type Comment @allow { id: ID! text: String! post: Post! @relation(onDelete: CASCADE) }`
const sdl = `${post} } ${others}`

test('nothing is wrong after every kind of write, a change of the schema, and a copy', async (t) => {
  const { place, check, open, migrate } = await prepare(t)
  const first = await open(sdl)
  await writeEverything(first)
  assert.deepEqual(await check(), isWhole)
  await first.close()

  const fields = 'rank: Int! @default(value: 7) seenAt: DateTime! @auto(set: UPDATE_TIME) note: String'
  const second = await open(`${post} ${fields} } ${others}`)
  await writeEverything(second)
  assert.deepEqual(await check(), isWhole)
  await second.close()
  const third = await open(sdl) // an older version of the schema, which does not know the new columns
  await writeEverything(third)
  assert.deepEqual(await check(), isWhole)
  await third.close()

  await migrate(sdl, true)
  await (await open(`${post} ${fields} } ${others}`)).close()
  assert.deepEqual(await check(), isWhole, 'columns with the names of dropped ones')
  for (const store of ['sqlite', 'postgres'] as const) {
    const target = await makeEmptyPlace(join(place.data, `copy-${store}`), store)
    t.after(() => target.drop())
    const signal = new AbortController().signal
    await copyService(locationOf(place), locationOf(target.place), 'move', () => {}, signal)
    assert.deepEqual(await checkStored(target.place), isWhole, store)
  }
})

test('nothing is wrong while a server writes', async (t) => {
  const { check, open } = await prepare(t)
  const service = await open(sdl)
  let isOver = false
  const writing = [1, 2, 3].map(async () => {
    while (!isOver) await writeEverything(service)
  })
  for (let n = 0; n < 8; n++) assert.deepEqual(await check(), isWhole)
  isOver = true
  await Promise.all(writing)
})

test('nothing is wrong with the blog after its seed, an import, and what its editors do', async (t) => {
  const { place, flags, check } = await prepare(t)
  const schemaFile = join(import.meta.dirname, '../../examples/blog/schema.graphql')
  const ran = async (...words: string[]) => {
    const { code, out, err } = await command(...words, ...flags)
    assert.equal(code, 0, out + err)
  }
  await ran('seed', schemaFile, '--seed', join(schemaFile, '../seed.ts'))
  const rows = join(place.data, 'tags.csv')
  writeFileSync(rows, 'name\nimported\nimported too\n')
  await ran('import', rows, '--type', 'Tag', '--schema', schemaFile)
  assert.deepEqual(await check(), isWhole)

  const service = await TestService.open(t, '', { ...place, schemaFile })
  const headers = { authorization: `Bearer ${await service.operator('admin')}` }
  const succeed = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await service.send(method, path, body, headers)
    assert.ok(status < 300, `${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  const [post, other] = await succeed('GET', '/posts?limit=2')
  await succeed('PATCH', `/posts/${post.id}`, { title: 'Another title', rating: 3.7, remarks: 'None' })
  await succeed('PATCH', '/posts?status=PUBLISHED', { words: 12 })
  await succeed('DELETE', `/posts/${other.id}`)
  await succeed('DELETE', '/comments?body[contains]=e')
  assert.deepEqual(await check(), isWhole)
})

test('a value that somebody changed, a row that somebody added and one that somebody deleted are named', async (t) => {
  const { check, execute, open } = await prepare(t)
  const service = await open(sdl)
  const tags = ['a', 'b', 'c'].map((name) => ({ id: `tag-${name}`, name }))
  for (const { id, name } of tags) await service.succeed('PUT', `/tags/${id}`, { name })
  await service.succeed('POST', '/posts', { title: 'One', tags: ['tag-a'] })
  await execute(`UPDATE "Tag" SET name = 'tampered' WHERE id = 'tag-b'`)
  assert.deepEqual((await check()).wrong, ['1 rows of Tag are not as the change log says, for example tag-b.'])
  await execute(`INSERT INTO "Tag" (id, _version, name) VALUES ('zap', 1, 'zap')`)
  await execute(`DELETE FROM "Tag" WHERE id = 'tag-c'`)
  assert.deepEqual((await check()).wrong, [
    '2 rows of Tag are not as the change log says, for example tag-c.',
    '1 rows of Tag are not in the change log, for example zap.',
  ])
})

test('rows that are older than the log need no entry; those of a history are compared, and younger rows need one', async (t) => {
  const { check, execute, open } = await prepare(t)
  const service = await open(sdl)
  const created = async (name: string) => (await service.succeed('POST', '/tags', { name })).id as string
  const [restored, post1] = [await created('old'), await service.succeed('POST', '/posts', { title: 'One' })]
  await created('old too')
  await service.succeed('DELETE', `/posts/${post1.id}`)
  await service.settle()
  await prune()
  assert.deepEqual(await check(), isWhole)
  // Its entry is like that of a new row.
  await service.succeed('POST', `/posts/${post1.id}/restorations`)
  await service.succeed('PATCH', `/tags/${restored}`, { name: 'old, and changed' })
  assert.deepEqual(await check(), isWhole)

  await service.succeed('POST', '/posts', { title: 'A new one' })
  await created('new')
  await execute(`INSERT INTO "Tag" (id, _version, name) VALUES ('zap', 1, 'zap')`)
  await execute(`UPDATE "Post" SET title = 'tampered' WHERE id = '${post1.id}'`)
  const name = ['Post', 'Tag']
  assert.deepEqual((await check()).wrong, [
    `1 rows of ${name[0]} are not as the change log says, for example ${post1.id}.`,
    `1 rows of ${name[1]} are not in the change log, for example zap.`,
  ])

  /** As if all entries but one were pruned, and that one two hours old. */
  async function prune() {
    const last = '(SELECT max(seq) FROM twain_change)'
    await execute(`DELETE FROM twain_change WHERE seq < ${last}`)
    await execute(`UPDATE twain_change SET time = '2020-01-01T00:00:00.000Z'`)
  }
})

/** Creates, changes and deletes rows by every kind of write. */
async function writeEverything(service: TestService): Promise<void> {
  const name = () => crypto.randomUUID()
  const user = await service.signUp(`u${name().slice(0, 8)}`)
  const tag = await service.succeed('POST', '/tags', { name: name() })
  const upload = await fetch(`${service.address}/files`, { method: 'POST', body: name() })
  const cover = ((await upload.json()) as { id: string }).id
  const values = {
    price: '12.50',
    big: '9007199254740993',
    ratio: 0.1,
    flag: true,
    day: '2026-11-15',
    words: ['ä', '"'],
  }
  const rich = { ...values, meta: { a: [1, null, 1e30] }, place: { x: 1, y: -0.5 }, author: user.id, cover }
  const whole = await service.succeed('POST', '/posts', { title: 'One', ...rich, tags: [tag.id] })
  const some = await service.succeed('POST', '/posts', [
    { title: 'Two', comments: [{ text: 'x' }] },
    { title: 'Three' },
  ])
  await service.succeed('PATCH', `/posts/${some[0].id}`, { tags: [tag.id], status: 'DONE', ratio: 1e-7 })
  await service.succeed('PATCH', `/posts/${whole.id}`, { tags: [], cover: null, author: null, about: tag.id })
  await service.succeed('PUT', `/tags/${name()}`, { name: name() })
  await service.succeed('PATCH', '/posts?title=Three&status=DRAFT', { flag: false })
  await service.succeed('DELETE', `/posts/${some[0].id}`)
  await service.succeed('POST', `/posts/${some[0].id}/restorations`)
  await service.succeed('DELETE', `/posts/${whole.id}`)
  await service.succeed('DELETE', `/posts/${some[1].id}?purge=true`)
  await service.succeed('DELETE', `/tags/${tag.id}`)
  await service.succeed('DELETE', `/users/${user.id}`)
}

async function prepare(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-deep-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  const { place, flags, drop } = await makeTestPlace(data)
  t.after(async () => {
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    place,
    flags,
    check: () => checkStored(place),
    open: (text: string) => TestService.open(t, text, { ...place, allowBreaking: true }),
    migrate: (text: string, drops: boolean) =>
      migrateStore({ ...place, model: loadModel(text, ''), sdl: text, allowBreaking: true, drop: drops, log: silent }),
    async execute(sql: string) {
      if (place.database === null) {
        const database = new DatabaseSync(join(place.data, 'twain.db'))
        database.exec(sql)
        return database.close()
      }
      const raw = connect(place.database, { size: 1, time: 30 })
      await raw.query(sql).finally(() => raw.end())
    },
  }
}

function locationOf({ data, database }: { data: string; database: string | null }) {
  return database === null
    ? ({ kind: 'folder', folder: data } as const)
    : ({ kind: 'database', address: database } as const)
}
