// Changes of one's own password and login through both APIs of a whole service.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainRequest } from '#base/http'
import { defaultLimits } from '#plan'
import { makeTestPlace } from '#test-place'
import { openService } from './service.ts'

const sdl = `
type User @account @allow(to: [READ, CREATE]) @allow(who: "self") @allow(role: "admin") {
  id: ID!
  email: String! @unique
  name: String
  roles: [String!]
}
`
const password = 'correct horse battery'
const next = 'another long password'
const minute = 60_000

test('within five minutes of the sign-in a password changes without the current one, and later not', async (t) => {
  const { patch, update, ann, time, logged } = await open(t)
  assert.equal((await patch(ann, { password })).status, 200)
  time.now += 5 * minute + 1000
  const denied = await patch(ann, { password: next })
  assert.deepEqual(
    [denied.status, denied.body.code, denied.body.errors[0].path, denied.body.errors[0].code],
    [403, 'REAUTHENTICATION_REQUIRED', 'currentPassword', 'REQUIRED'],
  )
  assert.equal((await update(ann, `password: "${next}"`)).code, 'REAUTHENTICATION_REQUIRED')
  assert.equal((await update(ann, `input: {email: "eve@example.org"}`)).code, 'REAUTHENTICATION_REQUIRED')
  assert.doesNotMatch(JSON.stringify(logged), /horse/)
})

test('a renewal of the session is no sign-in', async (t) => {
  const { patch, rest, ann, time } = await open(t)
  time.now += 6 * minute
  const { token } = (await rest('POST', '/tokens', null, { refreshToken: ann.refreshToken })).body
  assert.equal((await patch({ ...ann, token }, { password: next })).body.code, 'REAUTHENTICATION_REQUIRED')
  const signedIn = (await rest('POST', '/tokens', null, { email: 'ann@example.org', password })).body
  assert.equal((await patch({ ...ann, ...signedIn, id: ann.id }, { password: next })).status, 200)
})

test('the current password confirms PATCH, PUT, JSON patch, a batch and both forms of updateUser', async (t) => {
  const { patch, rest, update, graphql, ann, time } = await open(t)
  const at = `/users/${ann.id}`
  const login = (name: string) => ({ email: `${name}@example.org`, currentPassword: password })
  time.now += 6 * minute
  assert.equal((await patch(ann, login('a'))).status, 200)
  assert.equal((await rest('PUT', at, ann.token, login('b'))).status, 200)
  const operations = [
    { op: 'replace', path: '/email', value: 'c@example.org' },
    { op: 'add', path: '/currentPassword', value: password },
  ]
  assert.equal((await rest('PATCH', at, ann.token, operations, 'application/json-patch+json')).status, 200)
  const batch = [{ method: 'PATCH', path: at, body: login('d') }]
  assert.equal((await rest('POST', '/batch', ann.token, batch)).status, 200)
  assert.equal((await update(ann, `email: "e@example.org", currentPassword: "${password}"`)).code, undefined)
  assert.equal((await update(ann, `input: {email: "f@example.org", currentPassword: "${password}"}`)).code, undefined)
  const replace = `mutation { replaceUser(id: "${ann.id}", input: {email: "g@example.org", currentPassword: "${password}"}) { email } }`
  assert.deepEqual((await graphql(replace, ann.token)).body.data, { replaceUser: { email: 'g@example.org' } })
  assert.equal((await patch(ann, { password: next, currentPassword: password })).status, 200)
  assert.equal((await patch(ann, { email: 'h@example.org', currentPassword: password })).status, 403)
})

test('a wrong current password is refused, also after a recent sign-in, and slowed down like a sign-in', async (t) => {
  const { patch, update, rest, ann, time } = await open(t)
  const wrong = { password: next, currentPassword: 'wrong horse' }
  const denied = await patch(ann, wrong)
  assert.deepEqual(
    [denied.status, denied.body.code, denied.body.errors[0].code],
    [403, 'REAUTHENTICATION_REQUIRED', 'WRONG'],
  )
  for (let count = 0; count < 3; count++) await patch(ann, wrong)
  assert.equal((await update(ann, `password: "${next}", currentPassword: "wrong"`)).code, 'REAUTHENTICATION_REQUIRED')
  const limited = await patch(ann, { ...wrong, currentPassword: password })
  assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '1'])
  time.now += 1000
  assert.equal((await patch(ann, { ...wrong, currentPassword: password })).status, 200)
  assert.equal((await rest('POST', '/tokens', null, { email: 'ann@example.org', password: next })).status, 201)
})

