import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyText } from '#base/http'
import { isMultipart, readMultipart } from './multipart.ts'

const type = 'multipart/form-data; boundary=x'
const limits = { textBytes: 100, files: 2 }
const part = (head: string, value: string) => `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
const form = `${part('name="a"', 'text')}${part('name="f"; filename="é.txt"', 'some bytes')}${part('name="b"', '')}--x--\r\n`

test('parts arrive complete and in order, however the body is split', async () => {
  for (const size of [1, 2, 3, 7, 1000]) {
    const seen: unknown[] = []
    await readMultipart(cut(form, size), type, limits, async (one) => {
      if (one.kind === 'text') seen.push([one.name, one.text])
      else seen.push([one.name, one.fileName, await bodyText({ body: one.bytes })])
    })
    assert.deepEqual(seen, [
      ['a', 'text'],
      ['f', 'é.txt', 'some bytes'],
      ['b', ''],
    ])
  }
})

test('a file is streamed with backpressure', async () => {
  let sent = 0
  async function* endless() {
    yield Buffer.from(part('name="f"; filename="f"', '').slice(0, -2))
    for (;;) {
      sent += 65_536
      yield Buffer.alloc(65_536)
    }
  }
  const reading = readMultipart(endless(), type, limits, async (one) => {
    if (one.kind !== 'file') return
    let taken = 0
    for await (const chunk of one.bytes) {
      taken += chunk.length
      assert.ok(sent - taken < 1_000_000, `${sent} sent, ${taken} taken`)
      if (taken > 10_000_000) throw new Error('enough')
    }
  })
  await assert.rejects(reading, /enough/)
})

test('a malformed or truncated body is an error', async () => {
  const skip = async (one: { kind: string; bytes?: AsyncIterable<unknown> }) => {
    if (one.bytes !== undefined) for await (const _ of one.bytes);
  }
  for (let length = 0; length < form.length - 4; length++) {
    await assert.rejects(readMultipart(cut(form.slice(0, length), 50), type, limits, skip), { code: 'BAD_REQUEST' })
  }
  await assert.rejects(readMultipart(cut(form, 50), 'multipart/form-data', limits, skip), { code: 'BAD_REQUEST' })
  const long = `${part('name="a"', 'x'.repeat(101))}--x--\r\n`
  await assert.rejects(readMultipart(cut(long, 50), type, limits, skip), { code: 'PAYLOAD_TOO_LARGE' })
  const three = `${part('name="f"; filename="f"', 'x').repeat(3)}--x--\r\n`
  await assert.rejects(readMultipart(cut(three, 50), type, limits, skip), { code: 'PAYLOAD_TOO_LARGE' })
  const many = `${part('name="a"', 'x').repeat(11)}--x--\r\n`
  await assert.rejects(readMultipart(cut(many, 50), type, limits, skip), { code: 'BAD_REQUEST' })
})

test('an error of the body or of the consumer is passed on', async () => {
  async function* broken() {
    yield Buffer.from(form.slice(0, 150))
    throw new Error('gone')
  }
  const take = async (one: { kind: string; bytes?: AsyncIterable<unknown> }) => {
    if (one.bytes !== undefined) for await (const _ of one.bytes);
  }
  await assert.rejects(readMultipart(broken(), type, limits, take), /gone/)
  const refuse = () => Promise.reject(new Error('no'))
  await assert.rejects(readMultipart(cut(form, 9), type, limits, refuse), /no/)
})

test('a multipart body is recognized by its media type', () => {
  assert.ok(isMultipart('Multipart/Form-Data; boundary=x') && isMultipart('multipart/form-data'))
  for (const other of [undefined, '', 'multipart/mixed', 'multipart/form-datax', 'application/json']) {
    assert.ok(!isMultipart(other), other)
  }
})

async function* cut(text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
