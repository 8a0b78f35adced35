// Somebody acts as an account or as a role: who may, what they see, and what says that they did. Each attack has a test of its name.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defaultAuthSettings } from '../../packages/twain/src/auth/index.ts'
import { openIssuer } from '../../packages/twain/src/auth/tokens/external-issuer.fixture.ts'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { RateLimit, type ServedRequest } from '../../packages/twain/src/http/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { MailedAccounts, password, type TestAnswer } from '../harness/mailed-accounts.ts'
import { readEvents } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") @allow(role: "admin")
  @allow(role: "support", to: [ACT_AS]) @allow(who: "manager", to: [ACT_AS]) {
  id: ID!
  email: String! @unique
  name: String
  roles: [String!]
  manager: User
}
type Note @allow(who: "author") @allow(role: "admin", to: [READ]) {
  id: ID!
  text: String!
  author: User! @auto(set: VIEWER) @relation(onDelete: CASCADE)
}
type Report @allow(role: "finance") { id: ID! title: String! }`

const second = 1001 // a viewer is cached for a second
const minute = 60_000

test('R290 whoever a rule lets act has the rights of that account alone, for 15 minutes, without a refresh token', async (t) => {
  const { accounts, ann, support } = await open(t)
  await accounts.as(ann.token, 'POST', '/notes', { text: 'mine' })
  await accounts.as(support.token, 'POST', '/notes', { text: 'of support' })
  const begun = await accounts.as(support.token, 'POST', '/tokens', { as: ann.id })
  assert.equal(begun.status, 201, begun.text)
  const { id, token, expiresAt, readOnly, ...rest } = begun.body
  assert.deepEqual([readOnly, rest, begun.headers.get('location')], [true, {}, `/tokens/${id}`])
  assert.equal(Math.round((Date.parse(expiresAt) - accounts.time.now) / minute), 15)

  const seen = await accounts.as(token, 'GET', '/notes?fields=text')
  assert.deepEqual(seen.body, [{ text: 'mine' }])
  const { data } = await accounts.graphql('{ notes { text author { id } } }', {}, token)
  assert.deepEqual(data.notes, [{ text: 'mine', author: { id: ann.id } }])

  accounts.time.now += 14 * minute
  assert.equal((await accounts.as(token, 'GET', '/notes')).status, 200)
  accounts.time.now += minute
  assert.equal((await accounts.as(token, 'GET', '/notes')).status, 401)
})

test('R290 GraphQL begins the same session, and both list it to whoever acts, the account and administrators', async (t) => {
  const { accounts, ann, support, boss } = await open(t)
  const begin =
    'mutation ($input: CreateTokenInput!) { createToken(input: $input) { id token refreshToken readOnly reason by how } }'
  const input = { as: { account: ann.id }, readOnly: true, reason: 'ticket 7' }
  const { createToken } = (await accounts.graphql(begin, { input }, support.token)).data
  const { id, token, ...said } = createToken
  const by = `account:${support.id}`
  assert.deepEqual(said, { refreshToken: null, readOnly: true, reason: 'ticket 7', by, how: 'ACTING' })
  assert.equal((await accounts.as(token, 'GET', `/users/${ann.id}`)).body.id, ann.id)
  for (const viewer of [support, ann, boss]) {
    const shown = await accounts.as(
      viewer.token,
      'GET',
      `/tokens/${id}?fields=account,actor,by,readOnly,reason,how,role,client,address`,
    )
    const expected = {
      account: ann.id,
      actor: support.id,
      by,
      readOnly: true,
      reason: 'ticket 7',
      how: 'ACTING',
      role: null,
      // Where whoever acts works is not for the account.
      ...{ client: null, address: null },
    }
    assert.deepEqual(shown.body, expected)
    const listed = await accounts.graphql('{ tokens { id by client address } }', {}, viewer.token)
    const acted = listed.data.tokens.filter((one: { by: string }) => one.by === by)
    assert.deepEqual(acted, [{ id, by, client: null, address: null }])
  }
  const { bob } = await people(accounts, 'bob')
  assert.equal((await accounts.as(bob!.token, 'GET', `/tokens/${id}`)).status, 404)
  assert.equal((await accounts.as(bob!.token, 'DELETE', `/tokens/${id}`)).status, 404)
  // The account ends what somebody does in its name.
  assert.equal((await accounts.as(ann.token, 'DELETE', `/tokens/${id}`)).status, 204)
  accounts.time.now += second
  assert.equal((await accounts.as(token, 'GET', '/notes')).status, 401)
})

test('R291 only a rule with ACT_AS lets somebody act; a missing account and a forbidden one answer alike', async (t) => {
  const { accounts, ann, boss } = await open(t)
  const { bob } = await people(accounts, 'bob')
  // Not even the role admin: no rule names it.
  for (const viewer of [bob!, boss]) {
    const answers = [ann.id, 'nobody'].map((as) => accounts.as(viewer.token, 'POST', '/tokens', { as }))
    for (const [at, answer] of (await Promise.all(answers)).entries()) {
      assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN'])
      assert.equal(answer.body.detail, `You may not act as the User "${[ann.id, 'nobody'][at]}".`)
    }
  }
  assert.equal((await accounts.call('POST', '/tokens', { as: ann.id })).status, 401)
  const manages = await accounts.as(ann.token, 'PATCH', `/users/${ann.id}`, { manager: bob!.id })
  assert.equal(manages.status, 200, manages.text)
  const begun = await accounts.as(bob!.token, 'POST', '/tokens', { as: ann.id })
  assert.equal(begun.status, 201, begun.text)
  assert.equal((await accounts.as(bob!.token, 'POST', '/tokens', { as: boss.id })).status, 403)
  // The rules are those of now.
  await accounts.as(ann.token, 'PATCH', `/users/${ann.id}`, { manager: null })
  accounts.time.now += second
  assert.equal((await accounts.as(begun.body.token, 'GET', '/notes')).status, 401)
})

test('R292 somebody acts as a role, without an account', async (t) => {
  const { accounts, support, ann } = await open(t)
  await accounts.service.service.handleAsSystem(request('POST', '/reports', { title: 'Q3' }))
  const begun = await accounts.as(support.token, 'POST', '/tokens', { as: { role: 'finance' } })
  assert.equal(begun.status, 201, begun.text)
  assert.deepEqual((await accounts.as(begun.body.token, 'GET', '/reports?fields=title')).body, [{ title: 'Q3' }])
  assert.deepEqual((await accounts.as(begun.body.token, 'GET', '/notes')).body, [])
  const { data } = await accounts.graphql(
    `{ token(id: "${begun.body.id}") { account { id } role by } }`,
    {},
    support.token,
  )
  assert.deepEqual(data.token, { account: null, role: 'finance', by: `account:${support.id}` })
  const typo = await accounts.as(support.token, 'POST', '/tokens', { as: { role: 'finanse' } })
  assert.deepEqual([typo.status, typo.body.errors[0].path], [400, 'as.role'])
  assert.match(typo.body.errors[0].message, /Did you mean "finance"/)
  // A manager of one account may act as that account, and as no role.
  const { bob } = await people(accounts, 'bob')
  await accounts.as(ann.token, 'PATCH', `/users/${ann.id}`, { manager: bob!.id })
  assert.equal((await accounts.as(bob!.token, 'POST', '/tokens', { as: { role: 'finance' } })).status, 403)
})

test('R290 the input is checked as a whole, alike in both APIs', async (t) => {
  const { accounts, ann, support } = await open(t)
  const paths = async (input: object) => {
    const rest = await accounts.as(support.token, 'POST', '/tokens', input)
    assert.equal(rest.status, 400, rest.text)
    return rest.body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).join(', ')
  }
  assert.equal(await paths({ as: 7, readOnly: 'no', reason: '' }), 'as TYPE, readOnly TYPE, reason LENGTH')
  assert.equal(await paths({ as: ann.id, readOnly: false }), 'reason REQUIRED')
  assert.equal(await paths({ reason: 'x' }), 'as REQUIRED')
  assert.equal(await paths({ as: ann.id, password, reson: 'x' }), 'password UNKNOWN, reson UNKNOWN')
  assert.equal(await paths({ as: { account: ann.id, role: 'finance' } }), 'as REQUIRED')
  assert.equal(await paths({ as: { rolle: 'finance' } }), 'as.rolle UNKNOWN, as REQUIRED')
  const begin = 'mutation ($input: CreateTokenInput!) { createToken(input: $input) { id } }'
  const { errors } = await accounts.graphql(
    begin,
    { input: { as: { account: ann.id }, readOnly: false } },
    support.token,
  )
  const [problem] = errors[0].extensions.errors
  assert.deepEqual([errors[0].extensions.code, problem.path, problem.code], ['VALIDATION_FAILED', 'reason', 'REQUIRED'])
  const self = await accounts.as(support.token, 'POST', '/tokens', { as: support.id })
  assert.deepEqual([self.status, self.body.code], [409, 'CONFLICT'])
})

test('R293 attack: a read-only session writes by any method, patch, batch, mutation or lenient create', async (t) => {
  const { accounts, ann, support } = await open(t)
  const { body: note } = await accounts.as(ann.token, 'POST', '/notes', { text: 'mine' })
  const { token } = (await accounts.as(support.token, 'POST', '/tokens', { as: ann.id })).body
  const auth = { authorization: `Bearer ${token}` }
  const patch = { ...auth, 'content-type': 'application/json-patch+json' }
  const tries: [string, string, unknown, Record<string, string>?][] = [
    ['POST', '/notes', { text: 'x' }],
    ['POST', '/notes', [{ text: 'x' }, { text: 'y' }]],
    ['POST', '/notes', [{ text: 'x' }], { ...auth, prefer: 'handling=lenient' }],
    ['PUT', `/notes/${note.id}`, { text: 'x' }],
    ['PUT', '/notes/new', { text: 'x' }],
    ['PATCH', `/notes/${note.id}`, { text: 'x' }],
    ['PATCH', `/notes/${note.id}`, [{ op: 'replace', path: '/text', value: 'x' }], patch],
    ['PATCH', '/notes?text=mine', { text: 'x' }],
    ['DELETE', `/notes/${note.id}`, undefined],
    ['DELETE', '/notes?text=mine', undefined],
    ['POST', '/batch', [{ method: 'POST', path: '/notes', body: { text: 'x' } }]],
    ['PATCH', `/users/${ann.id}`, { name: 'x' }],
  ]
  for (const [method, path, body, headers = auth] of tries) {
    const answer = await accounts.call(method, path, body, headers)
    assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`)
    assert.match(answer.text, /"code":"ACTING"/, `${method} ${path}: ${answer.text}`)
  }
  const mutations = [
    'mutation { createNote(input: {text: "x"}) { id } }',
    `mutation { updateNote(id: "${note.id}", text: "x") { id } }`,
    `mutation { replaceNote(id: "${note.id}", input: {text: "x"}) { id } }`,
    `mutation { deleteNote(id: "${note.id}") { success } }`,
    'mutation { createEachNote(inputs: [{text: "x"}]) { code } }',
  ]
  for (const mutation of mutations) {
    const { errors } = await accounts.graphql(mutation, {}, token)
    assert.equal(errors?.[0].extensions.errors?.[0].code, 'ACTING', `${mutation}: ${JSON.stringify(errors)}`)
  }
  assert.deepEqual((await accounts.as(ann.token, 'GET', '/notes?fields=text')).body, [{ text: 'mine' }])
})

