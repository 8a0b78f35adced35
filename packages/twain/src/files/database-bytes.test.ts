import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { FileChunks } from '#store'
import { hashIn } from '#store'
import { DatabaseBytes } from './database-bytes.ts'

test('contents are split into chunks of one size, and can be read completely and in ranges', async () => {
  const { chunks, stored } = openChunks(100)
  const bytes = new DatabaseBytes(chunks, Date.now)
  const whole = randomBytes(1050)
  for (const length of [1, 33, 100, 999, 2000]) {
    const { key, size } = await bytes.put(cut(whole, length))
    assert.equal(size, 1050)
    assert.equal(hashIn(key), createHash('sha256').update(whole).digest('hex'))
    assert.deepEqual(
      [...stored.get(key)!.values()].map((one) => one.length),
      [...Array(10).fill(100), 50],
    )
    for (const [start, end] of [
      [0, 1050],
      [0, 1],
      [99, 101],
      [100, 200],
      [101, 999],
      [1049, 1050],
    ] as const) {
      assert.deepEqual(await joined(bytes.open(key, start, end)), whole.subarray(start, end), `${start}-${end}`)
    }
    await assert.rejects(joined(bytes.open(key, 1000, 1051)), /end at 1050, before 1051/)
  }
})

test('equal contents have different keys; an empty file has one chunk', async () => {
  const { chunks, stored } = openChunks(100)
  const bytes = new DatabaseBytes(chunks, Date.now)
  const [one, other] = [await bytes.put(cut(Buffer.from('a'), 1)), await bytes.put(cut(Buffer.from('a'), 1))]
  assert.notEqual(one.key, other.key)
  const empty = await bytes.put(cut(Buffer.alloc(0), 1))
  assert.deepEqual([empty.size, stored.get(empty.key)?.size], [0, 1])
  await bytes.remove([one.key, other.key], async () => [other.key])
  assert.deepEqual([...stored.keys()].sort(), [one.key, empty.key].sort())
})

test('an upload that fails leaves nothing', async () => {
  const { chunks, stored } = openChunks(10)
  async function* broken() {
    yield Buffer.alloc(35)
    throw new Error('gone')
  }
  await assert.rejects(new DatabaseBytes(chunks, Date.now).put(broken()), /gone/)
  const failing = { ...chunks, rename: () => Promise.reject(new Error('no')) }
  await assert.rejects(new DatabaseBytes(failing, Date.now).put(cut(Buffer.alloc(35), 9)), /no/)
  assert.equal(stored.size, 0)
})

test('old keys are listed in batches, and then from the start again', async () => {
  const { chunks } = openChunks(10)
  let now = 1000
  const bytes = new DatabaseBytes(chunks, () => now)
  for (let n = 0; n < 250; n++) await bytes.put(cut(Buffer.from(String(n)), 10))
  now = 2000
  await bytes.put(cut(Buffer.from('young'), 10))
  const [first, second, again] = [await bytes.listBatch(1500), await bytes.listBatch(1500), await bytes.listBatch(1500)]
  assert.deepEqual([first.length, second.length, new Set([...first, ...second]).size], [200, 50, 250])
  assert.deepEqual(again, first)
})

/** Chunks in memory. */
function openChunks(size: number) {
  const stored = new Map<string, Map<number, Uint8Array>>()
  const since = new Map<string, number>()
  const chunks: FileChunks = {
    size,
    async add(key, n, time, bytes) {
      if (n === 0) since.set(key, time)
      stored.set(key, (stored.get(key) ?? new Map()).set(n, Uint8Array.from(bytes)))
    },
    async rename(from, to) {
      stored.set(to, stored.get(from)!)
      since.set(to, since.get(from)!)
      stored.delete(from)
    },
    read: async (key, n, start, length) =>
      stored
        .get(key)
        ?.get(n)
        ?.subarray(start, start + length) ?? null,
    async remove(keys) {
      for (const key of keys) stored.delete(key)
    },
    async keys(after, before, limit) {
      const old = [...stored.keys()].filter((key) => key > after && since.get(key)! < before)
      return old.sort().slice(0, limit)
    },
  }
  return { chunks, stored }
}

async function* cut(bytes: Uint8Array, length: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function joined(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts)
}
