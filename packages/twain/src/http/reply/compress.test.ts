import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type HttpReply, isStream } from '#base/http'
import { startCpuTimer } from '#cpu-time'
import { chooseCoding, compress, confirmed, isCompressible } from './compress.ts'

const undo = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
const short = JSON.stringify(Array.from({ length: 200 }, (_, n) => ({ n })))
const long = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => ({ n })))

test('the server uses the coding that the client prefers, and the cheapest of equal ones', () => {
  for (const [accepted, coding] of [
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'zstd'],
    ['*;q=0.5, zstd;q=0, br;q=0', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=2', null],
    ['identity, gzip;q=0.5', null],
    ['deflate', null],
    ['', null],
    [undefined, null],
  ] as const) {
    assert.equal(chooseCoding(accepted), coding, accepted)
  }
})

for (const coding of ['gzip', 'br', 'zstd'] as const) {
  test(`${coding}: short bodies, long bodies and streams decompress to the original, with an entity tag of their own`, async () => {
    async function* pieces() {
      for (let at = 0; at < long.length; at += 10_000) yield long.slice(at, at + 10_000)
    }
    for (const [body, text] of [
      [short, short],
      [Buffer.from(short), short],
      [long, long],
      [pieces(), long],
    ] as const) {
      const reply = await compress(json(body, { etag: '"7-x"', 'content-length': '9' }), asking(coding), idle())
      assert.deepEqual(
        [reply.headers['content-encoding'], reply.headers.etag, reply.headers['content-length']],
        [coding, `"7-x+${coding}"`, undefined],
      )
      const bytes = isStream(reply.body) ? await buffer(reply.body) : Buffer.from(reply.body as Uint8Array)
      assert.ok(bytes.length < text.length / 2)
      assert.equal(undo[coding](bytes).toString(), text)
    }
  })
}

test('while the pool compresses as much as it may, long bodies are sent as they are', async () => {
  const load = { bytes: 0, maxBytes: long.length + 1 }
  const first = compress(json(long), asking('gzip'), load)
  const second = await compress(json(long), asking('gzip'), load)
  const third = await compress(json(short), asking('gzip'), load)

  const coding = ({ headers }: HttpReply) => headers['content-encoding']
  assert.deepEqual([coding(await first), coding(second), coding(third)], ['gzip', undefined, 'gzip'])
  assert.equal(coding(await compress(json(long), asking('gzip'), load)), 'gzip')
  assert.equal(load.bytes, 0)
})

test('small bodies, secrets, compressed media and event streams are not compressed', () => {
  assert.equal(isCompressible(json(short)), true)
  for (const type of [
    'text/csv',
    'application/xml',
    'application/problem+json',
    'application/x-ndjson; charset=utf-8',
  ]) {
    assert.equal(isCompressible({ ...json(short), headers: { 'content-type': type } }), true, type)
  }
  assert.equal(isCompressible(json('{}')), false)
  assert.equal(isCompressible(json(null)), false)
  assert.equal(isCompressible(json(short, { 'cache-control': 'no-store' })), false)
  assert.equal(isCompressible(json(short, { 'cache-control': 'public, no-transform' })), false)
  assert.equal(isCompressible({ ...json(short), status: 206 }), false)
  for (const type of ['image/png', 'application/octet-stream', 'text/event-stream', '']) {
    assert.equal(isCompressible({ ...json(short), headers: { 'content-type': type } }), false, type)
  }
})

test('a 304 names the tag that the client has', () => {
  const reply: HttpReply = { status: 304, headers: { etag: '"7-x"' }, body: null }
  const knows = (tags: string) => confirmed(reply, { headers: { 'if-none-match': tags } }).headers.etag
  assert.equal(knows('"6-x", "7-x+br"'), '"7-x+br"')
  assert.equal(knows('"7-x"'), '"7-x"')
})

test('a stream that fails, or whose client disconnects, ends on both sides', async () => {
  let ended = 0
  async function* endless(fails: boolean) {
    try {
      for (let n = 0; ; n++) {
        if (fails && n === 100) throw new Error('no more')
        yield `${Math.random()}`.repeat(100)
        await sleep(0)
      }
    } finally {
      ended++
    }
  }
  const failing = await compress(json(endless(true)), asking('gzip'), idle())
  await assert.rejects(buffer(failing.body as AsyncIterable<Uint8Array>), /no more/)

  const left = await compress(json(endless(false)), asking('gzip'), idle())
  for await (const _ of left.body as AsyncIterable<Uint8Array>) break
  while (ended < 2) await sleep(1)
  assert.equal(ended, 2)
})

test('compressing a megabyte does not block the event loop for more than 10 ms', async () => {
  const costs: number[] = []
  for (let turn = 0; turn < 5; turn++) {
    const cost = startCpuTimer()
    const promise = compress(json(long), asking('br'), idle())
    costs.push(cost())
    await promise
  }
  assert.ok(Math.min(...costs) < 10, `${costs} ms`)
})

const asking = (coding: string) => ({ headers: { 'accept-encoding': coding } })

function json(body: HttpReply['body'], headers: Record<string, string> = {}): HttpReply {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body }
}

function idle() {
  return { bytes: 0, maxBytes: Number.POSITIVE_INFINITY }
}
