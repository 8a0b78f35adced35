// Files whose bytes are gone, or whose folder is: an answer with a code, never a cut connection; and uploads go on.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, truncateSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { checkStored } from '../../packages/twain/src/store/index.ts'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Note @allow { id: ID! cover: File }'
const size = 100_000
const logEntry = 'the bytes of an uploaded file are missing: restore them from a backup'

test('a download of bytes that are gone, whole or in part, is a 500 with the detail DAMAGED', async (t) => {
  const { service, upload, spoil, logged, place } = await open(t)
  const [gone, cut, whole] = [await upload('a'), await upload('b'), await upload('c')]
  await spoil(gone, 'remove')
  await spoil(cut, 'cut')
  for (const { id } of [gone, cut]) {
    for (const headers of [{}, { range: 'bytes=99000-99999' }]) {
      const reply = await fetch(`${service.address}/files/${id}`, { headers: headers as Record<string, string> })
      assert.equal(reply.status, 500)
      const { code, detail, errors } = (await reply.json()) as Problem
      assert.deepEqual([code, detail, errors[0]?.code], ['INTERNAL', 'The bytes of this file are missing.', 'DAMAGED'])
    }
    const head = await fetch(`${service.address}/files/${id}`, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('content-type')], [500, 'application/problem+json'])
  }
  assert.deepEqual([...new Set(logged)], [logEntry])
  const metrics = await (await fetch(`${service.address}/metrics`)).text()
  assert.match(metrics, /^twain_storage_failures_total\{kind="missing"\} 6$/m)
  const reply = await fetch(`${service.address}/files/${whole.id}`)
  assert.equal((await reply.text()).length, size)
  const head = await fetch(`${service.address}/files/${whole.id}`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(size)])
  assert.equal((await fetch(`${service.address}/readyz`)).status, 200)
  await service.succeed('DELETE', `/notes/${whole.note}`)
  assert.equal((await checkStored(place)).wrong.length, 2)
})

test('uploads go on after the folder of files was removed', { skip: testedStore !== 'sqlite' }, async (t) => {
  const { service, upload, data } = await open(t)
  rmSync(join(data, 'files'), { recursive: true })
  const { id } = await upload('a')
  assert.equal((await (await fetch(`${service.address}/files/${id}`)).text()).length, size)
})

interface Problem {
  code: string
  detail: string
  errors: { code: string }[]
}

async function open(t: TestContext) {
  const data = mkdtempSync(join(tmpdir(), 'twain-bytes-'))
  t.after(() => rmSync(data, { recursive: true, force: true }))
  const database = testedStore === 'postgres' ? await makePreparedDatabase() : null
  t.after(() => database?.drop())
  const logged: string[] = []
  const log = { ...silent, error: (_: object, message: string) => void logged.push(message) }
  const place = { data, database: database?.address ?? null }
  const service = await TestService.open(t, sdl, { ...place, log, metrics: { of: new Metrics(), to: 'local' } })
  const upload = async (letter: string) => {
    const body = letter.repeat(size)
    const reply = await fetch(`${service.address}/files`, { method: 'POST', body })
    assert.equal(reply.status, 201)
    const { id } = (await reply.json()) as { id: string }
    const note = await service.succeed('POST', '/notes', { cover: id })
    await service.succeed('PATCH', `/notes/${note.id}`, { cover: id })
    return { id, letter, note: note.id as string }
  }
  const spoil = async ({ letter }: { letter: string }, how: 'remove' | 'cut') => {
    const hash = createHash('sha256').update(letter.repeat(size)).digest('hex')
    const path = join(data, 'files', hash.slice(0, 2), hash)
    if (database === null && how === 'remove') unlinkSync(path)
    else if (database === null) truncateSync(path, 50)
    else if (how === 'remove') await database.raw.query('DELETE FROM twain_chunk WHERE key LIKE $1', [`%${hash}%`])
    else
      await database.raw.query('UPDATE twain_chunk SET bytes = substring(bytes FOR 50) WHERE key LIKE $1', [
        `%${hash}%`,
      ])
  }
  return { service, upload, spoil, logged, data, place }
}