test('R293 with a reason a session writes: history and events name whoever acts, and for whom', async (t) => {
  const { accounts, ann, support, boss } = await open(t)
  const begun = await accounts.as(support.token, 'POST', '/tokens', { as: ann.id, reason: 'ticket 7' })
  assert.deepEqual([begun.status, begun.body.readOnly], [201, false])
  const { token } = begun.body
  const { body: note } = await accounts.as(token, 'POST', '/notes', { text: 'by support' })
  assert.equal(note.author, ann.id)
  const update = `mutation { updateNote(id: "${note.id}", text: "again") { author { id } } }`
  assert.equal((await accounts.graphql(update, {}, token)).data.updateNote.author.id, ann.id)
  await accounts.as(ann.token, 'PATCH', `/notes/${note.id}`, { text: 'by ann' })

  const acted = `account:${support.id} as account:${ann.id}`
  const { body: feed } = await until(
    () => accounts.as(boss.token, 'GET', '/changes?first=100&resource=notes'),
    ({ body }) => body.edges.length >= 3,
  )
  const authors = feed.edges.map(({ node }: { node: { by: string } }) => node.by)
  assert.deepEqual(authors, [acted, acted, `account:${ann.id}`])
  const role = await accounts.as(support.token, 'POST', '/tokens', { as: { role: 'finance' }, reason: 'Q3' })
  const made = await accounts.as(role.body.token, 'POST', '/reports', { title: 'Q3' })
  assert.equal(made.status, 201, made.text)
  await giveRoles(accounts, boss.id, 'admin', 'finance')
  accounts.time.now += second
  const { data } = await accounts.graphql(
    `{ report(id: "${made.body.id}") { _changes { edges { node { by } } } } }`,
    {},
    boss.token,
  )
  assert.equal(data.report._changes.edges[0].node.by, `account:${support.id} as role:finance`)
})

