// A disk that is really full: a small file system in memory. Writes and uploads answer FULL, reads go on, commands say what to do, and
// free space is enough for the next write.
// stores: sqlite

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { command } from '../../packages/twain/src/cli/command.fixture.ts'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = 'type Note @allow { id: ID! text: String! cover: File }'
const text = 'x'.repeat(200_000)
const sentence = 'The disk of the server is full; nothing was written.'

test('a full disk refuses writes and uploads with FULL on both APIs, and nothing else', async (t) => {
  const disk = mountDisk(t)
  if (disk === null) return
  const logged: string[] = []
  const log = { ...silent, error: (_: object, entry: string) => void logged.push(entry) }
  const metrics = { of: new Metrics(), to: 'local' } as const
  const service = await TestService.open(t, sdl, { data: disk.folder, log, metrics })
  await service.succeed('POST', '/notes', { text: 'before' })
  disk.fill()

  const created = await service.send('POST', '/notes', { text })
  assert.deepEqual(
    [created.status, created.headers.get('retry-after'), ...codes(created.body)],
    [503, '5', 'UNAVAILABLE', 'FULL'],
  )
  assert.equal(created.body.detail, sentence)
  const query = 'mutation ($text: String!) { createNote(input: { text: $text }) { id } }'
  const { body } = await service.send('POST', '/graphql', { query, variables: { text } })
  assert.deepEqual([body.errors[0].message, ...codes(body.errors[0].extensions)], [sentence, 'UNAVAILABLE', 'FULL'])
  const headers = { 'content-type': 'text/plain' }
  const upload = await fetch(`${service.address}/files`, { method: 'POST', headers, body: text })
  assert.deepEqual([upload.status, ...codes((await upload.json()) as Problem)], [503, 'UNAVAILABLE', 'FULL'])
  assert.equal((await fetch(`${service.address}/readyz`)).status, 503)
  assert.deepEqual(await service.succeed('GET', '/notes?fields=text'), [{ text: 'before' }])
  assert.deepEqual(logged, ['the disk is full: free some space, and writes succeed again'])
  const told = await (await fetch(`${service.address}/metrics`)).text()
  assert.ok(Number(/^twain_storage_failures_total\{kind="full"\} (\d+)$/m.exec(told)?.[1]) >= 3)

  disk.free()
  const ready = await until(
    async () => (await fetch(`${service.address}/readyz`)).status,
    (status) => status === 200,
  )
  assert.equal(ready, 200)
  await service.succeed('POST', '/notes', { text })
  assert.equal((await fetch(`${service.address}/files`, { method: 'POST', headers, body: text })).status, 201)
  assert.equal((await service.succeed('GET', '/notes?fields=id')).length, 2)
})

test('a transaction of code that catches FULL is over: nothing of it is stored', async (t) => {
  const disk = mountDisk(t)
  if (disk === null) return
  const code = `export default { resolvers: { Mutation: { fill: async ({ text }, context) => {
    await context.transaction(async ({ write }) => {
      await write.Note.create({ text: 'first' })
      globalThis.fillDisk()
      // The writer keeps the first megabytes in memory.
      for (let note = 0; note < 20; note++) await write.Note.create({ text }).catch(() => {})
      globalThis.freeDisk()
      await write.Note.create({ text: 'last' })
    })
    return true
  } } } }`
  const withCode = `${sdl} extend type Mutation { fill(text: String!): Boolean! @allow }`
  Object.assign(globalThis, { fillDisk: disk.fill, freeDisk: disk.free })
  const service = await TestService.open(t, withCode, { data: disk.folder, code })
  const { status, body } = await service.send('POST', '/fill-requests', { text: text.repeat(4) })
  assert.deepEqual([status, ...codes(body)], [503, 'UNAVAILABLE', 'FULL'])
  assert.deepEqual(await service.succeed('GET', '/notes'), [])
})

test('commands on a full disk say so, and none calls it a bug', async (t) => {
  const disk = mountDisk(t)
  if (disk === null) return
  const schema = join(disk.elsewhere, 'schema.graphql')
  writeFileSync(schema, sdl)
  const data = join(disk.folder, 'data')
  assert.equal((await command('migrate', schema, '--data', data)).code, 0)
  disk.fill()
  writeFileSync(
    schema,
    `${sdl} ${Array.from({ length: 40 }, (_, n) => `type T${n} @allow { id: ID! name: String @unique }`).join(' ')}`,
  )
  for (const words of [
    ['migrate', schema, '--data', data],
    ['start', schema, '--data', data, '--port', '0'],
    ['migrate', schema, '--data', join(disk.folder, 'new')],
    ['backup', '--data', data, '--to', join(disk.folder, 'backup.db')],
  ]) {
    const { code, out, err } = await command(...words)
    assert.notEqual(code, 0, words.join(' '))
    assert.match(
      out + err,
      /The disk is full\. Free some space, then try again; what was written before is whole\./,
      words.join(' '),
    )
    assert.doesNotMatch(out + err, /bug in Twain/)
  }
  const doctor = await command('doctor', schema, '--data', data, '--port', '0')
  assert.match(doctor.out, /✗ .* has 0\.0 GB free\.\n {2}Free some space/)
  disk.free()
  assert.equal((await command('migrate', schema, '--data', data)).code, 0)
})

interface Problem {
  code: string
  errors?: { code: string }[]
}

/** The codes of an error and of its first detail. */
function codes({ code, errors }: Problem): unknown[] {
  return [code, errors?.[0]?.code]
}

/** Null, and the test is skipped, where this user may not mount one. */
function mountDisk(t: TestContext) {
  const elsewhere = mkdtempSync(join(tmpdir(), 'twain-full-disk-'))
  const folder = mkdtempSync(join(elsewhere, 'disk-'))
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'twain', folder])
  const release = () => {
    if (status === 0) spawnSync('umount', ['--lazy', folder])
    rmSync(elsewhere, { recursive: true, force: true })
  }
  if (status !== 0) {
    release()
    t.skip(`it needs the right to mount a file system in memory, as root has it: ${stderr ?? 'no mount'}`)
    return null
  }
  t.after(release)
  const filler = join(folder, 'filler')
  return {
    folder,
    elsewhere,
    fill() {
      const handle = openSync(filler, 'w')
      for (const size of [65_536, 4096]) {
        const block = Buffer.alloc(size)
        try {
          while (writeSync(handle, block) === size);
        } catch (error) {
          assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
        }
      }
      closeSync(handle)
    },
    free: () => rmSync(filler),
  }
}
