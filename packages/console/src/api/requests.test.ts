import assert from 'node:assert/strict'
import { beforeEach, type TestContext, test } from 'node:test'
import { forgetRequests, recordingFetch, sentRequests } from './requests.ts'

const root = 'http://twain.test'
const answerWith = (t: TestContext, reply: () => Promise<Response>) => t.mock.method(globalThis, 'fetch', reply)
const post = (path: string, body: unknown) =>
  recordingFetch(root)(`${root}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer t', prefer: 'return=minimal' },
    body: JSON.stringify(body),
  })

beforeEach(forgetRequests)

test('passwords are sent, but not recorded: in a row, in a batch, and in variables', async (t) => {
  const sent = answerWith(t, async () => new Response('{}'))
  const input = { name: 'Ann', password: 'hush', currentPassword: 'hush' }
  await post('/users', input)
  await post('/batch', [{ method: 'POST', path: '/users', body: input }])
  await post('/graphql', { query: '{ a }', variables: { input } })
  assert.equal(
    sent.mock.calls.every(({ arguments: [, init] }) => JSON.stringify(init).includes('hush')),
    true,
  )
  const shown = { name: 'Ann', password: '…', currentPassword: '…' }
  assert.deepEqual(
    sentRequests.value.map(({ body }) => JSON.parse(body!)),
    [{ query: '{ a }', variables: { input: shown } }, [{ method: 'POST', path: '/users', body: shown }], shown],
  )
  assert.deepEqual(sentRequests.value[0]!.headers, { prefer: 'return=minimal' })
})

test('tokens, API keys and codes are not recorded; a code of a row is', async (t) => {
  answerWith(t, async () => new Response('{}'))
  await post('/tokens', { refreshToken: 'hush', email: 'a@b.c', code: 'hush', captcha: 'hush' })
  await post('/graphql', { query: '{ a }', variables: { input: { refreshToken: 'hush', code: 'hush' }, first: 3 } })
  await post('/webhooks', { url: 'https://example.org', secret: 'hush' })
  await post('/shops', { code: 'A-12', key: 'K', apiKey: 'hush', secret: null })
  assert.deepEqual(
    sentRequests.value.map(({ body }) => JSON.parse(body!)),
    [
      { code: 'A-12', key: 'K', apiKey: '…', secret: null },
      { url: 'https://example.org', secret: '…' },
      { query: '{ a }', variables: { input: { refreshToken: '…', code: '…' }, first: 3 } },
      { refreshToken: '…', email: 'a@b.c', code: '…', captcha: '…' },
    ],
  )
})

test('a name that only contains the word of a secret is recorded, so that what is copied writes the same row', async (t) => {
  answerWith(t, async () => new Response('{}'))
  const plain = { secretary: 'Ann', tokenCount: 3, token_count: 3, passwordHint: 'dog', keyboard: 'de', code: 'A' }
  const secret = [
    'password_hash',
    'PASSWORD',
    'password2',
    'newPasswords',
    'userpassword',
    'clientSecret',
    'secretKey',
  ].concat(['refresh-token', 'accesstoken', 'botTokens', 'captcha', 'API_KEY', 'APIKey', 'apikey', 'mapsApiKeys'])
  await post('/teams', plain)
  await post('/teams', Object.fromEntries(secret.map((name) => [name, 'hush'])))
  const [second, first] = sentRequests.value.map(({ body }) => JSON.parse(body!))
  assert.deepEqual(first, plain)
  assert.deepEqual(second, Object.fromEntries(secret.map((name) => [name, '…'])))
})

test('a document of GraphQL is recorded without the secrets in it; a field of that name is left as it is', async (t) => {
  answerWith(t, async () => new Response('{}'))
  const query = 'mutation { createToken(input: {email: "a@b.c", password: "hush"}) { token } }'
  await post('/graphql', { query })
  await post('/searches', { query })
  assert.deepEqual(
    sentRequests.value.map(({ body }) => JSON.parse(body!)),
    [{ query }, { query: query.replace('hush', '…') }],
  )
})

test('the next session does not see the requests of the last one, nor one that is answered late', async (t) => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  answerWith(t, () => promise)
  const late = post('/notes', {})
  forgetRequests()
  resolve(new Response('{}'))
  await late
  assert.deepEqual(sentRequests.value, [])
  await post('/notes', {})
  assert.equal(sentRequests.value.length, 1)
})

test('a request whose answer is the same as before stays in its place, with its new times and SQL', async (t) => {
  const replies = [
    new Response('{}', { headers: { 'x-request-id': 'r1' } }),
    new Response('{}'),
    new Response(null, {
      status: 304,
      headers: { 'x-request-id': 'r3', 'preference-applied': 'statements', 'server-timing': 'plan;dur=1' },
    }),
  ]
  answerWith(t, async () => replies.shift()!)
  for (const path of ['/notes', '/tags', '/notes']) await recordingFetch(root)(root + path, {})
  assert.deepEqual(
    sentRequests.value.map(({ target, status, id, isRecorded, serverTiming }) => [
      target,
      status,
      id,
      isRecorded,
      serverTiming,
    ]),
    [
      ['/tags', 200, null, false, null],
      ['/notes', 200, 'r3', true, 'plan;dur=1'],
    ],
  )
})