test('attack: a session outlives a lock, a sign-out, a lost role or a new password', async (t) => {
  const { accounts, ann, support, boss } = await open(t)
  const begin = async (by = support.token) => {
    const begun = await accounts.as(by, 'POST', '/tokens', { as: ann.id })
    assert.equal(begun.status, 201, begun.text)
    return begun.body.token as string
  }
  const expectEnded = async (token: string) => {
    accounts.time.now += second
    assert.equal((await accounts.as(token, 'GET', '/notes')).status, 401)
  }
  const fresh = async () => accounts.token('support@example.org')

  const [first, other] = [await fresh(), await fresh()]
  const ofFirst = await begin(first)
  const [{ id: session }] = (await accounts.as(first, 'GET', '/tokens?fields=id,current')).body.filter(
    ({ current }: { current: boolean }) => current,
  )
  assert.equal((await accounts.as(first, 'DELETE', `/tokens/${session}`)).status, 204)
  await expectEnded(ofFirst)

  const whileSupport = await begin(other)
  await giveRoles(accounts, support.id)
  await expectEnded(whileSupport)
  await giveRoles(accounts, support.id, 'support')

  accounts.time.now += second
  const beforePassword = await begin()
  const changed = { password: 'another horse battery', currentPassword: password }
  assert.equal((await accounts.as(ann.token, 'PATCH', `/users/${ann.id}`, changed)).status, 200)
  await expectEnded(beforePassword)

  for (const locked of [ann, support]) {
    const token = await begin(await fresh())
    assert.equal((await accounts.as(boss.token, 'PATCH', `/users/${locked.id}`, { _locked: true })).status, 200)
    await expectEnded(token)
    assert.equal((await accounts.as(boss.token, 'PATCH', `/users/${locked.id}`, { _locked: false })).status, 200)
    await expectEnded(token)
  }
})

