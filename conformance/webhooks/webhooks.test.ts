// Webhooks of a whole service, with real receivers (docs/reference/rest.md, R135–R139).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { defaultWebhookSettings, type WebhookSettings } from '../../packages/twain/src/events/index.ts'
import { type Person, TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'
import { openReceiver } from './receiver.ts'

const sdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") { id: ID! email: String! @unique name: String roles: [String!] }
type Post @allow(role: "admin") @allow(to: [READ, CREATE, UPDATE, DELETE], where: {secret: {eq: false}}) {
  id: ID!
  title: String!
  secret: Boolean! @default(value: false)
  note: String @allow(role: "auditor", to: [READ])
}
type Tag @allow { id: ID! name: String! }
`

const quick: WebhookSettings = {
  ...defaultWebhookSettings,
  allowPrivate: true,
  timeoutSeconds: 1,
  firstRetrySeconds: 0.05,
  maxRetryIntervalSeconds: 0.2,
}

interface WebhookService extends TestService {
  admin: { authorization: string }
}

async function open(t: TestContext, settings: Partial<WebhookSettings> = {}): Promise<WebhookService> {
  const service = await TestService.open(t, sdl, { webhooks: { ...quick, ...settings } })
  const person = await service.signUp('ann')
  await makeAdmin(service, person)
  await service.settle() // no webhook sends the changes of the account
  return Object.assign(service, { admin: { authorization: person.authorization } })
}

async function makeAdmin(service: TestService, { id }: Person, roles = ['admin']): Promise<void> {
  const body = JSON.stringify({ roles })
  const { plainRequest } = await import('../../packages/twain/src/base/http/index.ts')
  const headers = { 'content-type': 'application/json' }
  const reply = await service.service.handleAsSystem(plainRequest('PATCH', `/users/${id}`, { headers, body }))
  assert.equal(reply.status, 200)
  await sleep(1100) // a viewer is cached for a second
}

const post = (house: WebhookService, title: string, more = {}) =>
  house.succeed('POST', '/posts', { title, ...more }, house.admin)

const areDelivered = (all: { state: string }[]) => all.every(({ state }) => state === 'delivered')

test('R135 only admins create, read, change and delete webhooks, and the secret is shown once', async (t) => {
  const house = await open(t)
  const { url } = await openReceiver(t)
  const bob = await house.signUp('bob')
  assert.equal((await house.send('GET', '/webhooks')).status, 401)
  assert.equal((await house.send('GET', '/webhooks', undefined, { authorization: bob.authorization })).status, 403)
  assert.equal((await house.send('POST', '/webhooks', { url }, { authorization: bob.authorization })).status, 403)
  const made = await house.send('POST', '/webhooks', { url, events: ['post.*'] }, house.admin)
  assert.equal(made.status, 201)
  const { secret, ...shown } = made.body
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(made.headers.get('location'), `/webhooks/${shown.id}`)
  assert.equal(made.headers.get('cache-control'), 'no-store')
  const { createdAt, updatedAt } = shown
  assert.deepEqual(shown, {
    id: shown.id,
    url,
    events: ['post.*'],
    where: null,
    active: true,
    paused: null,
    createdAt,
    updatedAt,
  })
  assert.deepEqual(await house.succeed('GET', `/webhooks/${shown.id}`, undefined, house.admin), shown)
  assert.deepEqual(await house.succeed('GET', '/webhooks', undefined, house.admin), [shown])
  const changed = await house.succeed('PATCH', `/webhooks/${shown.id}`, { events: ['tag.created'] }, house.admin)
  assert.deepEqual([changed.events, changed.secret], [['tag.created'], undefined])
  const rotated = await house.succeed('PATCH', `/webhooks/${shown.id}`, { secret: null }, house.admin)
  assert.notEqual(rotated.secret, secret)
  assert.equal((await house.send('DELETE', `/webhooks/${shown.id}`, undefined, house.admin)).status, 204)
  for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
    assert.equal((await house.send(method, `/webhooks/${shown.id}`, body, house.admin)).status, 404)
  }
  const put = await house.send('PUT', `/webhooks/${shown.id}`, {}, house.admin)
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, HEAD, PATCH, DELETE, OPTIONS'])
})

test('R135 all mistakes in a webhook are reported at once, and then those that only the schema shows', async (t) => {
  const house = await open(t, { allowPrivate: false })
  const wrong = async (body: unknown) => {
    const reply = await house.send('POST', '/webhooks', body, house.admin)
    assert.equal(reply.status, 400, JSON.stringify(reply.body))
    return (reply.body.errors as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)
  }
  assert.deepEqual(await wrong({}), ['url REQUIRED', 'events REQUIRED'])
  assert.deepEqual(await wrong([]), [' TYPE'])
  assert.deepEqual(
    await wrong({ url: 'ftp://x', events: ['pots.created', 'post.made'], secret: 'x', active: 1, wher: 1 }),
    ['wher UNKNOWN', 'url PATTERN', 'secret PATTERN', 'active TYPE'],
  )
  assert.deepEqual(
    await wrong({ url: 'http://10.1.2.3/', events: ['pots.created', 'post.made'], secret: `whsec_${'a'.repeat(33)}` }),
    ['url PATTERN', 'events.0 UNKNOWN', 'events.1 UNKNOWN'],
  )
  const fine = { url: 'https://example.org/', events: ['post.*'] }
  assert.deepEqual(await wrong({ ...fine, where: { titel: { eq: 'x' } } }), ['where.titel UNKNOWN'])
  assert.deepEqual(await wrong({ ...fine, where: { title: { eq: 1 } } }), ['where.title.eq TYPE'])
  assert.deepEqual(await wrong({ ...fine, events: ['*'], where: { title: { eq: 'x' } } }), ['where TYPE'])
  for (const host of [
    '127.0.0.1',
    'localhost',
    '10.1.2.3',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '0x7f.1',
    '169.254.169.254',
  ]) {
    assert.deepEqual(await wrong({ ...fine, url: `http://${host}/` }), ['url PATTERN'], host)
  }
})

