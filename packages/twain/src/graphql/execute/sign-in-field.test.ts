import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Viewer } from '#base/http'
import { ann, fakeTokens, issuedToken, ticket } from '#fake-tokens'
import { loadModel } from '#model'
import { fakeGraphql, mistakesOf } from '../blog.fixture.ts'

const model = loadModel('type User @account { id: ID! email: String! @unique }', 'x.graphql')

function tokenApi(viewer?: Viewer) {
  const { calls, tokens } = fakeTokens()
  return { calls, ...fakeGraphql({ model, tokens, ...(viewer === undefined ? {} : { viewer }) }) }
}

test('createToken signs in with literals or variables, and returns the selected fields', async () => {
  const { run, calls } = tokenApi()
  const input = { email: 'a@b.c', password: 'correct horse' }
  const literal = 'mutation { t: createToken(input: {refreshToken: "r0"}) { id key: token createdAt __typename } }'
  assert.deepEqual(await run(literal), { data: { t: { id: 't1', key: 'jwt', createdAt: null, __typename: 'Token' } } })
  const variable = 'mutation ($i: CreateTokenInput!) { createToken(input: $i) { token refreshToken expiresAt } }'
  const { id: _, ...rest } = issuedToken
  assert.deepEqual(await run(variable, { i: { ...input, refreshToken: null } }), { data: { createToken: rest } })
  assert.deepEqual(calls, [{ refreshToken: 'r0' }, '127.0.0.1', input, '127.0.0.1'])
})

test('createToken creates a ticket for a stream if the viewer is signed in', async () => {
  const text = 'mutation { createToken(input: {for: "stream"}) { ticket expiresAt token } }'
  const { id: _, ...rest } = ticket
  assert.deepEqual(await tokenApi(ann).run(text), { data: { createToken: { ...rest, token: null } } })
  const { errors } = await tokenApi().run(text)
  assert.deepEqual([errors?.[0]?.path, errors?.[0]?.extensions.code], [['createToken'], 'UNAUTHENTICATED'])
})

test('the type of a variable is checked before anything runs, the rest by the token service', async () => {
  const { run, calls } = tokenApi()
  const text =
    'mutation ($i: CreateTokenInput!) { a: createToken(input: {refreshToken: "r0"}) { id } createToken(input: $i) { id } }'
  assert.deepEqual(mistakesOf(await run(text, { i: ['x'] })), [' TYPE'])
  const wrong = await run(text, { i: { email: { ne: '' }, pasword: 'x' } })
  assert.deepEqual(mistakesOf(wrong), ['email TYPE', 'pasword UNKNOWN'])
  assert.deepEqual([Object.keys(wrong), wrong.errors?.[0]?.path, calls], [['errors'], undefined, []])
  await run(text, { i: { email: 'a@b.c' } })
  assert.deepEqual(calls[2], { email: 'a@b.c' })
})

test('a response with a token has `cache-control: no-store`', async () => {
  const { send } = tokenApi(ann)
  const body = (query: string) => async () => Buffer.from(JSON.stringify({ query }))
  const created = await send({ body: body('mutation { createToken(input: {refreshToken: "r0"}) { id } }') })
  assert.equal(created.headers['cache-control'], 'no-store')
  assert.equal((await send({ body: body('{ __typename }') })).headers['cache-control'], undefined)
})
