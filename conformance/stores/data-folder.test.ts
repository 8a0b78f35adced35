// A data folder whose files are moved, replaced or removed while a server runs: it acknowledges nothing that a start would not find.
// stores: sqlite

import assert from 'node:assert/strict'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Log } from '../../packages/twain/src/base/index.ts'
import { backUp, restore } from '../../packages/twain/src/store/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = 'type Note @allow { id: ID! text: String! }'
const gone = 'the files of the database were moved, replaced or removed'

test('after a move of the folder nothing is read or written, until the folder is back', async (t) => {
  const { service, data, logged } = await open(t)
  renameSync(data, `${data}-moved`)
  await refusesAll(service)
  assert.deepEqual(logged, [`${gone}: put them back, or restart the server`])

  renameSync(`${data}-moved`, data)
  assert.equal(
    await until(
      () => statusOf(service, '/readyz'),
      (status) => status === 200,
    ),
    200,
  )
  assert.equal((await service.succeed('GET', '/notes?text=a')).length, 1)
  await service.succeed('POST', '/notes', { text: 'b' })
  assert.deepEqual(logged.slice(1), ['the files of the database are back'])
})

test('no write is acknowledged from the moment on when the folder is away', async (t) => {
  const { service, data, logged } = await open(t, {
    sdl: `${sdl} type Mutation { note(text: String!): String! @allow }`,
    code: `export default { resolvers: { Mutation: { note: ({ text }, { transaction }) =>
      transaction(async ({ system }) => (await system.write.Note.create({ text })).text) } } }`,
  })
  for (let round = 1; round <= 5; round++) {
    renameSync(data, `${data}-moved`)
    const statuses = await Promise.all([
      statusOf(service, '/notes', { text: 'lost' }),
      statusOf(service, '/notes', [{ text: 'lost' }, { text: 'lost' }]),
      statusOf(service, '/note-requests', { text: 'lost' }),
    ])
    assert.deepEqual(statuses, [503, 503, 503], `round ${round}`)
    assert.equal(logged.length, 2 * round - 1)
    renameSync(`${data}-moved`, data)
    await until(
      async () => logged.length,
      (length) => length === 2 * round,
    )
  }
})

test('an upload does not make the folder anew, and fills none that took its place', async (t) => {
  const { service, data } = await open(t, { sdl: 'type Note @allow { id: ID! text: String! cover: File }' })
  const upload = async () => (await fetch(`${service.address}/files`, { method: 'POST', body: 'hello' })).status
  assert.equal(await upload(), 201)

  renameSync(data, `${data}-moved`)
  for (let n = 0; n < 2; n++) assert.equal(await upload(), 503)
  assert.equal(existsSync(data), false)
  mkdirSync(data)
  assert.equal(await upload(), 503)
  assert.deepEqual(readdirSync(data), [])

  rmdirSync(data)
  renameSync(`${data}-moved`, data)
  assert.equal(await until(upload, (status) => status === 201), 201)
  rmSync(join(data, 'files'), { recursive: true })
  assert.equal(await upload(), 201)
})

test('the same holds if other files take their place, or only the write-ahead log has gone', async (t) => {
  const replaced = await open(t)
  copyFileSync(join(replaced.data, 'twain.db'), join(replaced.data, 'other.db'))
  renameSync(join(replaced.data, 'other.db'), join(replaced.data, 'twain.db'))
  await refusesAll(replaced.service)

  const cut = await open(t)
  unlinkSync(join(cut.data, 'twain.db-wal'))
  await refusesAll(cut.service)
})

test('a stop without the folder leaves no empty database behind', async (t) => {
  const { service, data } = await open(t)
  for (const name of ['twain.db', 'twain.db-wal', 'twain.db-shm']) unlinkSync(join(data, name))
  await refusesAll(service)
  await service.close()
  assert.equal(existsSync(join(data, 'twain.db')), false)
})

test('what an interrupted restore or copy has left is not served as an empty service', async (t) => {
  const source = await open(t)
  const backup = join(source.data, 'backup.db')
  backUp(source.data, backup)
  const data = newFolder(t)
  for (const [name, command] of [
    ['twain.db.restore', 'twain restore'],
    ['twain.db.copy', 'twain copy'],
  ] as const) {
    cpSync(backup, join(data, name))
    await assert.rejects(TestService.open(t, sdl, { data }), {
      name: 'StartRefused',
      message: `${data} has no twain.db, but ${name}: ${command} was interrupted. Run it again; or remove ${name} to begin with an empty service.`,
    })
    if (name === 'twain.db.copy') unlinkSync(join(data, name))
    else {
      await restore(backup, data)
      const restored = await TestService.open(t, sdl, { data })
      assert.equal((await restored.succeed('GET', '/notes')).length, 1)
      await restored.close()
      unlinkSync(join(data, 'twain.db'))
    }
  }
})

async function open(
  t: TestContext,
  options: { sdl?: string; code?: string } = {},
): Promise<{ service: TestService; data: string; logged: string[] }> {
  const data = newFolder(t)
  const logged: string[] = []
  const note = (_: object, message: string) => void (message.includes('files of the database') && logged.push(message))
  const log: Log = { ...silent, warn: note, error: note }
  const service = await TestService.open(t, options.sdl ?? sdl, {
    data,
    log,
    ...(options.code !== undefined && { code: options.code }),
  })
  await service.succeed('POST', '/notes', { text: 'a' })
  writeFileSync(join(data, 'marker'), '')
  return { service, data, logged }
}

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-folder-'))
  t.after(() => {
    for (const path of [folder, `${folder}-moved`]) rmSync(path, { recursive: true, force: true })
  })
  return folder
}

async function refusesAll(service: TestService): Promise<void> {
  assert.equal(await statusOf(service, '/notes', { text: 'lost' }), 503, 'at once')
  const ready = async () => (await fetch(`${service.address}/readyz`)).json() as Promise<{ reason?: string }>
  assert.equal((await until(ready, ({ reason }) => reason !== undefined)).reason, gone)
  assert.equal(await statusOf(service, '/readyz'), 503)
  for (const path of ['/notes', '/notes?text[contains]=a', '/changes']) assert.equal(await statusOf(service, path), 503)
  assert.equal(await statusOf(service, '/notes', { text: 'lost' }), 503)
  for (const query of ['{ notes { id } }', 'mutation { createNote(input: { text: "lost" }) { id } }']) {
    const answer = await (await send(service, '/graphql', { query })).json()
    assert.equal((answer as GraphQLAnswer).errors?.[0]?.extensions.code, 'UNAVAILABLE')
  }
}

interface GraphQLAnswer {
  errors?: { extensions: { code: string } }[]
}

async function statusOf(service: TestService, path: string, body?: object): Promise<number> {
  return (await send(service, path, body)).status
}

function send(service: TestService, path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(service.address + path, body && { method: 'POST', headers, body: JSON.stringify(body) })
}