test('R136 a message is a CloudEvent with a signature of Standard Webhooks, which its library accepts', async (t) => {
  const house = await open(t)
  const receiver = await openReceiver(t)
  const made = await house.succeed('POST', '/webhooks', { url: receiver.url, events: ['post.*'] }, house.admin)
  const { secret } = made
  const { id } = await post(house, 'Hello')
  await house.succeed('POST', '/tags', { name: 'no webhook for it' }, house.admin)
  await house.succeed('PATCH', `/posts/${id}`, { title: 'Hello again' }, house.admin)
  await house.send('DELETE', `/posts/${id}`, undefined, house.admin)
  const got = await receiver.has(3)
  assert.deepEqual(
    got.map(({ event: { type, subject, version, data } }) => ({ type, subject, version, title: data.title })),
    [
      { type: 'post.created', subject: id, version: 1, title: 'Hello' },
      { type: 'post.updated', subject: id, version: 2, title: 'Hello again' },
      { type: 'post.deleted', subject: id, version: 3, title: undefined },
    ],
  )
  const { edges } = await house.succeed('GET', '/changes?resource=posts', undefined, house.admin)
  assert.deepEqual(
    got.map(({ event }) => event),
    edges.map(({ node }: { node: unknown }) => node),
  )
  for (const { body, headers } of got) {
    assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
    assert.throws(() => new Webhook(secret).verify(body.replace('post', 'pest'), headers))
    assert.equal(headers['content-type'], 'application/cloudevents+json; charset=utf-8')
  }
  assert.equal(new Set(got.map(({ headers }) => headers['webhook-id'])).size, 3)

  const { secret: next } = await house.succeed('PATCH', `/webhooks/${made.id}`, { secret: null }, house.admin)
  await post(house, 'With the next secret')
  const last = (await receiver.has(4))[3]!
  assert.deepEqual(new Webhook(next).verify(last.body, last.headers), last.event)
  assert.throws(() => new Webhook(secret).verify(last.body, last.headers))
})

