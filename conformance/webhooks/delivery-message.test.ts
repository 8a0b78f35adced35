// The message of a delivery: `GET /webhook-deliveries/{id}/message` and `webhookMessage`, the same on both APIs (docs/reference/rest.md,
// R445).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { defaultWebhookSettings, type EventSettings } from '../../packages/twain/src/events/index.ts'
import { type Person, TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'
import { openReceiver } from './receiver.ts'

const sdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") { id: ID! email: String! @unique name: String roles: [String!] }
type Post @allow(role: "admin", where: {secret: {eq: false}}) @allow(who: "author") {
  id: ID!
  title: String!
  author: User @default(value: VIEWER)
  secret: Boolean! @default(value: false)
  note: String @allow(who: "author", to: [READ, CREATE, UPDATE])
}
`

test('R445 the message is what the receiver got, on both APIs, without the signature', async (t) => {
  const { service, ann, message, deliveryOf } = await open(t)
  const receiver = await openReceiver(t)
  const hook = await service.succeed('POST', '/webhooks', { url: receiver.url, events: ['post.created'] }, ann.headers)
  await service.succeed('POST', '/posts', { title: 'Knots', note: 'mine' }, ann.headers)
  const [got] = await receiver.has(1)
  const { text, ...shown } = await message(await deliveryOf(hook.id), ann)
  assert.deepEqual(shown, {
    method: 'POST',
    url: receiver.url,
    headers: [
      { name: 'content-type', value: got!.headers['content-type'] },
      { name: 'user-agent', value: got!.headers['user-agent'] },
      { name: 'webhook-id', value: got!.headers['webhook-id'] },
      { name: 'webhook-timestamp', value: null },
      { name: 'webhook-signature', value: null },
    ],
    body: got!.body,
    leftOut: [],
    because: null,
  })
  assert.ok(!text.includes(hook.secret) && !text.includes(got!.headers['webhook-signature']!))
})

test('R445 somebody else sees of it what both they and the owner may see', async (t) => {
  const { service, ann, bob, message, deliveryOf } = await open(t)
  const receiver = await openReceiver(t)
  const hook = await service.succeed('POST', '/webhooks', { url: receiver.url, events: ['post.*'] }, ann.headers)
  await service.succeed('POST', '/posts', { title: 'Knots', note: 'mine' }, ann.headers)
  const [got] = await receiver.has(1)
  const ofAnn = await message(await deliveryOf(hook.id), bob)
  const { note, ...data } = got!.event.data
  assert.deepEqual([note, ofAnn.leftOut], ['mine', ['data.note']])
  assert.deepEqual(JSON.parse(ofAnn.body!), { ...got!.event, data })

  // A row that the owner alone may see, and one that the owner may not.
  await service.succeed('POST', '/posts', { title: 'Hidden reef', secret: true }, ann.headers)
  await receiver.has(2)
  const hidden = await message(await deliveryOf(hook.id), bob)
  assert.deepEqual([hidden.body, hidden.text.includes('Hidden reef')], [null, false])
  assert.match(hidden.because!, /but you may not/)
  await service.succeed('PATCH', `/webhooks/${hook.id}`, { secret: null }, bob.headers)
  const ofBob = await message(await deliveryOf(hook.id), ann)
  assert.deepEqual([ofBob.body, ofBob.text.includes('Hidden reef')], [null, false])
  assert.match(ofBob.because!, /owner of the webhook may not see/)
})

test('R445 it says why there is nothing to send', async (t) => {
  const { service, ann, bob, message, deliveryOf } = await open(t, { retentionSeconds: 3, heartbeatSeconds: 15 })
  const receiver = await openReceiver(t)
  const hook = await service.succeed('POST', '/webhooks', { url: receiver.url, events: ['post.*'] }, ann.headers)
  await service.succeed('POST', '/posts', { title: 'Old' }, ann.headers)
  await receiver.has(1)
  await until(
    () => service.succeed('GET', '/changes?resource=posts', undefined, ann.headers),
    ({ edges }) => edges.length === 0,
  )
  const pruned = await message(await deliveryOf(hook.id), bob)
  assert.deepEqual([pruned.body, pruned.url], [null, receiver.url])
  assert.match(pruned.because!, /no longer has the change/)
  await service.succeed('DELETE', `/users/${ann.id}`, undefined, ann.headers)
  const orphan = await until(
    () => deliveryOf(hook.id).then((id) => message(id, bob)),
    ({ because }) => because!.includes('no rights'),
  )
  assert.equal(orphan.body, null)
})

test('R445 only the role admin reads messages; mistakes are those of every row', async (t) => {
  const { service, ann, deliveryOf } = await open(t)
  const cid = await service.signUp('cid')
  const receiver = await openReceiver(t)
  const hook = await service.succeed('POST', '/webhooks', { url: receiver.url, events: ['post.*'] }, ann.headers)
  await service.succeed('POST', '/posts', { title: 'Knots' }, ann.headers)
  await receiver.has(1)
  const delivery = await deliveryOf(hook.id)
  const path = `/webhook-deliveries/${delivery}/message`
  const codes = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 404: 'NOT_FOUND' }
  const refused = async (status: keyof typeof codes, id: string, headers: Record<string, string> = {}) => {
    assert.equal((await service.send('GET', `/webhook-deliveries/${id}/message`, undefined, headers)).status, status)
    const { body } = await service.send('POST', '/graphql', askFor(id), headers)
    assert.equal(body.errors[0].extensions.code, codes[status])
  }
  await refused(401, delivery)
  await refused(403, delivery, { authorization: cid.authorization })
  await refused(404, 'none', ann.headers)
  assert.equal((await service.send('GET', `${path}?fields=body`, undefined, ann.headers)).status, 400)
  assert.equal((await service.send('POST', path, {}, ann.headers)).status, 405)
  const reply = await service.send('GET', path, undefined, ann.headers)
  assert.equal(reply.headers.get('cache-control'), 'no-store')
  const answer = await service.send('POST', '/graphql', askFor(delivery), ann.headers)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})

interface Admin extends Person {
  headers: { authorization: string }
}

interface Message {
  url: string
  body: string | null
  leftOut: string[]
  because: string | null
}

function askFor(delivery: string) {
  const query = `query ($delivery: ID!) {
    webhookMessage(delivery: $delivery) { method url headers { name value } body leftOut because }
  }`
  return { query, variables: { delivery } }
}

async function open(t: TestContext, events?: EventSettings) {
  const webhooks = { ...defaultWebhookSettings, allowPrivate: true }
  const service = await TestService.open(t, sdl, { webhooks, ...(events && { events }) })
  const ann = await admin('ann')
  const bob = await admin('bob')
  await sleep(1100) // a viewer is cached for a second
  return { service, ann, bob, message, deliveryOf }

  async function admin(name: string): Promise<Admin> {
    const person = await service.signUp(name)
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ roles: ['admin'] })
    await service.service.handleAsSystem(plainRequest('PATCH', `/users/${person.id}`, { headers, body }))
    return { ...person, headers: { authorization: person.authorization } }
  }

  /** As both APIs show it alike. */
  async function message(delivery: string, { headers }: Admin): Promise<Message & { text: string }> {
    const path = `/webhook-deliveries/${delivery}/message`
    const overRest = await service.succeed('GET', path, undefined, headers)
    const { data } = await service.succeed('POST', '/graphql', askFor(delivery), headers)
    assert.deepEqual(data.webhookMessage, overRest)
    return { ...overRest, text: JSON.stringify(overRest) }
  }

  /** The newest. */
  async function deliveryOf(hook: string): Promise<string> {
    const { headers } = bob
    const [{ id }] = await service.succeed('GET', `/webhooks/${hook}/deliveries?limit=1`, undefined, headers)
    return id
  }
}
