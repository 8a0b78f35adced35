// Idempotency keys and preconditions of webhooks: when they are created, changed, deleted and redelivered (docs/reference/rest.md, R158,
// R159).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'
import { openReceiver } from '../webhooks/receiver.ts'

const sdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") { id: ID! email: String! @unique name: String }
type Tag @allow { id: ID! name: String! }
`

/** Sends as the system, which may do what the role admin may. */
async function open(t: TestContext, database?: string) {
  const webhooks = { ...defaultWebhookSettings, allowPrivate: true }
  const service = await TestService.open(t, sdl, { webhooks, ...(database === undefined ? {} : { database }) })
  const ask = async (method: string, path: string, body?: unknown, extra: Record<string, string> = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...extra }
    const reply = await service.service.handleAsSystem(plainRequest(method, path, { headers, ...sent }))
    const text = reply.body === null ? '' : String(reply.body)
    return { status: reply.status, headers: reply.headers, text, body: text === '' ? null : JSON.parse(text) }
  }
  const graphql = async (query: string, variables: object, extra: Record<string, string> = {}) =>
    ask('POST', '/graphql', { query, variables }, extra)
  return { service, ask, graphql }
}

const isReplay = ({ headers }: { headers: Record<string, unknown> }) => headers['idempotent-replayed'] === 'true'
const detailOf = ({ status, body }: { status: number; body: { errors: { code: string }[] } }) =>
  `${status} ${body.errors[0]?.code}`
const codeOf = ({ body }: { body: { errors: { extensions: { code: string; errors?: { code: string }[] } }[] } }) =>
  `${body.errors[0]?.extensions.code} ${body.errors[0]?.extensions.errors?.[0]?.code}`

test('R158 a webhook that is created twice with one key exists once, and the retry gets its secret', async (t) => {
  const { ask } = await open(t)
  const input = { url: 'https://example.org/', events: ['tag.*'] }
  const key = { 'idempotency-key': 'one' }
  assert.equal((await ask('POST', '/webhooks', { ...input, url: 'x' }, key)).status, 400) // a refused one leaves no record
  const all = await Promise.all([1, 2, 3, 4].map(() => ask('POST', '/webhooks', input, key)))
  const [made] = all
  assert.match(made!.body.secret, /^whsec_/)
  for (const one of all)
    assert.deepEqual([one.status, one.text, one.headers.etag], [201, made!.text, made!.headers.etag])
  assert.equal(all.filter(isReplay).length, 3)
  assert.equal(made!.headers.location, `/webhooks/${made!.body.id}`)
  assert.equal(detailOf(await ask('POST', '/webhooks', { ...input, active: false }, key)), '422 IDEMPOTENCY')
  assert.equal((await ask('GET', '/webhooks')).body.length, 1)
  assert.equal((await ask('POST', '/webhooks', input, { 'idempotency-key': '' })).status, 400)
})

const skip = testedStore === 'postgres' ? false : 'one node has its data to itself'

test('R158 it exists once too when two nodes get the request at once', { skip }, async (t) => {
  const database = await makeTestDatabase()
  t.after(() => database.drop())
  const nodes = [await open(t, database.address), await open(t, database.address)]
  const input = { url: 'https://example.org/', events: ['tag.*'] }
  for (let n = 0; n < 10; n++) {
    const key = { 'idempotency-key': `k${n}` }
    const [one, other] = await Promise.all(nodes.map(({ ask }) => ask('POST', '/webhooks', input, key)))
    assert.deepEqual([one!.status, one!.text], [201, other!.text])
    assert.deepEqual([isReplay(one!), isReplay(other!)].sort(), [false, true])
  }
  assert.equal((await nodes[0]!.ask('GET', '/webhooks')).body.length, 10)
})

test('R158 a retried change or delete gets the first answer, whatever happened since', async (t) => {
  const { ask } = await open(t)
  const path = `/webhooks/${(await ask('POST', '/webhooks', { url: 'https://example.org/', events: ['*'] })).body.id}`
  const key = { 'idempotency-key': '"k"' }
  const first = await ask('PATCH', path, { secret: null, active: false }, key)
  await ask('PATCH', path, { active: true })
  const second = await ask('PATCH', path, { secret: null, active: false }, key)
  assert.deepEqual([second.status, second.text, isReplay(first), isReplay(second)], [200, first.text, false, true])
  assert.equal((await ask('GET', path)).body.active, true)
  assert.equal(detailOf(await ask('PATCH', path, { active: false }, key)), '422 IDEMPOTENCY')
  const unchanging = { 'idempotency-key': 'same' }
  const before = await ask('PATCH', path, { active: true }, unchanging)
  await ask('PATCH', path, { active: false })
  const after = await ask('PATCH', path, { active: true }, unchanging)
  assert.deepEqual([isReplay(before), isReplay(after), after.text], [false, true, before.text])
  for (const replays of [false, true]) {
    const removed = await ask('DELETE', path, undefined, key)
    assert.deepEqual([removed.status, isReplay(removed)], [204, replays])
  }
  assert.equal((await ask('DELETE', path)).status, 404)
  assert.equal((await ask('DELETE', path, undefined, { 'idempotency-key': 'other' })).status, 404)
})

test('R158 a redelivery that is requested twice with one key is sent once, on both APIs', async (t) => {
  const { service, ask, graphql } = await open(t)
  const receiver = await openReceiver(t)
  const { id } = (await ask('POST', '/webhooks', { url: receiver.url, events: ['tag.*'] })).body
  const path = `/webhooks/${id}/deliveries`
  await service.succeed('POST', '/tags', { name: 'a' })
  const delivered = () =>
    until(
      async () => (await ask('GET', path)).body as { id: string; state: string }[],
      (all) => all.length === 1 && all[0]!.state === 'delivered',
    )
  const [delivery] = await delivered()
  const body = { delivery: delivery!.id }
  const key = { 'idempotency-key': 'again' }
  const all = await Promise.all([1, 2, 3].map(() => ask('POST', path, body, key)))
  assert.deepEqual([all.map(({ status }) => status), all.filter(isReplay).length], [[202, 202, 202], 2])
  await receiver.has(2)
  await delivered()
  assert.ok(isReplay(await ask('POST', path, body, key)))
  const mutation = 'mutation($w: ID!, $d: ID!) { redeliver(webhook: $w, delivery: $d) { id state } }'
  const variables = { w: id, d: delivery!.id }
  const sent = await graphql(mutation, variables, key)
  assert.deepEqual(sent.body.data.redeliver, { id: delivery!.id, state: 'pending' })
  await receiver.has(3)
  await delivered()
  const twice = await graphql(mutation, variables, key)
  assert.deepEqual([twice.text, isReplay(twice)], [sent.text, true])
  assert.equal(receiver.got.length, 3)
})

test('R158 GraphQL: each field has its own record of the key', async (t) => {
  const { ask, graphql } = await open(t)
  const make = `mutation($i: CreateWebhookInput!) { a: createWebhook(input: $i) { id secret _version }
    b: createWebhook(input: $i) { id secret } }`
  const variables = { i: { url: 'https://example.org/', events: ['tag.*'] } }
  const key = { 'idempotency-key': 'g' }
  const made = await graphql(make, variables, key)
  const again = await graphql(make, variables, key)
  assert.deepEqual([again.text, isReplay(made), isReplay(again)], [made.text, false, true])
  assert.notEqual(made.body.data.a.id, made.body.data.b.id)
  assert.equal((await ask('GET', '/webhooks')).body.length, 2)
  const other = await graphql(make, { i: { ...variables.i, active: false } }, key)
  assert.equal(codeOf(other), 'IDEMPOTENCY_KEY_REUSED IDEMPOTENCY')
  const remove = 'mutation($id: ID!) { deleteWebhook(id: $id) { success } }'
  const { id } = made.body.data.a
  for (let n = 0; n < 2; n++) {
    assert.deepEqual((await graphql(remove, { id }, key)).body.data, { deleteWebhook: { success: true } })
  }
  assert.deepEqual((await graphql(remove, { id })).body.data, { deleteWebhook: { success: false } })
})

test('R159 a change or a delete of a webhook can name its version: of two writers of the same version one wins', async (t) => {
  const { ask, graphql } = await open(t)
  const made = await ask('POST', '/webhooks', { url: 'https://example.org/', events: ['*'] })
  const path = `/webhooks/${made.body.id}`
  const { headers } = await ask('GET', path)
  assert.match(String(headers.etag), /^"1-/)
  const seen = { 'if-none-match': String(headers.etag) }
  assert.deepEqual(
    [(await ask('GET', path, undefined, seen)).status, (await ask('HEAD', path, undefined, seen)).status],
    [304, 304],
  )
  const list = await ask('GET', '/webhooks')
  assert.equal((await ask('GET', '/webhooks', undefined, { 'if-none-match': String(list.headers.etag) })).status, 304)

  assert.match(String((await ask('OPTIONS', path)).headers['accept-patch']), /^application\/merge-patch\+json, /)

  const match = { 'if-match': String(headers.etag) }
  const races = await Promise.all([1, 2, 3].map((n) => ask('PATCH', path, { url: `https://example.org/${n}` }, match)))
  assert.deepEqual(races.map(({ status }) => status).sort(), [200, 412, 412])
  const won = races.find(({ status }) => status === 200)!
  assert.match(String(won.headers.etag), /^"2-/)
  assert.equal(detailOf(races.find(({ status }) => status === 412)!), '412 VERSION')
  assert.equal((await ask('DELETE', path, undefined, match)).status, 412)
  assert.equal((await ask('PATCH', '/webhooks/none', {}, match)).status, 412)
  assert.equal((await ask('PATCH', path, {}, { 'if-match': 'x' })).status, 400)
  assert.equal((await ask('POST', '/webhooks', {}, match)).status, 400)

  const { id } = made.body
  const change =
    'mutation($id: ID!, $v: Int) { updateWebhook(id: $id, input: {active: false}, ifVersion: $v) { _version } }'
  const remove = 'mutation($id: ID!, $v: Int) { deleteWebhook(id: $id, ifVersion: $v) { success } }'
  assert.equal(codeOf(await graphql(change, { id, v: 1 })), 'PRECONDITION_FAILED VERSION')
  assert.deepEqual((await graphql(change, { id, v: 2 })).body.data, { updateWebhook: { _version: 3 } })
  assert.equal(codeOf(await graphql(remove, { id, v: 2 })), 'PRECONDITION_FAILED VERSION')
  assert.deepEqual((await graphql('query($id: ID!) { webhook(id: $id) { _version } }', { id })).body.data.webhook, {
    _version: 3,
  })
  assert.deepEqual((await graphql(remove, { id, v: 3 })).body.data, { deleteWebhook: { success: true } })
})

test('R158 at /tokens a key has no effect, and no token is stored', async (t) => {
  const { service } = await open(t)
  const body = { email: 'ann@example.org', password: 'a long password' }
  await service.succeed('POST', '/users', { ...body, name: 'ann' })
  const key = { 'idempotency-key': 'k' }
  const query = 'mutation($i: CreateTokenInput!) { createToken(input: $i) { token } }'
  const tokens = [
    (await service.send('POST', '/tokens', body, key)).body.token,
    (await service.send('POST', '/tokens', body, key)).body.token,
    (await service.succeed('POST', '/graphql', { query, variables: { i: body } }, key)).data.createToken.token,
    (await service.succeed('POST', '/graphql', { query, variables: { i: body } }, key)).data.createToken.token,
  ]
  assert.equal(new Set(tokens).size, 4)
  for (const token of tokens) {
    assert.equal((await service.succeed('GET', '/tokens', undefined, { authorization: `Bearer ${token}` })).length, 4)
  }
})
