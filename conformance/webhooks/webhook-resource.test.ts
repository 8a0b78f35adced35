// `Webhook` and `WebhookDelivery` are resources of the model: filters, sorts, cursors, `fields`, formats, entity tags,
// preconditions and idempotency keys are those of every type (docs/reference/rest.md, R135, R138).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'
import { openReceiver } from './receiver.ts'

const sdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") { id: ID! email: String! @unique name: String }
type Tag @allow { id: ID! name: String! }
`

test('R135 webhooks have filters, sorts, cursors, fields and formats, the same on both APIs', async (t) => {
  const { ask, graphql } = await open(t)
  const make = async (n: number, more: object = {}) =>
    (await ask('POST', '/webhooks', { url: `https://example.org/${n}`, events: ['tag.created'], ...more })).body.id
  const ids = [await make(1), await make(2, { active: false, events: ['tag.*'] }), await make(3)]
  const get = (query: string, headers: Record<string, string> = {}) =>
    ask('GET', `/webhooks${query}`, undefined, headers)

  assert.deepEqual(idsOf((await get('')).body), ids) // the oldest first
  assert.deepEqual(idsOf((await get('?active=true&sort=-createdAt')).body), [ids[2], ids[0]])
  assert.deepEqual(idsOf((await get('?url[endsWith]=/2&events[contains]=tag.*')).body), [ids[1]])
  assert.deepEqual(idsOf((await get('?deliveries.state=failed')).body), [])
  assert.deepEqual((await get('?active=false&fields=url,paused,secret,_version')).body, [
    { url: 'https://example.org/2', paused: null, secret: null, _version: 1 },
  ])
  assert.equal((await get('?limit=1', { prefer: 'count=exact' })).headers['x-total-count'], '3')
  assert.match((await get('?fields=url', { accept: 'text/csv' })).text, /^url\r\nhttps:\/\/example.org\/1\r\n/)
  assert.match((await get('?active=false', { accept: 'application/xml' })).text, /<webhook><id>/)
  for (const query of ['?secret[startsWith]=whsec_', '?sort=secret', '?where={"secret":{"isNull":false}}']) {
    assert.equal((await get(query)).status, 400, query)
  }

  const first = await get('?first=2')
  const rest = await get(`?first=2&after=${encodeURIComponent(first.body.pageInfo.endCursor)}`)
  assert.deepEqual([rest.body.edges.length, rest.body.edges[0].node.id], [1, ids[2]])
  const { data } = (
    await graphql(`{
      webhooks(where: {active: {eq: true}}, orderBy: [{createdAt: DESC}]) { id secret _version }
      webhooksConnection(first: 1) { totalCount edges { node { id } } pageInfo { hasNextPage } }
    }`)
  ).body
  assert.deepEqual(data, {
    webhooks: [
      { id: ids[2], secret: null, _version: 1 },
      { id: ids[0], secret: null, _version: 1 },
    ],
    webhooksConnection: { totalCount: 3, edges: [{ node: { id: ids[0] } }], pageInfo: { hasNextPage: true } },
  })
})

test('R135 a webhook is changed by a JSON patch, and by arguments; only the write that sets the secret shows it', async (t) => {
  const { ask, graphql } = await open(t)
  const { id } = (await ask('POST', '/webhooks?fields=id', { url: 'https://example.org/', events: ['*'] })).body
  const path = `/webhooks/${id}`
  const patch = [{ op: 'replace', path: '/active', value: false }]
  const patched = await ask('PATCH', path, patch, { 'content-type': 'application/json-patch+json' })
  assert.deepEqual([patched.status, patched.body.active, 'secret' in patched.body], [200, false, false])
  const change = async (args: string) =>
    (await graphql(`mutation { updateWebhook(id: "${id}", ${args}) { active key: secret } }`)).body.data.updateWebhook
  assert.deepEqual(await change('active: true'), { active: true, key: null })
  assert.match((await change('secret: null')).key, /^whsec_/)
  assert.match((await ask('PATCH', `${path}?fields=secret`, { secret: null })).body.secret, /^whsec_/)
  assert.equal((await ask('PATCH', `${path}?fields=secret`, { active: true })).body.secret, null)
  const refused = await ask('PATCH', path, { paused: 'no', updatedAt: '2030-01-01T00:00:00Z' })
  assert.deepEqual(
    [refused.status, refused.body.errors.map(({ code }: { code: string }) => code)],
    [400, ['READONLY', 'READONLY']],
  )
  assert.equal((await ask('POST', '/webhooks', [{ url: 'https://example.org/', events: ['*'] }])).status, 400)
})

