// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { anonymous, bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { createEngine } from '../../packages/twain/src/engine/index.ts'
import { defaultFileSettings, Files, openBytes, openFileSignatures } from '../../packages/twain/src/files/index.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { createRest } from '../../packages/twain/src/rest/index.ts'
import { openStore } from '../../packages/twain/src/store/index.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { makeTestStorage } from './test-storage.ts'

const hour = 3600 * 1000

test('files that no row refers to are deleted after a day, the others stay; equal bytes stay while one file has them', async (t) => {
  const { files, keep, write, stored, pass } = await open(t)
  const [referenced, listed, loose, twin] = [await keep('a'), await keep('b'), await keep('c'), await keep('a')]
  await write('POST', '/photos', { file: referenced, more: [listed] })
  assert.equal(await stored(), testedStore === 'sqlite' ? 3 : 4) // a database stores equal bytes separately
  pass(23 * hour)
  await sweepAll(files)
  assert.ok(await files.find(loose, anonymous, null))
  pass(2 * hour)
  await sweepAll(files)
  assert.deepEqual(
    await Promise.all([referenced, listed].map(async (id) => (await files.find(id, anonymous, null))?.size)),
    [1, 1],
  )
  assert.deepEqual([await files.find(loose, anonymous, null), await files.find(twin, anonymous, null)], [null, null])
  assert.equal(await stored(), 2)
})

test('deleting a row releases its files; one that another row refers to stays', async (t) => {
  const { files, keep, write, stored, pass } = await open(t)
  const [one, both] = [await keep('one'), await keep('both')]
  const { id } = await write('POST', '/photos', { file: one, more: [both] })
  await write('POST', '/photos', { file: both })
  pass(25 * hour)
  await sweepAll(files)
  assert.equal(await stored(), 2)
  await write('DELETE', `/photos/${id}`)
  await sweepAll(files)
  assert.deepEqual([await files.find(one, anonymous, null), await stored()], [null, 1])
  assert.equal(await read(files, both), 'both')
})

test('a cleanup works in portions, and reaches the end of many files', async (t) => {
  const { files, records, pass } = await open(t)
  for (let n = 0; n < 1201; n++) {
    const id = `f${String(n).padStart(5, '0')}`
    const rest = { name: 'x', mediaType: 'a/b', size: 1, uploader: null, bytes: 'none', created: Date.now() }
    await records.add({ id, ...rest }, anonymous)
  }
  pass(25 * hour)
  assert.deepEqual([await files.cleanUp(), await files.cleanUp(), await files.cleanUp()], [false, false, true])
  assert.equal(await files.find('f01200', anonymous, null), null)
})

test('bytes that a crash left without a row are deleted after a day', async (t) => {
  const { files, bytes, stored, pass } = await open(t)
  const { release } = await bytes.put(of('left'))
  release()
  pass(2 * hour)
  for (let folder = 0; folder < 256; folder++) await files.cleanUp()
  assert.equal(await stored(), 1)
  pass(24 * hour)
  for (let folder = 0; folder < 256; folder++) await files.cleanUp()
  assert.equal(await stored(), 0)
})

test('a file always has its bytes, even if uploads and cleanups of the same bytes run at once', async (t) => {
  const { files, keep, stored, records, pass } = await open(t)
  pass(25 * hour)
  for (let round = 0; round < 30; round++) {
    const old = await keep('same')
    const [survivor] = await Promise.all([
      keep('same'),
      records.deleteUnheld([old]).then(async (keys) => files.cleanUp().then(() => keys)),
      files.receive({ bytes: of('same'), name: 'x', mediaType: undefined }).then((one) => files.release(one, false)),
    ])
    assert.equal(await read(files, survivor), 'same')
    await records.deleteUnheld([survivor])
  }
  pass(25 * hour)
  for (let folder = 0; folder < 256; folder++) await files.cleanUp()
  assert.equal(await stored(), 0)
})

test('an upload that breaks off leaves nothing', async (t) => {
  const { files, stored } = await open(t)
  async function* broken() {
    yield Buffer.from('some')
    throw new Error('gone')
  }
  await assert.rejects(files.receive({ bytes: broken(), name: 'x', mediaType: undefined }), /gone/)
  assert.equal(await stored(), 0)
})

async function open(t: TestContext) {
  const { data, database, stored, drop } = await makeTestStorage()
  const sdl = 'type Photo { id: ID! file: File more: [File!]! }'
  const model = loadModel(sdl, 'photos.graphql')
  const log = { info() {}, warn() {}, error() {} }
  const limits = defaultLimits
  const store = await openStore({ data, database, poolSize: 4, model, sdl, limits, log })
  t.after(async () => {
    await store.close()
    await drop()
  })
  let later = 0
  const clock = () => Date.now() + later
  const engine = createEngine({ model, store, limits })
  const signatures = await openFileSignatures(store.credentials, clock)
  const records = store.files!
  const bytes = openBytes({ settings: defaultFileSettings, data, chunks: records.chunks, clock })
  const files = new Files({ file: model.file!, engine, records, bytes, signatures, clock })
  const rest = createRest(engine, null, { files })
  return {
    files,
    records,
    bytes,
    async keep(text: string): Promise<string> {
      const received = await files.receive({ bytes: of(text), name: 'x', mediaType: undefined })
      const id = await files.save(received, anonymous)
      await files.release(received, true)
      return id
    },
    async write(method: string, target: string, body?: object): Promise<{ id: string }> {
      const headers = { 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
      const reply = await rest(plainRequest(method, target, sent), anonymous)
      assert.ok(reply.status < 300, String(reply.body))
      return JSON.parse((await bodyText(reply)) || '{}')
    },
    stored,
    pass(time: number) {
      later += time
    },
  }
}

async function sweepAll(files: Files): Promise<void> {
  while (!(await files.cleanUp()));
}

async function* of(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text)
}

async function read(files: Files, id: string): Promise<string> {
  const found = await files.find(id, anonymous, null)
  assert.ok(found)
  return bodyText({ body: files.open(found, 0, found.size) })
}
