// `twain copy` of a service with files: it copies their bytes too, or nothing.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type HttpReply, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { defaultFileSettings } from '../../packages/twain/src/files/index.ts'
import { keys, openS3 } from '../../packages/twain/src/files/s3.fixture.ts'
import type { Service } from '../../packages/twain/src/main/index.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { setUpCopy } from './copy-fixture.ts'

const sdl = 'type Note @allow { id: ID!, title: String!, scan: File, more: [File!]! }'

const chunk = 256 * 1024
const contents = {
  small: Buffer.from('small'),
  empty: Buffer.alloc(0),
  one: randomBytes(chunk),
  several: randomBytes(3 * chunk + 4321),
}

test('files are copied to PostgreSQL and back with their rows: bytes, entity tags and times', async (t) => {
  const { folder, database, serve, twain } = await setUpCopy(t, sdl)
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const service = await serve({ data: first })
  const ids = await fill(service)
  const before = await seen(service, ids)
  await service.close()

  const there = await twain('copy', '--move', '--from', first, '--to', database.address)
  assert.equal(there.code, 0, there.err)
  assert.match(
    there.err,
    /^Copied \d+ rows of \d+ tables and 4 files \(1\.1 MB\) from .* counts and checksums match\.\n$/,
  )
  const onPostgres = await serve({ data: first, database: database.address })
  assert.deepEqual(await seen(onPostgres, ids), before)
  const part = await give(onPostgres, `/files/${ids.several}`, { range: `bytes=${chunk - 1}-${chunk}` })
  assert.deepEqual(part.bytes, contents.several.subarray(chunk - 1, chunk + 1))
  const late = await upload(onPostgres, contents.several)
  await referTo(onPostgres, late)
  const all = { ...ids, late }
  const after = await seen(onPostgres, all)
  await onPostgres.close()

  const back = await twain('copy', '--move', '--from', database.address, '--to', second)
  assert.equal(back.code, 0, back.err)
  assert.match(back.err, / and 5 files \(1\.8 MB\) from /)
  assert.deepEqual(records(second).slice(0, -1), records(first))
  assert.equal(statSync(join(second, 'files')).mode & 0o777, 0o700)
  assert.deepEqual(
    readdirSync(second).filter((name) => name.endsWith('.copy')),
    [],
  )
  const again = await serve({ data: second })
  assert.deepEqual(await seen(again, all), after)
  assert.deepEqual((await give(again, `/files/${await upload(again, contents.small)}`)).bytes, contents.small)
  await again.close()
})

test('files are copied from folder to folder and from database to database', async (t) => {
  const { folder, database, serve, twain } = await setUpCopy(t, sdl)
  const other = await makeTestDatabase()
  t.after(() => other.drop())
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const service = await serve({ data: first })
  const ids = await fill(service)
  const before = await seen(service, ids)
  await service.close()
  for (const [from, to] of [
    [first, second],
    [second, database.address],
    [database.address, other.address],
  ] as const) {
    const { code, err } = await twain('copy', '--move', '--from', from, '--to', to)
    assert.equal(code, 0, err)
  }
  for (const place of [{ data: second }, { data: first, database: other.address }]) {
    const copied = await serve(place)
    assert.deepEqual(await seen(copied, ids), before)
    await copied.close()
  }
})

