import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText, plainRequest } from '#base/http'
import { openService } from '#main'
import { defaultLimits } from '#plan'
import { keys, openS3 } from './s3.fixture.ts'
import { S3Bytes } from './s3-bytes.ts'

test('contents are put, read in ranges, listed and removed', async (t) => {
  const { bytes, objects, spool } = await open(t)
  const one = await bytes.put(of('hello ', 'world'))
  const same = await bytes.put(of('hello world'))
  assert.deepEqual([one.size, objects.size], [11, 2])
  assert.notEqual(one.key, same.key)
  assert.deepEqual(readdirSync(spool), [])
  assert.equal(await bodyText({ body: bytes.open(one.key, 0, 11) }), 'hello world')
  assert.equal(await bodyText({ body: bytes.open(one.key, 4, 8) }), 'o wo')
  assert.deepEqual(await bytes.listBatch(Date.now() + 5000), [one.key, same.key].sort())
  assert.deepEqual(await bytes.listBatch(Date.now() - 5000), [])
  await bytes.remove([one.key, same.key], async () => [one.key])
  assert.deepEqual([...objects.keys()], [same.key])
})

test('many objects are listed in batches', async (t) => {
  const { bytes, objects } = await open(t)
  const names = Array.from({ length: 250 }, (_, n) => `twain/${String(n).padStart(4, '0')}`)
  for (const name of names) objects.set(name, Buffer.from(''))
  const later = Date.now() + 5000
  assert.deepEqual([...(await bytes.listBatch(later)), ...(await bytes.listBatch(later))], names)
  assert.equal((await bytes.listBatch(later)).length, 200)
})

test('a 4xx of the storage is an internal error; a 5xx or no connection is UNAVAILABLE', async (t) => {
  const { bytes, fail, close } = await open(t, { ...keys, secretKey: 'wrong' })
  await assert.rejects(bytes.put(of('x')), /answered 403/)
  fail.with = 503
  await assert.rejects(bytes.put(of('x')), { code: 'UNAVAILABLE' })
  close()
  await assert.rejects(bytes.put(of('x')), { code: 'UNAVAILABLE' })
})

test('a service stores its files in S3, and leaves nothing of a refused upload', async (t) => {
  const { endpoint, objects } = await openS3(t)
  const folder = mkdtempSync(join(tmpdir(), 'twain-s3-'))
  const schemaFile = join(folder, 'photos.graphql')
  writeFileSync(schemaFile, 'type Photo { id: ID! file: File }')
  const log = { info() {}, warn() {}, error() {} }
  const limits = { ...defaultLimits, uploadBytes: 100 }
  const files = { endpoint, bucket: 'bucket', ...keys }
  const service = await openService({ schemaFile, data: join(folder, 'data'), limits, log, files })
  t.after(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })
  const send = (method: string, path: string, body?: string, headers = {}) =>
    service.handle(plainRequest(method, path, body === undefined ? { headers } : { headers, body }))
  const { url } = JSON.parse(await bodyText(await send('POST', '/files', 'hello world')))
  assert.equal(objects.size, 1)
  assert.equal(await bodyText(await send('GET', url)), 'hello world')
  assert.equal(await bodyText(await send('GET', url, undefined, { range: 'bytes=-5' })), 'world')
  assert.equal((await send('POST', '/files', 'x'.repeat(101))).status, 413)
  assert.equal(objects.size, 1)
})

async function open(t: TestContext, used = keys) {
  const { endpoint, ...double } = await openS3(t)
  const spool = mkdtempSync(join(tmpdir(), 'twain-spool-'))
  t.after(() => rmSync(spool, { recursive: true }))
  return { ...double, spool, bytes: new S3Bytes({ endpoint, bucket: 'bucket', ...used }, spool) }
}

async function* of(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const each of texts) yield Buffer.from(each)
}
