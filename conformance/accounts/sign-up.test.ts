// `@account(verification: REQUIRED)`: whoever signs up proves the address before there is an account, on both APIs. Nothing tells
// whether an address is taken, and no other write of a guest creates an account.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MailedAccounts, password, type TestAnswer } from '../harness/mailed-accounts.ts'

const sdl = `
type Team @allow(to: [READ, CREATE, UPDATE]) { id: ID! name: String! @unique members: [User!]! }
type User @account(verification: REQUIRED)
  @allow(to: [CREATE], where: {email: {endsWith: ".org"}})
  @allow(to: [READ])
  @allow(who: "self")
  @allow(role: "admin") {
  id: ID!
  email: String! @unique
  name: String! @constraint(maxLength: 10)
  nick: String @unique
  roles: [String!] @allow(role: "admin", to: [READ, CREATE, UPDATE])
  team: Team
  notes: [Note!]! @relation(inverse: "user")
}
type Note @allow(who: "user") @allow(to: [CREATE]) { id: ID! text: String! @unique user: User! @relation(onDelete: CASCADE) }`

const signUp = 'mutation ($input: CreateUserInput!) { signUp(input: $input) { __typename secret expiresAt } }'
const verifyAccount = 'mutation ($input: VerifyAccountInput!) { verifyAccount(input: $input) { account verifiedAt } }'
const next = 'another horse battery'

