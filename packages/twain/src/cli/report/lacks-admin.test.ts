import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpRequest } from '#base/http'
import { loadModel } from '#model'
import { lacksAdmin } from './lacks-admin.ts'

const model = loadModel(
  'type User @account @allow { id: ID! email: String! @unique roles: [String!] }',
  'schema.graphql',
)
const none = { issuer: null, issuers: null }
const issuers = '[{"issuer": "https://id.example"}]'

/** A service with accounts and administrators, and the query strings that it got. */
function serviceWith({ accounts = 0, admins = 0, status = 200 }) {
  const queries: string[] = []
  const handleAsSystem = async ({ query }: HttpRequest) => {
    queries.push(query)
    const count = Math.min(query.includes('admin') ? admins : accounts, Number(/limit=(\d+)/.exec(query)![1]))
    return { status, headers: {}, body: JSON.stringify(Array.from({ length: count }, (_, id) => ({ id }))) }
  }
  return { service: { model, handleAsSystem }, queries }
}

test('says that a service lacks an administrator if it has few accounts', async () => {
  assert.equal(await lacksAdmin(serviceWith({}).service, none), true)
  assert.equal(await lacksAdmin(serviceWith({ accounts: 99 }).service, none), true)
  assert.equal(await lacksAdmin(serviceWith({ accounts: 99, admins: 1 }).service, none), false)
  assert.equal(await lacksAdmin(serviceWith({ status: 503 }).service, none), false)
})

test('does not search many accounts for the role at each start', async () => {
  const { service, queries } = serviceWith({ accounts: 1000 })
  assert.equal(await lacksAdmin(service, none), false)
  assert.deepEqual(queries, ['fields=id&limit=100'])
})

test('asks nothing where tokens of external issuers have roles', async () => {
  const { service, queries } = serviceWith({})
  assert.equal(await lacksAdmin(service, { ...none, issuers }), false)
  assert.equal(await lacksAdmin(service, { ...none, issuer: 'https://id.example' }), false)
  assert.deepEqual(queries, [])
})