test('files that are missing, truncated or corrupt in the folder are reported, and nothing is copied', async (t) => {
  const { folder, database, serve, twain } = await setUpCopy(t, sdl)
  const data = join(folder, 'data')
  const service = await serve({ data })
  const ids = await fill(service)
  await service.close()
  const path = (name: keyof typeof contents) => {
    const { bytes } = records(data).find(({ id }) => id === ids[name]) as { bytes: string }
    return join('files', bytes.slice(0, 2), bytes)
  }
  rmSync(join(data, path('several')))
  writeFileSync(join(data, path('small')), 'sm')

  const lacking = await twain('copy', '--move', '--from', data, '--to', database.address)
  assert.equal(lacking.code, 1)
  assert.ok(lacking.err.includes(`The bytes of 2 of 4 files are not all in ${data}:`), lacking.err)
  assert.ok(lacking.err.includes(`  file ${ids.several}: ${path('several')} is not there\n`), lacking.err)
  assert.ok(lacking.err.includes(`  file ${ids.small}: ${path('small')} has 2 of 5 bytes\n`), lacking.err)
  assert.match(lacking.err, /Put them back from a backup/)

  writeFileSync(join(data, path('several')), contents.several)
  writeFileSync(join(data, path('small')), 'smalL')
  const spoiled = await twain('copy', '--move', '--from', data, '--to', database.address)
  assert.equal(spoiled.code, 1)
  assert.match(spoiled.err, new RegExp(`The bytes of file ${ids.small} in .* are not those that were uploaded`))
  const to = join(folder, 'to')
  assert.equal((await twain('copy', '--move', '--from', data, '--to', to)).code, 1)
  assert.deepEqual(
    readdirSync(to).filter((name) => !name.includes('lock')),
    [],
  )

  writeFileSync(join(data, path('small')), 'small')
  assert.equal((await twain('copy', '--move', '--from', data, '--to', database.address)).code, 0)
})

test('chunks that are missing or corrupt in the database are reported, and nothing is copied', async (t) => {
  const { folder, database, serve, twain } = await setUpCopy(t, sdl)
  const service = await serve({ data: folder, database: database.address })
  const ids = await fill(service)
  await service.close()
  const to = join(folder, 'to')
  const chunkOf = (n: number) => `WHERE n = ${n} AND key = (SELECT bytes FROM twain_file WHERE id = '${ids.several}')`

  await database.raw.query(`UPDATE twain_chunk SET bytes = overlay(bytes PLACING '\\x00000000' FROM 1) ${chunkOf(2)}`)
  const spoiled = await twain('copy', '--move', '--from', database.address, '--to', to)
  assert.equal(spoiled.code, 1)
  assert.match(spoiled.err, new RegExp(`file ${ids.several} in postgres://.* are not those that were uploaded`))
  await database.raw.query(`DELETE FROM twain_chunk ${chunkOf(3)}`)
  const lacking = await twain('copy', '--move', '--from', database.address, '--to', to)
  assert.equal(lacking.code, 1)
  assert.match(
    lacking.err,
    new RegExp(`file ${ids.several}: \\S+ of twain_chunk has ${3 * chunk} of ${3 * chunk + 4321}`),
  )
  assert.equal(existsSync(join(to, 'files')), false)
  assert.equal(existsSync(join(to, 'twain.db')), false)
})

test('a copy to a folder with other files is refused; a folder left by a killed copy is accepted', async (t) => {
  const { folder, serve, twain } = await setUpCopy(t, sdl)
  const [data, to] = [join(folder, 'data'), join(folder, 'to')]
  const service = await serve({ data })
  const ids = await fill(service)
  await service.close()
  const left = await serve({ data: to })
  await upload(left, contents.one)
  await left.close()
  rmSync(join(to, 'twain.db'))
  const refused = await twain('copy', '--move', '--from', data, '--to', to)
  assert.deepEqual([refused.code, /There is a folder files in .* already/.test(refused.err)], [1, true])

  const stored = readFileSync(join(to, 'files', filesIn(join(to, 'files'))[0]!))
  assert.deepEqual(stored, contents.one)
  rmSync(join(to, 'files', 'new'), { recursive: true })
  renameSync(join(to, 'files'), join(to, 'files.copy'))
  assert.equal((await twain('copy', '--move', '--from', data, '--to', to)).code, 0)
  assert.equal(filesIn(join(to, 'files')).length, Object.keys(contents).length)
  const copied = await serve({ data: to })
  assert.equal((await seen(copied, ids)).length, 6)
  await copied.close()
})

