// Proving the address of an account: VERIFY codes, `POST /verifications` and `verifyAccount`, the page behind the link, `_verifiedAt`
// on both APIs, and what an account keeps.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MailedAccounts, password } from '../harness/mailed-accounts.ts'

const sdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") {
  id: ID!
  email: String! @unique
  posts: [Post!]!
}
type Post @allow(to: [READ], where: {author: {_verifiedAt: {isNull: false}}}) @allow(who: "author") {
  id: ID!
  title: String!
  author: User! @default(value: VIEWER)
}`

const verifyAccount = 'mutation ($input: VerifyAccountInput!) { verifyAccount(input: $input) { account verifiedAt } }'

test('verification', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl)
  const { time } = accounts

  await t.test('R230 a code verifies; whoever is signed in keeps password and session', async () => {
    const id = await accounts.signUp('ann@example.org')
    const token = await accounts.token('ann@example.org')
    assert.equal(await accounts.verifiedAt('ann@example.org'), null)
    const { email, code, secret } = await accounts.code('VERIFY', 'ann@example.org')
    const verified = await accounts.as(token, 'POST', '/verifications', { email, code, secret })
    assert.equal(verified.status, 201, verified.text)
    assert.deepEqual(Object.keys(verified.body), ['account', 'verifiedAt'])
    assert.equal(verified.body.account, id)
    assert.equal(await accounts.verifiedAt(email), verified.body.verifiedAt)
    assert.ok(await accounts.isValid(token))
    assert.equal((await accounts.signIn(email)).status, 201)
    assert.equal((await accounts.call('POST', '/verifications', { email, code, secret })).status, 401)
  })

  await t.test('R231 without a session the account is emptied: password and sessions (GraphQL)', async () => {
    await accounts.signUp('bob@example.org')
    const attacker = await accounts.token('bob@example.org')
    const { email, code, secret } = await accounts.code('VERIFY', 'bob@example.org')
    const { data } = await accounts.graphql(verifyAccount, { input: { email, code, secret } })
    assert.equal(data.verifyAccount.verifiedAt, await accounts.verifiedAt(email))
    assert.equal(await accounts.isValid(attacker), false)
    assert.equal((await accounts.signIn(email)).status, 401)
  })

  await t.test('a session of another account keeps nothing', async () => {
    await accounts.signUp('cat@example.org')
    const other = await accounts.token('ann@example.org')
    const { email, code, secret } = await accounts.code('VERIFY', 'cat@example.org')
    assert.equal((await accounts.as(other, 'POST', '/verifications', { email, code, secret })).status, 201)
    assert.equal((await accounts.signIn(email)).status, 401)
  })

  await t.test('R232 the page of the link has one button; its password is the only one', async () => {
    for (const [email, chosen] of [
      ['dan@example.org', 'another horse battery'],
      ['eve@example.org', ''],
    ] as const) {
      await accounts.signUp(email)
      const { url } = await accounts.code('VERIFY', email)
      const page = await accounts.call('GET', url.slice(accounts.service.address.length))
      assert.equal(page.text.match(/<button>/g)?.length, 1)
      assert.equal(await accounts.verifiedAt(email), null)
      assert.equal((await accounts.press(url, 'short')).status, 400)
      assert.match((await accounts.press(url, chosen)).text, /Your address is confirmed/)
      assert.equal((await accounts.press(url, chosen)).status, 410)
      assert.notEqual(await accounts.verifiedAt(email), null)
      assert.equal((await accounts.signIn(email)).status, 401)
      assert.equal((await accounts.signIn(email, chosen || password)).status, chosen === '' ? 401 : 201)
    }
  })

  await t.test('a reset and a sign-in by a code verify, too; a second proof keeps the time', async () => {
    await accounts.signUp('fay@example.org')
    const { email, code, secret } = await accounts.code('RESET', 'fay@example.org')
    assert.equal((await accounts.call('POST', '/tokens', { email, code, secret, password })).status, 201)
    const first = await accounts.verifiedAt(email)
    assert.notEqual(first, null)
    time.now += 1000
    const again = await accounts.code('SIGN_IN', email)
    const { url: _, ...signIn } = again
    assert.equal((await accounts.call('POST', '/tokens', signIn)).status, 201)
    assert.equal(await accounts.verifiedAt(email), first)
    const verify = await accounts.code('VERIFY', email)
    const answer = await accounts.call('POST', '/verifications', { email, code: verify.code, secret: verify.secret })
    assert.equal(answer.body.verifiedAt, first)
    assert.equal((await accounts.signIn(email)).status, 201)
  })

  await t.test('_verifiedAt in fields, filters, sort, rules and events; nobody writes it', async () => {
    const list = await accounts.call('GET', '/users?_verifiedAt[isNull]=true&fields=email')
    assert.deepEqual(list.body, [])
    const sorted = await accounts.graphql('{ users(orderBy: [{_verifiedAt: ASC}]) { email _verifiedAt } }')
    assert.equal(sorted.data.users[0].email, 'ann@example.org')
    const plain = await accounts.call('GET', '/users?email=ann@example.org')
    assert.deepEqual(Object.keys(plain.body[0]), ['id', 'email'])
    const id = await accounts.signUp('gus@example.org')
    const token = await accounts.token('gus@example.org')
    const set = await accounts.as(token, 'PATCH', `/users/${id}`, { _verifiedAt: '2026-01-01T00:00:00Z' })
    assert.deepEqual([set.status, set.body.errors[0].code], [400, 'READONLY'])
    const made = await accounts.call('POST', '/users', { email: 'x@example.org', password, _verifiedAt: null })
    assert.deepEqual([made.status, made.body.errors[0].code], [400, 'READONLY'])
    await accounts.as(token, 'POST', '/posts', { title: 'hidden until verified' })
    assert.deepEqual((await accounts.call('GET', '/posts')).body, [])
    const { email, code, secret } = await accounts.code('VERIFY', 'gus@example.org')
    await accounts.as(token, 'POST', '/verifications', { email, code, secret })
    assert.equal((await accounts.call('GET', '/posts')).body.length, 1)
    const history = await accounts.as(token, 'GET', `/users/${id}/changes`)
    assert.deepEqual(
      history.body.edges.map(({ node }: { node: { kind: string } }) => node.kind),
      ['UPDATED', 'CREATED'],
    )
  })

  await t.test('bad input names its places, on both APIs', async () => {
    const bad = await accounts.call('POST', '/verifications', { mail: 'x', code: 7 })
    assert.deepEqual(
      bad.body.errors.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [
        ['mail', 'UNKNOWN'],
        ['email', 'REQUIRED'],
        ['code', 'TYPE'],
        ['secret', 'REQUIRED'],
      ],
    )
    assert.equal((await accounts.call('GET', '/verifications')).status, 405)
    const { errors } = await accounts.graphql(verifyAccount, { input: { email: 'ann@example.org', code: 'X' } })
    assert.equal(errors[0].extensions.code, 'VALIDATION_FAILED')
    const wrong = { email: 'ann@example.org', code: '00000000', secret: 'none' }
    assert.equal((await accounts.call('POST', '/verifications', wrong)).status, 401)
  })
})

test('verified: true in rules of types, fields and operations', async (t) => {
  const ruled = `
