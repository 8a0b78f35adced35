import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeTokens, issuedToken, ticket } from '#fake-tokens'
import { loadModel } from '#model'
import { fakeRest, fakeRestWith, problemPathsOf } from '../blog.fixture.ts'

const model = loadModel('type User @account { id: ID! email: String! @unique }', 'x.graphql')

function openTokens() {
  const { calls, tokens } = fakeTokens()
  return { calls, ...fakeRestWith({ model, tokens }) }
}

test('R80: signing in creates a token, which no cache may store', async () => {
  const { send, calls } = openTokens()
  const body = { email: 'a@b.c', password: 'correct horse' }
  const reply = await send('/tokens', { method: 'POST', body })

  assert.deepEqual([reply.status, JSON.parse(String(reply.body))], [201, issuedToken])
  assert.deepEqual([reply.headers.location, reply.headers['cache-control']], ['/tokens/t1', 'no-store'])
  assert.deepEqual(calls, [body, '192.0.2.1'])
})

test('R80: a failed sign-in is a 401 with WWW-Authenticate', async () => {
  const reply = await openTokens().send('/tokens', { method: 'POST', body: { email: 'a@b.c', password: 'wrong' } })

  assert.deepEqual([reply.status, reply.headers['www-authenticate']], [401, 'Bearer'])
  assert.equal(reply.headers['cache-control'], 'no-store')
})

test('R132: a ticket for a stream needs a signed-in viewer, and no cache may store it', async () => {
  const { send, calls } = openTokens()
  const requestTicket = (headers: Record<string, string>) =>
    send('/tokens', {
      method: 'POST',
      body: { for: 'stream' },
      headers: { 'content-type': 'application/json', ...headers },
    })
  const reply = await requestTicket({ authorization: 'Bearer x' })

  const { id: _, ...rest } = ticket
  assert.deepEqual([reply.status, JSON.parse(String(reply.body))], [201, rest])
  assert.deepEqual([reply.headers.location, reply.headers['cache-control']], [undefined, 'no-store'])
  assert.deepEqual(calls, [{ for: 'stream' }])
  assert.equal((await requestTicket({})).status, 401)
})

test('R84: a body that is not an object, and parameters, are rejected before sign-in', async () => {
  const { send, calls } = openTokens()

  assert.deepEqual(problemPathsOf(await send('/tokens', { method: 'POST', body: [1] })), [' TYPE'])
  assert.deepEqual(problemPathsOf(await send('/tokens?fields=id', { method: 'POST', body: {} })), ['fields UNKNOWN'])
  assert.equal(
    (await send('/tokens', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } })).status,
    415,
  )
  assert.deepEqual(calls, [])
})

test('R5: other methods are a 405 that lists the supported ones', async () => {
  const { send } = openTokens()
  const allow = async (target: string, method: string) => {
    const { status, headers } = await send(target, { method })
    return `${status} ${headers.allow}`
  }

  assert.equal(await allow('/tokens', 'PUT'), '405 GET, HEAD, POST, DELETE, OPTIONS')
  assert.equal(await allow('/tokens', 'OPTIONS'), '204 GET, HEAD, POST, DELETE, OPTIONS')
  assert.equal(await allow('/tokens/t1', 'POST'), '405 GET, HEAD, DELETE, OPTIONS')
  assert.equal(await allow('/tokens/t1', 'OPTIONS'), '204 GET, HEAD, DELETE, OPTIONS')
})

test('R85: without an account type there are no tokens', async () => {
  assert.equal((await fakeRest().send('/tokens', { method: 'POST', body: {} })).status, 404)
  assert.equal((await openTokens().send('/tokens/t1/more')).status, 404)
})
