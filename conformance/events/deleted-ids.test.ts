// A deleted id can't be taken while the change log may show its past to whoever has the id (docs/reference/rules.md,
// "What ids reveal"; docs/reference/rest.md, R43).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiClient } from '../harness/open-apis.ts'
import { openWithPeople } from '../harness/open-with-people.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'
import { readPast } from './read-past.ts'

const sdl = `
  type User @account @allow(to: [CREATE]) @allow(who: "signedIn", to: [READ]) @allow(who: "self") {
    id: ID!
    email: String! @unique @allow(who: "self", to: [READ])
    name: String
  }
  type Note @allow(who: "author") {
    id: ID!
    text: String!
    author: User! @auto(set: VIEWER) @relation(onDelete: CASCADE)
  }
  type Team @allow(who: "signedIn", to: [CREATE]) @allow(who: "members.user", to: [READ, UPDATE, DELETE]) {
    id: ID!
    name: String!
    members: [Membership!]! @default(value: [{user: VIEWER}])
    projects: [Project!]!
  }
  type Membership @allow(who: "team") {
    id: ID!
    team: Team! @immutable @relation(onDelete: CASCADE)
    user: User! @immutable @relation(onDelete: CASCADE)
  }
  type Project @allow(who: "team") {
    id: ID!
    secret: String!
    team: Team @relation(onDelete: SET_NULL)
  }
  extend type Mutation {
    takeTeam(id: ID!): String! @allow
  }`

/** Custom code may write without rules, but it can't take a deleted id either. */
const code = `
  export default {
    resolvers: {
      Mutation: { takeTeam: async ({ id }, { system }) => (await system.write.Team.replace(id, { name: 'x' })).id },
    },
  }`

test('whoever wants the id of a deleted account or team gets 410 on every path, and nobody sees their past', async (t) => {
  const service = await TestService.open(t, sdl, { code })
  const [ann, mallory] = [await service.signUp('ann'), await service.signUp('mallory')]
  const asAnn = { authorization: ann.authorization }
  const asMallory = { authorization: mallory.authorization }
  await service.succeed('POST', '/notes', { text: 'PRIVATE' }, asAnn)
  const team = await service.succeed('POST', '/teams', { name: 'Blue' }, asAnn)
  await service.succeed('POST', '/projects', { secret: 'PRIVATE', team: team.id }, asAnn)
  await service.succeed('DELETE', `/teams/${team.id}`, undefined, asAnn)
  await service.succeed('DELETE', `/users/${ann.id}`, undefined, asAnn)

  const account = { email: 'new@example.org', name: 'new', password: 'a long password' }
  const user = `/users/${ann.id}`
  const graphql = async (query: string) => {
    const { body } = await service.send('POST', '/graphql', { query }, asMallory)
    return body.errors?.[0].extensions.code
  }
  const batch = (path: string, body: object) =>
    service.send('POST', '/batch', [{ method: 'PUT', path, body }], asMallory)
  const taken = { name: 'Mine now' }
  const replaceTeam = `replaceTeam(id: "${team.id}", input: {name: "Mine now"}) { id }`
  const refused = {
    'PUT of the account': (await service.send('PUT', user, account)).body.code,
    'PUT that only creates': (await service.send('PUT', user, account, { 'if-none-match': '*' })).body.code,
    'PUT of the team': (await service.send('PUT', `/teams/${team.id}`, taken, asMallory)).body.code,
    batch: (await batch(`/teams/${team.id}`, taken)).body.code,
    mutation: await graphql(`mutation { ${replaceTeam} }`),
    transaction: await graphql(`mutation @transaction { ${replaceTeam} }`),
    'custom code': await graphql(`mutation { takeTeam(id: "${team.id}") }`),
  }
  assert.deepEqual(refused, Object.fromEntries(Object.keys(refused).map((name) => [name, 'GONE'])))

  const answer = await service.send('PUT', user, account)
  assert.equal(answer.status, 410)
  assert.match(answer.body.detail, /was deleted, and its id is not free yet/)
  assert.match(answer.body.hint, /new id.*events\.retentionSeconds/)
  for (const method of ['GET', 'DELETE', 'PATCH']) {
    const body = method === 'PATCH' ? taken : undefined
    assert.equal((await service.send(method, `/teams/${team.id}`, body, asMallory)).status, 404, method)
  }
  const last = await service.succeed('POST', '/notes', { text: 'own' }, asMallory)
  const document = 'subscription ($after: String) { noteChanged(after: $after) { id note { text } } }'
  for (const [way, text] of Object.entries(await readPast(service, asMallory, document, last.id))) {
    assert.doesNotMatch(text, /PRIVATE|ann@example/, way)
  }
})

