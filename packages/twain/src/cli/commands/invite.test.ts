// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText, plainRequest } from '#base/http'
import { openService, type Service } from '#main'
import { defaultLimits } from '#plan'
import { makeTestPlace } from '#test-place'
import { run } from '../cli.ts'
import { command } from '../command.fixture.ts'
import { listenNear } from './serve.ts'

const sdl = `
type User @account @allow(who: "self") { id: ID!, email: String! @unique, name: String!, roles: [String!] }
`
const log = { info() {}, warn() {}, error() {} }
const password = 'correct horse battery'

test('the link makes the first administrator, on a stopped and on a running service', async (t) => {
  const { twain, open } = await place(t)
  await (await open()).close()
  const missing = await twain('ann@example.org', '--role', 'admin')
  assert.deepEqual([missing.code, /name: is required/.test(missing.err)], [1, true])
  const stopped = await twain('ann@example.org', '--role', 'admin', '--row', '{"name": "Ann"}', '--port', '4321')
  assert.equal(stopped.code, 0, stopped.err)
  assert.match(stopped.out, /^http:\/\/127\.0\.0\.1:4321\/codes\/link\?token=[\w-]{22}\n$/)
  const service = await open()
  t.after(() => service.close())
  const server = await listenNear(
    { handle: service.handle, sockets: service.sockets, port: 0, host: '127.0.0.1', log, body: 1000, time: 0 },
    false,
  )
  t.after(() => server.close())
  const port = ['--port', String(server.port)]
  const running = await twain('bob@example.org', '--row', '{"name": "Bob"}', ...port)
  assert.equal(running.code, 0, running.err)
  for (const { out } of [stopped, running]) {
    const link = out.trim().replace('127.0.0.1:4321', `127.0.0.1:${server.port}`)
    const accepted = await fetch(link, { method: 'POST', body: new URLSearchParams({ password }) })
    assert.equal(accepted.status, 200, await accepted.text())
  }
  const reply = await service.handleAsSystem(plainRequest('GET', '/users?fields=name,roles&sort=name'))
  assert.deepEqual(JSON.parse(await bodyText(reply)), [
    { name: 'Ann', roles: ['admin'] },
    { name: 'Bob', roles: null },
  ])
  const again = await twain('ann@example.org', '--row', '{"name": "Ann"}', ...port)
  assert.deepEqual([again.code, again.out, /has an account with a password already/.test(again.err)], [1, '', true])
})

test('no mail server is needed where addresses must be proven, as with twain dev', async (t) => {
  const { twain, open } = await place(t, sdl.replace('@account', '@account(verification: REQUIRED)'))
  const invited = await twain('ann@example.org', '--role', 'admin', '--row', '{"name": "Ann"}')
  assert.deepEqual([invited.code, invited.err.includes('seven days')], [0, true], invited.err)
  await assert.rejects(open(), /set mail\.url and mail\.from/)
})

test('the owner of an imported account is invited by the address alone', async (t) => {
  const { folder, flags, schemaFile, twain, open } = await place(t)
  const file = join(folder, 'users.csv')
  writeFileSync(file, 'email,name\ncarl@example.org,Carl\n')
  const imported = await command('import', file, '--type', 'User', '--schema', schemaFile, ...flags)
  assert.equal(imported.code, 0, imported.err)
  const invited = await twain('carl@example.org', '--role', 'admin')
  assert.equal(invited.code, 0, invited.err)
  assert.match(invited.err, /The account is there already: --role and --row change nothing of it\./)
  const service = await open()
  t.after(() => service.close())
  const link = new URL(invited.out.trim())
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const send = (target: string, headers: Record<string, string>, body: string) =>
    service.handle(plainRequest('POST', target, { headers, body }))
  const accepted = await send(link.pathname + link.search, form, String(new URLSearchParams({ password })))
  assert.equal(accepted.status, 200, await bodyText(accepted))
  const json = { 'content-type': 'application/json' }
  const signedIn = await send('/tokens', json, JSON.stringify({ email: 'carl@example.org', password }))
  assert.equal(signedIn.status, 201, await bodyText(signedIn))
  const reply = await service.handleAsSystem(plainRequest('GET', '/users?fields=name,roles'))
  assert.deepEqual(JSON.parse(await bodyText(reply)), [{ name: 'Carl', roles: null }])
})

test('usage errors are reported', async (t) => {
  const { twain } = await place(t)
  for (const [args, words] of [
    [[], /an email address/],
    [['ann@example.org', '--row', '[]'], /--row must be a JSON object/],
    [['ann@example.org', '--row', '{'], /--row must be a JSON object/],
    [['ann@example.org', 'bob@example.org'], /bob@example\.org/],
  ] as const) {
    const { code, err } = await twain(...args)
    assert.equal(code, 2, args.join(' '))
    assert.match(err, words)
  }
})

async function place(t: TestContext, text = sdl) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-invite-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, text)
  const { place: at, flags, drop } = await makeTestPlace(join(folder, 'data'))
  t.after(async () => {
    await drop()
    rmSync(folder, { recursive: true })
  })
  return {
    folder,
    flags,
    schemaFile,
    open: (): Promise<Service> => openService({ schemaFile, ...at, limits: defaultLimits, log }),
    async twain(...args: readonly string[]) {
      const heard = { out: '', err: '' }
      const out = (text: string) => {
        heard.out += text
      }
      const err = (text: string) => {
        heard.err += text
      }
      const surface = { env: {}, out, err, colours: { out: false, err: false }, stop: new AbortController().signal }
      return { code: await run(['invite', ...args, '--schema', schemaFile, ...flags], surface), ...heard }
    },
  }
}