test('attack: support becomes an administrator by acting as one', async (t) => {
  const { accounts, ann, support, boss } = await open(t)
  await accounts.as(ann.token, 'POST', '/notes', { text: 'secret' })
  const { token } = (await accounts.as(support.token, 'POST', '/tokens', { as: boss.id, reason: 'x' })).body
  assert.deepEqual((await accounts.as(token, 'GET', '/notes')).body, [])
  assert.equal((await accounts.as(token, 'GET', '/webhooks')).status, 403)
  assert.equal((await accounts.as(token, 'PATCH', `/users/${support.id}`, { roles: ['admin'] })).status, 403)
  const role = await accounts.as(support.token, 'POST', '/tokens', { as: { role: 'admin' } })
  assert.deepEqual([role.status, role.body.code], [403, 'FORBIDDEN'])
  // With the role of their own it is theirs.
  await giveRoles(accounts, support.id, 'support', 'admin')
  accounts.time.now += second
  assert.equal((await accounts.as(token, 'GET', '/notes')).body.length, 1)
  assert.equal((await accounts.as(support.token, 'POST', '/tokens', { as: { role: 'admin' } })).status, 201)
})

test('R294 attack: support takes an account over: password, login, roles, lock, sessions, identities, keys, invitations', async (t) => {
  const { accounts, ann, support, boss } = await open(t)
  await giveRoles(accounts, support.id, 'support', 'admin')
  accounts.time.now += second
  const token = (await accounts.as(support.token, 'POST', '/tokens', { as: ann.id, reason: 'x' })).body.token
  const asBoss = (await accounts.as(support.token, 'POST', '/tokens', { as: boss.id, reason: 'x' })).body.token
  const [{ id: session }] = (await accounts.as(ann.token, 'GET', '/tokens?fields=id')).body
  const { code, secret } = await accounts.code('VERIFY', 'ann@example.org')
  const own = `/users/${ann.id}`
  const tries: [string, string, string, unknown?][] = [
    [token, 'PATCH', own, { password: 'another horse battery', currentPassword: password }],
    [token, 'PATCH', own, { password: 'another horse battery' }],
    [token, 'PATCH', own, { email: 'eve@example.org' }],
    [token, 'PATCH', own, { email: 'eve@example.org', currentPassword: password }],
    [token, 'PUT', own, { email: 'eve@example.org' }],
    [token, 'DELETE', own, { currentPassword: password }],
    [token, 'DELETE', own],
    [asBoss, 'PATCH', own, { roles: ['admin'] }],
    [asBoss, 'PATCH', own, { email: 'eve@example.org' }],
    [asBoss, 'PATCH', own, { password: 'another horse battery' }],
    [asBoss, 'PATCH', own, { _locked: true }],
    [asBoss, 'DELETE', own],
    [asBoss, 'DELETE', `/users?id=${ann.id}`],
    [asBoss, 'POST', '/users', { email: 'eve@example.org', password: 'another horse battery' }],
    [asBoss, 'POST', '/batch', [{ method: 'PATCH', path: own, body: { roles: ['admin'] } }]],
    [token, 'GET', '/tokens'],
    [token, 'GET', `/tokens/${session}`],
    [token, 'DELETE', `/tokens/${session}`],
    [token, 'DELETE', '/tokens?all=true'],
    [token, 'GET', '/identities'],
    [token, 'GET', `${own}/export`],
    [token, 'POST', '/identities', { code: 'x', verifier: 'y' }],
    [asBoss, 'GET', '/api-keys'],
    [asBoss, 'POST', '/invitations', { email: 'eve@example.org' }],
    [asBoss, 'POST', '/invitations/x/mails'],
    [asBoss, 'GET', '/invitations'],
    [asBoss, 'POST', '/webhooks', { url: 'https://example.org/hook', events: ['*'] }],
    [token, 'POST', '/verifications', { email: 'ann@example.org', code, secret }],
    [token, 'POST', '/tokens', { as: boss.id }],
    [asBoss, 'POST', '/tokens', { as: { role: 'admin' }, reason: 'more' }],
  ]
  for (const [bearer, method, path, body] of tries) {
    const answer = await accounts.as(bearer, method, path, body)
    assert.equal(answer.status, 403, `${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`)
    assert.match(answer.text, /"code":"ACTING"/, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`)
  }
  const operations = [
    `mutation { updateUser(id: "${ann.id}", input: {roles: ["admin"]}) { id } }`,
    `mutation { updateUser(id: "${ann.id}", input: {password: "another horse battery"}) { id } }`,
    `mutation { deleteUser(id: "${ann.id}") { success } }`,
    `mutation { deleteToken(id: "${session}") { success } }`,
    'mutation { deleteTokens(all: true) { count } }',
    'mutation { createIdentity(input: {code: "x", verifier: "y"}) { id } }',
    'mutation { createWebhook(input: {url: "https://example.org/hook", events: ["*"]}) { id } }',
    `mutation { createToken(input: {as: {account: "${ann.id}"}}) { id } }`,
    '{ tokens { id } }',
    '{ identities { id } }',
    '{ apiKeys { id } }',
  ]
  for (const operation of operations) {
    const { errors } = await accounts.graphql(operation, {}, asBoss)
    assert.equal(errors?.[0].extensions.errors?.[0].code, 'ACTING', `${operation}: ${JSON.stringify(errors)}`)
  }
  // Everything else of the row can be changed, and put back as it was read.
  const { body: row } = await accounts.as(token, 'GET', own)
  const put = await accounts.as(token, 'PUT', own, { ...row, name: 'Ann' })
  assert.equal(put.status, 200, put.text)
  assert.equal((await accounts.signIn('ann@example.org')).status, 201)
})

test('attack: whoever acts deletes the account by a cascade, or restores an older version of its row', async (t) => {
  const team = `
    type Team @allow(who: "members") { id: ID! name: String members: [User!]! }
    type User @account @history @allow(to: [CREATE, READ]) @allow(who: "self") @allow(role: "admin") @allow(role: "support", to: [ACT_AS]) {
      id: ID!
      email: String! @unique
      name: String
      roles: [String!]
      team: Team @relation(onDelete: CASCADE)
    }`
  const { accounts, ann, support, boss } = await open(t, {}, team)
  const made = await accounts.service.service.handleAsSystem(request('POST', '/teams', { name: 'T' }))
  const { id } = JSON.parse(String(made.body)) as { id: string }
  const joined = await accounts.service.service.handleAsSystem(request('PATCH', `/users/${ann.id}`, { team: id }))
  assert.equal(joined.status, 200)
  await giveRoles(accounts, ann.id, 'old')
  await giveRoles(accounts, ann.id)
  const { token } = (await accounts.as(support.token, 'POST', '/tokens', { as: ann.id, reason: 'x' })).body
  const cascade = await accounts.as(token, 'DELETE', `/teams/${id}`)
  assert.deepEqual([cascade.status, cascade.body?.errors?.[0].code], [403, 'ACTING'], cascade.text)
  await giveRoles(accounts, support.id, 'support', 'admin')
  accounts.time.now += second
  const asBoss = (await accounts.as(support.token, 'POST', '/tokens', { as: boss.id, reason: 'x' })).body.token
  const { body: changes } = await accounts.as(boss.token, 'GET', `/users/${ann.id}/changes?first=10`)
  const { version } = changes.edges.map(({ node }: { node: { version: number } }) => node)[1]
  const reverted = await accounts.as(asBoss, 'POST', `/users/${ann.id}/reversions`, { version })
  assert.deepEqual([reverted.status, reverted.body?.errors?.[0].code], [403, 'ACTING'], reverted.text)
})

test('attack: whoever acts deletes accounts by a cascade in the background', async (t) => {
  const team = `
    type Team @allow(who: "signedIn") { id: ID! members: [User!]! }
    type User @account @allow(to: [CREATE, READ]) @allow(who: "self") @allow(role: "support", to: [ACT_AS]) {
      id: ID!
      email: String! @unique
      roles: [String!]
      team: Team @relation(onDelete: CASCADE)
    }
    type Box @allow(who: "signedIn") { id: ID! }
    type Thing @allow(who: "signedIn") { id: ID! box: Box! @relation(onDelete: CASCADE) }`
  const { accounts, ann, support, boss } = await open(t, { limits: { ...defaultLimits, cascade: 1 } }, team)
  const { token } = (await accounts.as(support.token, 'POST', '/tokens', { as: ann.id, reason: 'x' })).body
  const { id } = (await accounts.as(token, 'POST', '/teams', {})).body
  for (const member of [ann, boss]) {
    const joined = await accounts.service.service.handleAsSystem(request('PATCH', `/users/${member.id}`, { team: id }))
    assert.equal(joined.status, 200)
  }
  const headers = { authorization: `Bearer ${token}`, prefer: 'respond-async' }
  const begun = await accounts.call('DELETE', `/teams/${id}`, undefined, headers)
  assert.deepEqual([begun.status, begun.body?.errors?.[0].code], [403, 'ACTING'], begun.text)
  const query = `mutation { deleteTeam(id: "${id}") { success } }`
  const twin = (await accounts.call('POST', '/graphql', { query }, headers)).body
  assert.equal(twin.errors?.[0].extensions.errors[0].code, 'ACTING', JSON.stringify(twin))
  assert.equal((await accounts.as(ann.token, 'GET', `/teams/${id}`)).status, 200)

  // Where no account goes along, the delete may run in the background.
  const { id: box } = (await accounts.as(token, 'POST', '/boxes', {})).body
  assert.equal((await accounts.as(token, 'POST', '/things', [{ box }, { box }])).status, 201)
  assert.equal((await accounts.call('DELETE', `/boxes/${box}`, undefined, headers)).status, 202)
  // Whoever uses their own token may.
  const own = { ...headers, authorization: `Bearer ${ann.token}` }
  assert.equal((await accounts.call('DELETE', `/teams/${id}`, undefined, own)).status, 202)
})

test('attack: a token that acts is renewed, or its stream, ticket or socket outlives it', async (t) => {
  const { accounts, ann, support } = await open(t)
  const { token } = (await accounts.as(support.token, 'POST', '/tokens', { as: ann.id })).body
  assert.equal((await accounts.call('POST', '/tokens', { refreshToken: token })).status, 401)
  const { ticket } = (await accounts.as(token, 'POST', '/tokens', { for: 'stream' })).body
  const headers = { accept: 'text/event-stream' }
  const streams = await Promise.all([
    fetch(`${accounts.service.address}/changes`, { headers: { ...headers, authorization: `Bearer ${token}` } }),
    fetch(`${accounts.service.address}/changes?ticket=${ticket}`, { headers }),
  ])
  const ended = streams.map(async (stream) => {
    assert.equal(stream.status, 200)
    for await (const _ of readEvents(stream));
  })
  accounts.time.now += 15 * minute
  await Promise.all(ended)
})

test('attack: whoever acts gets an answer of the account by its idempotency key', async (t) => {
  const { accounts, ann, support } = await open(t)
  const { token } = (await accounts.as(support.token, 'POST', '/tokens', { as: ann.id, reason: 'x' })).body
  const send = (bearer: string) => {
    const headers = { authorization: `Bearer ${bearer}`, 'idempotency-key': '"k1"' }
    return accounts.call('POST', '/notes', { text: 'once' }, headers)
  }
  const [own, acted, again] = [await send(ann.token), await send(token), await send(token)]
  assert.deepEqual([own.status, acted.status, again.status], [201, 201, 201])
  assert.notEqual(own.body.id, acted.body.id)
  assert.equal(again.body.id, acted.body.id)
})

test('R295 attack: many sessions that act sign the account out', async (t) => {
  const { accounts, ann, support } = await open(t)
  const begun: TestAnswer[] = []
  for (let at = 0; at < 22; at++) begun.push(await accounts.as(support.token, 'POST', '/tokens', { as: ann.id }))
  accounts.time.now += second
  assert.equal(await accounts.isValid(ann.token), true)
  assert.equal((await accounts.as(begun[0]!.body.token, 'GET', '/notes')).status, 401)
  assert.equal((await accounts.as(begun[21]!.body.token, 'GET', '/notes')).status, 200)
  const { body } = await accounts.as(ann.token, 'GET', '/tokens?how=ACTING')
  assert.equal(body.length, 20)
})

test('in twain dev operators act without a rule; elsewhere they need one', async (t) => {
  const { accounts, ann } = await open(t, { operatorsAct: true })
  const operator = await accounts.service.operator('admin')
  const begun = await accounts.as(operator, 'POST', '/tokens', { as: ann.id })
  assert.equal(begun.status, 201, begun.text)
  assert.equal((await accounts.as(begun.body.token, 'GET', `/users/${ann.id}`)).status, 200)
  const asAdmin = await accounts.as(operator, 'POST', '/tokens', { as: { role: 'admin' }, reason: 'x' })
  assert.equal(asAdmin.status, 201, asAdmin.text)
  // Not an operator any more: the paths of commands are closed.
  const path = await accounts.as(asAdmin.body.token, 'GET', '/-/exports?type=Note')
  assert.equal(path.status, 403, path.text)
  const metrics = await accounts.service.operator('metrics')
  assert.equal((await accounts.as(metrics, 'POST', '/tokens', { as: ann.id })).status, 403)

  const strict = await open(t)
  const refused = await strict.accounts.as(await strict.accounts.service.operator('admin'), 'POST', '/tokens', {
    as: strict.ann.id,
  })
  assert.equal(refused.status, 403)
})

test('custom code knows who acts, and writes nothing for a session that only reads', async (t) => {
  const schema = `${sdl}
    type Query { actor: JSON @allow(who: "signedIn") @resource(path: "acting") count: Int @allow(who: "signedIn") later: ID @allow(who: "signedIn") }
    type Mutation { write(text: String!): String @allow(who: "signedIn") @resource(path: "writing") }`
  const config = `
    export default {
      jobs: { later: { run: () => {} } },
      resolvers: {
        Query: {
          actor: (args, { viewer, actor }) => ({ viewer: viewer.id, actor }),
          count: async (args, { system, viewer }) => {
            await system.write.Note.create({ text: 'seen', author: viewer.id })
            return 1
          },
          later: (args, { enqueue }) => enqueue('later'),
        },
        Mutation: { write: async ({ text }, { write }) => (await write.Note.create({ text })).id },
      },
    }`
  const { accounts, ann, support } = await open(t, { code: config }, schema)
  const begin = async (more: object) =>
    (await accounts.as(support.token, 'POST', '/tokens', { as: ann.id, ...more })).body.token as string
  const [reader, writer] = [await begin({}), await begin({ reason: 'ticket 7' })]
  const actor = { by: `account:${support.id}`, id: support.id }
  const said = async (token: string) => (await accounts.graphql('{ actor }', {}, token)).data.actor
  assert.deepEqual(await said(reader), { viewer: ann.id, actor: { ...actor, readOnly: true, reason: null } })
  assert.deepEqual(await said(writer), { viewer: ann.id, actor: { ...actor, readOnly: false, reason: 'ticket 7' } })
  assert.deepEqual(await said(ann.token), { viewer: ann.id, actor: null })
  for (const operation of ['{ count }', '{ later }', 'mutation { write(text: "x") }']) {
    const { errors } = await accounts.graphql(operation, {}, reader)
    assert.equal(errors?.[0].extensions.errors?.[0].code, 'ACTING', `${operation}: ${JSON.stringify(errors)}`)
    assert.equal((await accounts.graphql(operation, {}, writer)).errors, undefined)
  }
  assert.equal((await accounts.as(reader, 'POST', '/writing', { args: { text: 'x' } })).status, 403)
  assert.equal((await accounts.as(reader, 'GET', '/acting')).status, 200)
})

test('a token of an external issuer acts with the roles of its claims, and no longer than it is valid', async (t) => {
  const { jwks, name: issuer, sign } = await openIssuer(t)
  const one = { issuer, jwks, audience: 'api', rolesClaim: 'roles', createAccounts: true }
  const auth = { ...defaultAuthSettings, issuers: JSON.stringify([one]) }
  const { accounts, ann, boss } = await open(t, { auth })
  const expires = Math.floor(accounts.time.now / 1000) + 300
  const claims = { sub: 'agent', email: 'agent@example.org', email_verified: true, exp: expires }
  const agent = await sign({ ...claims, roles: ['support'] })
  const begun = await accounts.as(agent, 'POST', '/tokens', { as: ann.id })
  assert.equal(begun.status, 201, begun.text)
  assert.equal(Date.parse(begun.body.expiresAt), expires * 1000)
  assert.equal((await accounts.as(begun.body.token, 'GET', `/users/${ann.id}`)).body.id, ann.id)
  // The claims of the issuer are those of whoever acts: the account as whom they act gets no role by them.
  const both = await sign({ ...claims, sub: 'both', email: 'both@example.org', roles: ['support', 'finance'] })
  const { token } = (await accounts.as(both, 'POST', '/tokens', { as: ann.id })).body
  assert.deepEqual((await accounts.as(token, 'GET', '/docs/model')).body.viewer.roles, [])
  const other = await sign({ ...claims, sub: 'guest', email: 'guest@example.org', roles: [] })
  assert.equal((await accounts.as(other, 'POST', '/tokens', { as: boss.id })).status, 403)
  accounts.time.now = expires * 1000
  assert.equal((await accounts.as(begun.body.token, 'GET', '/notes')).status, 401)
})

test('an API key acts while it is valid, and its changes name it', async (t) => {
  const { accounts, ann, boss } = await open(t)
  const { id, key, end } = await accounts.service.key('support')
  const begun = await accounts.as(key, 'POST', '/tokens', { as: ann.id, reason: 'import' })
  assert.equal(begun.status, 201, begun.text)
  const { body: note } = await accounts.as(begun.body.token, 'POST', '/notes', { text: 'by a key' })
  const { body: changes } = await accounts.as(boss.token, 'GET', `/notes/${note.id}/changes`)
  assert.equal(changes.edges[0].node.by, `key:${id} as account:${ann.id}`)
  await end()
  accounts.time.now += second
  assert.equal((await accounts.as(begun.body.token, 'GET', '/notes')).status, 401)
})

test('requests count for whoever acts, and the log names them', async (t) => {
  const served: ServedRequest[] = []
  const rate = new RateLimit(20)
  const { accounts, ann, support } = await open(t, { rate, listening: { onServed: (one) => served.push(one) } })
  const { token } = (await accounts.as(support.token, 'POST', '/tokens', { as: ann.id })).body
  const left = async (bearer: string) => {
    const { headers } = await accounts.as(bearer, 'GET', '/notes')
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  }
  const [own, first] = [await left(ann.token), await left(support.token)]
  for (let sent = 0; sent < 3; sent++) await accounts.as(token, 'GET', '/notes')
  assert.deepEqual([own - (await left(ann.token)), first - (await left(support.token))], [1, 4])
  const acted = served.filter(({ actor }) => actor !== undefined)
  assert.equal(acted.length, 3)
  assert.deepEqual([acted[0]!.viewer, acted[0]!.actor], [ann.id, `account:${support.id}`])
})

test('/docs/model shows a session that acts what it may do', async (t) => {
  const { accounts, ann, support } = await open(t)
  const seen = async (more: object) => {
    const { token } = (await accounts.as(support.token, 'POST', '/tokens', { as: ann.id, ...more })).body
    const { viewer, types } = (await accounts.as(token, 'GET', '/docs/model')).body
    const names = types.map(({ name }: { name: string }) => name)
    const note = types.find(({ name }: { name: string }) => name === 'Note')
    return { acting: viewer.acting, hasTokens: names.includes('Token'), update: note.update }
  }
  const by = `account:${support.id}`
  assert.deepEqual(await seen({}), { acting: { by, readOnly: true }, hasTokens: false, update: 'none' })
  assert.deepEqual(await seen({ reason: 'x' }), { acting: { by, readOnly: false }, hasTokens: false, update: 'some' })
})

test('/docs/model tells whoever may act as whom: all accounts and the roles, some accounts, or nothing', async (t) => {
  const { accounts, ann, support, boss } = await open(t)
  const { bob } = await people(accounts, 'bob')
  const actAs = async (token: string) => (await accounts.as(token, 'GET', '/docs/model')).body.viewer.actAs
  assert.deepEqual(await actAs(support.token), { accounts: 'all', roles: ['support', 'finance'] })
  assert.deepEqual(await actAs(bob!.token), { accounts: 'some', roles: [] }) // by `manager`
  assert.deepEqual(await actAs(boss.token), { accounts: 'some', roles: [] })
  const { token } = (await accounts.as(support.token, 'POST', '/tokens', { as: ann.id, reason: 'x' })).body
  assert.equal(await actAs(token), undefined)
  assert.equal((await accounts.call('GET', '/docs/model')).body.viewer.actAs, undefined)
  await giveRoles(accounts, support.id, 'support', 'admin')
  accounts.time.now += second
  assert.deepEqual((await actAs(support.token)).roles, ['admin', 'support', 'finance'])
})

interface TestPerson {
  id: string
  token: string
}

async function people<Name extends string>(accounts: MailedAccounts, ...names: Name[]) {
  const made: Partial<Record<Name, TestPerson>> = {}
  for (const name of names) {
    const id = await accounts.signUp(`${name}@example.org`)
    made[name] = { id, token: await accounts.token(`${name}@example.org`) }
  }
  return made
}

function request(method: string, path: string, body: object) {
  return plainRequest(method, path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

async function giveRoles(accounts: MailedAccounts, id: string, ...roles: string[]): Promise<void> {
  assert.equal((await accounts.service.service.handleAsSystem(request('PATCH', `/users/${id}`, { roles }))).status, 200)
}

async function open(t: TestContext, options: Parameters<typeof MailedAccounts.open>[2] = {}, schema = sdl) {
  const accounts = await MailedAccounts.open(t, schema, options)
  const { ann, support, boss } = await people(accounts, 'ann', 'support', 'boss')
  await giveRoles(accounts, support!.id, 'support')
  await giveRoles(accounts, boss!.id, 'admin')
  accounts.time.now += second
  return { accounts, ann: ann!, support: support!, boss: boss! }
}