test('R138 deliveries have filters, cursors and a state machine, the same on both APIs', async (t) => {
  const { service, ask, graphql } = await open(t)
  const receiver = await openReceiver(t)
  const hook = (await ask('POST', '/webhooks', { url: receiver.url, events: ['tag.created'] })).body.id
  const other = (await ask('POST', '/webhooks', { url: receiver.url, events: ['tag.created'] })).body.id
  for (const name of ['a', 'b', 'c']) await service.succeed('POST', '/tags', { name })
  const list = `/webhooks/${hook}/deliveries`
  await until(
    async () => (await ask('GET', '/webhook-deliveries?state=delivered')).body as unknown[],
    (all) => all.length === 6,
  )
  const all = (await ask('GET', list)).body as { id: string; event: string; webhook: string }[]
  assert.deepEqual([all.length, all.every(({ webhook }) => webhook === hook)], [3, true])
  // The newest first, and each with the cursor of its change.
  const positions = await Promise.all(
    all.map(async ({ event }) => (await ask('GET', `/changes?after=${encodeURIComponent(event)}`)).body.edges.length),
  )
  assert.deepEqual(positions, [0, 1, 2])
  const oldest = all[2]!
  assert.deepEqual(
    idsOf((await ask('GET', `${list}?attempts[isNull]=false&sort=createdAt,id&limit=1&offset=2`)).body).length,
    1,
  )
  assert.deepEqual((await ask('GET', `/webhook-deliveries?webhook=${hook}&fields=type,attempts.status&limit=1`)).body, [
    { type: 'tag.created', attempts: [{ status: 204 }] },
  ])
  assert.match(
    (await ask('GET', `${list}?fields=id,state`, undefined, { accept: 'text/csv' })).text,
    /^id,state\r\nmsg_/,
  )
  const first = (await ask('GET', `${list}?first=2`)).body
  const rest = (await ask('GET', `${list}?first=2&after=${encodeURIComponent(first.pageInfo.endCursor)}`)).body
  assert.deepEqual(
    [...first.edges, ...rest.edges].map(({ node }: { node: { id: string } }) => node.id),
    idsOf(all),
  )
  assert.equal((await ask('GET', '/webhook-deliveries?event=x')).status, 400)

  const { data } = (
    await graphql(`{
      webhookDeliveriesConnection(first: 1, where: {webhook: {id: {eq: "${hook}"}}, state: {in: [delivered, failed]}}) {
        totalCount edges { node { id event state _version _stateTransitions webhook { id } } } }
      webhook(id: "${other}") { deliveriesConnection(first: 1) { totalCount } deliveries(offset: 2) { type } }
    }`)
  ).body
  const [{ node }] = data.webhookDeliveriesConnection.edges
  assert.deepEqual(node, {
    id: all[0]!.id,
    event: all[0]!.event,
    state: 'delivered',
    _version: node._version,
    _stateTransitions: ['pending'],
    webhook: { id: hook },
  })
  assert.deepEqual(
    [data.webhookDeliveriesConnection.totalCount, data.webhook],
    [3, { deliveriesConnection: { totalCount: 3 }, deliveries: [{ type: 'tag.created' }] }],
  )

  // An update of the state sends it again, once for an idempotency key and on its precondition.
  const item = `/webhook-deliveries/${oldest.id}`
  const etag = String((await ask('GET', item)).headers.etag)
  assert.equal((await ask('PATCH', item, { state: 'failed' })).status, 400)
  assert.equal((await ask('PATCH', item, { state: 'pending' }, { 'if-match': '"1-x"' })).status, 412)
  const key = { 'if-match': etag, 'idempotency-key': 'again' }
  const again = await ask('PATCH', item, { state: 'pending' }, key)
  assert.deepEqual([again.status, again.body.state, again.headers['cache-control']], [200, 'pending', 'no-store'])
  await receiver.has(7)
  const replayed = await ask('PATCH', item, { state: 'pending' }, key)
  assert.deepEqual([replayed.text, replayed.headers['idempotent-replayed']], [again.text, 'true'])
  assert.equal((await ask('PATCH', '/webhook-deliveries/none', { state: 'pending' })).status, 404)
  const wrong = await ask('POST', `/webhooks/${other}/deliveries`, { delivery: oldest.id })
  assert.deepEqual([wrong.status, wrong.body.errors[0].code], [409, 'REFERENCE'])
  assert.equal(receiver.got.length, 7)
})

test('nobody else learns of webhooks and deliveries, and none of their writes is part of a batch', async (t) => {
  const { service, ask, graphql } = await open(t)
  const { id } = (await ask('POST', '/webhooks', { url: 'https://example.org/', events: ['*'] })).body
  const paths = ['/webhooks?nonsense=1', `/webhooks/${id}`, `/webhooks/${id}/deliveries`, '/webhook-deliveries']
  for (const path of paths) assert.equal((await service.send('GET', path)).status, 401, path)
  assert.equal((await service.send('POST', `/webhooks/${id}/deliveries`, { nonsense: 1 })).status, 401)
  const body = { query: '{ webhookDeliveriesConnection { totalCount } }' }
  assert.equal((await service.send('POST', '/graphql', body)).body.errors[0].extensions.code, 'UNAUTHENTICATED')
  const batch = [{ method: 'PATCH', path: `/webhooks/${id}`, body: { active: false } }]
  assert.equal((await ask('POST', '/batch', batch)).status, 400)
  const transaction = await graphql(`mutation @transaction { updateWebhook(id: "${id}", active: false) { id } }`)
  assert.equal(transaction.body.errors[0].extensions.code, 'BAD_REQUEST')
  assert.equal((await ask('GET', '/changes?resource=webhooks')).status, 400)
  assert.deepEqual((await ask('GET', '/changes')).body.edges, [])
})

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

/** Sends as the system, which may do what the role admin may. */
async function open(t: TestContext) {
  const webhooks = { ...defaultWebhookSettings, allowPrivate: true }
  const service = await TestService.open(t, sdl, { webhooks })
  const ask = async (method: string, path: string, body?: unknown, extra: Record<string, string> = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...extra }
    const reply = await service.service.handleAsSystem(plainRequest(method, path, { headers, ...sent }))
    const text = await bodyText(reply)
    const isJson = String(reply.headers['content-type']).includes('json')
    return { status: reply.status, headers: reply.headers, text, body: isJson ? JSON.parse(text) : null }
  }
  const graphql = async (query: string, extra: Record<string, string> = {}) => ask('POST', '/graphql', { query }, extra)
  return { service, ask, graphql }
}
