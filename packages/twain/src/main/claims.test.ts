// Claims of external tokens in rules and defaults, through both APIs of a whole service.
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
import { openIssuer } from '#test-issuer'
import { makeTestPlace } from '#test-place'
import { openService } from './service.ts'

const sdl = `
type User @account @allow(who: "self") @allow(role: "staff") { id: ID!, email: String! @unique, org: String @default(value: {claim: "org_id"}) }
type Org @allow(where: {id: {eq: {claim: "org"}}}) @allow(role: "staff") { id: ID!, name: String!, papers: [Paper!]! }
enum State { DRAFT @next(to: [DONE], where: {level: {lte: {claim: "level"}}}) DONE }
type Paper
  @allow(where: {org: {eq: {claim: "org_id"}}})
  @allow(where: {level: {lt: {claim: "realm.read"}}}, to: [READ])
  @allow(role: "outsider", to: [READ], where: {not: {org: {eq: {claim: "org_id"}}}})
  @allow(role: "stranger", to: [READ], where: {org: {ne: {claim: "org_id"}}})
  @allow(role: "staff") {
  id: ID!
  org: String! @default(value: {claim: "org_id"})
  level: Int! @default(value: 0)
  state: State!
  owner: Org @default(value: {claim: "org"})
  note: String @allow(where: {level: {eq: {claim: "level"}}}) @allow(role: "staff")
}
type Box @allow(role: "staff") @allow(to: [READ], where: {lids: {none: {org: {eq: {claim: "org_id"}}}}})
  @allow(role: "each", to: [READ], where: {lids: {every: {org: {eq: {claim: "org_id"}}}}}) { id: ID!, lids: [Lid!]! }
type Lid @allow(role: "staff") { id: ID!, box: Box!, org: String! }
`

test('a claim selects rows on both APIs; a list means in; a missing one matches nothing, negated or not', async (t) => {
  const { list, sign, fill } = await openClaims(t)
  await fill()
  assert.deepEqual(await list('Paper', await sign({ org_id: 'a' })), ['a1', 'a2'])
  assert.deepEqual(await list('Paper', await sign({ org_id: 'b' })), ['b1'])
  assert.deepEqual(await list('Paper', await sign({ org_id: ['a', 'b'] })), ['a1', 'a2', 'b1'])
  assert.deepEqual(await list('Paper', await sign({ org_id: [] })), [])
  assert.deepEqual(await list('Paper', await sign({})), [])
  assert.deepEqual(await list('Paper', await sign({ org_id: null })), [])
  assert.deepEqual(await list('Paper', await sign({ realm: { read: 3 } })), ['a1', 'b1'])
  assert.deepEqual(await list('Paper', await sign({ realm: { read: [3] } })), []) // no order has a list
  for (const roles of [['outsider'], ['stranger']]) {
    assert.deepEqual(await list('Paper', await sign({ roles, org_id: 'c' })), ['a1', 'a2', 'b1'])
    assert.deepEqual(await list('Paper', await sign({ roles, org_id: ['b', 'c'] })), ['a1', 'a2', 'b1'])
    assert.deepEqual(await list('Paper', await sign({ roles })), [])
    assert.deepEqual(await list('Paper', await sign({ roles, org_id: [] })), [])
    assert.deepEqual(await list('Paper', await sign({ roles, org_id: 7 })), [])
  }
})

test('a missing claim matches nothing inside none and every either', async (t) => {
  const { list, sign, fill } = await openClaims(t)
  await fill()
  assert.deepEqual(await list('Box', await sign({ org_id: 'a' })), ['empty', 'ofB'])
  assert.deepEqual(await list('Box', await sign({})), [])
  assert.deepEqual(await list('Box', await sign({ roles: ['each'], org_id: 'a' })), ['empty', 'ofA', 'ofB'])
  assert.deepEqual(await list('Box', await sign({ roles: ['each'] })), [])
})

test('a claim of another type matches nothing, and the log says so once, without its value', async (t) => {
  const { list, sign, fill, warnings } = await openClaims(t)
  await fill()
  for (const org_id of [7, true, { a: 1 }, ['a', 7], 'a\0'])
    assert.deepEqual(await list('Paper', await sign({ org_id })), [], JSON.stringify(org_id))
  const told = warnings.filter(({ text }) => text === 'a claim of another type matches nothing')
  assert.deepEqual(
    told.map(({ fields: { claim, field, expected } }) => [claim, field, expected]),
    [['org_id', 'User.org', 'String']],
  )
})

