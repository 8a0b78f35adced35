// Channel binding (SCRAM-SHA-256-PLUS): a man in the middle, who ends TLS and begins it again, can't pass the password on.
// stores: postgres

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect as connectSocket, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { Session } from '../../packages/twain/src/store/postgres/connect/session.ts'
import { PostgresProcess } from '../harness/postgres-process.ts'

const certificates = join(import.meta.dirname, '../harness/certificates')
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const password = 'correct horse'

/** A role for each way of signing in. */
const rules = [
  'host all scram 127.0.0.1/32 scram-sha-256',
  'host all plain 127.0.0.1/32 password',
  'host all trusted 127.0.0.1/32 trust',
  'host all twain 127.0.0.1/32 trust',
]

describe('channel binding', { timeout: 120_000 }, () => {
  let database: PostgresProcess
  let middle: Server
  const sockets = new Set<Socket>()

  before(async () => {
    database = await PostgresProcess.start([`--tls=${certificates}`])
    const raw = connect(database.address, { size: 1, time: 30 })
    for (const role of ['scram', 'plain', 'trusted'])
      await raw.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`)
    const [file] = await raw.query('SHOW hba_file')
    await raw.query(`COPY (VALUES ${rules.map((rule) => `('${rule}')`).join(', ')}) TO '${file!.hba_file}'`)
    await raw.query('SELECT pg_reload_conf()')
    await raw.end()
    middle = await startMiddle(Number(new URL(database.address).port))
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    middle.close()
    await database.end()
  })

  /** Has its own certificate, and passes everything on. */
  async function startMiddle(port: number): Promise<Server> {
    const [key, cert] = await Promise.all(
      ['middle.key', 'middle.crt'].map((name) => readFile(join(certificates, name))),
    )
    const server = createServer(async (socket) => {
      const upstream = connectSocket(port, '127.0.0.1')
      for (const one of [socket, upstream]) sockets.add(one.on('error', () => undefined))
      await once(socket, 'data')
      upstream.write(tlsRequest)
      await once(upstream, 'data')
      const server = connectTls({ socket: upstream, rejectUnauthorized: false }).on('error', () => undefined)
      socket.write('S')
      const client = new TLSSocket(socket, { isServer: true, key: key!, cert: cert! }).on('error', () => undefined)
      client.pipe(server).pipe(client)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  async function signIn(user: string, parameters: string, through?: Server): Promise<unknown> {
    const address = new URL(database.address)
    address.username = user
    address.password = password
    address.search = parameters
    if (through !== undefined) address.port = String((through.address() as AddressInfo).port)
    const session = await Session.open({ address: address.href, time: 30 })
    try {
      const [row] = await session.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
      return row!.ssl
    } finally {
      await session.close()
    }
  }

  test('a server with TLS and SCRAM is accepted, also where it is required', async () => {
    for (const binding of ['', '&channel_binding=prefer', '&channel_binding=require', '&channel_binding=disable'])
      assert.equal(await signIn('scram', `sslmode=require${binding}`), true)
  })

  test('a man in the middle gets nowhere, unless channel binding is disabled', async () => {
    assert.equal(await signIn('scram', 'sslmode=require&channel_binding=disable', middle), true)
    for (const binding of ['prefer', 'require'])
      await assert.rejects(signIn('scram', `sslmode=require&channel_binding=${binding}`, middle), { code: /^28/ })
  })

  test('where it is required, a server that does not offer it gets no password and no query', async () => {
    const refused = { code: '28000', message: /channel binding/ }
    await assert.rejects(signIn('scram', 'channel_binding=require'), refused)
    await assert.rejects(signIn('plain', 'sslmode=require&channel_binding=require'), refused)
    await assert.rejects(signIn('trusted', 'sslmode=require&channel_binding=require'), refused)
    assert.equal(await signIn('plain', 'sslmode=require'), true)
    assert.equal(await signIn('trusted', 'sslmode=require'), true)
  })

  test('sslmode=prefer encrypts, and direct TLS needs no question', async () => {
    assert.equal(await signIn('scram', 'sslmode=prefer&channel_binding=require'), true)
    assert.equal(await signIn('scram', 'sslmode=require&sslnegotiation=direct&channel_binding=require'), true)
  })
})