test('R136 a webhook gets what its creator may see at the time, and only what matches its filter', async (t) => {
  const house = await open(t)
  const [all, some] = [await openReceiver(t), await openReceiver(t)]
  const bob = await house.signUp('bob')
  await makeAdmin(house, bob, ['admin', 'auditor'])
  const asBob = { authorization: bob.authorization }
  await house.succeed('POST', '/webhooks', { url: all.url, events: ['post.*'] }, asBob)
  const where = { title: { startsWith: 'A' } }
  await house.succeed('POST', '/webhooks', { url: some.url, events: ['post.created', 'post.updated'], where }, asBob)
  await post(house, 'A one', { secret: true, note: 'for auditors' })
  await post(house, 'B two')
  const [first] = await all.has(2)
  assert.equal(first?.event.data.note, 'for auditors')
  await some.has(1) // later messages are checked at their own time
  await makeAdmin(house, bob, [])
  await post(house, 'A three', { secret: true })
  await post(house, 'A four', { note: 'hidden' })
  const [, , third] = await all.has(3)
  assert.deepEqual([third?.event.data.title, 'note' in (third?.event.data ?? {})], ['A four', false])
  await some.has(2)
  await sleep(100)
  assert.deepEqual(
    [all, some].map(({ got }) => got.map(({ event }) => event.data.title)),
    [
      ['A one', 'B two', 'A four'],
      ['A one', 'A four'],
    ],
  )
})

test('R136 whoever changes url, secret, events or where owns the webhook: it sends only what they may see', async (t) => {
  const house = await open(t) // Ann, an admin
  const [own, stranger] = [await openReceiver(t), await openReceiver(t)]
  const auditor = await house.signUp('bob')
  await makeAdmin(house, auditor, ['admin', 'auditor'])
  const asBob = { authorization: auditor.authorization }
  for (const [at, change] of [
    { url: stranger.url },
    { secret: null },
    { events: ['post.*'] },
    { where: {} },
  ].entries()) {
    const { got } = stranger
    own.got.length = 0
    got.length = 0
    const hook = await house.succeed('POST', '/webhooks', { url: own.url, events: ['post.created'] }, asBob)
    const path = `/webhooks/${hook.id}`
    await post(house, 'one', { note: 'for auditors' })
    const [first] = await own.has(1)
    assert.equal(first?.event.data.note, 'for auditors')
    // Ann may stop and resume it: it is still Bob's.
    for (const active of [false, true]) await house.succeed('PATCH', path, { active }, house.admin)
    await post(house, 'two', { note: 'for auditors' })
    assert.equal((await own.has(2))[1]?.event.data.note, 'for auditors')
    await house.succeed('PATCH', path, change, house.admin)
    await post(house, 'three', { note: 'for auditors' })
    const receiver = at === 0 ? stranger : own
    const before = at === 0 ? 0 : 2
    const after = (await receiver.has(before + 1))[before]
    assert.deepEqual([after?.event.data.title, 'note' in after!.event.data], ['three', false], JSON.stringify(change))
    const deliveries = await until(
      () => house.succeed('GET', `${path}/deliveries`, undefined, house.admin),
      areDelivered,
    )
    const oldest = (deliveries as { id: string; state: string }[]).at(-1)!
    await house.succeed('POST', `${path}/deliveries`, { delivery: oldest.id }, house.admin)
    const again = (await receiver.has(before + 2))[before + 1]
    assert.deepEqual([again?.event.data.title, 'note' in again!.event.data], ['one', false])
    await house.succeed('DELETE', path, undefined, house.admin)
  }
})

test('R136 a filter that the new owner may not read is refused, and the change as a whole', async (t) => {
  const house = await open(t)
  const { url } = await openReceiver(t)
  const auditor = await house.signUp('bob')
  await makeAdmin(house, auditor, ['admin', 'auditor'])
  const asBob = { authorization: auditor.authorization }
  const where = { note: { eq: 'x' } }
  const hook = await house.succeed('POST', '/webhooks', { url, events: ['post.*'], where }, asBob)
  const path = `/webhooks/${hook.id}`
  const refused = await house.send('PATCH', path, { url: `${url}/other` }, house.admin)
  assert.deepEqual([refused.status, refused.body.errors[0].path], [400, 'where.note'])
  assert.equal((await house.send('PATCH', path, { url, where, active: false }, house.admin)).status, 200)
  const query = `mutation { updateWebhook(id: "${hook.id}", input: {url: "${url}/other", where: null}) { url } }`
  const { data } = await house.succeed('POST', '/graphql', { query }, house.admin)
  assert.equal(data.updateWebhook.url, `${url}/other`)
})

