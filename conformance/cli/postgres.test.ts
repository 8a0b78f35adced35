// The command on a PostgreSQL database: it serves, and creates tokens and keys while a server is running.
// stores: postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { run } from '../../packages/twain/src/cli/cli.ts'
import { openService } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'

const sdl = `
type User @account @allow(who: "self") @allow(to: [CREATE]) { id: ID!, email: String! @unique }
type Note @allow(role: "importer") { id: ID!, text: String! }
`

test('a service on PostgreSQL takes writes and sign-ins, and the command creates tokens and keys for it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-command-'))
  const [schemaFile, data] = [join(folder, 'schema.graphql'), join(folder, 'data')]
  writeFileSync(schemaFile, sdl)
  const database = await makeTestDatabase()
  const log = { info() {}, warn() {}, error() {} }
  const service = await openService({ schemaFile, data, database: database.address, limits: defaultLimits, log })
  t.after(async () => {
    await service.close()
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  const ask = async (method: string, path: string, token: string | null, body?: object): Promise<number> => {
    const headers = {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    }
    const more = body === undefined ? { headers } : { headers, body: JSON.stringify(body) }
    return (await service.handle(plainRequest(method, path, more))).status
  }
  const twain = async (...args: string[]): Promise<string> => {
    let output = ''
    const out = (text: string) => {
      output += text
    }
    const colours = { out: false, err: false }
    const surface = { env: {}, out, err() {}, colours, stop: new AbortController().signal }
    assert.equal(await run([...args, '--database', database.address], surface), 0, args.join(' '))
    return output.trim()
  }

  assert.equal(await ask('POST', '/notes', await twain('token', '--role', 'importer'), { text: 'one' }), 201)
  assert.equal(await ask('GET', '/notes', await twain('key', '--role', 'importer')), 200)
  assert.match(await twain('key', '--list'), /importer/)
  const account = { email: 'ann@example.org', password: 'correct horse battery' }
  assert.equal(await ask('POST', '/users', null, account), 201)
  assert.equal(await ask('POST', '/users', null, account), 409)
  assert.equal(await ask('POST', '/tokens', null, account), 201)
})

test('a start that waits for its database ends at once and without an error when it is stopped', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-command-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const stop = new AbortController()
  const waits = Promise.withResolvers<void>()
  let output = ''
  const err = (text: string) => {
    output += text
    if (output.includes('waiting for the database')) waits.resolve()
  }
  const surface = { env: {}, out() {}, err, colours: { out: false, err: false }, stop: stop.signal }
  const code = run(['start', schemaFile, '--port', '0', '--database', 'postgres://twain@127.0.0.1:1/x'], surface)
  await waits.promise
  const began = performance.now()
  stop.abort()
  assert.equal(await code, 0)
  assert.ok(performance.now() - began < 10_000)
  assert.match(output, /stopped before it was ready/)
})
