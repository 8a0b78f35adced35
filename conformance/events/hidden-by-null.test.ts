// A compared field that becomes null hides the row or the field as any other value does: a condition over a null is unknown, and so is
// its negation in SQL (docs/reference/events.md, R124).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'
import { openReceiver } from '../webhooks/receiver.ts'
import { readPast } from './read-past.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") @allow(role: "admin") {
    id: ID! email: String! @unique name: String roles: [String!]
  }
  type Post @allow(where: {published: {eq: true}}, to: [READ]) @allow(who: "owner", to: [READ]) {
    id: ID! body: String! published: Boolean owner: User
    phone: String @allow(where: {showsPhone: {eq: true}}) showsPhone: Boolean
  }
  type Mark @allow(to: [READ]) { id: ID! }
  type Memo @allow(where: {owner: {isViewer: true}}, to: [READ]) { id: ID! body: String! owner: User }
`

test('a row that a null hides is deleted in every event of it, for all who could read it', async (t) => {
  const { service, past } = await open(t)
  const ann = await service.signUp('ann')
  const put = (path: string, body: object) => service.asSystem('PUT', path, body)
  const patch = (path: string, body: object) => service.asSystem('PATCH', path, body)
  for (const [id, value] of [
    ['null', null],
    ['false', false],
  ] as const) {
    await put(`/posts/by-${id}`, { body: `secret by ${id}`, published: true })
    await patch(`/posts/by-${id}`, { body: `second secret by ${id}` })
    await patch(`/posts/by-${id}`, { published: value })
  }
  await put('/posts/open', { body: 'still open', published: true })
  for (const [type, path] of [
    ['post', 'posts'],
    ['memo', 'memos'],
  ]) {
    await put(`/${path}/owned`, { body: `an owned ${type}`, owner: ann.id })
    await patch(`/${path}/owned`, { owner: null })
  }
  const asAnn = { authorization: ann.authorization }
  for (const viewer of [{}, asAnn]) {
    for (const [way, text] of Object.entries(await past(viewer, 'post', '{ body }'))) {
      assert.doesNotMatch(text, /secret by|an owned/, way)
      if (way === 'page' || way === 'stream') assert.match(text, /deleted.*by-null/, way)
      if (way !== 'a page of GraphQL') assert.match(text, /still open/, way)
    }
  }
  for (const [way, text] of Object.entries(await past(asAnn, 'memo', '{ body }'))) {
    assert.doesNotMatch(text, /an owned/, way)
  }
})

test('a filter does not find the value of a field that a null hides', async (t) => {
  const { service, past } = await open(t)
  for (const [id, value] of [
    ['null', null],
    ['false', false],
  ] as const) {
    await service.asSystem('PUT', `/posts/one-${id}`, { body: 'x', published: true, phone: '555', showsPhone: true })
    await service.asSystem('PUT', `/posts/two-${id}`, { body: 'x', published: true, phone: '777', showsPhone: true })
    for (const post of ['one', 'two']) await service.asSystem('PATCH', `/posts/${post}-${id}`, { showsPhone: value })
  }
  const { subscription } = await past({}, 'post', '{ id }', ', where: {phone: {eq: "555"}}')
  const events = [...subscription!.matchAll(/"kind":"(\w+)","id":"(one|two)-(null|false)"/g)]
  const about = (post: string, value: string) =>
    events.filter((event) => event[2] === post && event[3] === value).map(([, kind]) => kind)
  assert.deepEqual(about('one', 'null'), ['DELETED'])
  assert.deepEqual(about('one', 'null'), about('two', 'null'))
  assert.deepEqual(about('one', 'null'), about('one', 'false'))
})

test('a delivery that is sent, or shown, after a null hid its row tells that the row is deleted', async (t) => {
  const { service } = await open(t)
  const admin = await service.signUp('admin')
  await service.asSystem('PATCH', `/users/${admin.id}`, { roles: ['admin'] })
  const headers = { authorization: admin.authorization }
  const receiver = await openReceiver(t)
  const hook = await until(
    () => service.send('POST', '/webhooks', { url: receiver.url, events: ['memo.*'] }, headers),
    ({ status }) => status === 201,
  )
  await service.asSystem('PUT', '/memos/m1', { body: 'a secret of then', owner: admin.id })
  const [sent] = await receiver.has(1)
  assert.equal(sent!.event.data.body, 'a secret of then')
  await service.asSystem('PATCH', '/memos/m1', { owner: null })
  const deliveries = `/webhooks/${hook.body.id}/deliveries`
  const all = await until(
    () => service.succeed('GET', deliveries, undefined, headers),
    ({ length }) => length === 2,
  )
  const first = all.at(-1).id
  const message = await service.succeed('GET', `/webhook-deliveries/${first}/message`, undefined, headers)
  assert.doesNotMatch(JSON.stringify(message), /secret of then/)
  await service.succeed('POST', deliveries, { delivery: first }, headers)
  const told = await receiver.has(3)
  for (const { event } of told.slice(1)) assert.deepEqual([event.type, event.data], ['memo.deleted', { id: 'm1' }])
})

async function open(t: TestContext) {
  const service = await TestService.open(t, sdl, { webhooks: { ...defaultWebhookSettings, allowPrivate: true } })
  await service.asSystem('PUT', '/marks/first', {}) // its cursor is where the reading starts
  let marks = 0

  async function past(headers: object, type: string, fields: string, filter = '') {
    const last = `${type}-${marks++}`
    const named = type === 'post' ? { published: true, phone: '555', showsPhone: true } : {}
    const { status } = await service.asSystem('PUT', `/${type}s/${last}`, {
      body: 'the last',
      ...named,
      ...ownerOf(headers),
    })
    assert.equal(status, 201)
    const changed = `${type}Changed(after: $after${filter}) { kind id ${type} ${fields} }`
    return readPast(service, headers, `subscription ($after: String) { ${changed} }`, last)
  }

  /** The last memo belongs to who reads. */
  function ownerOf(headers: { authorization?: string }): object {
    if (headers.authorization === undefined) return {}
    return { owner: JSON.parse(Buffer.from(headers.authorization.split('.')[1]!, 'base64url').toString()).sub }
  }

  return { service, past }
}