test('R137 a failed message is retried with the same id; messages of one row stay in order, others go on', async (t) => {
  const house = await open(t, { timeoutSeconds: 20 })
  const refused = new Map<string, number>()
  const other = Promise.withResolvers<void>()
  const receiver = await openReceiver(t, async ({ event, headers }, response) => {
    const tries = (refused.get(headers['webhook-id']!) ?? 0) + 1
    refused.set(headers['webhook-id']!, tries)
    if (event.data.title === 'other') other.resolve()
    const isBad = String(event.data.title ?? '').startsWith('bad') && tries < 4
    if (isBad && tries === 2) await other.promise
    response.writeHead(isBad ? 500 : 200).end(isBad ? 'no, not that' : 'fine')
  })
  const { id: hook } = await house.succeed('POST', '/webhooks', { url: receiver.url, events: ['*'] }, house.admin)
  const { id } = await post(house, 'bad')
  await house.succeed('PATCH', `/posts/${id}`, { title: 'better' }, house.admin)
  await post(house, 'other')
  await receiver.has(6)
  const titles = receiver.got.map(({ event }) => String(event.data.title))
  assert.deepEqual(
    titles.filter((title) => title !== 'other'),
    ['bad', 'bad', 'bad', 'bad', 'better'],
  )
  assert.ok(titles.indexOf('other') < 3, titles.join())
  const tries = receiver.got.filter(({ event }) => event.data.title === 'bad')
  assert.equal(new Set(tries.map(({ headers }) => headers['webhook-id'])).size, 1)
  const list = () => house.succeed('GET', `/webhooks/${hook}/deliveries`, undefined, house.admin)
  await until(list, areDelivered)
  const deliveries = await list()
  const bad = deliveries.at(-1)
  assert.deepEqual([deliveries.length, bad.state, bad.type, bad.attempts.length], [3, 'delivered', 'post.created', 4])
  const [attempt] = bad.attempts
  assert.deepEqual([attempt.status, attempt.answer, attempt.error], [500, 'no, not that', 'The receiver answered 500.'])
  assert.ok(attempt.took >= 0 && Math.abs(Date.parse(attempt.at) - Date.now()) < 20_000)
})

test('R138 deliveries can be listed in pages, and redelivered', async (t) => {
  const house = await open(t)
  const receiver = await openReceiver(t)
  const { id } = await house.succeed('POST', '/webhooks', { url: receiver.url, events: ['tag.created'] }, house.admin)
  for (const name of ['a', 'b', 'c']) await house.succeed('POST', '/tags', { name })
  await receiver.has(3)
  await until(() => house.succeed('GET', `/webhooks/${id}/deliveries`, undefined, house.admin), areDelivered)
  const page = await house.send('GET', `/webhooks/${id}/deliveries?limit=2`, undefined, house.admin)
  assert.equal(page.body.length, 2)
  assert.match(page.headers.get('link') ?? '', /offset=2&limit=2>; rel="next"/)
  const path = `/webhooks/${id}/deliveries`
  const [oldest] = await house.succeed('GET', `${path}?offset=2`, undefined, house.admin)
  const again = await house.send('POST', path, { delivery: oldest.id }, house.admin)
  assert.deepEqual([again.status, again.body.state], [202, 'pending'])
  const got = await receiver.has(4)
  assert.deepEqual([got[3]?.event.data.name, got[3]?.headers['webhook-id']], ['a', oldest.id])
  for (const [body, status, at] of [
    [{ delivery: 'msg_nothing' }, 409, 'delivery'],
    [{}, 400, 'delivery'],
    [{ delivery: oldest.id, now: true }, 400, 'now'],
  ] as const) {
    const reply = await house.send('POST', path, body, house.admin)
    assert.deepEqual([reply.status, reply.body.errors[0].path], [status, at])
  }
  assert.equal((await house.send('GET', '/webhooks/none/deliveries', undefined, house.admin)).status, 404)
  assert.equal((await house.send('GET', `${path}?limit=1000`, undefined, house.admin)).status, 400)
})

