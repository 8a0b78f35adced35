// PgBouncer before the database: in session mode the service works, and says what the role must set; in transaction mode, or when
// PgBouncer does not know our parameters, the start fails and says what to do.
// stores: postgres

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sessionParameters } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { freePort } from '../../scripts/free-port.ts'
import { PostgresProcess } from '../harness/postgres-process.ts'
import { ServerProcess } from '../harness/server-process.ts'

const isHere = spawnSync('pgbouncer', ['--version']).error === undefined
const skip = isHere ? false : 'there is no pgbouncer here'
const all = `ignore_startup_parameters = ${sessionParameters.join(', ')}`

test('in session mode the service serves rows, writes and changes, and says what is lost', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const { start } = await pooled(t, 'session', all)
  const server = await start('5', '?pgbouncer=true&connect_timeout=15&application_name=shop')
  try {
    const note = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"one"}' }
    const replies = await Promise.all(Array.from({ length: 20 }, () => fetch(`${server.address}/notes`, note)))
    assert.ok(replies.every(({ status }) => status === 201))
    const read = await fetch(`${server.address}/notes`)
    assert.equal(((await read.json()) as unknown[]).length, 20)
    assert.match(server.output, /connection pooler ignores session parameters/)
  } finally {
    await server.stop()
  }
})

test('in transaction mode the start fails and says which address to use', { skip, timeout: 180_000 }, async (t) => {
  const { start } = await pooled(t, 'transaction', all)
  await assert.rejects(start(), /assigns its connections by transaction.*direct or unpooled.*pool_mode = session/)
  await assert.rejects(
    start('5', '?pgbouncer=true&connection_limit=1&pool_timeout=10'),
    /assigns its connections by transaction.*the address says pgbouncer=true/,
  )
})

test('a PgBouncer that refuses the session parameters of Twain fails the start at once, with what to configure', {
  skip,
  timeout: 180_000,
}, async (t) => {
  const { start } = await pooled(t, 'session', '')
  await assert.rejects(
    start('30'),
    /refuses a session parameter of Twain.*direct or unpooled.*ignore_startup_parameters = search_path/,
  )
})

async function pooled(t: TestContext, mode: 'session' | 'transaction', more: string) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-pgbouncer-'))
  chmodSync(folder, 0o755)
  const database = await PostgresProcess.start([])
  const { port } = new URL(database.address)
  const at = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(
    settings,
    `[databases]\npostgres = host=127.0.0.1 port=${port} user=twain
[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${at}\nauth_type = any\nunix_socket_dir =\npool_mode = ${mode}\n${more}\n`,
  )
  const pooler = await startPooler(settings)
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, 'type Note @allow { id: ID!, text: String! }')
  t.after(async () => {
    pooler.kill('SIGKILL')
    await database.end()
    rmSync(folder, { recursive: true })
  })
  const address = `postgres://twain@127.0.0.1:${at}/postgres`
  const start = (wait = '5', parameters = '') =>
    ServerProcess.start(schemaFile, folder, [
      ...['--database', address + parameters],
      ...['--database-startup-wait-seconds', wait],
    ])
  return { start }
}

/** Like PostgreSQL it refuses to run as root. */
async function startPooler(settings: string): Promise<ChildProcess> {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  const account = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {}
  const pooler = spawn('pgbouncer', [settings], { ...account, stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const output of pooler.stderr!) {
    if (!String(output).includes('process up')) continue
    pooler.stderr!.resume()
    return pooler
  }
  throw new Error('PgBouncer did not start.')
}
