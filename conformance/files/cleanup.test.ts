// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { anonymous } from '../../packages/twain/src/base/http/index.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { hour, of, openCleanup, read, sweepAll } from './open-cleanup.ts'

const sdl = 'type Photo { id: ID! file: File more: [File!]! }'

test('files that no row refers to are deleted after a day, the others stay; equal bytes stay while one file has them', async (t) => {
  const { files, keep, write, stored, pass } = await openCleanup(t, sdl)
  const [referenced, listed, loose, twin] = [await keep('a'), await keep('b'), await keep('c'), await keep('a')]
  await write('POST', '/photos', { file: referenced, more: [listed] })
  assert.equal(await stored(), testedStore === 'sqlite' ? 3 : 4) // a database stores equal bytes separately
  await sweepAll(files)
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

test('a variant of an image stays with its file, and is deleted after it', async (t) => {
  const { files, keep, write, request, stored, pass } = await openCleanup(t, sdl)
  const png = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const file = await keep(png)
  const { id } = await write('POST', '/photos', { file })
  const make = async () => assert.equal((await request('GET', `/files/${file}?width=8`)).status, 200)
  await make()
  assert.equal(await stored(), 2)
  pass(50 * hour)
  await sweepAll(files)
  await make()
  assert.equal(await stored(), 2)
  await write('DELETE', `/photos/${id}`)
  await sweepAll(files)
  pass(25 * hour)
  await sweepAll(files)
  assert.equal((await request('GET', `/files/${file}?width=8`)).status, 404)
  assert.equal(await stored(), 0)
  // The same bytes again, which have the same key in a data folder.
  const again = await keep(png)
  assert.equal((await request('GET', `/files/${again}?width=8`)).status, 200)
  assert.equal(await stored(), 2)
})

test('a file is deleted a day after the last row that referred to it, however old the file is', async (t) => {
  const { files, keep, write, pass } = await openCleanup(t, sdl)
  const file = await keep('one')
  const { id } = await write('POST', '/photos', { file })
  pass(100 * hour)
  await sweepAll(files)
  await write('PATCH', `/photos/${id}`, { file: null })
  await sweepAll(files)
  pass(23 * hour)
  await write('PATCH', `/photos/${id}`, { file })
  await write('PATCH', `/photos/${id}`, { file: null })
  pass(2 * hour)
  await sweepAll(files)
  assert.ok(await files.find(file, anonymous, null), 'a row referred to it two hours ago')
  pass(23 * hour)
  await sweepAll(files)
  assert.ok(await files.find(file, anonymous, null))
  pass(2 * hour)
  await sweepAll(files)
  assert.equal(await files.find(file, anonymous, null), null)
})

test('deleting a row releases its files; one that another row refers to stays', async (t) => {
  const { files, keep, write, stored, pass } = await openCleanup(t, sdl)
  const [one, both] = [await keep('one'), await keep('both')]
  const { id } = await write('POST', '/photos', { file: one, more: [both] })
  await write('POST', '/photos', { file: both })
  pass(25 * hour)
  await sweepAll(files)
  assert.equal(await stored(), 2)
  await write('DELETE', `/photos/${id}`)
  await sweepAll(files)
  pass(25 * hour)
  await sweepAll(files)
  assert.deepEqual([await files.find(one, anonymous, null), await stored()], [null, 1])
  assert.equal(await read(files, both), 'both')
})

test('a cleanup works in portions, and reaches the end of many files', async (t) => {
  const { files, records, pass } = await openCleanup(t, sdl)
  for (let n = 0; n < 1201; n++) {
    const id = `f${String(n).padStart(5, '0')}`
    const rest = { name: 'x', mediaType: 'a/b', size: 1, uploader: null, bytes: 'none', created: Date.now() }
    await records.add({ id, ...rest }, anonymous)
  }
  await sweepAll(files)
  pass(25 * hour)
  assert.deepEqual([await files.cleanUp(), await files.cleanUp(), await files.cleanUp()], [false, false, true])
  assert.equal(await files.find('f01200', anonymous, null), null)
})

test('bytes that a crash left without a row are deleted after a day', async (t) => {
  const { files, bytes, stored, pass } = await openCleanup(t, sdl)
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
  const { files, keep, stored, records, pass } = await openCleanup(t, sdl)
  pass(25 * hour)
  for (let round = 0; round < 30; round++) {
    const old = await keep('same')
    const [survivor] = await Promise.all([
      keep('same'),
      records.deleteUnheld([old]).then(async (keys) => files.cleanUp().then(() => keys)),
      files
        .receive({ bytes: of('same'), name: 'x', mediaType: undefined, client: 'test' })
        .then((one) => files.release(one, false)),
    ])
    assert.equal(await read(files, survivor), 'same')
    await records.deleteUnheld([survivor])
  }
  pass(25 * hour)
  for (let folder = 0; folder < 256; folder++) await files.cleanUp()
  assert.equal(await stored(), 0)
})

test('an upload that breaks off leaves nothing', async (t) => {
  const { files, stored } = await openCleanup(t, sdl)
  async function* broken() {
    yield Buffer.from('some')
    throw new Error('gone')
  }
  await assert.rejects(files.receive({ bytes: broken(), name: 'x', mediaType: undefined, client: 'test' }), /gone/)
  assert.equal(await stored(), 0)
})

test('a reversion to a version whose file is deleted leaves the field as it is, and puts the others back', async (t) => {
  const { files, keep, write, request, pass } = await openCleanup(t, 'type Photo { id: ID! title: String file: File }')
  const [first, second] = [await keep('a'), await keep('b')]
  const { id } = await write('POST', '/photos', { title: 'One', file: first })
  await write('PATCH', `/photos/${id}`, { title: 'Two', file: second })
  await sweepAll(files)
  pass(25 * hour)
  await sweepAll(files)
  assert.equal(await files.find(first, anonymous, null), null)
  const { status, text } = await request('POST', `/photos/${id}/reversions`, { version: 1 })
  assert.equal(status, 200, text)
  assert.deepEqual(JSON.parse(text), { id, title: 'One', file: second })
})