test('sign-up with a proven address', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl)
  const { time } = accounts
  const ann = { email: 'ann@example.org', name: 'Ann', password }

  /** Asks to sign up, and reads the mail. */
  const begin = async (email: string, more: object = {}) => {
    const { result, mail } = await accounts.mailOf(email, () =>
      accounts.call('POST', '/users', { email, name: 'Some', password, ...more }),
    )
    assert.equal(result.status, 202, result.text)
    const { secret } = result.body as { secret: string }
    return { secret, mail, proof: { email, code: mail.code, secret }, result }
  }
  const verify = (proof: object) => accounts.call('POST', '/verifications', proof)
  const admin = await accounts.service.operator('admin')
  const count = async () => (await accounts.as(admin, 'GET', '/users')).body.length as number

  await t.test('R270 R271 the code of the mail makes the row (REST)', async () => {
    const { proof, mail, result } = await begin('ann@example.org', { name: 'Ann' })
    assert.deepEqual(Object.keys(result.body), ['secret', 'expiresAt'])
    assert.equal(result.headers.get('cache-control'), 'no-store')
    assert.match(mail.subject, /confirm your address to sign up/)
    assert.equal(await count(), 0)
    assert.equal((await accounts.signIn('ann@example.org')).status, 401)
    assert.equal((await verify({ ...proof, code: '00000000' })).status, 401)
    const made = await verify(proof)
    assert.equal(made.status, 201, made.text)
    assert.equal(made.headers.get('location'), `/users/${made.body.id}`)
    assert.deepEqual([made.body.email, made.body.name], ['ann@example.org', 'Ann'])
    assert.equal((await verify(proof)).status, 401)
    const token = await accounts.token('ann@example.org')
    const own = await accounts.as(token, 'GET', `/users/${made.body.id}?fields=_verifiedAt`)
    assert.equal(own.body._verifiedAt, new Date(time.now).toISOString())
    const { edges } = (await accounts.as(admin, 'GET', `/users/${made.body.id}/changes`)).body
    assert.deepEqual([edges.length, edges[0].node.kind, edges[0].node.by], [1, 'CREATED', 'anonymous'])
  })

  await t.test('R270 R271 the same with signUp and verifyAccount; createUser says so (GraphQL)', async () => {
    const input = { email: 'bob@example.org', name: 'Bob', password }
    const create = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }'
    const refused = (await accounts.graphql(create, { input })).errors[0]
    assert.deepEqual([refused.extensions.code, /signUp\(input/.test(refused.extensions.hint)], ['FORBIDDEN', true])
    const { result, mail } = await accounts.mailOf('bob@example.org', () => accounts.graphql(signUp, { input }))
    const { __typename, secret } = result.data.signUp
    assert.equal(__typename, 'SignUpResult')
    const literal = `mutation ($name: String!) { signUp(input: {email: "cat@example.org", name: $name, password: "${password}"}) { secret } }`
    const other = await accounts.mailOf('cat@example.org', () => accounts.graphql(literal, { name: 'Cat' }))
    const { data } = await accounts.graphql(verifyAccount, {
      input: { email: 'bob@example.org', code: mail.code, secret },
    })
    assert.deepEqual(Object.keys(data.verifyAccount), ['account', 'verifiedAt'])
    assert.equal((await accounts.signIn('bob@example.org')).status, 201)
    const cat = { email: 'cat@example.org', code: other.mail.code, secret: other.result.data.signUp.secret }
    assert.equal((await verify(cat)).body.name, 'Cat')
  })

  await t.test('a taken address: the same answers, and its owner gets a mail without a code', async () => {
    time.now += 11 * 60_000
    for (const email of ['ann@example.org', 'ANN@example.org', '\uff41nn@example.org']) {
      const { result, mail } = await accounts.mailOf('ann@example.org', () =>
        accounts.call('POST', '/users', { ...ann, email }),
      )
      assert.equal(result.status, 202, result.text)
      assert.equal(mail.to, 'ann@example.org')
      assert.deepEqual([mail.code, mail.url], ['', null])
      assert.match(mail.text, /has an account already/)
      const tried = await verify({ email, code: '00000000', secret: result.body.secret })
      assert.equal(tried.status, 401)
    }
    assert.equal((await accounts.signIn('ann@example.org')).status, 201)
  })

  await t.test('taken and free addresses have the same limits, bodies and headers, on both APIs', async () => {
    time.now += 3_600_000
    const shapes = []
    for (const email of ['ann@example.org', 'free@example.org']) {
      const answers: TestAnswer[] = []
      for (let index = 0; index < 4; index++) answers.push(await accounts.call('POST', '/users', { ...ann, email }))
      const [first, , , last] = answers
      const limited = await accounts.graphql(signUp, { input: { ...ann, email } })
      shapes.push({
        statuses: answers.map(({ status }) => status),
        lengths: answers.slice(0, 3).map(({ text }) => text.length),
        headers: [...first!.headers.keys()],
        last: [last!.body.code, last!.body.detail, last!.headers.has('retry-after')],
        graphql: limited.errors[0].extensions.code,
      })
    }
    assert.deepEqual(shapes[0], shapes[1])
    assert.deepEqual(shapes[0]!.statuses, [202, 202, 202, 429])
    assert.equal(shapes[0]!.graphql, 'TOO_MANY_REQUESTS')
  })

  await t.test('R272 mistakes are answered at once, the same for taken and free addresses', async () => {
    const mistakes: [object, number, string][] = [
      [{ name: 'much too long' }, 400, 'name'],
      [{ name: undefined }, 400, 'name'],
      [{ password: 'short' }, 400, 'password'],
      [{ password: undefined }, 400, 'password'],
      [{ roles: ['admin'] }, 403, 'roles'],
      [{ nmae: 'x' }, 400, 'nmae'],
      [{ team: 'none' }, 409, 'team'],
      [{ notes: [{ text: 'a', user: 'x' }] }, 400, 'notes.0.user'],
    ]
    for (const [more, status, path] of mistakes) {
      const answers = []
      for (const email of ['ann@example.org', 'nobody@example.org']) {
        const { status, body } = await accounts.call('POST', '/users', { ...ann, email, ...more })
        answers.push([status, body.code, body.errors])
      }
      assert.deepEqual(answers[0], answers[1])
      assert.deepEqual([answers[0]![0], answers[0]![2][0].path], [status, path], JSON.stringify(more))
    }
    const refused = await accounts.call('POST', '/users', { ...ann, email: 'x@example.com' })
    assert.equal(refused.status, 403)
    const wrong = await accounts.call('POST', '/users', { ...ann, email: 'no address.org' })
    assert.deepEqual([wrong.status, wrong.body.errors[0].path, wrong.body.errors[0].code], [400, 'email', 'PATTERN'])
    assert.equal(accounts.mailsTo('nobody@example.org').length, 0)
  })

  await t.test('a row that is created along conflicts the same way, whether or not the address is taken', async () => {
    const eve = await begin('eve@example.org', { notes: [{ text: 'unique' }], nick: 'eve' })
    assert.equal((await verify(eve.proof)).status, 201)
    const answers = []
    for (const email of ['ann@example.org', 'nobody@example.org']) {
      const along = await accounts.call('POST', '/users', { ...ann, email, notes: [{ text: 'unique' }] })
      const own = await accounts.call('POST', '/users', { ...ann, email, nick: 'eve' })
      answers.push([along.status, along.body.errors, own.status, own.body.errors])
    }
    assert.deepEqual(answers[0], answers[1])
    assert.deepEqual([answers[0]![0], answers[0]![2]], [409, 409])
    assert.equal(answers[0]![3][0].path, 'nick')
  })

  await t.test('a value that somebody else took meanwhile is a conflict, and the code is not used up', async () => {
    const first = await begin('fay@example.org', { nick: 'fox' })
    const second = await begin('gus@example.org', { nick: 'fox' })
    assert.equal((await verify(first.proof)).status, 201)
    const late = await verify(second.proof)
    assert.deepEqual([late.status, late.body.errors[0].path], [409, 'nick'])
    assert.equal((await verify(second.proof)).status, 409)
  })

  await t.test(
    'of two who sign up with one address, the code of each makes the account of each; one is made',
    async () => {
      const attacker = await begin('victim@example.org', { name: 'Evil', password: next })
      const owner = await begin('victim@example.org', { name: 'Victim' })
      // Without the secret of the attacker, the code of the attacker is worth nothing, and the other way round.
      assert.equal((await verify({ ...owner.proof, secret: attacker.secret })).status, 401)
      assert.equal((await verify(owner.proof)).body.name, 'Victim')
      assert.equal((await verify(attacker.proof)).status, 401)
      assert.equal((await accounts.press(attacker.mail.url!, next)).status, 410)
      assert.equal((await accounts.signIn('victim@example.org', next)).status, 401)
      assert.equal((await accounts.signIn('victim@example.org')).status, 201)
    },
  )

  await t.test('one account, even if the code is sent twenty times at once', async () => {
    const { proof } = await begin('hal@example.org')
    const before = await count()
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await verify(proof)).status))
    assert.equal(statuses.filter((status) => status === 201).length, 1, statuses.join())
    assert.ok(statuses.every((status) => status === 201 || status === 401))
    assert.equal(await count(), before + 1)
  })

  await t.test('R273 the page of the link makes the account; its password is the only one', async () => {
    for (const [email, chosen] of [
      ['ida@example.org', next],
      ['jon@example.org', ''],
    ] as const) {
      const { mail, proof } = await begin(email)
      const path = mail.url!.slice(accounts.service.address.length)
      for (const method of ['GET', 'HEAD', 'GET']) assert.equal((await accounts.call(method, path)).status, 200)
      assert.match((await accounts.call('GET', path)).text, /wants to sign up/)
      assert.equal((await accounts.press(mail.url!, 'short')).status, 400)
      assert.match((await accounts.press(mail.url!, chosen)).text, /You have an account/)
      assert.deepEqual([(await accounts.press(mail.url!, chosen)).status, (await verify(proof)).status], [410, 401])
      assert.equal((await accounts.signIn(email)).status, 401)
      assert.equal((await accounts.signIn(email, chosen || password)).status, chosen === '' ? 401 : 201)
    }
  })

  await t.test('R274 a code can be sent again for a day, with the secret of the sign-up', async () => {
    const { secret, proof } = await begin('kim@example.org')
    time.now += 23 * 3_600_000
    assert.equal((await verify(proof)).status, 401)
    const again = (values: object) =>
      accounts.call('POST', '/codes', { for: 'VERIFY', email: 'kim@example.org', ...values })
    const without = accounts.mailsTo('kim@example.org').length
    assert.deepEqual([(await again({})).status, (await again({ secret: 'unknown' })).status], [202, 202])
    const { result, mail } = await accounts.mailOf('kim@example.org', () => again({ secret }))
    assert.equal(accounts.mailsTo('kim@example.org').length, without + 1)
    assert.deepEqual(Object.keys(result.body), ['secret', 'expiresAt'])
    // GraphQL, with the newest secret.
    time.now += 11 * 60_000
    const createCode = 'mutation ($input: CreateCodeInput!) { createCode(input: $input) { secret } }'
    const input = { for: 'VERIFY', email: 'kim@example.org', secret: result.body.secret }
    const last = await accounts.mailOf('kim@example.org', () => accounts.graphql(createCode, { input }))
    assert.equal((await verify({ ...proof, code: mail.code, secret: result.body.secret })).status, 401)
    const made = await verify({ ...proof, code: last.mail.code, secret: last.result.data.createCode.secret })
    assert.equal(made.status, 201, made.text)
  })

  await t.test('after a day nothing is left of it', async () => {
    const { secret } = await begin('leo@example.org')
    time.now += 24 * 3_600_000
    const sent = accounts.mailsTo('leo@example.org').length
    assert.equal(
      (await accounts.call('POST', '/codes', { for: 'VERIFY', email: 'leo@example.org', secret })).status,
      202,
    )
    await begin('mia@example.org')
    assert.equal(accounts.mailsTo('leo@example.org').length, sent)
  })

  await t.test('no other write of a guest makes an account', async () => {
    const before = await count()
    const row = { email: 'guest@example.org', name: 'Guest', password }
    const ndjson = { 'content-type': 'application/x-ndjson' }
    const csv = { 'content-type': 'text/csv' }
    const token = await accounts.token('ann@example.org')
    const team = (await accounts.call('POST', '/teams', { name: 'Reds' })).body.id
    const { email: _, ...keyed } = row
    const writes: [string, () => Promise<TestAnswer>][] = [
      ['a list of one', () => accounts.call('POST', '/users', [row])],
      ['a list', () => accounts.call('POST', '/users', [row, { ...row, email: 'second@example.org' }])],
      ['NDJSON', () => accounts.call('POST', '/users', JSON.stringify(row), ndjson)],
      ['CSV', () => accounts.call('POST', '/users', `email,name,password\n${Object.values(row).join()}`, csv)],
      ['PUT', () => accounts.call('PUT', '/users/chosen', row)],
      ['PUT by the key', () => accounts.call('PUT', '/users/email=guest@example.org', keyed)],
      ['an upsert', () => accounts.call('POST', '/users?onConflict=email', row)],
      ['a batch', () => accounts.call('POST', '/batch', [{ method: 'POST', path: '/users', body: row }])],
      ['a nested path', () => accounts.call('POST', `/teams/${team}/members`, row)],
      ['an account without further rights', () => accounts.as(token, 'POST', '/users', [row])],
    ]
    for (const [what, write] of writes) {
      const { status, body, text } = await write()
      assert.ok(status === 403 || status === 404 || status === 405 || status === 400, `${what}: ${status} ${text}`)
      if (status === 403) assert.equal(body.code, 'FORBIDDEN', what)
    }
    const mutations: [string, object][] = [
      ['mutation ($row: CreateUserInput!) { createUsers(inputs: [$row]) { id } }', { row }],
      ['mutation ($row: CreateUserInput!) { replaceUser(id: "chosen", input: $row) { id } }', { row }],
      [
        'mutation ($row: CreateUserInput!) { upsertUser(key: {email: "guest@example.org"}, create: $row, update: {name: "x"}) { id } }',
        { row },
      ],
      [
        'mutation @transaction { createUser(input: {email: "guest@example.org", name: "x", password: "correct horse battery"}) { id } }',
        {},
      ],
      [
        'mutation { createTeam(input: {name: "Blues", _members: {create: [{email: "guest@example.org", name: "x"}]}}) { id } }',
        {},
      ],
    ]
    for (const [query, variables] of mutations) {
      const { data, errors } = await accounts.graphql(query, variables)
      assert.ok(errors?.length > 0, `${query}: ${JSON.stringify(data)}`)
    }
    assert.equal(await count(), before)
    assert.equal(accounts.mailsTo('guest@example.org').length, 0)
    assert.equal((await accounts.as(token, 'POST', '/users', row)).status, 202)
    const made = await accounts.as(admin, 'POST', '/users', row)
    assert.equal(made.status, 201, made.text)
  })
})

test('hooks run once the address is proven, and events say who signed up', async (t) => {
  const code = `
    const seen = []
    export default {
      before: { User: ({ kind, next }) => { seen.push(kind); if (next?.name === 'Refused') throw new Error('no') } },
      resolvers: { Query: { seen: () => seen.join() } },
    }`
  const accounts = await MailedAccounts.open(t, `${sdl}\nextend type Query { seen: String! @allow }`, { code })
  const seen = async () => (await accounts.graphql('{ seen }')).data.seen
  const input = { email: 'ann@example.org', name: 'Ann', password }
  const { result, mail } = await accounts.mailOf(input.email, () => accounts.graphql(signUp, { input }))
  assert.equal(await seen(), '')
  const proof = { email: input.email, code: mail.code, secret: result.data.signUp.secret }
  const made = await accounts.call('POST', '/verifications', proof)
  assert.equal(made.status, 201, made.text)
  assert.equal(await seen(), 'create')
})
