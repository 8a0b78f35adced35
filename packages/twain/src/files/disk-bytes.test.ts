import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText } from '#base/http'
import { DiskBytes } from './disk-bytes.ts'

test('contents are addressed by hash, readable by their owner only, and can be read in ranges', async (t) => {
  const { bytes, folder } = open(t)
  const one = await bytes.put(of('hello ', 'world'))
  const same = await bytes.put(of('hello world'))
  assert.deepEqual([one.key, one.size], [same.key, 11])
  const path = join(folder, 'files', one.key.slice(0, 2), one.key)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(folder, 'files', 'new')), [])
  assert.equal(await bodyText({ body: bytes.open(one.key, 0, 11) }), 'hello world')
  assert.equal(await bodyText({ body: bytes.open(one.key, 4, 8) }), 'o wo')
})

test('claimed or referenced contents are not removed', async (t) => {
  const { bytes, folder } = open(t)
  const { key, release } = await bytes.put(of('x'))
  const path = join(folder, 'files', key.slice(0, 2), key)
  await bytes.remove([key], async (keys) => [...keys])
  assert.ok(existsSync(path))
  release()
  await bytes.remove([key], async () => [])
  assert.ok(existsSync(path))
  await bytes.remove([key], async (keys) => [...keys])
  assert.ok(!existsSync(path))
})

test('the next start deletes incomplete files of a crash', (t) => {
  const { folder } = open(t)
  writeFileSync(join(folder, 'files', 'new', 'half'), 'x')
  new DiskBytes(folder)
  assert.deepEqual(readdirSync(join(folder, 'files', 'new')), [])
})

test('the list of contents ignores other files in the folder', async (t) => {
  const { bytes, folder } = open(t)
  const { key } = await bytes.put(of('x'))
  mkdirSync(join(folder, 'files', '00'), { recursive: true })
  writeFileSync(join(folder, 'files', '00', 'note.txt'), 'x')
  const found: string[] = []
  for (let prefix = 0; prefix < 256; prefix++) found.push(...(await bytes.listBatch(Date.now() + 1000)))
  assert.deepEqual(found, [key])
})

function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-bytes-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return { folder, bytes: new DiskBytes(folder) }
}

async function* of(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}