test('R139 a receiver that hangs, redirects, answers 40 MB or is down is a recorded failure, and slows no other', async (t) => {
  const house = await open(t, { timeoutSeconds: 3 })
  const never = await openReceiver(t, () => {})
  const elsewhere = await openReceiver(t)
  const moved = await openReceiver(
    t,
    (_got, response) => void response.writeHead(302, { location: elsewhere.url }).end(),
  )
  const whole = 640
  let maxSent = 0
  const long = await openReceiver(t, (_got, response) => {
    const part = Buffer.alloc(65_536, 'x')
    response.on('error', () => {})
    response.writeHead(200)
    let sent = 0
    const write = () => {
      while (sent < whole && !response.destroyed) {
        maxSent = Math.max(maxSent, ++sent)
        if (!response.write(part)) {
          response.once('drain', write)
          return
        }
      }
      response.end()
    }
    write()
  })
  const fine = await openReceiver(t)
  const hooks: string[] = []
  for (const url of [never.url, moved.url, long.url, 'http://127.0.0.1:1/', fine.url]) {
    hooks.push((await house.succeed('POST', '/webhooks', { url, events: ['tag.created'] }, house.admin)).id)
  }
  for (let n = 0; n < 20; n++) await house.succeed('POST', '/tags', { name: `tag ${n}` })
  await fine.has(20)
  await long.has(20)
  const first = async (id: string | undefined) => {
    const path = `/webhooks/${id}/deliveries?offset=19`
    const [delivery] = await until(
      () => house.succeed('GET', path, undefined, house.admin),
      ([one]) => one.attempts.length > 0,
    )
    return delivery.attempts[0]
  }
  assert.equal((await first(hooks[0])).error, 'No answer within 3 s.')
  assert.deepEqual([(await first(hooks[1])).status, elsewhere.got.length], [302, 0])
  const big = await first(hooks[2])
  assert.deepEqual([big.status, big.error, big.answer.length], [200, null, 1024])
  assert.ok(maxSent < whole, 'the answer was not read to its end')
  assert.match((await first(hooks[3])).error, /ECONNREFUSED/)
})

test('R139 a webhook whose receiver fails for too long is paused and logged; activated again, it gets what it missed', async (t) => {
  const house = await open(t, { retryWindowSeconds: 0.3 })
  const receiver = await openReceiver(t, (_got, response) => void response.writeHead(503).end())
  const { id } = await house.succeed('POST', '/webhooks', { url: receiver.url, events: ['tag.created'] }, house.admin)
  await house.succeed('POST', '/tags', { name: 'first' })
  const read = () => house.succeed('GET', `/webhooks/${id}`, undefined, house.admin)
  for (let tries = 0; (await read()).active && tries < 100; tries++) await sleep(50)
  const { active, paused } = await read()
  assert.equal(active, false)
  assert.match(paused, /accepted nothing.*503/)
  await house.succeed('POST', '/tags', { name: 'second' })
  const [{ id: failed, state }] = await house.succeed('GET', `/webhooks/${id}/deliveries`, undefined, house.admin)
  assert.equal(state, 'failed')
  assert.equal((await house.send('POST', `/webhooks/${id}/deliveries`, { delivery: failed }, house.admin)).status, 409)
  receiver.got.length = 0
  receiver.answer = (_got, response) => void response.writeHead(200).end()
  await house.succeed('PATCH', `/webhooks/${id}`, { active: true }, house.admin)
  const [got] = await receiver.has(1)
  assert.equal(got?.event.data.name, 'second')
  await house.succeed('POST', `/webhooks/${id}/deliveries`, { delivery: failed }, house.admin)
  assert.equal((await receiver.has(2))[1]?.event.data.name, 'first')
})

test('R139 a 410 pauses the webhook at once; so does a deleted creator', async (t) => {
  const house = await open(t)
  const [closed, fine] = [
    await openReceiver(t, (_got, response) => void response.writeHead(410).end()),
    await openReceiver(t),
  ]
  const bob = await house.signUp('bob')
  await makeAdmin(house, bob)
  const ids: string[] = []
  for (const { url } of [closed, fine]) {
    const made = await house.succeed(
      'POST',
      '/webhooks',
      { url, events: ['tag.*'] },
      { authorization: bob.authorization },
    )
    ids.push(made.id)
  }
  const paused = (id: string) =>
    until(
      () => house.succeed('GET', `/webhooks/${id}`, undefined, house.admin),
      (hook) => hook.paused !== null,
    )
  await house.succeed('POST', '/tags', { name: 'one' })
  await fine.has(1)
  assert.match((await paused(ids[0]!)).paused, /410/)
  assert.equal(
    (await house.send('DELETE', `/users/${bob.id}`, undefined, { authorization: bob.authorization })).status,
    204,
  )
  await house.succeed('POST', '/tags', { name: 'two' })
  assert.match((await paused(ids[1]!)).paused, /owner has no rights: the account was deleted/)
  assert.deepEqual([closed.got.length, fine.got.length], [1, 1])
})