test('files in S3-compatible storage stay there, and source and copy serve them', async (t) => {
  const { folder, database, serve, twain } = await setUpCopy(t, sdl)
  const { endpoint, objects } = await openS3(t)
  const files = { ...defaultFileSettings, endpoint, bucket: 'bucket', ...keys }
  const data = join(folder, 'data')
  const service = await serve({ data, files })
  const ids = await fill(service)
  const before = await seen(service, ids)
  await service.close()
  const stored = [...objects.keys()]

  const { code, err } = await twain('copy', '--move', '--from', data, '--to', database.address)
  assert.equal(code, 0, err)
  assert.match(err, /\n5 files stay in S3-compatible storage\. Start the copy with the same files settings\.\n$/)
  assert.doesNotMatch(err, /and \d+ files \(/)
  const onPostgres = await serve({ data, database: database.address, files })
  assert.deepEqual(await seen(onPostgres, ids), before)
  await onPostgres.close()
  assert.deepEqual([...objects.keys()], stored)
})

type Ids = Record<keyof typeof contents | 'twin', string>

/** A file of each kind that rows refer to, and one with equal bytes that no row refers to yet. */
async function fill(service: Service): Promise<Ids> {
  const ids: Partial<Ids> = {}
  for (const [name, bytes] of Object.entries(contents)) {
    const id = await upload(service, bytes)
    await referTo(service, id)
    ids[name as keyof typeof contents] = id
  }
  return { ...ids, twin: await upload(service, contents.small) } as Ids
}

async function upload(service: Service, bytes: Uint8Array): Promise<string> {
  const request = plainRequest('POST', '/files?name=scan.bin', {
    headers: { 'content-type': 'image/png' },
    body: bytes,
  })
  const reply = await service.handle(request)
  assert.equal(reply.status, 201, String(reply.body))
  return JSON.parse(String(reply.body)).id
}

async function referTo(service: Service, scan: string): Promise<void> {
  const body = JSON.stringify({ title: 'note', scan, more: [scan] })
  const headers = { 'content-type': 'application/json' }
  assert.equal((await service.handle(plainRequest('POST', '/notes', { headers, body }))).status, 201)
}

/** Each file with its bytes and headers, and the rows that refer to it. */
async function seen(service: Service, ids: Record<string, string>): Promise<unknown[]> {
  const shown: unknown[] = []
  for (const id of Object.values(ids)) {
    const { status, headers, bytes } = await give(service, `/files/${id}`)
    assert.equal(status, 200)
    shown.push([id, headers.etag, headers['content-type'], headers['content-disposition'], bytes])
  }
  const rows = await give(service, '/notes?fields=id,title,scan.id,scan.name,scan.size,more.id')
  return [...shown, rows.bytes.toString()]
}

async function give(
  service: Service,
  target: string,
  headers: Record<string, string> = {},
): Promise<Pick<HttpReply, 'status' | 'headers'> & { bytes: Buffer }> {
  const { status, headers: replyHeaders, body } = await service.handle(plainRequest('GET', target, { headers }))
  if (typeof body === 'string' || body instanceof Uint8Array)
    return { status, headers: replyHeaders, bytes: Buffer.from(body) }
  const parts: Uint8Array[] = []
  for await (const part of body ?? []) parts.push(Buffer.from(part))
  return { status, headers: replyHeaders, bytes: Buffer.concat(parts) }
}

function records(folder: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(folder, 'twain.db'), { readOnly: true })
  // Without the marks of the cleanup, which may run meanwhile.
  const rows = database
    .prepare('SELECT * FROM twain_file ORDER BY _n')
    .all()
    .map(({ unreferenced: _, ...row }) => row)
  database.close()
  return rows
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }) as string[]
  return names.filter((name) => statSync(join(folder, name)).isFile())
}
