// Checks the sentences about tokens, passwords, roles and fields that a viewer may not read.

import assert from 'node:assert/strict'
import { until } from '../harness/until.ts'
import { printed } from './clients.ts'
import type { ContractService } from './contract-service.ts'
import { durationIn, restLines, sentenceOf } from './printed-contract.ts'

export async function checkScheme({ send, data }: ContractService): Promise<void> {
  const key = await printed('key', '--role', 'admin', '--data', data)
  const token = await printed('token', '--role', 'admin', '--data', data)
  for (const one of [key, token]) {
    assert.equal((await send('GET', '/webhooks', { headers: { authorization: `Bearer ${one}` } })).status, 200)
  }
  const refused = await send('GET', '/webhooks', { headers: { authorization: 'Bearer x' } })
  assert.deepEqual([refused.status, refused.headers.get('www-authenticate')?.startsWith('Bearer')], [401, true])
}

const credentials = { email: 'ann@example.org', password: 'fair winds' }

export async function checkTokens({ send, contract, viewers }: ContractService): Promise<void> {
  const signedIn = await send('POST', '/tokens', { body: credentials })
  const { id, token, refreshToken, expiresAt } = signedIn.body
  assert.equal(signedIn.status, 201)
  assert.equal(token.split('.').length, 3)
  const valid = durationIn(sentenceOf(contract, 'Tokens are JWTs'), 'valid for')
  const left = Date.parse(expiresAt) - Date.now()
  assert.ok(left > valid - 60_000 && left <= valid + 6000, `${left} of ${valid} ms`)
  const renewed = await send('POST', '/tokens', { body: { refreshToken } })
  assert.equal(renewed.status, 201)
  viewers.set('the second session', renewed.body.token)
  assert.equal((await send('DELETE', `/tokens/${id}`, { viewer: 'the second session' })).status, 204)
  await assertEnds(renewed.body.token, send)
  viewers.delete('the second session')
}

/** The token of a session that was revoked is a 401, within a second. */
async function assertEnds(token: string, send: ContractService['send']): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const ended = await until(
    () => send('GET', '/tokens', { headers }),
    ({ status }) => status === 401,
  )
  assert.deepEqual([ended.status, ended.body.code], [401, 'UNAUTHENTICATED'])
  assert.match(ended.headers.get('www-authenticate') ?? '', /^Bearer/)
}

export async function checkPassword({ send, contract, createAccount, viewers }: ContractService): Promise<void> {
  const { path } = restLines(contract).find(
    ({ method, bodies }) =>
      method === 'POST' &&
      bodies[0]?.some(({ name, mark }) => name === 'password' && mark === '*') &&
      bodies.length === 1,
  )!
  for (const [password, code] of [
    ['x'.repeat(7), 'LENGTH'],
    ['x'.repeat(257), 'LENGTH'],
    ['Password', 'COMMON'],
  ]) {
    const refused = await send('POST', path, { body: { ...credentials, password } })
    const problem = refused.body.errors.find((one: { path: string }) => one.path === 'password')
    assert.deepEqual([refused.status, problem?.code], [400, code])
  }
  const row = await createAccount('cid')
  const { body: other } = await send('POST', '/tokens', { body: { ...credentials, email: 'cid@example.org' } })
  const change = { password: 'fairer winds', currentPassword: 'fair winds' }
  const changed = await send('PATCH', row, { viewer: 'cid', body: change })
  assert.equal(changed.status, 200, changed.text)
  assert.doesNotMatch(changed.text, /winds/)
  await assertEnds(other.token, send)
  viewers.delete('cid')
}

export async function checkRoles({ send, contract, createAccount, viewers }: ContractService): Promise<void> {
  const [, field] = /^Roles: the field `(\w+)`/.exec(sentenceOf(contract, 'Roles: ')) ?? []
  if (field === undefined) return
  const row = await createAccount('dora')
  const { body } = await send('GET', row, { viewer: 'dora' })
  const roles = { [field]: Array.isArray(body[field]) ? ['EDITOR'] : 'EDITOR' }
  assert.equal((await send('PATCH', row, { viewer: 'dora', body: roles })).status, 403)
  assert.equal((await send('PATCH', row, { viewer: 'operator', body: roles })).status, 200)
  viewers.delete('dora')
}

/** The login of an account is readable by the account only. */
export async function checkUnreadable({ send, createAccount, viewers }: ContractService): Promise<void> {
  const row = await createAccount('eve')
  const [, list = '', id = ''] = row.split('/')
  assert.equal((await send('GET', row, { viewer: 'eve' })).body.email, 'eve@example.org')
  assert.equal('email' in (await send('GET', row, { viewer: 'ann' })).body, false)
  const query = `{ ${list}(where: { id: { eq: "${id}" } }) { email } }`
  const { body } = await send('POST', '/graphql', { viewer: 'ann', body: { query } })
  assert.deepEqual(body.data[list], [{ email: null }])
  assert.deepEqual([body.errors[0].extensions.code, body.errors[0].path], ['FORBIDDEN', [list, 0, 'email']])
  const filtered = await send('GET', `/${list}?email=eve@example.org`, { viewer: 'ann' })
  assert.doesNotMatch(filtered.text, new RegExp(id))
  assert.equal((await send('DELETE', row, { viewer: 'eve' })).status, 204)
  viewers.delete('eve')
}

/** Only the orchestra has custom code that fails. */
export async function checkInternalError({ send, contract }: ContractService): Promise<void> {
  if (!contract.operations.some((one) => one.startsWith('longest('))) return
  const rest = await send('GET', '/longest?unit=broken')
  const { text, body } = await send('POST', '/graphql', { body: { query: '{ longest(unit: "broken") { id } }' } })
  assert.match(rest.body.instance, /^urn:uuid:/)
  assert.equal(typeof body.errors[0].extensions.id, 'string')
  assert.doesNotMatch(rest.text + text, /a detail of the server/)
}
