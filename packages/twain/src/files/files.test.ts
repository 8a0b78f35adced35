import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { anonymous, bodyText, plainRequest } from '#base'
import { createEngine } from '#engine'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { createRest } from '#rest'
import { openStore } from '#store'
import { DiskBytes } from './disk-bytes.ts'
import { Files } from './files.ts'
import { openSignatures } from './signatures.ts'

const hour = 3600 * 1000

test('files that no row holds go after a day, the others stay; equal bytes stay while one has them', async (t) => {
  const { files, keep, write, onDisk, pass } = await open(t)
  const [held, listed, loose, twin] = [await keep('a'), await keep('b'), await keep('c'), await keep('a')]
  await write('POST', '/photos', { file: held, more: [listed] })
  assert.equal(onDisk(), 3)
  pass(23 * hour)
  await sweepAll(files)
  assert.ok(await files.find(loose, anonymous, null))
  pass(2 * hour)
  await sweepAll(files)
  assert.deepEqual(
    await Promise.all([held, listed].map(async (id) => (await files.find(id, anonymous, null))?.size)),
    [1, 1],
  )
  assert.deepEqual([await files.find(loose, anonymous, null), await files.find(twin, anonymous, null)], [null, null])
  assert.equal(onDisk(), 2)
})

test('deleting a row frees its files; one that another row holds stays', async (t) => {
  const { files, keep, write, onDisk, pass } = await open(t)
  const [one, both] = [await keep('one'), await keep('both')]
  const { id } = await write('POST', '/photos', { file: one, more: [both] })
  await write('POST', '/photos', { file: both })
  pass(25 * hour)
  await sweepAll(files)
  assert.equal(onDisk(), 2)
  await write('DELETE', `/photos/${id}`)
  await sweepAll(files)
  assert.deepEqual([await files.find(one, anonymous, null), onDisk()], [null, 1])
  assert.equal(await read(files, both), 'both')
})

test('a sweep goes in portions, and comes to the end of many', async (t) => {
  const { files, records, pass } = await open(t)
  for (let n = 0; n < 1201; n++) {
    await records.add({
      ...{ id: `f${String(n).padStart(5, '0')}`, name: 'x', mediaType: 'a/b', size: 1, uploader: null },
      ...{ bytes: 'none', created: Date.now() },
    })
  }
  pass(25 * hour)
  assert.deepEqual([await files.sweep(), await files.sweep(), await files.sweep()], [false, false, true])
  assert.equal(await files.find('f01200', anonymous, null), null)
})

test('bytes that a crash left without a row go after a day', async (t) => {
  const { files, bytes, onDisk, pass } = await open(t)
  const { release } = await bytes.put(of('left'))
  release()
  pass(2 * hour)
  for (let folder = 0; folder < 256; folder++) await files.sweep()
  assert.equal(onDisk(), 1)
  pass(24 * hour)
  for (let folder = 0; folder < 256; folder++) await files.sweep()
  assert.equal(onDisk(), 0)
})

test('uploads and sweeps of the same bytes at once: a row always has its bytes', async (t) => {
  const { files, keep, onDisk, records, pass } = await open(t)
  pass(25 * hour)
  for (let round = 0; round < 30; round++) {
    const old = await keep('same')
    const [kept] = await Promise.all([
      keep('same'),
      records.forget([old]).then(async (keys) => files.sweep().then(() => keys)),
      files.receive({ bytes: of('same'), name: 'x', mediaType: undefined }).then((one) => files.release(one, false)),
    ])
    assert.equal(await read(files, kept), 'same')
    await records.forget([kept])
  }
  assert.ok(onDisk() <= 1)
})

test('what breaks off leaves nothing', async (t) => {
  const { files, onDisk } = await open(t)
  async function* broken() {
    yield Buffer.from('some')
    throw new Error('gone')
  }
  await assert.rejects(files.receive({ bytes: broken(), name: 'x', mediaType: undefined }), /gone/)
  assert.equal(onDisk(), 0)
})

async function open(t: TestContext) {
  const data = mkdtempSync(join(tmpdir(), 'twain-files-'))
  const sdl = 'type Photo { id: ID! file: File more: [File!]! }'
  const model = loadModel(sdl, 'photos.graphql')
  const log = { info() {}, warn() {}, error() {} }
  const limits = defaultLimits
  const store = await openStore({ data, model, sdl, limits, log })
  t.after(async () => {
    await store.close()
    rmSync(data, { recursive: true })
  })
  let later = 0
  const clock = () => Date.now() + later
  const engine = createEngine({ model, store, limits })
  const signatures = await openSignatures(store.vault, clock)
  const records = store.files!
  const bytes = new DiskBytes(data)
  const files = new Files({ file: model.file!, engine, records, bytes, signatures, clock })
  const rest = createRest(engine, null, { files })
  return {
    files,
    records,
    bytes,
    async keep(text: string): Promise<string> {
      const received = await files.receive({ bytes: of(text), name: 'x', mediaType: undefined })
      const id = await files.keep(received, anonymous)
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
    onDisk: () =>
      readdirSync(join(data, 'files'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length,
    pass(time: number) {
      later += time
    },
  }
}

async function sweepAll(files: Files): Promise<void> {
  while (!(await files.sweep()));
}

async function* of(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text)
}

async function read(files: Files, id: string): Promise<string> {
  const found = await files.find(id, anonymous, null)
  assert.ok(found)
  return bodyText({ body: files.open(found, 0, found.size) })
}