test('R139 waiting messages go to a new address at once, and later answers of the old one are ignored', async (t) => {
  const house = await open(t, { timeoutSeconds: 20, firstRetrySeconds: 3600, maxRetryIntervalSeconds: 3600 })
  const late = Promise.withResolvers<void>()
  const first = await openReceiver(t, async ({ event }, response) => {
    if (event.data.name === 'late') await late.promise
    response.writeHead(event.data.name === 'late' ? 410 : 500).end()
  })
  const next = await openReceiver(t)
  const { id } = await house.succeed('POST', '/webhooks', { url: first.url, events: ['tag.*'] }, house.admin)
  for (const name of ['late', 'refused']) await house.succeed('POST', '/tags', { name })
  await first.has(2)
  const list = () => house.succeed('GET', `/webhooks/${id}/deliveries`, undefined, house.admin)
  await until(list, ([refused]) => refused.attempts.length === 1)
  const query = 'mutation($id: ID!, $url: String!) { updateWebhook(id: $id, input: {url: $url}) { url } }'
  await house.succeed('POST', '/graphql', { query, variables: { id, url: next.url } }, house.admin)
  await next.has(1)
  late.resolve()
  await next.has(2)
  const names = ['refused', 'late']
  assert.deepEqual(
    next.got.map(({ event }) => event.data.name),
    names,
  )
  await until(list, areDelivered)
  assert.deepEqual(
    (await list()).map(({ attempts }: { attempts: { status: number }[] }) => attempts.map(({ status }) => status)),
    [
      [500, 204],
      [410, 204],
    ],
  )
  const { active, paused } = await house.succeed('GET', `/webhooks/${id}`, undefined, house.admin)
  assert.deepEqual([active, paused], [true, null])
})

test('R135 a deleted webhook sends nothing more, whatever is in progress', async (t) => {
  const house = await open(t, { timeoutSeconds: 20 })
  const sent = Promise.withResolvers<void>()
  const [late, fine] = [
    await openReceiver(t, async (_got, response) => {
      await sent.promise
      response.writeHead(500).end()
    }),
    await openReceiver(t),
  ]
  const make = async (url: string) =>
    (await house.succeed('POST', '/webhooks', { url, events: ['tag.*'] }, house.admin)).id as string
  const [deleted] = [await make(late.url), await make(fine.url)]
  const tag = await house.succeed('POST', '/tags', { name: 'one' })
  await house.succeed('PATCH', `/tags/${tag.id}`, { name: 'two' }) // waits behind the first
  await late.has(1)
  const query = 'mutation($id: ID!) { deleteWebhook(id: $id) { success } }'
  const { data } = await house.succeed('POST', '/graphql', { query, variables: { id: deleted } }, house.admin)
  assert.equal(data.deleteWebhook.success, true)
  sent.resolve()
  await house.succeed('POST', '/tags', { name: 'three' })
  await fine.has(3)
  await sleep(300) // the time of some retries
  assert.equal(late.got.length, 1)
  assert.equal((await house.send('GET', `/webhooks/${deleted}/deliveries`, undefined, house.admin)).status, 404)
})

test('R138 a redelivery whose change has expired is dropped, and its delivery says so', async (t) => {
  const service = await TestService.open(t, sdl, {
    webhooks: quick,
    events: { retentionSeconds: 3, heartbeatSeconds: 15 }, // the first delivery comes before
  })
  const person = await service.signUp('ann')
  await makeAdmin(service, person)
  const admin = { authorization: person.authorization }
  const receiver = await openReceiver(t)
  const { id } = await service.succeed('POST', '/webhooks', { url: receiver.url, events: ['tag.*'] }, admin)
  await service.succeed('POST', '/tags', { name: 'old' })
  await receiver.has(1)
  const path = `/webhooks/${id}/deliveries`
  const list = () => service.succeed('GET', path, undefined, admin)
  await until(list, areDelivered)
  await until(
    () => service.succeed('GET', '/changes?resource=tags'),
    ({ edges }) => edges.length === 0,
  )
  const [{ id: delivery }] = await list()
  assert.equal((await service.send('POST', path, { delivery }, admin)).status, 202)
  const [{ state, attempts }] = await until(list, ([one]) => one.state !== 'pending')
  assert.deepEqual([state, attempts.length, receiver.got.length], ['dropped', 1, 1])
})

