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
