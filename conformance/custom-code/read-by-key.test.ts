// `read.Post.get({ slug: 'knots' })`: custom code finds a row by a unique key, under the rules of the viewer.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { generateTypes } from '../../packages/twain/src/code/generate-types.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { type ApiClient, graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account(login: "name") @allow(to: [READ]) { id: ID! name: String! @unique items: [Item!]! }
  type Item @allow(to: [READ], where: {open: {eq: true}}) @allow(who: "owner") {
    id: ID! owner: User! @unique(with: "name") name: String! open: Boolean!
    code: Int @unique
    secret: String @unique @allow(role: "admin")
  }
  type Query { found(key: JSON!, asSystem: Boolean! = false): JSON @allow }
`
const service: ServiceCode = {
  resolvers: {
    Query: {
      found: async ({ key, asSystem }, context) => {
        const { read } = asSystem === true ? context.system : context
        const row = await read.Item!.get(key as object)
        return row === null ? null : row.id
      },
    },
  },
}

let apis: TestApis
let ann: ApiClient
before(async () => {
  apis = await openApis(sdl, undefined, undefined, undefined, undefined, { service })
  const put = (path: string, row: object) => restBody(apis.as(system), 'PUT', path, row)
  for (const id of ['ann', 'bob']) await put(`/users/${id}`, { name: id, password: 'long enough' })
  await put('/items/i1', { owner: 'ann', name: 'milk', open: true, code: 1, secret: 's1' })
  await put('/items/i2', { owner: 'ann', name: 'eggs', open: false, code: 2, secret: 's2' })
  await put('/items/i3', { owner: 'bob', name: 'milk', open: false, code: 3, secret: 's3' })
  const viewer: Viewer = { account: 'ann', roles: [], authenticated: true, token: null }
  ann = apis.as(viewer)
})
after(() => apis.close())

const query = 'query ($k: JSON!, $s: Boolean! = false) { found(key: $k, asSystem: $s) }'
const find = async (client: ApiClient, k: unknown, s = false) => (await graphqlData(client, query, { k, s })).found

test('by one field and by several, and later by another value', async () => {
  assert.equal(await find(ann, { code: 1 }), 'i1')
  assert.equal(await find(ann, { code: 2 }), 'i2')
  assert.equal(await find(ann, { ownerAndName: { owner: 'ann', name: 'eggs' } }), 'i2')
  assert.equal(await find(ann, { ownerAndName: { owner: 'ann', name: 'none' } }), null)
  assert.equal(await find(ann, { code: 9 }), null)
})

test('a row that the viewer may not read is null, and the server itself finds it', async () => {
  assert.equal(await find(apis, { code: 2 }), null)
  assert.equal(await find(ann, { code: 3 }), null)
  assert.equal(await find(ann, { code: 3 }, true), 'i3')
  assert.equal(await find(ann, { secret: 's3' }, true), 'i3')
})

test('what is no key of the type, or never readable, is refused', async () => {
  for (const key of [
    { name: 'milk' },
    {},
    { code: 1, secret: 's1' },
    { secret: 's1' },
    { code: 'x' },
    { code: null },
  ]) {
    const { data, errors } = await ann.graphql(query, { k: key })
    assert.equal((data as { found: unknown } | null)?.found ?? null, null)
    assert.equal(errors.length, 1, JSON.stringify(key))
  }
})

test('the generated types know the keys', () => {
  const text = generateTypes(loadModel(sdl, 'schema.graphql'), 'schema.graphql')
  const keys = '{ ownerAndName: { owner: string; name: string } }'
  assert.match(text, /User: RowReader<UserRow, UserWhere, UserOrder, \{ name: string \}, /)
  assert.ok(/Item: RowReader<.*>/.exec(text)![0].includes(keys), /Item: RowReader<.*>/.exec(text)![0])
})
