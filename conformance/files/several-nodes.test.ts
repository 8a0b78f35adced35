// Files on PostgreSQL, where several nodes are one service.
// stores: postgres

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { defaultFileSettings, type FileSettings } from '../../packages/twain/src/files/index.ts'
import { keys, openS3 } from '../../packages/twain/src/files/s3.fixture.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'

const sdl = `
type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique }
type Note @allow(who: "owner") { id: ID! scan: File! owner: User! @auto(set: VIEWER) }
`

test('a file that one node has stored another node serves, complete, in ranges and by its signed url', async (t) => {
  const { nodes, data } = await openNodes(t)
  const [one, other] = nodes
  const ann = await signUp(one)
  const bytes = randomBytes(1_000_000)
  const made = await send(one, 'POST', '/files', { headers: { ...ann, 'content-type': 'image/png' }, body: bytes })
  const { id, url } = JSON.parse(made.body.toString())
  const hash = createHash('sha256').update(bytes).digest('hex')

  const read = await send(other, 'GET', `/files/${id}`, { headers: ann })
  assert.deepEqual([read.status, read.headers.etag], [200, `"${hash}"`])
  assert.ok(read.body.equals(bytes))
  const part = await send(other, 'GET', `/files/${id}`, { headers: { ...ann, range: 'bytes=262143-524289' } })
  assert.equal(part.status, 206)
  assert.ok(part.body.equals(bytes.subarray(262_143, 524_290)))
  assert.ok((await send(other, 'GET', url)).body.equals(bytes))
  assert.equal((await send(other, 'GET', `/files/${id}`)).status, 404)

  const json = { ...ann, 'content-type': 'application/json' }
  const note = await send(other, 'POST', '/notes', { headers: json, body: JSON.stringify({ scan: id }) })
  assert.equal(note.status, 201)
  for (const folder of data) assert.equal(existsSync(folder), false, 'nothing in a node is state')
})

test('the same with S3-compatible storage: only there are the bytes, and a refused upload leaves nothing', async (t) => {
  const { endpoint, objects, fail } = await openS3(t)
  const { nodes, database, data } = await openNodes(t, { ...defaultFileSettings, endpoint, bucket: 'bucket', ...keys })
  const [one, other] = nodes
  const ann = await signUp(one)
  const bytes = randomBytes(700_000)
  const image = { ...ann, 'content-type': 'image/png' }
  const made = await send(one, 'POST', '/files', { headers: image, body: bytes })
  const { id, url } = JSON.parse(made.body.toString())
  assert.equal(made.status, 201)
  assert.deepEqual([...objects.values()], [bytes])
  const [chunks] = await database.raw.query('SELECT count(*) AS n FROM twain_chunk')
  assert.equal(Number(chunks!.n), 0)

  const part = await send(other, 'GET', `/files/${id}`, { headers: { ...ann, range: 'bytes=600000-' } })
  assert.equal(part.status, 206)
  assert.ok(part.body.equals(bytes.subarray(600_000)))
  assert.ok((await send(other, 'GET', url)).body.equals(bytes))
  const json = { ...ann, 'content-type': 'application/json' }
  const note = await send(other, 'POST', '/notes', { headers: json, body: JSON.stringify({ scan: id }) })
  assert.equal(note.status, 201)

  fail.with = 503
  assert.equal((await send(other, 'POST', '/files', { headers: image, body: 'more' })).status, 503)
  fail.with = null
  assert.equal(objects.size, 1)
  for (const folder of data) assert.equal(existsSync(folder), false, 'nothing in a node is state')
})

test('a write that refers to a file during its cleanup either keeps the file or is refused', async (t) => {
  const { nodes, database } = await openNodes(t)
  const [one, other] = nodes
  const ann = await signUp(one)
  const headers = { ...ann, 'content-type': 'application/json' }
  const forget = 'DELETE FROM twain_file AS f WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM "Note" WHERE scan = f.id)'
  for (let round = 0; round < 40; round++) {
    const made = await send(one, 'POST', '/files', { headers: ann, body: `file ${round}` })
    const { id } = JSON.parse(made.body.toString())
    const forgetting = async () => {
      await new Promise((resolve) => setTimeout(resolve, (round % 10) * 2))
      await database.raw.query(forget, [id]).catch(({ code }) => assert.equal(code, '23503'))
    }
    const body = JSON.stringify({ scan: id })
    const [written] = await Promise.all([send(other, 'POST', '/notes', { headers, body }), forgetting()])
    const read = await send(one, 'GET', `/files/${id}`, { headers: ann })
    assert.deepEqual([written.status, read.status], written.status === 201 ? [201, 200] : [409, 404])
  }
})

interface SentRequest {
  headers?: Record<string, string>
  body?: string | Uint8Array
}

async function send(service: Service, method: string, target: string, sent: SentRequest = {}) {
  const { status, headers, body } = await service.handle(plainRequest(method, target, sent))
  const parts: Uint8Array[] = []
  if (body !== null && typeof body === 'object' && Symbol.asyncIterator in body) {
    for await (const part of body as AsyncIterable<Uint8Array>) parts.push(part)
  } else parts.push(Buffer.from(await bodyText({ body })))
  return { status, headers, body: Buffer.concat(parts) }
}

async function signUp(service: Service): Promise<{ authorization: string }> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email: 'ann@example.org', password: 'correct horse battery' })
  await send(service, 'POST', '/users', { headers, body })
  const { body: token } = await send(service, 'POST', '/tokens', { headers, body })
  return { authorization: `Bearer ${JSON.parse(token.toString()).token}` }
}

async function openNodes(t: TestContext, files?: FileSettings) {
  const database = await makeTestDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'twain-nodes-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const log = { info() {}, warn() {}, error: console.error }
  const storage = files === undefined ? {} : { files }
  const place = { schemaFile, database: database.address, poolSize: 4, limits: defaultLimits, log, ...storage }
  const data = ['one', 'other'].map((name) => join(folder, name))
  const nodes = [
    await openService({ ...place, data: data[0]! }),
    await openService({ ...place, data: data[1]! }),
  ] as const
  t.after(async () => {
    for (const node of nodes) await node.close()
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  return { nodes, database, data }
}
