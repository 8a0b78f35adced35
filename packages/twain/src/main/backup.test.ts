import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText, plainRequest } from '#base/http'
import { defaultLimits } from '#plan'
import { backUp, restore } from '#store'
import { openService, type Service } from './service.ts'

const sdl = 'type Note @allow { id: ID! text: String paper: File } type Tag @allow { id: ID! }'

test('a backup of a served folder has its rows, its files and its keys, and can be served again', async (t) => {
  const { folder, service } = await openIn(t, 'data')
  const file = await send(service, 'POST', '/files', 'hello', { 'content-type': 'text/plain' })
  const note = await send(service, 'POST', '/notes', { text: 'one', paper: file.id })
  const backup = join(folder, 'backup.db')
  assert.deepEqual(backUp(join(folder, 'data'), backup), { files: 1, elsewhere: 0 })
  assert.equal(statSync(backup).mode & 0o777, 0o600)
  const end = async () => (await send(service, 'GET', '/changes')).pageInfo as { endCursor: string }
  const { endCursor: before } = await end()
  await send(service, 'PUT', '/notes/2', { text: 'two' })
  const { endCursor: after } = await end()

  await restore(backup, join(folder, 'restored'))
  const restored = await openAt(t, folder, 'restored')
  assert.deepEqual(await send(restored, 'GET', '/notes'), [note])
  assert.equal((await raw(restored, 'GET', `/files/${file.id}`)).text, 'hello')
  assert.equal((await send(restored, 'GET', '/changes?first=5')).edges.length, 1)
  // R170: readers that have read changes after the backup begin anew; others continue.
  const lost = await raw(restored, 'GET', `/changes?after=${after}`)
  assert.equal(lost.status, 410)
  assert.match(lost.text, /a backup was restored/)
  await send(restored, 'PUT', '/notes/2', { text: 'other' })
  const { edges } = (await send(restored, 'GET', `/changes?after=${before}`)) as {
    edges: { node: { version: number } }[]
  }
  assert.equal(edges.length, 1)
  assert.ok(edges[0]!.node.version > 100_000, 'no version of the lost past is used again')
  assert.equal((await raw(restored, 'GET', `/changes?after=${after}`)).status, 410)
  assert.deepEqual(readdirSync(folder).sort(), ['backup.db', 'data', 'restored', 'schema.graphql'])
})

test('the backup before a schema hides data has the bytes of files, and can be restored', async (t) => {
  const { folder, service } = await openIn(t, 'data')
  const file = await send(service, 'POST', '/files', 'x'.repeat(600_000), { 'content-type': 'text/plain' })
  const empty = await send(service, 'POST', '/files', '', { 'content-type': 'text/plain' })
  const note = await send(service, 'POST', '/notes', { text: 'one', paper: file.id })
  const other = await send(service, 'POST', '/notes', { paper: empty.id })
  await service.close()
  writeFileSync(join(folder, 'schema.graphql'), sdl.replace(' paper: File', ''))
  await (await openAt(t, folder, 'data', { allowBreaking: true })).close()

  const [backup] = readdirSync(join(folder, 'data', 'backups'))
  rmSync(join(folder, 'data', 'files'), { recursive: true })
  await restore(join(folder, 'data', 'backups', backup!), join(folder, 'restored'))
  writeFileSync(join(folder, 'schema.graphql'), sdl)
  const restored = await openAt(t, folder, 'restored')
  assert.deepEqual(await send(restored, 'GET', '/notes'), [note, other])
  assert.equal((await raw(restored, 'GET', `/files/${file.id}`)).text, 'x'.repeat(600_000))
  assert.equal((await raw(restored, 'GET', `/files/${empty.id}`)).text, '')
})

test('a backup overwrites nothing, and a restore refuses a file that is no backup', async (t) => {
  const { folder } = await openIn(t, 'data')
  const data = join(folder, 'data')
  const backup = join(folder, 'backup.db')
  backUp(data, backup)
  assert.throws(() => backUp(data, backup), /There is a file .*backup\.db already/)
  assert.throws(() => backUp(join(folder, 'none'), join(folder, 'x')), /it has no twain\.db/)
  assert.throws(() => backUp(data, join(folder, 'none', 'x')), /There is no folder/)
  await assert.rejects(restore(backup, data), /There is data in .* already/)
  await assert.rejects(restore(join(folder, 'none.db'), join(folder, 'new')), /There is no file/)
  writeFileSync(join(folder, 'strange.db'), 'no database')
  await assert.rejects(restore(join(folder, 'strange.db'), join(folder, 'new')), /no database, or damaged/)
  const bytes = readFileSync(backup)
  bytes.fill(0x55, 8192, 40_000)
  writeFileSync(join(folder, 'damaged.db'), bytes)
  await assert.rejects(restore(join(folder, 'damaged.db'), join(folder, 'new')), /damaged/)
  assert.deepEqual(readdirSync(join(folder, 'new')), ['twain.lock'])
  await restore(backup, join(folder, 'new'))
})

async function openIn(t: TestContext, name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-backup-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'schema.graphql'), sdl)
  return { folder, service: await openAt(t, folder, name) }
}

async function openAt(t: TestContext, folder: string, name: string, more: object = {}): Promise<Service> {
  const log = { info() {}, warn() {}, error() {} }
  const schemaFile = join(folder, 'schema.graphql')
  const service = await openService({ schemaFile, data: join(folder, name), limits: defaultLimits, log, ...more })
  t.after(() => service.close())
  return service
}

type Sent = Record<string, unknown> & { edges: unknown[] }

async function send(...request: Parameters<typeof raw>): Promise<Sent> {
  const { status, text } = await raw(...request)
  assert.ok(status < 300, text)
  return JSON.parse(text) as Sent
}

async function raw(
  service: Service,
  method: string,
  target: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const request = plainRequest(method, target, { headers: { 'content-type': 'application/json', ...headers }, ...sent })
  const reply = await service.handle(request)
  return { status: reply.status, text: await bodyText(reply) }
}
