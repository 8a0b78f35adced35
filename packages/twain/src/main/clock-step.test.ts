// The system clock steps back an hour under a running service: what was revoked or has expired ends as usual.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultAuthSettings } from '#auth'
import { plainRequest } from '#base/http'
import { defaultLimits } from '#plan'
import { makeTestPlace } from '#test-place'
import { openService } from './service.ts'

const sdl = `
type User @account @allow(to: [CREATE]) @allow(who: "self") @allow(role: "admin") { id: ID!, email: String! @unique, roles: [String!] }
type Report @allow(role: "admin") { id: ID! }
`
const password = 'correct horse battery'
const hour = 3_600_000

test('a revoked token, a role that was taken away and an expired token end within a second', async (t) => {
  const { request, asSystem, signUp, stepBack, warnings } = await open(t, 900)
  const ann = await signUp('ann@example.org')
  const bob = await signUp('bob@example.org')
  await asSystem('PATCH', `/users/${bob.user}`, { roles: ['admin'] })
  await until(async () => (await request('POST', '/reports', bob.token)).status === 201)
  stepBack()
  assert.equal((await request('GET', '/users', ann.token)).status, 200) // cached from before the step
  assert.equal((await request('DELETE', `/tokens/${ann.id}`, ann.token)).status, 204)
  await asSystem('PATCH', `/users/${bob.user}`, { roles: [] })
  await until(async () => (await request('GET', '/users', ann.token)).status === 401)
  await until(async () => (await request('POST', '/reports', bob.token)).status === 403)
  assert.match(JSON.stringify(warnings), /the (system clock was set back|clock of this node is wrong)/)
})

test('an access token ends after its time, although the clock says otherwise', async (t) => {
  const { request, signUp, stepBack } = await open(t, 2)
  const { token } = await signUp('ann@example.org')
  assert.equal((await request('GET', '/users', token)).status, 200)
  stepBack()
  await until(async () => (await request('GET', '/users', token)).status === 401)
})

/** Before the fix these conditions came true an hour later. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000
  while (!(await condition())) {
    assert.ok(performance.now() < end, 'still not so after 30 s')
    await sleep(50)
  }
}

async function open(t: TestContext, accessTokenSeconds: number) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-clock-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const warnings: unknown[] = []
  const log = { info() {}, warn: (...words: unknown[]) => void warnings.push(words), error() {} }
  const { place, drop } = await makeTestPlace(join(folder, 'data'))
  const auth = { ...defaultAuthSettings, accessTokenSeconds }
  const service = await openService({ schemaFile, ...place, limits: defaultLimits, log, auth })
  t.after(async () => {
    await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  })
  async function send(handle: typeof service.handle, method: string, at: string, value?: unknown, token?: string) {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const body = value === undefined ? '' : JSON.stringify(value)
    const reply = await handle(plainRequest(method, at, { headers, body, address: '192.0.2.1' }))
    return { status: reply.status, body: reply.body === null ? null : JSON.parse(String(reply.body)) }
  }
  return {
    warnings,
    request: (method: string, at: string, token: string) =>
      send(service.handle, method, at, method === 'POST' ? {} : undefined, token),
    asSystem: (method: string, at: string, value: object) => send(service.handleAsSystem, method, at, value),
    async signUp(email: string): Promise<{ id: string; token: string; user: string }> {
      const { body: user } = await send(service.handle, 'POST', '/users', { email, password })
      const { body: session } = await send(service.handle, 'POST', '/tokens', { email, password })
      return { ...session, user: user.id }
    },
    stepBack() {
      const now = Date.now
      t.mock.method(Date, 'now', () => now() - hour)
    },
  }
}