test('when the change log has lost the delete the id is free again, and its versions go on', async (t) => {
  const service = await TestService.open(t, 'type Note { id: ID! text: String! }', {
    events: { retentionSeconds: 3, heartbeatSeconds: 15 }, // a change is in the feed for a moment
  })
  await service.succeed('PUT', '/notes/n1', { text: 'one' })
  await service.succeed('PATCH', '/notes/n1', { text: 'two' })
  await service.succeed('DELETE', '/notes/n1')
  const put = () => service.send('PUT', '/notes/n1', { id: 'n1', text: 'three' })
  assert.equal((await put()).status, 410)
  const created = await until(put, ({ status }) => status !== 410)
  assert.equal(created.status, 201)
  assert.match(created.headers.get('etag')!, /^"4-/)
  const { edges } = await until(
    () => service.succeed('GET', '/changes?first=100'),
    ({ edges: found }) => found.length > 0,
  )
  assert.deepEqual(
    edges.map(({ node }: { node: { type: string } }) => node.type),
    ['note.created'],
  )
})

test('only those who may create this row learn that its id was in use', async (t) => {
  const { apis, ann, bob } = await openWithPeople(`
    type User @account @allow(to: [CREATE]) @allow(who: "self") @allow(to: [READ], role: "staff") {
      id: ID! email: String! @unique
    }
    type Secret @allow(role: "staff") @allow(who: "owner", where: {open: {eq: true}}) {
      id: ID! open: Boolean! owner: User!
    }`)
  t.after(() => apis.close())
  const staff = apis.as({ account: null, roles: ['staff'], authenticated: true, token: null })
  assert.equal((await staff.rest('PUT', '/secrets/s1', { open: true, owner: ann.id })).status, 201)
  assert.equal((await ann.rest('DELETE', '/secrets/s1')).status, 204)
  const status = async (client: ApiClient, id: string, open: boolean) =>
    (await client.rest('PUT', `/secrets/${id}`, { open, owner: bob.id })).status
  for (const [client, open] of [
    [bob, false],
    [apis, true],
  ] as const) {
    assert.equal(await status(client, 's1', open), await status(client, 'never', open))
  }
  assert.deepEqual([await status(bob, 's1', true), await status(staff, 's1', true)], [410, 410])
})

test('a retry with an idempotency key gets the first answer, and a write in one transaction cannot take the id back', async (t) => {
  const service = await TestService.open(t, 'type Note { id: ID! text: String! }')
  const key = { 'idempotency-key': '"k1"' }
  const first = await service.send('PUT', '/notes/n1', { text: 'one' }, key)
  assert.equal(first.status, 201)
  await service.succeed('DELETE', '/notes/n1')
  const again = await service.send('PUT', '/notes/n1', { text: 'one' }, key)
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'])
  assert.equal((await service.send('GET', '/notes/n1')).status, 404)
  const inOne = [
    { method: 'PUT', path: '/notes/n2', body: { text: 'a' } },
    { method: 'DELETE', path: '/notes/n2' },
    { method: 'PUT', path: '/notes/n2', body: { text: 'b' } },
  ]
  const { status, body } = await service.send('POST', '/batch', inOne)
  assert.deepEqual([status, body.code], [410, 'GONE'])
})
