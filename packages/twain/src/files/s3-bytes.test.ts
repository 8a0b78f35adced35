// Against a small double of an S3 server, which checks that what is signed is what came. (No real one runs here; that the
// signatures are right is shown by Amazon's own examples in sign-request.test.ts.)

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { bodyText } from '#base'
import { S3Bytes } from './s3-bytes.ts'
import { type S3Request, signRequest } from './sign-request.ts'

const keys = { region: 'eu-north-1', accessKey: 'key', secretKey: 'secret' }

test('bytes are put, read in parts, listed and removed', async (t) => {
  const { bytes, objects, spool } = await open(t)
  const one = await bytes.put(of('hello ', 'world'))
  const same = await bytes.put(of('hello world'))
  assert.deepEqual([one.size, objects.size], [11, 2])
  assert.notEqual(one.key, same.key)
  assert.deepEqual(readdirSync(spool), [])
  assert.equal(await bodyText({ body: bytes.open(one.key, 0, 11) }), 'hello world')
  assert.equal(await bodyText({ body: bytes.open(one.key, 4, 8) }), 'o wo')
  assert.deepEqual(await bytes.portion(Date.now() + 5000), [one.key, same.key].sort())
  assert.deepEqual(await bytes.portion(Date.now() - 5000), [])
  await bytes.remove([one.key, same.key], async () => [one.key])
  assert.deepEqual([...objects.keys()], [same.key])
})

test('many objects are listed portion by portion', async (t) => {
  const { bytes, objects } = await open(t)
  const names = Array.from({ length: 250 }, (_, n) => `twain/${String(n).padStart(4, '0')}`)
  for (const name of names) objects.set(name, Buffer.from(''))
  const later = Date.now() + 5000
  assert.deepEqual([...(await bytes.portion(later)), ...(await bytes.portion(later))], names)
  assert.equal((await bytes.portion(later)).length, 200)
})

test('a storage that refuses is a bug or a wrong setting, one that fails or is away is unavailable', async (t) => {
  const { bytes, fail, close } = await open(t, { ...keys, secretKey: 'wrong' })
  await assert.rejects(bytes.put(of('x')), /answered 403/)
  fail.with = 503
  await assert.rejects(bytes.put(of('x')), { code: 'UNAVAILABLE' })
  close()
  await assert.rejects(bytes.put(of('x')), { code: 'UNAVAILABLE' })
})

async function open(t: TestContext, used = keys) {
  const objects = new Map<string, Buffer>()
  const fail: { with: number | null } = { with: null }
  const server = createServer(async (message, reply) => {
    const body = await buffer(message)
    const url = new URL(message.url ?? '', `http://${message.headers.host}`)
    const status = fail.with ?? (isSigned() ? null : 403)
    if (status !== null) return void reply.writeHead(status).end('<Error/>')
    const key = url.pathname.replace('/bucket/', '')
    if (message.method === 'PUT') objects.set(key, body)
    if (message.method === 'DELETE') objects.delete(key)
    if (message.method !== 'GET') return void reply.writeHead(message.method === 'PUT' ? 200 : 204).end()
    if (key === '') return void reply.end(list(url.searchParams))
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(message.headers.range ?? '') ?? []
    reply.writeHead(206).end(objects.get(key)?.subarray(Number(start), Number(end) + 1))

    function isSigned(): boolean {
      const { authorization = '', 'x-amz-date': time = '', 'x-amz-content-sha256': bodyHash = '' } = message.headers
      const names = (/SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '').split(';')
      const ours = ['host', 'x-amz-date', 'x-amz-content-sha256']
      const others = names.filter((name) => !ours.includes(name))
      const headers = Object.fromEntries(others.map((name) => [name, String(message.headers[name])]))
      const method = message.method as S3Request['method']
      const now = new Date(String(time).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
      const right = signRequest({ method, url, headers, bodyHash: String(bodyHash) }, keys, now)
      const isWhole = createHash('sha256').update(body).digest('hex') === bodyHash
      return isWhole && right.authorization === authorization
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const spool = mkdtempSync(join(tmpdir(), 'twain-spool-'))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  t.after(() => {
    close()
    rmSync(spool, { recursive: true })
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { objects, fail, spool, close, bytes: new S3Bytes({ endpoint, bucket: 'bucket', ...used }, spool) }

  function list(query: URLSearchParams): string {
    const from = query.get('start-after') ?? ''
    const found = [...objects.keys()].sort().filter((key) => key > from)
    const time = new Date().toISOString()
    const shown = found.slice(0, Number(query.get('max-keys')))
    return `<List>${shown.map((key) => `<Contents><Key>${key}</Key><LastModified>${time}</LastModified></Contents>`).join('')}</List>`
  }
}

async function* of(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const each of texts) yield Buffer.from(each)
}
