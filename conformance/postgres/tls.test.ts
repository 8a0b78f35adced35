// TLS to a real server with a certificate of our own authority: what each setting accepts and refuses. And what the server sees of our
// connections: encrypted, with our application name, no more than the pool, statements cancelled at the timeout.
// stores: postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { awaitDatabase } from '../../packages/twain/src/store/postgres/connect/await-database.ts'
import { connect, type Database } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { PostgresProcess } from '../harness/postgres-process.ts'
import { ServerProcess } from '../harness/server-process.ts'

const certificates = join(import.meta.dirname, '../harness/certificates')
const secret = 'hunter2'

describe('a database over TLS', { timeout: 120_000 }, () => {
  let folder: string
  let schemaFile: string
  let database: PostgresProcess
  let raw: Database

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'twain-tls-'))
    schemaFile = join(folder, 'schema.graphql')
    await writeFile(schemaFile, 'type Note @allow { id: ID!, text: String! @index }')
    database = await PostgresProcess.start([`--tls=${certificates}`])
    raw = connect(database.address, { size: 1, time: 30 })
  })
  after(async () => {
    await raw.end()
    await database.end()
    await rm(folder, { recursive: true })
  })

  /** The certificate is for `localhost`, and not for 127.0.0.1. */
  const start = (host: string, settings: string[], authority: string | null) => {
    const address = new URL(database.address)
    address.hostname = host
    address.password = secret
    const env = authority === null ? {} : { NODE_EXTRA_CA_CERTS: join(certificates, authority) }
    return ServerProcess.start(
      schemaFile,
      folder,
      ['--database', address.href, '--database-startup-wait-seconds', '0', ...settings],
      [],
      env,
    )
  }
  const sessions = () =>
    raw.query<{
      ssl: boolean
      name: string
      n: number
    }>(`SELECT ssl, application_name AS name, count(*)::int AS n FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY ssl, application_name`)

  const taken: [string, string, string[], string | null, boolean][] = [
    ['off: nothing is encrypted', '127.0.0.1', ['--database-tls', 'off'], null, false],
    ['require: encrypted, whoever signed', '127.0.0.1', ['--database-tls', 'require'], null, true],
    ['verify: with the authority and the name', 'localhost', ['--database-tls', 'verify'], 'ca.crt', true],
  ]
  for (const [title, host, settings, authority, isEncrypted] of taken) {
    test(title, async () => {
      const name = ['--database-application-name', 'till-7', '--database-pool-size', '3']
      const server = await start(host, [...settings, ...name], authority)
      try {
        const sent = Array.from({ length: 60 }, (_, at) => fetch(`${server.address}/notes?text=${at}`))
        for (const reply of await Promise.all(sent)) assert.equal(reply.status, 200)
        const seen = await sessions()
        assert.deepEqual(
          seen.map(({ ssl, name }) => ({ ssl, name })),
          [{ ssl: isEncrypted, name: 'till-7' }],
        )
        // Two for reads, and one that listens for changes.
        assert.ok(seen[0]!.n <= 3 + 1, `${seen[0]!.n} connections`)
        assert.doesNotMatch(server.output, new RegExp(secret))
      } finally {
        await server.stop()
      }
    })
  }

  const refused: [string, string, string | null, RegExp][] = [
    ['verify refuses an authority that nobody named', 'localhost', null, /certificate|self-signed/],
    ['verify refuses another authority', 'localhost', 'other-ca.crt', /certificate|self-signed/],
    ['verify refuses another name', '127.0.0.1', 'ca.crt', /altnames|IP/i],
  ]
  for (const [title, host, authority, why] of refused) {
    test(title, async () => {
      await assert.rejects(start(host, ['--database-tls', 'verify'], authority), (error: Error) => {
        assert.match(error.message, why)
        assert.doesNotMatch(error.message, new RegExp(secret))
        return true
      })
    })
  }

  /** Whether a connection with these parameters in the address is encrypted. */
  const isEncrypted = async (host: string, parameters: Record<string, string>) => {
    const address = new URL(database.address)
    address.hostname = host
    address.password = secret
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
    const own = connect(address.href, { size: 1, time: 30 })
    try {
      const [row] = await own.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
      return row!.ssl
    } finally {
      await own.end()
    }
  }

  test('sslrootcert of the address names the authority; only verify-full checks the name too', async () => {
    const sslrootcert = join(certificates, 'ca.crt')
    assert.equal(await isEncrypted('localhost', { sslmode: 'verify-full', sslrootcert }), true)
    assert.equal(await isEncrypted('127.0.0.1', { sslmode: 'verify-ca', sslrootcert }), true)
    assert.equal(await isEncrypted('127.0.0.1', { sslmode: 'no-verify' }), true)
    await assert.rejects(isEncrypted('127.0.0.1', { sslmode: 'verify-full', sslrootcert }), /altnames|IP/i)
    const other = join(certificates, 'other-ca.crt')
    for (const sslmode of ['require', 'verify-ca'])
      await assert.rejects(isEncrypted('127.0.0.1', { sslmode, sslrootcert: other }), /certificate|self-signed/)
  })

  test('an option that the server does not know stops a start with a sentence', async () => {
    const address = new URL(database.address)
    address.searchParams.set('options', 'endpoint=foo')
    await assert.rejects(awaitDatabase(address.href, 0, silent), {
      name: 'StartRefused',
      message: /can't be used: .*endpoint=foo/,
    })
  })

  test('the server cancels a statement that takes longer than --database-statement-timeout-seconds', async () => {
    const server = await start(
      'localhost',
      ['--database-tls', 'require', '--database-statement-timeout-seconds', '1'],
      null,
    )
    const holder = connect(database.address, { size: 1, time: 30 })
    try {
      await holder.begin(async (transaction) => {
        await transaction.query('LOCK TABLE "Note" IN ACCESS EXCLUSIVE MODE')
        const began = performance.now()
        const reply = await fetch(`${server.address}/notes`)
        assert.deepEqual([reply.status, reply.headers.has('retry-after')], [503, true])
        assert.ok(performance.now() - began < 15_000)
        const [left] =
          await transaction.query(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'twain'
          AND state = 'active' AND query LIKE '%"Note"%' AND pid <> pg_backend_pid()`)
        assert.equal(left!.n, 0, 'the read does not go on in the server')
      })
    } finally {
      await holder.end()
      await server.stop()
    }
  })
})