test('R138 a redelivery is retried as often as a new message', async (t) => {
  const house = await open(t, { firstRetrySeconds: 0.05, maxRetryIntervalSeconds: 60, retryWindowSeconds: 3 })
  const receiver = await openReceiver(t, (_got, response) => void response.writeHead(503).end())
  const { id } = await house.succeed('POST', '/webhooks', { url: receiver.url, events: ['tag.*'] }, house.admin)
  await house.succeed('POST', '/tags', { name: 'one' })
  const failed = async () => {
    const path = `/webhooks/${id}/deliveries`
    const [delivery] = await until(
      () => house.succeed('GET', path, undefined, house.admin),
      ([one]) => one?.state === 'failed',
    )
    assert.equal(delivery.state, 'failed')
    await until(
      () => house.succeed('GET', `/webhooks/${id}`, undefined, house.admin),
      ({ active }) => !active,
    )
    return delivery
  }
  const first = await failed()
  await house.succeed('PATCH', `/webhooks/${id}`, { active: true }, house.admin)
  await house.succeed('POST', `/webhooks/${id}/deliveries`, { delivery: first.id }, house.admin)
  const second = await failed()
  const more = second.attempts.length - first.attempts.length
  assert.ok(more >= 2, `${first.attempts.length} at first, then ${more}`)
})

test('R135 an update without a change is none, and GraphQL reports the same mistakes', async (t) => {
  const house = await open(t)
  const made = await house.succeed('POST', '/webhooks', { url: 'https://example.org/', events: ['tag.*'] }, house.admin)
  const { secret: _, ...shown } = made
  const path = `/webhooks/${made.id}`
  const ask = async (query: string, variables: object) =>
    (await house.send('POST', '/graphql', { query, variables }, house.admin)).body
  const change = `mutation($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) {
    id url events where active paused createdAt updatedAt } }`
  for (const input of [{}, { url: made.url, active: true }, { events: ['tag.*'], where: null }]) {
    assert.deepEqual(await house.succeed('PATCH', path, input, house.admin), shown)
    assert.deepEqual((await ask(change, { id: made.id, input })).data.updateWebhook, shown)
  }
  const make = 'mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { id } }'
  const fine = { url: 'https://example.org/', events: ['post.*'] }
  for (const [wrong, meant] of [
    [{ events: ['post'] }, 'post.*'],
    [{ events: ['Post.created'] }, 'post.created'],
    [{ events: ['post.creatd', 'tog.*'] }, 'post.created'],
    [{ events: ['**'] }, '*'],
    [{ events: ['*.created'] }],
    [{ events: [] }],
    [{ events: [1] }],
    [{ events: null }],
    [{ url: null }],
    [{ url: 'http://ann:secret@example.org/' }],
    [{ active: null }],
    [{ secret: 'whsec_short' }],
    [{ where: [] }],
    [{ where: { titel: { eq: 'x' } } }, 'title'],
    [{ wher: {} }, 'where'],
  ] as [object, string?][]) {
    for (const [method, to, mutation, variables] of [
      ['POST', '/webhooks', make, { input: { ...fine, ...wrong } }],
      ['PATCH', path, change, { id: made.id, input: { events: ['post.*'], ...wrong } }],
    ] as const) {
      const { status, body } = await house.send(method, to, variables.input, house.admin)
      assert.equal(status, 400, JSON.stringify(variables))
      if (meant !== undefined) assert.ok(body.errors[0].message.endsWith(`Did you mean "${meant}"?`), body.detail)
      const { extensions } = (await ask(mutation, variables)).errors[0]
      const problems = body.errors.map(({ pointer: _, ...problem }: { pointer: string }) => problem)
      assert.deepEqual([extensions.code, extensions.errors], [body.code, problems])
    }
  }
})

