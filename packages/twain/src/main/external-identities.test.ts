// Accounts of external issuers through both APIs of a whole service.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { defaultAuthSettings } from '#auth'
import { plainRequest } from '#base/http'
import { defaultLimits } from '#plan'
import { openIssuer } from '#test-issuer'
import { makeTestPlace } from '#test-place'
import { openService } from './service.ts'

const sdl = `
type User @account @allow(who: "self") { id: ID!, handle: String! @unique, name: String, notes: [Note!]! }
type Note @allow(who: "author") { id: ID!, text: String!, author: User! @auto(set: VIEWER) @relation(onDelete: CASCADE) }
`.replace('@account', '@account(login: "handle")')

test('nobody reads the rows of an account with a subject that looks like its own', async (t) => {
  const { rest, graphql, sign } = await open(t)
  const ann = await sign({ sub: 'Ann', name: 'Ann' })
  assert.equal((await rest('POST', '/notes', ann, { text: 'secret' })).status, 201)
  for (const sub of ['ann', 'ANN', '\uff41nn', 'ann ', 'Ann\u200b', 'An\u00adn', 'ann\u3164']) {
    const twin = await sign({ sub })
    for (const answer of [await rest('GET', '/notes', twin), await graphql('{ notes { text } }', twin)]) {
      assert.equal(answer.status, 409, JSON.stringify(sub))
      assert.doesNotMatch(JSON.stringify(answer.body), /secret/)
      assert.match(JSON.stringify(answer.body), /CONFLICT.*|Another User has the handle/)
    }
  }
  assert.deepEqual((await rest('GET', '/notes', await sign({ sub: 'annie' }))).body, [])
  assert.match(JSON.stringify((await graphql('{ notes { text } }', ann)).body), /secret/)
})

test('a verified address is no reason to join an account whose login is no address', async (t) => {
  const { rest, sign } = await open(t)
  const squatter = await sign({ sub: 'ann@example.org' })
  assert.equal((await rest('POST', '/notes', squatter, { text: 'secret' })).status, 201)
  const claims = { sub: 'u-1', email: 'ann@example.org', email_verified: true }
  assert.deepEqual((await rest('GET', '/notes', await sign(claims))).body, [])
})

test('two first requests at once, through both APIs, are one account', async (t) => {
  const { rest, graphql, sign } = await open(t)
  const answers = await Promise.all(
    Array.from({ length: 10 }, async (_, n) => {
      const token = await sign({ sub: 'Ann', jti: String(n) })
      return n % 2 === 0 ? rest('GET', '/users', token) : graphql('{ users { id } }', token)
    }),
  )
  const ids = new Set(answers.flatMap(({ body }) => JSON.stringify(body).match(/[0-9a-f-]{36}/g) ?? []))
  assert.deepEqual([ids.size, new Set(answers.map(({ status }) => status))], [1, new Set([200])])
})

test('an account without a password changes its login after a recent sign-in at the issuer', async (t) => {
  const { rest, sign } = await open(t)
  const now = Math.floor(Date.now() / 1000)
  const [{ id }] = (await rest('GET', '/users', await sign({ sub: 'Ann' }))).body
  const change = async (claims: object) =>
    (await rest('PATCH', `/users/${id}`, await sign({ sub: 'Ann', ...claims }), { handle: 'annie' })).status
  for (const auth_time of [undefined, now - 600, String(now), null])
    assert.equal(await change({ auth_time, iat: now }), 403)
  assert.equal(await change({ auth_time: now }), 200)
})

async function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-external-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const { jwks, name, sign } = await openIssuer(t)
  const issuers = JSON.stringify([{ issuer: name, jwks, audience: 'api', createAccounts: true }])
  const log = { info() {}, warn() {}, error() {} }
  const { place, drop } = await makeTestPlace(join(folder, 'data'))
  const auth = { ...defaultAuthSettings, issuers }
  const service = await openService({ schemaFile, ...place, limits: defaultLimits, log, auth })
  t.after(async () => {
    await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  })
  async function rest(method: string, at: string, token: string, value?: unknown) {
    const body = value === undefined ? '' : JSON.stringify(value)
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const reply = await service.handle(plainRequest(method, at, { headers, body, address: '192.0.2.1' }))
    return { status: reply.status, body: reply.body === null ? null : JSON.parse(String(reply.body)) }
  }
  const graphql = (query: string, token: string) => rest('POST', '/graphql', token, { query })
  return { rest, graphql, sign }
}
