// Rules for some fields of a row (docs/reference/rules.md#rules-for-some-fields): what a customer may change of a repair, and what
// others may read of it. The cells of `rule-schemas.ts` try all combinations; these are the requests of a service.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, openApis, restBody, type TestApis, uploadFile } from '../harness/open-apis.ts'

const sdl = `type User @account(login: "name")
  @allow(to: [READ], fields: ["name"])
  @allow(who: "self", to: [READ])
  @allow(who: "self", to: [UPDATE], fields: ["phone"])
  @allow(role: "desk", to: [READ, UPDATE], fields: ["name"])
  @allow(role: "admin", to: [READ, UPDATE], fields: ["phone"]) {
  id: ID! name: String! @unique phone: String
}
type Repair
  @allow(who: "customer", to: [READ])
  @allow(who: "customer", to: [UPDATE], fields: ["photos", "note", "lines", "address"])
  @allow(role: "mechanic") {
  id: ID! customer: User! @immutable title: String! note: String price: Decimal address: Address
  photos: [File!]! lines: [Line!]!
  shortNote: String @computed(from: ["note"])
}
type Address { street: String! town: String }
type Line @allow(who: "repair") { id: ID! text: String! repair: Repair! @relation(onDelete: CASCADE) }
type Stamp @allow(who: "line.repair") { id: ID! line: Line! @relation(onDelete: CASCADE) }`

const way = 'Repair.price: schema.graphql:12 @allow(role: "mechanic") would allow it.'
const ann: Viewer = { account: 'ann', roles: [], authenticated: true, token: 't' }

