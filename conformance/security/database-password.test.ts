// The password of the database is in no output or answer of a start, a failing start, a running service or an outage.
// stores: postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from '../../packages/twain/src/cli/cli.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { PostgresProcess } from '../harness/postgres-process.ts'
import { ServerProcess } from '../harness/server-process.ts'

const [user, password] = ['twain', 'hunter2-p@ss/word']
/** Also URL-encoded, and in parts. */
const secret = /hunter2/i

test('no output or answer has the password of the database', { timeout: 120_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'twain-credentials-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, 'type Note @allow { id: ID!, text: String! }')
  const database = await PostgresProcess.start()
  t.after(async () => {
    await database.end()
    await rm(folder, { recursive: true })
  })
  const address = new URL(database.address)
  address.username = user
  address.password = password
  await askForPasswords(database.address)

  const served = await serveThroughAnOutage(schemaFile, folder, address, database)
  assert.match(served, /"message":"serving"/)
  assert.match(served, /database (unreachable|write failed)/)
  assert.match(served, /twain_http_requests_total/)
  assert.doesNotMatch(served, secret)

  for (const command of ['start', 'dev', 'token', 'copy']) {
    const { code, output } = await twain([command, '--help'], { TWAIN_DATABASE: address.href })
    assert.equal(code, 0)
    assert.doesNotMatch(output, secret)
  }

  for (const wrong of wrongAddresses(address)) {
    for (const command of [
      ['start', schemaFile, '--data', folder, '--port', '0', '--database-startup-wait-seconds', '0'],
      ['token', '--role', 'a'],
      ['check', schemaFile, '--against'],
      ['copy', '--move', '--from', folder, '--to'],
      ['copy', '--move', '--to', join(folder, 'copy'), '--from'],
    ]) {
      const flag = /start|token/.test(command[0]!) ? ['--database'] : []
      const { code, output } = await twain([...command, ...flag, wrong])
      assert.ok(code > 0 && output.length > 20, output)
      assert.doesNotMatch(output, secret)
    }
  }
})

/** The test server accepts everyone without a password. */
async function askForPasswords(address: string): Promise<void> {
  const raw = connect(address, { size: 1, time: 30 })
  const [file] = await raw.query('SHOW hba_file')
  await raw.query(`ALTER ROLE ${user} PASSWORD '${password}'`)
  await raw.query(`COPY (SELECT 'host all all 127.0.0.1/32 scram-sha-256') TO '${file!.hba_file}'`)
  await raw.query('SELECT pg_reload_conf()')
  await raw.end()
}

/** All its output and answers. */
async function serveThroughAnOutage(
  schemaFile: string,
  folder: string,
  address: URL,
  database: PostgresProcess,
): Promise<string> {
  const settings = ['--database', address.href, '--limits-time-seconds', '1', '--http-server-timing', 'true']
  const server = await ServerProcess.start(schemaFile, folder, settings)
  let received = ''
  const ask = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(`${server.address}${path}`, init)
    received += `${JSON.stringify([...reply.headers])}${await reply.text()}`
  }
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"one"}' }
  for (const isAway of [false, true]) {
    if (isAway) await database.stopServer('SIGQUIT')
    await ask('/notes', post)
    for (const path of ['/notes', '/', '/metrics', '/readyz', '/openapi.json']) await ask(path)
  }
  await server.stop()
  await database.startServer()
  return received + server.output
}

/** Common mistakes in addresses. */
function wrongAddresses(address: URL): string[] {
  const change = (how: (wrong: URL) => void) => {
    const wrong = new URL(address)
    how(wrong)
    return wrong.href
  }
  return [
    change((wrong) => (wrong.port = '1')),
    change((wrong) => (wrong.pathname = '/nothing')),
    change((wrong) => (wrong.username = 'nobody')),
    change((wrong) => (wrong.password = `${password}-wrong`)),
    change((wrong) => (wrong.hostname = 'no-such-host.invalid')),
    change((wrong) => wrong.searchParams.set('sslmode', 'require')),
    change((wrong) => wrong.searchParams.set('target_session_attrs', 'wrong')),
    change((wrong) => wrong.searchParams.set('no_such_parameter', '1')),
    address.href.replace('postgres:', 'mysql:'),
    address.href.replace('postgres://', 'postgres//'),
    address.href.replace('postgres://', 'postgres:/'),
    `${address.href.slice(0, address.href.indexOf('@'))}@127.0.0.1:port/name`,
  ]
}

async function twain(args: string[], env: Record<string, string> = {}): Promise<{ code: number; output: string }> {
  let output = ''
  const say = (text: string) => {
    output += text
  }
  const colours = { out: false, err: false }
  const surface = { env, out: say, err: say, colours, stop: new AbortController().signal }
  return { code: await run(args, surface), output }
}
