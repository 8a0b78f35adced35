import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText, plainRequest } from '#base/http'
import { openService } from '#main'
import { defaultLimits } from '#plan'
import { openBytes } from './open-bytes.ts'
import { keys, openS3 } from './s3.fixture.ts'
import { S3Bytes } from './s3-bytes.ts'
import { openCredentialChain } from './s3-credentials.ts'
import { defaultFileSettings, type FileSettings } from './settings.ts'
import type { S3Credentials } from './sign-request.ts'

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

test('a session token is sent and signed', async (t) => {
  const temporary = { ...keys, sessionToken: 'token/of+some=length' }
  const { bytes, objects } = await open(t, temporary, temporary)
  const { key } = await bytes.put(of('hello'))
  assert.equal(await bodyText({ body: bytes.open(key, 0, 5) }), 'hello')
  assert.deepEqual([...objects.keys()], [key])
  const without = await open(t, keys, temporary)
  await assert.rejects(without.bytes.put(of('x')), /answered 403/)
  const another = await open(t, { ...keys, sessionToken: 'another' }, temporary)
  await assert.rejects(another.bytes.put(of('x')), /answered 403/)
})

test('files.credentials=aws takes the keys of a profile in the shared credentials file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-aws-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'credentials')
  writeFileSync(
    file,
    '[shop]\naws_access_key_id = shared\naws_secret_access_key = shared-secret\naws_session_token = shared-token\n',
  )
  setVariables(t, {
    AWS_SHARED_CREDENTIALS_FILE: file,
    AWS_CONFIG_FILE: join(folder, 'none'),
    AWS_PROFILE: 'shop',
    AWS_ACCESS_KEY_ID: undefined,
    AWS_SECRET_ACCESS_KEY: undefined,
  })
  const accepted = {
    region: keys.region,
    accessKey: 'shared',
    secretKey: 'shared-secret',
    sessionToken: 'shared-token',
  }
  const { endpoint, objects } = await openS3(t, accepted)
  const settings: FileSettings = {
    ...defaultFileSettings,
    endpoint,
    bucket: 'bucket',
    region: keys.region,
    credentials: 'aws',
  }
  const bytes = await openBytes({ settings, data: folder, chunks: null, clock: Date.now })
  await bytes.put(of('hello'))
  assert.equal(objects.size, 1)
})

test('files.credentials=aws takes the keys of the environment, and without any key the storage is unavailable', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-aws-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const none = {
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
    AWS_CONFIG_FILE: join(folder, 'none'),
    AWS_PROFILE: undefined,
    AWS_EC2_METADATA_DISABLED: 'true',
  }
  const given = { AWS_ACCESS_KEY_ID: 'env', AWS_SECRET_ACCESS_KEY: 'env-secret', AWS_SESSION_TOKEN: 'env-token' }
  setVariables(t, { ...none, ...given })
  const chain = await openCredentialChain()
  assert.deepEqual(await chain(), { accessKey: 'env', secretKey: 'env-secret', sessionToken: 'env-token' })
  for (const name of Object.keys(given)) delete process.env[name]
  const empty = await openCredentialChain()
  await assert.rejects(async () => empty(), { code: 'UNAVAILABLE' })
})

function setVariables(t: TestContext, variables: Record<string, string | undefined>): void {
  const before = { ...process.env }
  t.after(() => {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  })
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

test('a service stores its files in S3, and leaves nothing of a refused upload', async (t) => {
  const { endpoint, objects } = await openS3(t)
  const folder = mkdtempSync(join(tmpdir(), 'twain-s3-'))
  const schemaFile = join(folder, 'photos.graphql')
  writeFileSync(schemaFile, 'type Photo { id: ID! file: File }')
  const log = { info() {}, warn() {}, error() {} }
  const limits = { ...defaultLimits, uploadBytes: 100 }
  const files = { ...defaultFileSettings, endpoint, bucket: 'bucket', ...keys }
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

async function open(t: TestContext, used = keys, accepted: S3Credentials = keys) {
  const { endpoint, ...double } = await openS3(t, accepted)
  const spool = mkdtempSync(join(tmpdir(), 'twain-spool-'))
  t.after(() => rmSync(spool, { recursive: true }))
  const settings = { endpoint, bucket: 'bucket', region: used.region, keys: () => used }
  return { ...double, spool, bytes: new S3Bytes(settings, spool) }
}

async function* of(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const each of texts) yield Buffer.from(each)
}
