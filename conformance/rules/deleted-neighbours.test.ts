// A rule with a `not` looks at another row. When that row is deleted, the rule must not begin to grant what it refused: neither
// deleted rows (R68) nor earlier values (R173).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account @allow { id: ID! email: String! @unique }
  type Folder @softDelete @allow(who: "signedIn") { id: ID! secret: Boolean! sheets: [Sheet!]! }
  type Sheet @softDelete @allow(where: {not: {folder: {secret: {eq: true}}}}) @allow(who: "owner") {
    id: ID! text: String! state: String owner: User! @auto(set: VIEWER) folder: Folder @relation(onDelete: CASCADE)
  }
  type Page @softDelete @allow {
    id: ID! number: Int folder: Folder @relation(onDelete: CASCADE)
    text: String @allow(to: [CREATE]) @allow(to: [READ], where: {not: {folder: {secret: {eq: true}}}}) @allow(who: "owner")
    open: String @allow(to: [CREATE]) @allow(to: [READ], where: {folder: {secret: {eq: true}}})
    owner: User! @auto(set: VIEWER)
  }
  type Project @allow { id: ID! secret: Boolean! }
  type Memo @allow(where: {not: {project: {secret: {eq: true}}}}) @allow(who: "owner") {
    id: ID! text: String! owner: User! @auto(set: VIEWER) project: Project @relation(onDelete: SET_NULL)
  }
`

describe('a deleted neighbour', () => {
  let apis: TestApis
  let ann: ApiClient
  let bob: ApiClient
  before(async () => {
    apis = await openApis(sdl)
    ann = await join('ann')
    bob = await join('bob')
  })
  after(() => apis.close())

  async function join(name: string): Promise<ApiClient> {
    const { body } = await apis.rest('POST', '/users', { email: `${name}@example.org`, password: 'correct horse' })
    const viewer: Viewer = { account: (body as { id: string }).id, roles: [], authenticated: true, token: null }
    return apis.as(viewer)
  }

  async function done(by: ApiClient, method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await by.rest(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  test('R68: does not show rows that were deleted along, and lets nobody purge or restore them', async () => {
    await done(ann, 'PUT', '/folders/f', { secret: true })
    await done(ann, 'PUT', '/sheets/s', { text: 'classified', folder: 'f' })
    await done(ann, 'DELETE', '/folders/f')
    for (const path of ['/sheets?deleted=only', '/sheets?deleted=with', '/sheets?deleted=only&distinct=state'])
      assert.deepEqual(await done(bob, 'GET', path), [], path)
    assert.equal((await bob.rest('DELETE', '/sheets/s?purge=true')).status, 404)
    assert.equal((await bob.rest('POST', '/sheets/s/restorations')).status, 404)
    const seen = (await done(ann, 'GET', '/sheets?deleted=only&distinct=state')) as { text: string }[]
    assert.deepEqual(
      seen.map(({ text }) => text),
      ['classified'],
    )
    await done(ann, 'POST', '/folders/f/restorations')
    assert.equal(((await done(ann, 'GET', '/sheets/s')) as { text: string }).text, 'classified')
  })

  test('R68: does not show fields that a rule about it hid, nor find rows by them', async () => {
    await done(ann, 'PUT', '/folders/g', { secret: true })
    await done(ann, 'PUT', '/pages/p', { number: 1, text: 'classified', open: 'known', folder: 'g' })
    const live = (await done(bob, 'GET', '/pages/p')) as object
    assert.deepEqual(['text' in live, 'open' in live], [false, true])
    await done(ann, 'DELETE', '/folders/g')
    const seen = (await done(bob, 'GET', '/pages?deleted=only')) as object[]
    assert.deepEqual(seen, [
      { id: 'p', number: 1, owner: seen.map((row) => (row as { owner: string }).owner)[0], folder: null },
    ])
    const paths = [
      'sort=text',
      'sort=-text,number',
      'distinct=text',
      'distinct=number&sort=text',
      'fields=id,number,text',
    ]
    for (const how of ['only', 'with'])
      for (const path of paths)
        assert.doesNotMatch(JSON.stringify(await done(bob, 'GET', `/pages?deleted=${how}&${path}`)), /classified/, path)
    // A filter by a field that the viewer may not read answers the same, whatever the value is.
    for (const [field, value] of [
      ['text', 'classified'],
      ['open', 'known'],
    ]) {
      const [right, wrong] = await Promise.all(
        [value, 'other'].map(async (compared) => {
          const where = { [field!]: { eq: compared } }
          const filters = [where, { not: where }, { [field!]: { ne: compared } }]
          return Promise.all(
            filters.map((one) =>
              done(bob, 'GET', `/pages?deleted=only&where=${encodeURIComponent(JSON.stringify(one))}`),
            ),
          )
        }),
      )
      assert.deepEqual(right, wrong, field)
    }
    const { data } = await bob.graphql(
      '{ pages(deleted: ONLY, orderBy: [{text: ASC}]) { text } pagesConnection(deleted: ONLY, orderBy: [{text: ASC}]) { edges { cursor } } }',
    )
    assert.deepEqual(data!.pages, [{ text: null }])
    const [{ cursor }] = (data!.pagesConnection as { edges: { cursor: string }[] }).edges as [{ cursor: string }]
    assert.doesNotMatch(Buffer.from(cursor.split('.')[0]!, 'base64url').toString(), /classified/)
    assert.match(JSON.stringify(await done(ann, 'GET', '/pages?deleted=only&sort=text')), /classified/)
  })

  test('R173: does not open the history of a time when the row was hidden', async () => {
    await done(ann, 'PUT', '/projects/p', { secret: true })
    await done(ann, 'PUT', '/memos/m', { text: 'classified', project: 'p' })
    await done(ann, 'PATCH', '/memos/m', { text: 'clean' })
    await done(ann, 'PATCH', '/memos/m', { project: null })
    await done(ann, 'DELETE', '/projects/p')
    await done(ann, 'PATCH', '/memos/m', { text: 'public' })
    const history = JSON.stringify(await done(bob, 'GET', '/memos/m/changes'))
    assert.match(history, /public/)
    assert.doesNotMatch(history, /classified/)
    assert.match(JSON.stringify(await done(ann, 'GET', '/memos/m/changes')), /classified/)
  })
})
