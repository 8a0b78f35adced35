// Codes by mail: a new password and a sign-in without one, on both APIs. Nothing tells whether an address has an account, no visit
// of a link uses it up, and whoever proves an address gets the account without what others attached to it.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { type KeptMail, Mailbox } from '../../packages/twain/src/mail/index.ts'
import { MailedAccounts, password } from '../harness/mailed-accounts.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type User @account @allow(to: [CREATE]) @allow(who: "self") {
  id: ID!
  email: String! @unique
}`

const next = 'another horse battery'

test('codes', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl)
  const { service, mailbox, time } = accounts
  const call: MailedAccounts['call'] = (...request) => accounts.call(...request)
  const graphql: MailedAccounts['graphql'] = (...request) => accounts.graphql(...request)
  const signUp = (email: string) => accounts.signUp(email)
  const signIn: MailedAccounts['signIn'] = (...request) => accounts.signIn(...request)
  const ask: MailedAccounts['ask'] = (...request) => accounts.ask(...request)
  const isValid: MailedAccounts['isValid'] = (token) => accounts.isValid(token)

  await t.test('R205 R206 a reset sets the password, ends all sessions and signs in; a code works once', async () => {
    await signUp('ann@example.org')
    const before = (await signIn('ann@example.org')).body.token
    const { secret, mail } = await ask('RESET', 'ann@example.org')
    const { code, text, html, subject } = await mail()
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{8}$/)
    assert.ok(text.includes(`${code.slice(0, 4)}-${code.slice(4)}`) && html?.includes('Set a new password'))
    assert.match(subject, /reset your password/)
    const typed = `${code.slice(0, 4)} ${code.slice(4)}`.toLowerCase()
    const use = { email: 'ann@example.org', code: typed, secret, password: next }
    const common = await call('POST', '/tokens', { ...use, password: 'password1' })
    assert.deepEqual([common.status, common.body.errors[0].code], [400, 'COMMON'])
    const used = await call('POST', '/tokens', use)
    assert.equal(used.status, 201)
    assert.ok(await isValid(used.body.token))
    assert.equal(await isValid(before), false)
    assert.equal((await call('POST', '/tokens', use)).status, 401)
    assert.equal((await signIn('ann@example.org')).status, 401)
    assert.equal((await signIn('ann@example.org', next)).status, 201)
  })

  await t.test('an imported account has no password: nobody signs in, until its owner sets one by a code', async () => {
    const step = {
      name: 'people.csv',
      from: { pass: 1, position: 0 },
      to: { pass: 1, position: 9, digest: '', line: 2, rows: 1 },
    }
    const rows = [{ line: 2, input: { id: 'imported', email: 'imported@example.org' } }]
    const portion = { type: 'User', rows, pass: 1, waiting: [], step }
    const request = plainRequest('POST', '/-/imports', { body: JSON.stringify(portion) })
    const reply = await service.service.handleAsSystem(request)
    assert.deepEqual(JSON.parse(await bodyText(reply)), { written: 1, failures: [], waiting: [] })
    for (const tried of [password, '']) assert.notEqual((await signIn('imported@example.org', tried)).status, 201)
    const { secret, mail } = await ask('RESET', 'imported@example.org')
    const use = { email: 'imported@example.org', code: (await mail()).code, secret, password: next }
    assert.equal((await call('POST', '/tokens', use)).status, 201)
    const signedIn = await signIn('imported@example.org', next)
    assert.deepEqual([signedIn.status, await isValid(signedIn.body.token)], [201, true])
  })

  await t.test('a verified account signs in by a code and keeps its password and sessions (GraphQL)', async () => {
    const session = (await signIn('ann@example.org', next)).body.token
    const asked = await graphql(
      'mutation ($input: CreateCodeInput!) { createCode(input: $input) { __typename secret expiresAt } }',
      { input: { for: 'SIGN_IN', email: 'ann@example.org' } },
    )
    assert.equal(asked.data.createCode.__typename, 'Code')
    const { mails } = (await until(
      () => graphql('{ mails { to subject text html code url createdAt } }').then(({ data }) => data),
      ({ mails }) => /sign in/.test(mails[0].subject),
    )) as { mails: KeptMail[] }
    assert.equal(mails[0]!.url, null)
    const input = { email: 'ann@example.org', code: mails[0]!.code, secret: asked.data.createCode.secret }
    const made = await graphql('mutation ($input: CreateTokenInput!) { createToken(input: $input) { token } }', {
      input,
    })
    assert.ok(await isValid(made.data.createToken.token))
    assert.ok(await isValid(session))
    assert.equal((await signIn('ann@example.org', next)).status, 201)
  })

  await t.test(
    'proving the address of an unverified account empties it: password and sessions of the attacker',
    async () => {
      await signUp('victim@example.org')
      const attacker = (await signIn('victim@example.org')).body.token
      const { secret, mail } = await ask('SIGN_IN', 'victim@example.org')
      const { code } = await mail()
      const owner = await call('POST', '/tokens', { email: 'victim@example.org', code, secret })
      assert.equal(owner.status, 201)
      assert.equal(await isValid(attacker), false)
      assert.equal((await signIn('victim@example.org')).status, 401)
    },
  )

  await t.test('a code is bound to its secret, purpose and address; it has five tries', async () => {
    await signUp('bob@example.org')
    const { secret, mail } = await ask('SIGN_IN', 'bob@example.org')
    const { code } = await mail()
    const wrong = code.startsWith('0') ? `1${code.slice(1)}` : `0${code.slice(1)}`
    const use = (values: object) => call('POST', '/tokens', { email: 'bob@example.org', code, secret, ...values })
    for (let index = 0; index < 6; index++) assert.equal((await use({ secret: `s${index}` })).status, 401)
    assert.equal((await use({ email: 'ann@example.org' })).status, 401)
    assert.equal((await use({ password: next })).status, 401) // it is none for a reset
    for (let index = 0; index < 4; index++) assert.equal((await use({ code: wrong })).status, 401)
    const last = await use({})
    assert.equal(last.status, 201)
    const second = await ask('SIGN_IN', 'bob@example.org')
    const mailed = await second.mail()
    const again = (value: string) =>
      call('POST', '/tokens', { email: 'bob@example.org', code: value, secret: second.secret })
    for (let index = 0; index < 5; index++) await again(mailed.code === wrong ? code : wrong)
    assert.equal((await again(mailed.code)).status, 401)
  })

  await t.test('a code expires, and changing the login ends it', async () => {
    const id = await signUp('cat@example.org')
    const first = await ask('SIGN_IN', 'cat@example.org')
    const { code } = await first.mail()
    time.now += 10 * 60_000 + 1
    const late = await call('POST', '/tokens', { email: 'cat@example.org', code, secret: first.secret })
    assert.equal(late.status, 401)
    const second = await ask('SIGN_IN', 'cat@example.org')
    const mail = await second.mail()
    const authorization = `Bearer ${(await signIn('cat@example.org')).body.token}`
    const { mail: proof } = await accounts.mailOf('dog@example.org', () =>
      call('PATCH', `/users/${id}`, { email: 'dog@example.org' }, { authorization }),
    )
    const change = { email: 'dog@example.org', code: proof.code }
    assert.equal((await call('POST', '/verifications', change, { authorization })).status, 201)
    for (const email of ['cat@example.org', 'dog@example.org']) {
      const used = await call('POST', '/tokens', { email, code: mail.code, secret: second.secret })
      assert.equal(used.status, 401)
    }
  })

  await t.test('a change of the password ends the codes of the account, and their links, on both APIs', async () => {
    const email = 'fox@example.org'
    const id = await signUp(email)
    const headers = { authorization: `Bearer ${(await signIn(email)).body.token}` }
    const query = `mutation ($id: ID!) { updateUser(id: $id, input: {password: "${next}"}) { id } }`
    const changes = [
      () => call('PATCH', `/users/${id}`, { password: next }, headers),
      () => call('POST', '/graphql', { query, variables: { id } }, headers),
    ]
    for (const change of changes) {
      const reset = await ask('RESET', email)
      const first = await reset.mail()
      const once = await ask('SIGN_IN', email)
      const second = await once.mail()
      const changed = await change()
      assert.deepEqual([changed.status, changed.body.errors], [200, undefined])
      const used = [
        await call('POST', '/tokens', { email, code: first.code, secret: reset.secret, password }),
        await call('POST', '/tokens', { email, code: second.code, secret: once.secret }),
      ]
      assert.deepEqual(
        used.map(({ status }) => status),
        [401, 401],
      )
      assert.equal((await call('GET', first.url!.slice(service.address.length))).status, 410)
      assert.equal((await signIn(email, next)).status, 201)
    }
  })

  await t.test('known and unknown addresses get the same answers, and the same limits', async () => {
    await signUp('eve@example.org')
    const shapes = []
    for (const email of ['eve@example.org', 'nobody@example.org']) {
      const answers = []
      for (let index = 0; index < 4; index++) answers.push(await call('POST', '/codes', { for: 'RESET', email }))
      const [first, , , fourth] = answers
      const tried = await call('POST', '/tokens', {
        email,
        code: '00000000',
        secret: first!.body.secret,
        password: next,
      })
      shapes.push([
        answers.map(({ status, text }) => [
          status,
          status === 202 ? text.length : text.replace(/\d+ s/, 'N s').replace(/"request.*/, ''),
        ]),
        Object.keys(first!.body),
        [...first!.headers.keys()],
        fourth!.headers.has('retry-after'),
        [tried.status, tried.body.detail],
      ])
    }
    assert.deepEqual(shapes[0], shapes[1])
    assert.deepEqual(
      (shapes[0]![0] as [number][]).map(([status]) => status),
      [202, 202, 202, 429],
    )
    assert.equal(mailbox.mails.filter(({ to }) => to === 'nobody@example.org').length, 0)
  })

  await t.test('the mail goes to the stored address; a look-alike gets none', async () => {
    await signUp('Fay@example.org')
    assert.equal((await call('POST', '/codes', { for: 'RESET', email: 'fay@EXAMPLE.org' })).status, 202)
    assert.equal((await accounts.newest('Fay@example.org')).to, 'Fay@example.org')
    const lookalike = 'f\uff41y@example.org' // a wide letter
    assert.equal((await call('POST', '/codes', { for: 'RESET', email: lookalike })).status, 202)
    await ask('RESET', 'ann@example.org').then(({ mail }) => mail())
    assert.ok(mailbox.mails.every(({ to }) => /^[\x20-\x7e]*$/.test(to)))
    assert.equal(mailbox.mails.filter(({ to }) => to === 'Fay@example.org').length, 1)
  })

  await t.test('R207 a link may be opened any number of times; its button sets the password', async () => {
    await signUp('gus@example.org')
    const { mail } = await ask('RESET', 'gus@example.org')
    const path = (await mail()).url!.slice(service.address.length)
    for (const method of ['GET', 'HEAD', 'GET']) {
      const page = await call(method, path)
      assert.equal(page.status, 200)
      assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
      assert.equal(page.headers.get('cache-control'), 'no-store')
      assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/)
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const post = (value: string) => call('POST', path, new URLSearchParams({ password: value }).toString(), form)
    assert.equal((await call('POST', path, { password: next })).status, 415)
    const short = await post('short')
    assert.deepEqual([short.status, /at least|must have/.test(short.text)], [400, true])
    assert.equal((await signIn('gus@example.org')).status, 201)
    assert.match((await post(next)).text, /Your password is set/)
    assert.deepEqual([(await post(next)).status, (await call('GET', path)).status], [410, 410])
    assert.equal((await signIn('gus@example.org')).status, 401)
    assert.equal((await signIn('gus@example.org', next)).status, 201)
    assert.equal((await call('GET', '/codes/link?token=x')).status, 410)
  })

  await t.test('bad input names its places, on both APIs', async () => {
    const bad = await call('POST', '/codes', { for: 'RESETT', mail: 'x' })
    const places = bad.body.errors.map(({ path, code }: { path: string; code: string }) => [path, code])
    assert.equal(bad.status, 400)
    assert.deepEqual(places, [
      ['mail', 'UNKNOWN'],
      ['email', 'REQUIRED'],
      ['for', 'UNKNOWN'],
    ])
    assert.equal((await call('POST', '/codes', '[]')).status, 400)
    assert.equal((await call('GET', '/codes')).status, 405)
    const { errors } = await graphql('mutation { createCode(input: {for: RESET}) { secret } }')
    assert.equal(errors[0].extensions.code, 'VALIDATION_FAILED')
    const mails = await call('GET', '/mails')
    assert.equal(mails.body.length, mailbox.mails.length)
  })
})

test('R208 a service without mail says so, and keeps no mails', async (t) => {
  const { address } = await TestService.open(t, sdl)
  const asked = await fetch(`${address}/codes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ for: 'RESET', email: 'ann@example.org' }),
  })
  assert.deepEqual([asked.status, ((await asked.json()) as { code: string }).code], [503, 'UNAVAILABLE'])
  assert.equal((await fetch(`${address}/mails`)).status, 404)
})

test('codes to sign in, which anybody can ask for, do not keep the owner from a reset', async (t) => {
  const service = await TestService.open(t, sdl, { mailbox: new Mailbox() })
  const ask = async (purpose: string) => {
    const body = JSON.stringify({ for: purpose, email: 'ann@example.org' })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${service.address}/codes`, { method: 'POST', headers, body })).status
  }
  for (const expected of [202, 202, 202, 429]) assert.equal(await ask('SIGN_IN'), expected)
  assert.equal(await ask('RESET'), 202)
})