type User @account @allow(to: [CREATE]) @allow(who: "self") { id: ID! email: String! @unique }
type Post @allow(to: [READ]) @allow(who: "author", verified: true) {
  id: ID!
  title: String!
  note: String @allow(verified: true, to: [READ])
  author: User! @default(value: VIEWER)
}
extend type Query { secret: String! @allow(verified: true) }`
  const code = `export default { resolvers: { Query: { secret: () => 'open' } } }`
  const accounts = await MailedAccounts.open(t, ruled, { code })
  await accounts.signUp('ann@example.org')
  const token = await accounts.token('ann@example.org')
  const createPost = 'mutation { createPost(input: {title: "t", note: "n"}) { id note } }'
  const refused = await accounts.as(token, 'POST', '/posts', { title: 't' })
  assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
  assert.equal((await accounts.graphql(createPost, {}, token)).errors[0].extensions.code, 'FORBIDDEN')
  assert.equal((await accounts.as(token, 'GET', '/secret')).status, 403)
  assert.equal((await accounts.call('POST', '/posts', { title: 't' })).status, 401)
  const { email, code: typed, secret } = await accounts.code('VERIFY', 'ann@example.org')
  assert.equal((await accounts.as(token, 'POST', '/verifications', { email, code: typed, secret })).status, 201)
  assert.equal((await accounts.as(token, 'POST', '/posts', { title: 't', note: 'n' })).status, 201)
  assert.equal((await accounts.graphql(createPost, {}, token)).data.createPost.note, 'n')
  assert.equal((await accounts.as(token, 'GET', '/secret')).status, 200)
  assert.deepEqual(
    (await accounts.call('GET', '/posts')).body.map((post: object) => 'note' in post),
    [false, false],
  )
})

test('verification: OFF asks nobody', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl.replace('@account', '@account(verification: OFF)'))
  const refused = await accounts.call('POST', '/codes', { for: 'VERIFY', email: 'ann@example.org' })
  assert.deepEqual([refused.status, refused.body.errors[0].path], [400, 'for'])
  assert.equal((await accounts.call('POST', '/verifications', {})).status, 404)
  const { errors } = await accounts.graphql(verifyAccount, { input: {} })
  assert.equal(errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
})
