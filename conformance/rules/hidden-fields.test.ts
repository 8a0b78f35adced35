// A field that the viewer can never read does not exist in filters and orders: the answer is, to the byte, that of a schema without it.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anonymous, system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = (declaration: string) => `
  type User @account(login: "name") @allow { id: ID! name: String! @unique boxes: [Box!]! }
  interface Thing { id: ID! title: String! ${declaration} }
  type Box implements Thing @allow { id: ID! title: String! owner: User notes: [Note!]! ${declaration} ${rule(declaration)} }
  type Bin implements Thing @allow { id: ID! title: String! ${declaration} ${rule(declaration)} }
  type Note @allow { id: ID! title: String! box: Box }`
const rule = (declaration: string) => (declaration === '' ? '' : '@allow(role: "auditor", to: [READ])')

const bob: Viewer = { account: 'bob', roles: [], authenticated: true, token: 't' }

let withField: TestApis
let without: TestApis
before(async () => {
  withField = await openApis(sdl('never: String'))
  without = await openApis(sdl(''))
  for (const apis of [withField, without]) {
    for (const path of ['/boxes/b', '/bins/c']) await apis.as(system).rest('PUT', path, { title: 'one' })
  }
})
after(async () => {
  await withField.close()
  await without.close()
})

const leaf = '{ never: { eq: "x" } }'
const value = { never: { eq: 'x' } }
const documents: [document: string, variables?: unknown][] = [
  [`{ boxes(where: ${leaf}) { id } }`],
  [`{ a: boxes { id } b: boxesConnection(where: { not: ${leaf} }) { totalCount } }`],
  [`{ notes(where: { box: { or: [{ title: { eq: "a" } }, ${leaf}] } }) { id } }`],
  [`{ users(where: { boxes: { some: ${leaf} } }) { id } }`],
  [`{ users { boxes(where: ${leaf}, orderBy: { never: ASC }) { id } } }`],
  ['{ boxes(orderBy: [{ title: ASC }, { never: DESC }]) { id } }'],
  [`{ things(where: ${leaf}) { id } }`],
  ['{ things(orderBy: { never: ASC }) { id } }'],
  [`{ users { ...u } } fragment u on User { boxes(where: ${leaf}) { id } }`],
  [`mutation { updateBox(id: "b", title: "two") { notes { box { notes(where: { box: ${leaf} }) { id } } } } }`],
  ['query ($w: BoxWhere) { boxes(where: $w) { id } }', { w: value }],
  ['query ($w: BoxWhere = { never: { isNull: true } }) { boxes(where: $w) { id } }'],
  ['query ($w: [BoxWhere!]) { boxes(where: { and: $w }) { id } }', { w: [value, { nope: 1 }] }],
  ['query ($w: UserWhere) { users(where: $w) { id } }', { w: { boxes: { none: value } } }],
  ['query ($o: [BoxOrder!]) { boxes(orderBy: $o) { id } }', { o: [{ never: 'ASC' }] }],
]
const targets = [
  '/boxes?never=x',
  '/boxes?never[gte]=x&title=1',
  '/notes?box.never=x',
  '/boxes?sort=-never',
  `/boxes?where=${encodeURIComponent(JSON.stringify({ not: value }))}`,
  `/users?where=${encodeURIComponent(JSON.stringify({ boxes: { some: value } }))}`,
  '/things?never=x',
]

const asks: [string, (client: ApiClient) => Promise<unknown>][] = [
  ...documents.map(([document, variables]): (typeof asks)[number] => [
    `${document} ${JSON.stringify(variables)}`,
    (client) => client.graphql(document, variables),
  ]),
  ...targets.map((path): (typeof asks)[number] => [path, (client) => client.rest('GET', path)]),
]

for (const [name, viewer] of [['nobody', anonymous] as const, ['someone', bob] as const]) {
  test(`${name} is answered as if there were no such field`, async () => {
    for (const [sent, ask] of asks) {
      const [one, other] = [await ask(withField.as(viewer)), await ask(without.as(viewer))]
      assert.match(JSON.stringify(other), /never/, sent)
      assert.deepEqual(one, other, sent)
    }
  })
}

test('so it is in GraphQL, with its own status', async () => {
  const body = JSON.stringify({ query: `{ boxes(where: ${leaf}) { id } }` })
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
  const [one, other] = await Promise.all(
    [withField, without].map((apis) => apis.send('graphql', { method: 'POST', path: '/graphql', headers, body })),
  )
  assert.equal(one?.status, 400)
  assert.deepEqual([one?.status, one?.body], [other?.status, other?.body])
})

test('a viewer who may read it can filter by it', async () => {
  const auditor = { ...bob, roles: ['auditor'] }
  for (const [document, variables] of documents.slice(0, 12)) {
    const { errors } = await withField.as(auditor).graphql(document, variables)
    assert.deepEqual(errors, [], document)
  }
})
