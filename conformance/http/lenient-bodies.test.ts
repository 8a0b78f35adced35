// Large bodies with `Prefer: handling=lenient` (docs/reference/rest.md, R79), over a real port: the limit `limits.importBytes`, and
// connections that break in the middle of the body or of the answer.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Note @allow { id: ID! text: String! }'
const row = (n: number) => `{"text":"${'x'.repeat(90)}${n}"}\n`

function lenient(address: string) {
  const headers = { 'content-type': 'application/x-ndjson', prefer: 'handling=lenient' }
  return request(`${address}/notes`, { method: 'POST', headers })
}

async function countOf(address: string): Promise<number> {
  const { headers } = await fetch(`${address}/notes?limit=1`, { headers: { prefer: 'count=exact' } })
  return Number(headers.get('x-total-count'))
}

/** Bodies that still wait. */
const waiting = ({ schemaFile }: TestService) =>
  readdirSync(dirname(schemaFile)).filter((name) => name.startsWith('twain-body'))

test('a body over limits.importBytes is a 413, and one over limits.bodyBytes is not', async (t) => {
  const limits = { ...defaultLimits, bodyBytes: 1000, importBytes: 20_000 }
  const service = await TestService.open(t, sdl, { limits })
  const post = async (body: string) => {
    const headers = { 'content-type': 'application/x-ndjson', prefer: 'handling=lenient' }
    const reply = await fetch(`${service.address}/notes`, { method: 'POST', headers, body })
    return { status: reply.status, text: await reply.text() }
  }
  const over = await post(row(1).repeat(300))
  assert.deepEqual(
    [over.status, JSON.parse(over.text).hint],
    [413, 'The setting limits.importBytes is the largest size of a body.'],
  )
  const long = await post(`{"text":"${'x'.repeat(1500)}"}\n`)
  assert.deepEqual(
    [long.status, JSON.parse(long.text).hint],
    [413, 'The setting limits.bodyBytes is the largest size of one row.'],
  )
  assert.equal(await countOf(service.address), 0)
  const taken = await post(row(1).repeat(100))
  assert.deepEqual([taken.status, taken.text.trimEnd().split('\n').length], [200, 100])
  assert.equal(await countOf(service.address), 100)
})

test('a connection that breaks in the middle of the body writes nothing', async (t) => {
  const service = await TestService.open(t, sdl, { limits: { ...defaultLimits, bulk: 10 } })
  const sent = lenient(service.address)
  sent.on('error', () => {})
  sent.write(row(1).repeat(2000))
  await once(sent, 'socket')
  // Requests of other clients are answered meanwhile.
  assert.equal(await countOf(service.address), 0)
  const closed = new Promise((resolve) => sent.on('close', resolve))
  sent.destroy()
  await closed
  const next = lenient(service.address)
  next.end(row(1))
  const [reply] = await once(next, 'response')
  reply.resume()
  await once(reply, 'end')
  assert.equal(await countOf(service.address), 1)
  assert.deepEqual(waiting(service), [])
})

test('a client that goes away in the middle of the answer keeps the portions that were written', async (t) => {
  const limits = { ...defaultLimits, bulk: 10 }
  const service = await TestService.open(t, sdl, { limits })
  const sent = lenient(service.address)
  sent.on('error', () => {})
  sent.end(row(1).repeat(20_000))
  const [reply] = await once(sent, 'response')
  reply.on('error', () => {})
  const [chunk] = await once(reply, 'data')
  const closed = new Promise((resolve) => sent.on('close', resolve))
  sent.destroy()
  const lines = String(chunk).split('\n').length - 1
  await closed
  let written = await countOf(service.address)
  for (let before = -1; before !== written; written = await countOf(service.address)) before = written
  assert.ok(written >= lines && written % 10 === 0, `${written} rows, ${lines} lines`)
  assert.ok(written < 20_000, `${written} rows`)
})