test('an external token without an account claim that the file names, and an own token, match nothing', async (t) => {
  const { list, fill, rest, ask } = await openClaims(t)
  await fill()
  const body = { email: 'eve@example.org', password: 'correct horse battery' }
  assert.equal((await rest('POST', '/users', 'staff', body)).status, 201)
  const { token } = (await ask('POST', '/tokens', null, body)).body
  assert.deepEqual(await list('Paper', token), [])
  assert.deepEqual(await list('Paper', null), [])
})

test('a default takes the claim; without it a required field is missing, and the message names the claim', async (t) => {
  const { rest, graphql, sign, fill } = await openClaims(t)
  await fill()
  const member = await sign({ org_id: 'a', org: 'a' })
  const created = await rest('POST', '/papers', member, { level: 1 })
  assert.deepEqual([created.status, created.body.org, created.body.owner], [201, 'a', 'a'])
  const mutation = 'mutation { createPaper(input: {}) { org owner { id } } }'
  assert.deepEqual((await graphql(mutation, member)).body.data.createPaper, { org: 'a', owner: { id: 'a' } })
  const lacking = await rest('POST', '/papers', 'staff', {})
  assert.equal(lacking.status, 400)
  assert.match(JSON.stringify(lacking.body), /is required: the token has no claim \\"org_id\\" that fits/)
  assert.match(JSON.stringify((await graphql(mutation, 'staff')).body), /has no claim \\"org_id\\" that fits/)
  // Another organization is refused, and a replace keeps what came from the token.
  assert.equal((await rest('POST', '/papers', member, { org: 'b' })).status, 403)
  const replaced = await rest('PUT', `/papers/${created.body.id}`, member, { level: 2, state: 'DRAFT' })
  assert.deepEqual([replaced.status, replaced.body.org, replaced.body.owner], [200, 'a', 'a'])
  const [user] = (await rest('GET', '/users', member)).body
  assert.equal(user.org, 'a') // the account of the token was created with it
})

test('writes, transitions and fields follow the claims, and a denial names the claim only', async (t) => {
  const { rest, graphql, sign, fill } = await openClaims(t)
  await fill()
  const low = await sign({ org_id: 'a', level: 1 })
  const high = await sign({ org_id: 'a', level: 5 })
  const done = { state: 'DONE' }
  const refused = await rest('PATCH', '/papers/a2', low, done)
  assert.deepEqual([refused.status, /claim level/.test(JSON.stringify(refused.body))], [409, true])
  assert.equal((await rest('PATCH', '/papers/a2', await sign({ org_id: 'a' }), done)).status, 409)
  const open = async (token: string) =>
    (await graphql('{ paper(id: "a2") { _stateTransitions } }', token)).body.data.paper
  assert.deepEqual([await open(low), await open(high)], [{ _stateTransitions: [] }, { _stateTransitions: ['DONE'] }])
  assert.equal((await rest('PATCH', '/papers/a2', high, done)).status, 200)
  assert.equal((await rest('PATCH', '/papers/b1', high, { level: 3 })).status, 404)
  assert.equal((await rest('DELETE', '/papers/b1', high)).status, 404)
  assert.equal((await rest('GET', '/papers/a2', high)).body.note, 'kept')
  const hidden = await graphql('{ paper(id: "a2") { note } }', low)
  assert.equal(hidden.body.data.paper.note, null)
  const denied = await rest('POST', '/papers', low, { org: 'b' })
  assert.match(JSON.stringify(denied.body), /the claim org_id/)
  const without = await rest('POST', '/papers', await sign({}), { org: 'secret-org' })
  assert.match(JSON.stringify(without.body), /needs the claim \\"org_id\\"/)
})

test('plans are shared, results are not: the same requests by tokens with other claims', async (t) => {
  const { list, sign, fill } = await openClaims(t)
  await fill()
  const [a, b] = [await sign({ org_id: 'a' }), await sign({ org_id: 'b' })]
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(await list('Paper', a), ['a1', 'a2'])
    assert.deepEqual(await list('Paper', b), ['b1'])
  }
})

test('each reader of the feed gets the changes of its claims', async (t) => {
  const { rest, sign, fill } = await openClaims(t)
  await fill()
  const papers = async (claims: object) => {
    const { body } = await rest('GET', '/changes', await sign(claims))
    return [...new Set(JSON.stringify(body).match(/"[ab][12]"/g))].sort()
  }
  // PostgreSQL assigns positions after the commit.
  while ((await papers({ org_id: ['a', 'b'] })).length < 3) await sleep(10)
  assert.deepEqual(await papers({ org_id: 'a' }), ['"a1"', '"a2"'])
  assert.deepEqual(await papers({ org_id: 'b' }), ['"b1"'])
  assert.deepEqual(await papers({}), [])
})

