// The hook `signIn` of custom code: it may refuse a sign-in with a password, or with a token of an external issuer.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { defaultAuthSettings } from '../../packages/twain/src/auth/index.ts'
import { openIssuer } from '../../packages/twain/src/auth/tokens/external-issuer.fixture.ts'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") {
    id: ID! email: String! @unique name: String isBlocked: Boolean! @default(value: false) @allow(role: "admin")
    signIns: [SignInNote!]!
  }
  type SignInNote @allow(to: [READ]) { id: ID! user: User! method: String! }
`

/** `ApiError` is not imported: any error with a code of the catalogue is one. */
const code = `export default {
  async signIn({ account, method }, { system, viewer }) {
    if (viewer.id !== null) throw new Error('somebody is signed in')
    if (account.name === 'bug') throw new Error('a bug of ours')
    if (account.isBlocked) throw Object.assign(new Error('This account is blocked.'), { code: 'FORBIDDEN' })
    await system.write.SignInNote.create({ user: account.id, method })
  },
}
`

const body = { email: 'ann@example.org', password: 'a long password' }

test('a refused sign-in with a password gives the error of the code, and no token', async (t) => {
  const service = await TestService.open(t, sdl, { code })
  const { id } = await service.succeed('POST', '/users', { ...body, name: 'ann' })
  const { refreshToken } = await service.succeed('POST', '/tokens', body)
  assert.deepEqual(await methods(service), ['password'])
  await block(service, id)

  const rest = await service.send('POST', '/tokens', body)
  assert.deepEqual([rest.status, rest.body.code, rest.body.detail], [403, 'FORBIDDEN', 'This account is blocked.'])
  const { errors, data } = await createToken(service, body)
  assert.deepEqual(
    [data, errors[0].extensions.code, errors[0].message],
    [{ createToken: null }, 'FORBIDDEN', 'This account is blocked.'],
  )
  for (let n = 0; n < 6; n++) assert.equal((await service.send('POST', '/tokens', body)).status, 403) // no wrong passwords
  const wrong = await service.send('POST', '/tokens', { ...body, password: 'no password' })
  assert.equal(wrong.status, 401)
  // To renew a session is no sign-in.
  await service.succeed('POST', '/tokens', { refreshToken })
  assert.deepEqual(await methods(service), ['password'])
})

test('code that fails is a 500 without its message, and signs nobody in', async (t) => {
  const service = await TestService.open(t, sdl, { code })
  await service.succeed('POST', '/users', { ...body, name: 'bug' })
  const { status, body: problem } = await service.send('POST', '/tokens', body)
  assert.equal(status, 500)
  assert.doesNotMatch(JSON.stringify(problem), /a bug of ours/)
  assert.equal((await createToken(service, body)).errors[0].extensions.code, 'INTERNAL')
})

test('the first use of a token of an external issuer is a sign-in, through both APIs and WebSockets', async (t) => {
  const { service, sign } = await openWithIssuer(t)
  const token = await sign({ sub: 'u-1', email: 'ann@example.org' })
  const authorization = { authorization: `Bearer ${token}` }
  for (let n = 0; n < 3; n++) assert.equal((await service.send('GET', '/users', undefined, authorization)).status, 200)
  assert.deepEqual(await methods(service), ['issuer'])
  const [{ id }] = await service.succeed('GET', '/users')
  await block(service, id)

  const later = await sign({ sub: 'u-1', jti: 'another', email: 'ann@example.org' })
  const refused = { authorization: `Bearer ${later}` }
  for (let n = 0; n < 2; n++) assert.equal((await service.send('GET', '/users', undefined, refused)).status, 403)
  const graphql = await service.send('POST', '/graphql', { query: '{ users { id } }' }, refused)
  assert.match(JSON.stringify(graphql.body), /This account is blocked\./)
  assert.deepEqual(await closeOf(service, later), [4403, 'This account is blocked.'])
  assert.deepEqual(await methods(service), ['issuer'])
})

test('signIn needs an account type', async (t) => {
  await assert.rejects(TestService.open(t, 'type Note @allow { id: ID! text: String! }', { code }), {
    message: 'twain.config.ts: signIn: the schema has no account type. Write @account behind one, or remove this.',
  })
})

async function openWithIssuer(t: TestContext) {
  const { jwks, name, sign } = await openIssuer(t)
  const issuers = JSON.stringify([{ issuer: name, jwks, audience: 'api', createAccounts: true }])
  const service = await TestService.open(t, sdl, { code, auth: { ...defaultAuthSettings, issuers } })
  return { service, sign }
}

async function methods(service: TestService): Promise<string[]> {
  const notes = (await service.succeed('GET', '/sign-in-notes')) as { method: string }[]
  return notes.map(({ method }) => method)
}

async function createToken(service: TestService, input: object) {
  const query = 'mutation ($input: CreateTokenInput!) { createToken(input: $input) { id } }'
  return (await service.send('POST', '/graphql', { query, variables: { input } })).body
}

async function block(service: TestService, id: string): Promise<void> {
  const patch = { headers: { 'content-type': 'application/json' }, body: '{"isBlocked":true}' }
  const { status } = await service.service.handleAsSystem(plainRequest('PATCH', `/users/${id}`, patch))
  assert.equal(status, 200)
}

/** How the server closes a connection that presents this token. */
function closeOf({ address }: TestService, token: string): Promise<[number, string]> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } })),
  )
  return new Promise((resolve, reject) => {
    socket.on('close', (closeCode, reason) => resolve([closeCode, String(reason)]))
    socket.on('error', reject)
  })
}
