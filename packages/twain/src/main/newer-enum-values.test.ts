// A row holds enum values of a newer schema, and a node serves the older one: after a rollback, or in a rolling deploy.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainRequest } from '#base/http'
import { defaultLimits } from '#plan'
import { makeTestPlace } from '#test-place'
import { openService, type Service } from './service.ts'

const schema = (values: string) => `
type Star @allow { id: ID! name: String! kind: Kind! @default(value: DWARF) kinds: [Kind!] core: Core }
type Core { kind: Kind, size: Int }
enum Kind { ${values} }
`
const newer = { kind: 'NEUTRON', kinds: ['DWARF', 'NEUTRON'], core: { kind: 'NEUTRON', size: 1 } }

test('both APIs answer the stored value', async (t) => {
  const { rest, graphql } = await open(t)
  assert.deepEqual((await rest('GET', '/stars/s1')).body, { id: 's1', name: 'Vela', ...newer })
  const { body } = await graphql('{ stars { kind kinds core { kind } } }')
  assert.deepEqual(body, { data: { stars: [{ kind: 'NEUTRON', kinds: newer.kinds, core: { kind: 'NEUTRON' } }] } })
})

test('a client can write back what it read', async (t) => {
  const { rest, graphql } = await open(t)
  const read = (await rest('GET', '/stars/s1')).body as object
  assert.equal((await rest('PUT', '/stars/s1', { ...read, name: 'a' })).status, 200)
  assert.equal((await rest('PATCH', '/stars/s1', { kind: 'NEUTRON', name: 'b' })).status, 200)
  assert.equal((await rest('PATCH', '/stars/s1', { core: { size: 2 } })).status, 200)
  assert.equal((await rest('PATCH', '/stars/s1', { kinds: ['NEUTRON', 'GIANT'] })).status, 200)
  assert.equal((await graphql('mutation { updateStar(id: "s1", name: "c") { kind } }')).status, 200)
  const core = { kind: 'NEUTRON', size: 2 }
  const now = { id: 's1', name: 'c', kind: 'NEUTRON', kinds: ['NEUTRON', 'GIANT'], core }
  assert.deepEqual((await rest('GET', '/stars/s1')).body, now)
})

test('a replace that leaves the field out keeps the value, since GraphQL can’t name it', async (t) => {
  const { rest, graphql } = await open(t)
  await graphql('mutation { replaceStar(id: "s1", input: {name: "a"}) { kind } }')
  assert.equal((await rest('PUT', '/stars/s1', { name: 'b' })).status, 200)
  assert.deepEqual((await rest('GET', '/stars/s1')).body, { id: 's1', name: 'b', ...newer })
  assert.equal((await rest('PUT', '/stars/s1', { name: 'b', kind: 'GIANT' })).status, 200)
  assert.equal((await rest('PUT', '/stars/s1', { name: 'b' })).body.kind, 'DWARF')
})

test('no other row gets a value that the schema does not have', async (t) => {
  const { rest } = await open(t)
  await rest('PUT', '/stars/s2', { name: 'Sol' })
  const refused = async (method: string, at: string, value: object, path: string) => {
    const { status, body } = await rest(method, at, value)
    assert.deepEqual([status, body.errors?.[0].path, body.errors?.[0].code], [400, path, 'TYPE'], JSON.stringify(value))
  }
  for (const [method, at] of [
    ['PATCH', '/stars/s2'],
    ['PUT', '/stars/s2'],
    ['PUT', '/stars/new'],
  ] as const) {
    await refused(method, at, { name: 'x', kind: 'NEUTRON' }, 'kind')
    await refused(method, at, { name: 'x', kinds: ['DWARF', 'NEUTRON'] }, 'kinds.1')
    await refused(method, at, { name: 'x', core: { kind: 'NEUTRON' } }, 'core.kind')
  }
  await refused('POST', '/stars', { name: 'x', kind: 'NEUTRON' }, 'kind')
  await refused('PATCH', '/stars/s1', { kind: 'QUARK' }, 'kind')
  await refused('PATCH', '/stars/s1', { kind: 'not a name' }, 'kind')
  await refused('PATCH', '/stars/s1', { core: { kind: 'QUARK' } }, 'core.kind')
})

async function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-newer-enums-'))
  const { place, drop } = await makeTestPlace(join(folder, 'data'))
  const schemaFile = join(folder, 'schema.graphql')
  const log = { info() {}, warn() {}, error() {} }
  const serve = (values: string): Promise<Service> => {
    writeFileSync(schemaFile, schema(values))
    return openService({ schemaFile, ...place, limits: defaultLimits, log })
  }
  const requester =
    (service: Service) =>
    // biome-ignore lint/suspicious/noExplicitAny: the tests read answers of many shapes
    async (method: string, at: string, value?: unknown): Promise<{ status: number; body: any }> => {
      const body = value === undefined ? '' : JSON.stringify(value)
      const headers = { 'content-type': 'application/json' }
      const reply = await service.handle(plainRequest(method, at, { headers, body, address: '192.0.2.1' }))
      return { status: reply.status, body: reply.body === null ? null : JSON.parse(String(reply.body)) }
    }
  await (await serve('DWARF GIANT')).close()
  const after = await serve('DWARF GIANT NEUTRON')
  assert.equal((await requester(after)('PUT', '/stars/s1', { name: 'Vela', ...newer })).status, 201)
  await after.close()
  const service = await serve('DWARF GIANT')
  t.after(async () => {
    await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  })
  const rest = requester(service)
  return { rest, graphql: (query: string) => rest('POST', '/graphql', { query }) }
}
