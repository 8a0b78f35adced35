// Damaged pages of a database are told apart from bugs: codes, log, readiness, a metric, and what commands say.
// stores: sqlite, postgres (on a server of its own)

import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { command } from '../../packages/twain/src/cli/command.fixture.ts'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { PostgresProcess } from '../harness/postgres-process.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Note @allow { id: ID! text: String! } type Tag @allow { id: ID! name: String! @unique }'
const message = 'The database is damaged where this request reads or writes.'
const isSqlite = testedStore === 'sqlite'

test('reads of damaged pages answer DAMAGED, and readiness, log, metric and commands say so', async (t) => {
  const { place, flags, folder, id, logged, service } = await serveDamaged(t)
  const answers = [
    await service.send('GET', '/notes'),
    await service.send('GET', '/notes?text[contains]=x&sort=text'),
    await service.send('GET', `/notes/${id}`),
    await service.send('PATCH', `/notes/${id}`, { text: 'y' }),
    ...(await inGraphql(service, [
      '{ notes { text } }',
      `mutation { updateNote(id: "${id}", input: { text: "y" }) { id } }`,
    ])),
  ]
  for (const [n, { body }] of answers.entries()) {
    const { code, detail, errors } = body as Problem
    assert.deepEqual([code, detail, errors?.[0]?.code], ['INTERNAL', message, 'DAMAGED'], `answer ${n}`)
  }
  await service.succeed('POST', '/tags', { name: 'others go on' })

  const ready = await fetch(`${service.address}/readyz`)
  assert.deepEqual(
    [ready.status, ((await ready.json()) as { reason: string }).reason],
    [503, 'the database is damaged'],
  )
  assert.deepEqual(logged, ['the database is damaged: twain doctor --deep shows how much; restore a backup'])
  assert.match(await (await fetch(`${service.address}/metrics`)).text(), counted(answers.length))
  await service.close()

  const schema = join(folder, 'schema.graphql')
  writeFileSync(schema, sdl)
  const copy = isSqlite
    ? await command('backup', '--data', place.data, '--to', join(folder, 'backup.db'))
    : await command('copy', '--move', '--from', place.database!, '--to', join(folder, 'copy'))
  assert.equal(copy.code, 1)
  assert.match(copy.err, isSqlite ? sentences.sqlite : sentences.postgres)
  const deep = await command('doctor', schema, ...flags, '--port', '0', '--deep')
  assert.equal(deep.code, 1)
  assert.match(deep.out, isSqlite ? findings.sqlite : findings.postgres)
  assert.doesNotMatch(copy.err + deep.out + deep.err, /bug in Twain|stored data is whole/)
})

const sentences = {
  sqlite: /^error The database file is damaged: twain doctor --deep shows how much\. Stop the server/,
  postgres:
    /^error The PostgreSQL database is damaged: twain doctor --deep and pg_amcheck show how much\. Stop the service, and restore a backup/m,
}

const findings = {
  sqlite: /✗ .*twain\.db is damaged: [\s\S]*\n {2}Stop the service, and restore a backup: twain restore/,
  postgres:
    /✗ The table Note, .* is damaged: invalid page in block .*\n {2}Stop the service, and restore a backup of the database/,
}

interface Problem {
  code: string
  detail: string
  errors?: { code: string }[]
}

interface GraphQLAnswer {
  errors: { message: string; extensions: { code: string; errors: { code: string }[] } }[]
}

/** The answers, as those of REST. */
async function inGraphql(service: TestService, queries: readonly string[]): Promise<{ body: Problem }[]> {
  const answers: { body: Problem }[] = []
  for (const query of queries) {
    const { errors } = (await service.send('POST', '/graphql', { query })).body as GraphQLAnswer
    answers.push({ body: { detail: errors[0]!.message, ...errors[0]!.extensions } })
  }
  return answers
}

function counted(failures: number): RegExp {
  return new RegExp(`^twain_storage_failures_total\\{kind="damaged"\\} ${failures}$`, 'm')
}

/** A service whose rows of one type are garbage on disk. */
async function serveDamaged(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-damage-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const server = isSqlite ? null : await PostgresProcess.start()
  t.after(() => server?.end())
  const place = { data: join(folder, 'data'), database: server?.address ?? null }
  const first = await TestService.open(t, sdl, place)
  const ids: string[] = []
  for (let n = 0; n < 3; n++) {
    const rows = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(1000) }))
    for (const { id } of await first.succeed('POST', '/notes', rows)) ids.push(id)
  }
  await first.close()
  if (server === null) spoilFile(join(place.data, 'twain.db'), 'Note')
  else await spoilTable(server, 'Note')
  const logged: string[] = []
  const note = (_: object, entry: string) => void logged.push(entry)
  const log = { ...silent, warn: note, error: note }
  const service = await TestService.open(t, sdl, { ...place, log, metrics: { of: new Metrics(), to: 'local' } })
  const flags = server === null ? ['--data', place.data] : ['--database', server.address]
  return { place, flags, folder, id: ids[150]!, service, logged }
}

/** Writes garbage to the pages of a table, all but those that are inner nodes. */
function spoilFile(file: string, table: string): void {
  const database = new DatabaseSync(file)
  const pages = database.prepare(`SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'`).all(table)
  database.close()
  overwrite(
    file,
    pages.map(({ pageno }) => ({ start: (Number(pageno) - 1) * 4096, bytes: 4096 })),
  )
}

/** The same, while the server is stopped. */
async function spoilTable(server: PostgresProcess, table: string): Promise<void> {
  const raw = connect(server.address, { size: 1, time: 30 })
  const [found] = await raw.query<{ file: string }>(
    `SELECT current_setting('data_directory') || '/' || pg_relation_filepath('"${table}"') AS file`,
  )
  await raw.end()
  await server.stopServer('SIGINT')
  overwrite(found!.file, [{ start: 0, bytes: statSync(found!.file).size }])
  await server.startServer()
}

function overwrite(file: string, parts: readonly { start: number; bytes: number }[]): void {
  assert.ok(parts.reduce((sum, { bytes }) => sum + bytes, 0) > 100_000)
  const handle = openSync(file, 'r+')
  for (const { start, bytes } of parts) writeSync(handle, Buffer.alloc(bytes, 0xee), 0, bytes, start)
  closeSync(handle)
}