test('what leaves password and login as they are needs no confirmation', async (t) => {
  const { patch, rest, ann, time } = await open(t)
  time.now += 6 * minute
  assert.equal((await patch(ann, { name: 'Ann' })).status, 200)
  assert.equal((await rest('PUT', `/users/${ann.id}`, ann.token, { email: 'ann@example.org', name: 'A' })).status, 200)
})

test('an admin and the operator change other accounts without it, an admin not their own', async (t) => {
  const { patch, asSystem, signUp, ann, time } = await open(t)
  const root = await signUp('root@example.org')
  assert.equal(
    (await asSystem('PATCH', `/users/${root.id}`, null, { roles: ['admin'], email: 'r@example.org' })).status,
    200,
  )
  time.now += 6 * minute
  assert.equal((await patch({ ...root, id: ann.id }, { password: next, email: 'annie@example.org' })).status, 200)
  assert.equal((await patch(root, { password: next })).body.code, 'REAUTHENTICATION_REQUIRED')
  assert.equal((await asSystem('PATCH', `/users/${root.id}`, null, { password: next })).status, 200)
})

test('a repeated request with an idempotency key gets its first answer, although the password has changed', async (t) => {
  const { rest, ann, time } = await open(t)
  time.now += 6 * minute
  const body = { password: next, currentPassword: password }
  const send = () => rest('PATCH', `/users/${ann.id}`, ann.token, body, 'application/json', { 'idempotency-key': 'k1' })
  assert.deepEqual([(await send()).status, (await send()).status], [200, 200])
})

test('currentPassword belongs to changes of an account only, and has a type', async (t) => {
  const { rest, patch, ann } = await open(t)
  const created = await rest('POST', '/users', null, { email: 'b@example.org', password, currentPassword: password })
  assert.deepEqual([created.status, created.body.errors[0].path], [400, 'currentPassword'])
  for (const currentPassword of [7, {}, 'x'.repeat(257)]) {
    const refused = await patch(ann, { password: next, currentPassword })
    assert.deepEqual([refused.status, refused.body.errors[0].path], [400, 'currentPassword'])
  }
  assert.equal((await patch(ann, { password: next, currentPassword: null })).status, 200)
})

interface Session {
  id: string
  token: string
  refreshToken: string
}

async function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-reauthentication-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const logged: unknown[] = []
  const record = (...words: unknown[]) => void logged.push(words)
  const log = { info: record, warn: record, error: record }
  const time = { now: Date.now() }
  const { place, drop } = await makeTestPlace(join(folder, 'data'))
  const service = await openService({ schemaFile, ...place, limits: defaultLimits, log, clock: () => time.now })
  t.after(async () => {
    await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  })
  const requester =
    (handle: typeof service.handle) =>
    async (
      method: string,
      at: string,
      token: string | null,
      value?: unknown,
      type = 'application/json',
      more: Record<string, string> = {},
      // biome-ignore lint/suspicious/noExplicitAny: the tests read answers of many shapes
    ): Promise<{ status: number; headers: Record<string, unknown>; body: any }> => {
      const body = value === undefined ? '' : JSON.stringify(value)
      const headers = { 'content-type': type, ...more, ...(token ? { authorization: `Bearer ${token}` } : {}) }
      const reply = await handle(plainRequest(method, at, { headers, body, address: '192.0.2.1' }))
      return {
        status: reply.status,
        headers: reply.headers,
        body: reply.body === null ? null : JSON.parse(String(reply.body)),
      }
    }
  const rest = requester(service.handle)
  const graphql = (query: string, token: string) => rest('POST', '/graphql', token, { query })

  async function signUp(email: string): Promise<Session> {
    const { body: row } = await rest('POST', '/users', null, { email, password })
    const { body: session } = await rest('POST', '/tokens', null, { email, password })
    return { ...session, id: row.id }
  }
  return {
    rest,
    graphql,
    asSystem: requester(service.handleAsSystem),
    signUp,
    ann: await signUp('ann@example.org'),
    time,
    logged,
    patch: ({ id, token }: Session, value: object) => rest('PATCH', `/users/${id}`, token, value),
    async update({ id, token }: Session, args: string): Promise<{ code: string | undefined }> {
      const { body } = await graphql(`mutation { updateUser(id: "${id}", ${args}) { id } }`, token)
      return { code: body.errors?.[0].extensions.code }
    },
  }
}
