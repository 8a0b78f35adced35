// Histories that are kept longer than the change log name rows that were deleted. Nobody takes such an id to become their owner.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Viewer } from '../../packages/twain/src/base/http/index.ts'
import { openApis, restBody } from '../harness/open-apis.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type User @account @allow(to: [CREATE, READ]) @allow(who: "self") { id: ID! email: String! @unique }
  type Diary @history(keep: "1y") @allow(to: [READ], where: {open: {eq: true}}) @allow(who: "owner") {
    id: ID! text: String! open: Boolean! owner: User @default(value: VIEWER) @relation(onDelete: SET_NULL)
  }
  type Plain @allow { id: ID! }
`

test('the id of a deleted account stays taken where kept changes may name it', async (t) => {
  const apis = await openApis(sdl)
  t.after(() => apis.close())
  const { id } = (await restBody(apis, 'POST', '/users', { email: 'ann@example.org', password: 'correct horse' })) as {
    id: string
  }
  const ann = apis.as({ account: id, roles: [], authenticated: true, token: null } satisfies Viewer)
  await restBody(ann, 'PUT', '/diaries/d', { text: 'private', open: false })
  await restBody(ann, 'PATCH', '/diaries/d', { text: 'clean', open: true })
  await restBody(ann, 'DELETE', `/users/${id}`)
  const { id: last } = (await restBody(apis, 'POST', '/plains', {})) as { id: string }
  const logged = async () => {
    await apis.forgetChanges()
    return ((await restBody(apis, 'GET', `/plains/${last}/changes`)) as { edges: object[] }).edges.length
  }
  assert.equal(await until(logged, (count) => count === 0), 0)

  const taken = { email: 'eve@example.org', password: 'correct horse' }
  assert.equal((await apis.rest('PUT', `/users/${id}`, taken)).status, 410)
  const query = 'mutation ($id: ID!, $input: CreateUserInput!) { replaceUser(id: $id, input: $input) { id } }'
  const { errors } = await apis.graphql(query, { id, input: taken })
  assert.equal(errors[0]?.extensions?.code, 'GONE')
})