test('a value of the wrong type stops a mutation before any field is executed', async (t) => {
  const house = await open(t)
  const query = `mutation($webhook: CreateWebhookInput!, $token: CreateTokenInput!) {
    createTag(input: {name: "Before"}) { id }
    createWebhook(input: $webhook) { id }
    createToken(input: $token) { id }
  }`
  const fine = { webhook: { url: 'https://example.org/', events: ['*'] }, token: { refreshToken: 'none' } }
  for (const [wrong, expected] of [
    [{ webhook: { url: 5 } }, ['events REQUIRED', 'url TYPE']],
    [{ token: { email: 5 } }, ['email TYPE', 'password REQUIRED']],
    [{ token: { for: ['stream'] }, webhook: { ...fine.webhook, active: 'yes' } }, ['active TYPE', 'for TYPE']],
  ] as [object, string[]][]) {
    const { body } = await house.send('POST', '/graphql', { query, variables: { ...fine, ...wrong } }, house.admin)
    const places = body.errors.flatMap(({ extensions }: { extensions: { errors: object[] } }) => extensions.errors)
    assert.deepEqual(
      [Object.keys(body), places.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)],
      [['errors'], expected],
    )
    assert.ok(body.errors.every((error: object) => 'locations' in error && !('path' in error)))
  }
  assert.deepEqual(await house.succeed('GET', '/tags'), [])
  assert.deepEqual(await house.succeed('GET', '/webhooks', undefined, house.admin), [])
  // A value of the right type is checked when its field is executed.
  const { body } = await house.send('POST', '/graphql', { query, variables: fine }, house.admin)
  assert.deepEqual([body.data.createToken, body.errors[0].path], [null, ['createToken']])
  assert.deepEqual([body.data.createTag], await house.succeed('GET', '/tags?fields=id'))
})

test('GraphQL has the same webhooks', async (t) => {
  const house = await open(t)
  const receiver = await openReceiver(t)
  const ask = async (query: string, variables: object = {}, headers: Record<string, string> = house.admin) =>
    (await house.send('POST', '/graphql', { query, variables }, headers)).body
  const make =
    'mutation M($input: CreateWebhookInput!) { createWebhook(input: $input) { id url events where active paused secret } }'
  const input = { url: receiver.url, events: ['tag.*'], where: { name: { ne: 'x' } } }
  const { data } = await ask(make, { input })
  const { id, secret, ...made } = data.createWebhook
  assert.deepEqual(made, { ...input, active: true, paused: null })
  assert.match(secret, /^whsec_/)
  await house.succeed('POST', '/tags', { name: 'one' })
  await receiver.has(1)
  await until(() => house.succeed('GET', `/webhooks/${id}/deliveries`, undefined, house.admin), areDelivered)
  const seen = await ask(
    `query Q($id: ID!) { webhook(id: $id) { secret last: deliveries(limit: 1) { id type state event attempts { status answer } } }
     webhooks { __typename id } none: webhook(id: "none") { id } }`,
    { id },
  )
  const [last] = seen.data.webhook.last
  assert.deepEqual(seen.data, {
    webhook: {
      secret: null,
      last: [
        {
          id: last.id,
          type: 'tag.created',
          state: 'delivered',
          event: last.event,
          attempts: [{ status: 204, answer: '' }],
        },
      ],
    },
    webhooks: [{ __typename: 'Webhook', id }],
    none: null,
  })
  const again =
    'mutation($webhook: ID!, $delivery: ID!) { redeliver(webhook: $webhook, delivery: $delivery) { id state } }'
  const sent = await ask(again, { webhook: id, delivery: last.id })
  assert.deepEqual(sent.data.redeliver, { id: last.id, state: 'pending' })
  await receiver.has(2)
  const change =
    'mutation($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { active where } }'
  const { data: changed } = await ask(change, { id, input: { active: false, where: null } })
  assert.deepEqual(changed.updateWebhook, { active: false, where: null })
  for (const [query, variables] of [
    [change, { id: 'none', input: {} }],
    [again, { webhook: 'none', delivery: 'x' }],
  ] as const) {
    assert.equal((await ask(query, variables)).errors[0].extensions.code, 'NOT_FOUND')
  }
  const rest = await house.send('POST', '/webhooks', { url: 1 }, house.admin)
  const graphql = await ask('mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { id } }', {
    input: { url: 1 },
  })
  const withoutPointers = rest.body.errors.map(({ pointer: _, ...problem }: { pointer: string }) => problem)
  assert.deepEqual(graphql.errors[0].extensions.errors, withoutPointers)
  const { data: deleted } = await ask('mutation($id: ID!) { deleteWebhook(id: $id) { success message } }', { id })
  assert.deepEqual(deleted.deleteWebhook, { success: true, message: `Webhook "${id}" is deleted.` })
  assert.equal((await ask('{ webhooks { id } }', {}, {})).errors[0].extensions.code, 'UNAUTHENTICATED')
})