test('streams of the same request get the events of their own claims, also by a ticket', async (t) => {
  const { stream, rest, sign, fill } = await openClaims(t)
  await fill()
  const streams = [await stream(await sign({ org_id: 'a' })), await stream(await sign({ org_id: 'b' }))]
  await rest('PUT', '/papers/b2', 'staff', { org: 'b' })
  await rest('PUT', '/papers/a3', 'staff', { org: 'a' })
  await rest('PUT', '/papers/b4', 'staff', { org: 'b' })
  assert.deepEqual(await Promise.all(streams.map((next) => next(/"(?:a3|b2|b4)"/))), ['"a3"', '"b2"'])
})

interface Warning {
  text: string
  fields: Record<string, unknown>
}

async function openClaims(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-claims-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const issuer = await openIssuer(t)
  const settings = { issuer: issuer.name, jwks: issuer.jwks, audience: 'api', createAccounts: true }
  const issuers = JSON.stringify([{ ...settings, rolesClaim: 'roles' }])
  const warnings: Warning[] = []
  const warn = (fields: object, text: string) => void warnings.push({ text, fields: fields as Warning['fields'] })
  const { place, drop } = await makeTestPlace(join(folder, 'data'))
  const auth = { ...defaultAuthSettings, issuers }
  const log = { info() {}, warn, error() {} }
  const denials = { inAnswer: true }
  const service = await openService({ schemaFile, ...place, limits: defaultLimits, log, auth, denials })
  t.after(async () => {
    await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  })
  let count = 0
  const sign = (claims: object) => issuer.sign({ sub: `u${++count}`, email: `u${count}@example.org`, ...claims })
  const staff = sign({ roles: ['staff'] })
  async function ask(method: string, at: string, token: string | null, value?: unknown) {
    const body = value === undefined ? '' : JSON.stringify(value)
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
    const headers = { 'content-type': 'application/json', ...authorization }
    const reply = await service.handle(plainRequest(method, at, { headers, body, address: '192.0.2.1' }))
    return { status: reply.status, body: reply.body === null ? null : JSON.parse(String(reply.body)) }
  }
  const rest = async (method: string, at: string, token: string, value?: unknown) =>
    ask(method, at, token === 'staff' ? await staff : token, value)
  /** The first part of a stream that matches. */
  async function stream(token: string): Promise<(part: RegExp) => Promise<string>> {
    const { ticket } = (await ask('POST', '/tokens', token, { for: 'stream' })).body
    const headers = { accept: 'text/event-stream' }
    const { body } = await service.handle(plainRequest('GET', `/changes?ticket=${ticket}&after=now`, { headers }))
    const chunks = (body as AsyncIterable<Uint8Array | string>)[Symbol.asyncIterator]()
    t.after(() => chunks.return?.())
    return async (part) => {
      for (let text = ''; ; ) {
        text += String((await chunks.next()).value)
        const [found] = part.exec(text) ?? []
        if (found !== undefined) return found
      }
    }
  }
  const graphql = (query: string, token: string) => rest('POST', '/graphql', token, { query })
  /** The ids of the rows that both APIs list. */
  async function list(type: 'Paper' | 'Box', token: string | null): Promise<string[]> {
    const path = type === 'Paper' ? 'papers' : 'boxes'
    const { body } = await ask('GET', `/${path}?sort=id`, token)
    const twin = await ask('POST', '/graphql', token, { query: `{ ${path}(orderBy: [{id: ASC}]) { id } }` })
    assert.deepEqual(
      twin.body.data?.[path],
      body.map(({ id }: { id: string }) => ({ id })),
    )
    return body.map(({ id }: { id: string }) => id)
  }
  async function fill(): Promise<void> {
    const put = async (at: string, row: object) =>
      assert.equal((await rest('PUT', at, 'staff', row)).status, 201, JSON.stringify(row))
    await put('/orgs/a', { name: 'A' })
    await put('/papers/a1', { org: 'a', level: 1 })
    await put('/papers/a2', { org: 'a', level: 5, note: 'kept' })
    await put('/papers/b1', { org: 'b', level: 2 })
    for (const id of ['empty', 'ofA', 'ofB']) await put(`/boxes/${id}`, {})
    await put('/lids/1', { box: 'ofA', org: 'a' })
    await put('/lids/2', { box: 'ofB', org: 'b' })
  }
  return { rest, graphql, ask, stream, sign, list, fill, warnings }
}