describe('rules for some fields', () => {
  let apis: TestApis
  let customer: ApiClient
  let mechanic: ApiClient
  before(async () => {
    apis = await openApis(sdl, {}, undefined, { inAnswer: true, log() {} }, undefined, {
      service: { resolvers: { Repair: { shortNote: (rows: readonly object[]) => rows.map(() => 'short') } } },
    })
    const own = { ...apis, ...apis.as(system) }
    for (const name of ['ann', 'bob'])
      await restBody(own, 'PUT', `/users/${name}`, { name, phone: '1', password: 'fair winds' })
    customer = apis.as(ann)
    mechanic = apis.as({ ...ann, account: 'bob', roles: ['mechanic'] })
  })
  beforeEach(async () => {
    await apis.as(system).rest('PUT', '/repairs/r1', { customer: 'ann', title: 'Lamp', price: '5', note: 'n' })
  })
  after(() => apis.close())

  test('the viewer may change the fields of the rule and no others, through both APIs', async () => {
    assert.equal((await customer.rest('PATCH', '/repairs/r1', { note: 'new' })).status, 200)
    const { body, status } = await customer.rest('PATCH', '/repairs/r1', { note: 'x', price: '1' })
    const problem = body as { code: string; hint: string; errors: { path: string; code: string }[] }
    assert.deepEqual([status, problem.code, problem.hint], [403, 'FORBIDDEN', way])
    assert.deepEqual(
      problem.errors.map((one) => `${one.path} ${one.code}`),
      ['price READONLY'],
    )
    const graphql = await customer.graphql('mutation { updateRepair(id: "r1", note: "x", price: "1") { note } }')
    assert.deepEqual(graphql.errors[0]?.extensions, {
      code: 'FORBIDDEN',
      hint: way,
      errors: [{ path: 'price', code: 'READONLY', message: 'You may not set this field.' }],
    })
    const changed = await customer.graphql('mutation { updateRepair(id: "r1", note: "y") { note price shortNote } }')
    assert.deepEqual(changed.data?.updateRepair, { note: 'y', price: '5', shortNote: 'short' })
    assert.equal((await mechanic.rest('PATCH', '/repairs/r1', { note: 'x', price: '1' })).status, 200)
  })

  test('a replace and a JSON patch are judged by the fields that change', async () => {
    const { body } = await customer.rest('GET', '/repairs/r1')
    const row = body as Record<string, unknown>
    assert.equal((await customer.rest('PUT', '/repairs/r1', { ...row, note: 'again' })).status, 200)
    assert.equal((await customer.rest('PUT', '/repairs/r1', { ...row, price: '4' })).status, 403)
    const { price: _, ...withoutPrice } = row
    assert.equal((await customer.rest('PUT', '/repairs/r1', withoutPrice)).status, 403, 'it would clear the price')
    const patch = (path: string) =>
      customer.rest('PATCH', '/repairs/r1', [{ op: 'replace', path, value: '9' }], {
        'content-type': 'application/json-patch+json',
      })
    assert.deepEqual([(await patch('/note')).status, (await patch('/price')).status], [200, 403])
    assert.equal((await customer.rest('PATCH', '/repairs/r1', { address: { street: 'A' } })).status, 200)
    assert.equal((await customer.rest('PATCH', '/repairs/r1', { address: { town: 'B' } })).status, 200)
  })

  test('in a batch and in a transaction a refused field undoes all', async () => {
    const batch = await customer.rest('POST', '/batch', [
      { method: 'PATCH', path: '/repairs/r1', body: { note: 'first' } },
      { method: 'PATCH', path: '/repairs/r1', body: { price: '1' } },
    ])
    const { errors } = batch.body as { errors: { path: string }[] }
    assert.deepEqual([batch.status, errors[0]?.path], [403, '1.price'])
    assert.equal(((await customer.rest('GET', '/repairs/r1')).body as { note: string }).note, 'n')
  })

  test('a list of files in the rule can be filled, and who may fill it may upload', async () => {
    const photo = await uploadFile(apis, Buffer.from('photo'), ann)
    assert.equal((await customer.rest('PUT', `/repairs/r1/photos/${photo}`)).status, 204)
    assert.equal((await customer.rest('PATCH', '/repairs/r1', { photos: [photo] })).status, 200)
    assert.equal((await customer.rest('DELETE', `/repairs/r1/photos/${photo}`)).status, 204)
    const other = apis.as({ ...ann, account: 'bob' })
    assert.equal((await other.rest('PUT', `/repairs/r1/photos/${photo}`)).status, 404)
    apis.engine.admitUpload(ann)
    assert.throws(() => apis.engine.admitUpload({ ...ann, account: null, roles: ['desk'] }), /You may not upload/)
  })

  test('rows of a list in the rule follow it, and rows behind them do not', async () => {
    const line = await customer.rest('POST', '/lines', { text: 'wire', repair: 'r1' })
    assert.equal(line.status, 201)
    const { id } = line.body as { id: string }
    assert.equal((await customer.rest('PATCH', `/lines/${id}`, { text: 'cord' })).status, 200)
    assert.equal((await customer.rest('POST', '/stamps', { line: id })).status, 403)
    assert.equal((await mechanic.rest('POST', '/stamps', { line: id })).status, 201)
    assert.equal((await customer.rest('DELETE', `/lines/${id}`)).status, 204)
  })

  test('the rule neither deletes nor creates', async () => {
    assert.equal((await customer.rest('DELETE', '/repairs/r1')).status, 403)
    assert.equal((await customer.rest('POST', '/repairs', { customer: 'ann', title: 'x' })).status, 403)
  })

  test('a viewer reads only the fields of the rule: in rows, filters, orders, events and custom code', async () => {
    assert.deepEqual((await apis.rest('GET', '/users/ann')).body, { id: 'ann', name: 'ann' })
    assert.equal((await apis.rest('GET', '/users?phone=1')).status, 400)
    assert.equal((await apis.rest('GET', '/users?sort=phone')).status, 400)
    assert.equal((await apis.rest('GET', '/users?fields=phone')).status, 403)
    const { data, errors } = await apis.graphql('{ user(id: "ann") { name phone } }')
    assert.deepEqual([data?.user, errors[0]?.extensions?.code], [{ name: 'ann', phone: null }, 'FORBIDDEN'])
    assert.equal(
      errors[0]?.extensions?.hint,
      'User.phone: schema.graphql:3 @allow(who: "self", to: [READ]) or schema.graphql:6 @allow(role: "admin", to: [READ, UPDATE], fields: ["phone"]) would allow it.',
    )
    assert.deepEqual((await customer.rest('GET', '/users?sort=name')).body, [
      { id: 'ann', name: 'ann', phone: '1' },
      { id: 'bob', name: 'bob' },
    ])
    assert.deepEqual((await customer.rest('GET', '/users?phone=1&fields=id')).body, [{ id: 'ann' }])
  })

  test('a rule for some fields changes the own password, and no other', async () => {
    const patch = (viewer: Partial<Viewer>, path: string, body: object) =>
      apis.as({ ...ann, ...viewer }).rest('PATCH', path, body)
    const admin = { account: null, roles: ['admin'] }
    assert.equal((await patch(admin, '/users/bob', { phone: '2' })).status, 200)
    assert.equal((await patch(admin, '/users/bob', { password: 'another password' })).status, 403)
    assert.equal(
      (await patch({}, '/users/ann', { password: 'my next password', currentPassword: 'fair winds' })).status,
      200,
    )
    assert.equal((await patch({ roles: ['desk'] }, '/users/bob', { name: 'rob' })).status, 200)
  })
})
