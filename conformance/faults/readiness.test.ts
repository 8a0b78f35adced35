// `/readyz` fails while the database takes no writes, and only then: reads go on, and it is ready again without a restart.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { OwnDatabase } from '../harness/own-database.ts'
import { ServerProcess } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'

const sdl = 'type Note @allow { id: ID! text: String }'

describe('/readyz', { concurrency: true }, () => {
  test('fails while the disk of SQLite takes no writes', { timeout: 120_000 }, async (t) => {
    const server = await startServer(t, [])
    // No file may grow: every write of the database fails, as on a full disk.
    const limitFiles = (size: string) => promisify(execFile)('prlimit', [`--pid=${server.pid}`, `--fsize=${size}:`])
    await expectReadiness(server, {
      break: () => limitFiles('1'),
      mend: () => limitFiles('unlimited'),
    })
  })

  test('fails while PostgreSQL is read-only', { timeout: 120_000 }, async (t) => {
    const own = new OwnDatabase()
    t.after(() => own.close())
    const database = await own.schema()
    const server = await startServer(t, ['--database', database.address, '--limits-time-seconds', '3'])
    const name = new URL(database.address).pathname.slice(1)
    const setReadOnly = async (is: 'on' | 'off') => {
      await database.raw.query('SET default_transaction_read_only = off')
      await database.raw.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = ${is}`)
      await database.raw.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
      )
    }
    await expectReadiness(server, { break: () => setReadOnly('on'), mend: () => setReadOnly('off') })
  })
})

async function startServer(t: TestContext, more: string[]): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-readiness-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, sdl)
  const server = await ServerProcess.start(schemaFile, join(folder, 'data'), [...more, '--log-level', 'off'])
  t.after(async () => {
    await server.kill()
    await rm(folder, { recursive: true })
  })
  return server
}

async function expectReadiness(
  { address }: ServerProcess,
  database: { break(): Promise<unknown>; mend(): Promise<unknown> },
): Promise<void> {
  const write = async () => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${address}/notes`, { method: 'POST', headers, body: '{"text": "x"}' })).status
  }
  const ready = async () => (await fetch(`${address}/readyz`)).status
  const read = async () => (await fetch(`${address}/notes`)).status
  assert.deepEqual([await write(), await ready()], [201, 200])
  await database.break()
  assert.equal(await until(write, (status) => status === 503), 503)
  assert.equal(await until(ready, (status) => status === 503), 503)
  assert.equal(await until(read, (status) => status === 200), 200)
  await database.mend()
  assert.equal(await until(ready, (status) => status === 200), 200)
  assert.equal(await until(write, (status) => status === 201), 201)
}
