// An account changes its own address: the present one stays until the new one is proven, is told, and can undo the change.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SqlCodeStore } from '../../packages/twain/src/store/system/accounts/sql-code-store.ts'
import { MailedAccounts, password } from '../harness/mailed-accounts.ts'

const sdl = `
type User @account @allow(to: [CREATE, READ]) @allow(who: "self") {
  id: ID!
  email: String! @unique
  name: String
}`

const next = 'another horse battery'
const dayMs = 24 * 3_600_000

test('a change of the address', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl)
  const emailOf = async (id: string) => (await accounts.call('GET', `/users/${id}`)).body.email as string

  /** An account with a proven address. */
  const verified = async (email: string) => {
    const id = await accounts.signUp(email)
    const token = await accounts.token(email)
    const { code, secret } = await accounts.code('VERIFY', email)
    assert.equal((await accounts.as(token, 'POST', '/verifications', { email, code, secret })).status, 201)
    return { id, token }
  }
  /** Asks for the change, and returns the mails to both addresses. */
  const change = async (id: string, token: string, from: string, to: string) => {
    const { mail: notice, result } = await accounts.mailOf(from, () =>
      accounts.mailOf(to, () => accounts.as(token, 'PATCH', `/users/${id}`, { email: to })),
    )
    assert.equal(result.result.status, 200, result.result.text)
    return { proof: result.mail, notice }
  }

  await t.test('R233 the old address counts until the code of the new one is back', async () => {
    const { id, token } = await verified('ann@example.org')
    const asked = await accounts.mailOf('ann2@example.org', () =>
      accounts.as(token, 'PATCH', `/users/${id}`, { email: 'ann2@example.org', name: 'Ann' }),
    )
    assert.deepEqual([asked.result.body.email, asked.result.body.name], ['ann@example.org', 'Ann'])
    assert.equal((await accounts.signIn('ann2@example.org')).status, 401)
    assert.equal((await accounts.signIn('ann@example.org')).status, 201)
    const before = await accounts.verifiedAt('ann@example.org')
    const wrong = { email: 'ann2@example.org', code: '00000000' }
    assert.equal((await accounts.as(token, 'POST', '/verifications', wrong)).status, 401)
    const anonymous = await accounts.call('POST', '/verifications', wrong)
    assert.deepEqual([anonymous.status, anonymous.body.errors[0].path], [400, 'secret'])
    const proof = { email: 'ann2@example.org', code: asked.mail.code }
    accounts.time.now += 1000
    const proven = await accounts.as(token, 'POST', '/verifications', proof)
    assert.equal(proven.status, 201, proven.text)
    assert.equal(await emailOf(id), 'ann2@example.org')
    assert.notEqual(await accounts.verifiedAt('ann2@example.org'), before)
    assert.ok(await accounts.isValid(token))
    assert.equal((await accounts.signIn('ann2@example.org')).status, 201)
    assert.equal((await accounts.signIn('ann@example.org')).status, 401)
    assert.equal((await accounts.as(token, 'POST', '/verifications', proof)).status, 401)
  })

  await t.test(
    'R234 the old address undoes the change for seven days, and gets the account back (GraphQL)',
    async () => {
      const { id, token } = await verified('bob@example.org')
      const update = `mutation { updateUser(id: "${id}", email: "thief@example.org") { email } }`
      const before = accounts.mailsTo('bob@example.org').length
      const { result, mail } = await accounts.mailOf('thief@example.org', () => accounts.graphql(update, {}, token))
      assert.equal(result.data.updateUser.email, 'bob@example.org')
      const verify = 'mutation ($input: VerifyAccountInput!) { verifyAccount(input: $input) { account } }'
      const input = { email: 'thief@example.org', code: mail.code }
      assert.equal((await accounts.graphql(verify, { input }, token)).data.verifyAccount.account, id)
      // Nobody takes the address meanwhile.
      const taken = await accounts.call('POST', '/users', { email: 'bob@example.org', password })
      assert.deepEqual([taken.status, taken.body.errors[0].code], [409, 'UNIQUE'])
      const { url } = await accounts.newest('bob@example.org', before + 1)
      accounts.time.now += 6 * dayMs
      assert.match((await accounts.press(url!, next)).text, /as it was/)
      assert.equal(await emailOf(id), 'bob@example.org')
      assert.equal((await accounts.signIn('bob@example.org', next)).status, 201)
      assert.equal((await accounts.signIn('thief@example.org')).status, 401)
      assert.equal(await accounts.isValid(token), false)
      assert.equal((await accounts.press(url!, next)).status, 410)
    },
  )

  await t.test('after seven days the change stands', async () => {
    const { id, token } = await verified('cat@example.org')
    const { proof, notice } = await change(id, token, 'cat@example.org', 'cat2@example.org')
    assert.equal(
      (await accounts.as(token, 'POST', '/verifications', { email: 'cat2@example.org', code: proof.code })).status,
      201,
    )
    accounts.time.now += 7 * dayMs + 1
    assert.equal((await accounts.press(notice.url!)).status, 410)
    assert.equal(await emailOf(id), 'cat2@example.org')
  })

  await t.test('the old address cancels a change that waits; a reset and a new password do, too', async () => {
    const { id, token } = await verified('dan@example.org')
    const first = await change(id, token, 'dan@example.org', 'dan2@example.org')
    assert.equal((await accounts.press(first.notice.url!, next)).status, 200)
    assert.equal((await accounts.press(first.proof.url!)).status, 410)
    const second = await accounts.token('dan@example.org', next)
    const waiting = await change(id, second, 'dan@example.org', 'dan3@example.org')
    const { email, code, secret } = await accounts.code('RESET', 'dan@example.org')
    assert.equal((await accounts.call('POST', '/tokens', { email, code, secret, password })).status, 201)
    assert.equal((await accounts.press(waiting.proof.url!)).status, 410)
    const third = await accounts.token('dan@example.org')
    const last = await change(id, third, 'dan@example.org', 'dan4@example.org')
    assert.equal((await accounts.as(third, 'PATCH', `/users/${id}`, { password: next })).status, 200)
    assert.equal((await accounts.press(last.proof.url!)).status, 410)
    assert.equal(await emailOf(id), 'dan@example.org')
  })

  await t.test('R235 the link proves the new address, and its password is the only one', async () => {
    const { id, token } = await verified('eve@example.org')
    const { proof } = await change(id, token, 'eve@example.org', 'eve2@example.org')
    assert.match((await accounts.call('GET', proof.url!.slice(accounts.service.address.length))).text, /new address/)
    assert.equal((await accounts.press(proof.url!, next)).status, 200)
    assert.equal(await emailOf(id), 'eve2@example.org')
    accounts.time.now += 1001
    assert.equal(await accounts.isValid(token), false)
    assert.equal((await accounts.signIn('eve2@example.org', next)).status, 201)
    assert.equal((await accounts.signIn('eve2@example.org')).status, 401)
  })

  await t.test(
    'an unproven address is not told; a taken one is a conflict; another case is the same address',
    async () => {
      const id = await accounts.signUp('fay@example.org')
      const token = await accounts.token('fay@example.org')
      const { mail } = await accounts.mailOf('fay2@example.org', () =>
        accounts.as(token, 'PATCH', `/users/${id}`, { email: 'fay2@example.org' }),
      )
      assert.equal(accounts.mailsTo('fay@example.org').length, 0)
      const taken = await accounts.as(token, 'PATCH', `/users/${id}`, { email: 'eve2@example.org' })
      assert.deepEqual([taken.status, taken.body.errors[0].code], [409, 'UNIQUE'])
      const proof = { email: 'fay2@example.org', code: mail.code }
      assert.equal((await accounts.as(token, 'POST', '/verifications', proof)).status, 201)
      const verifiedAt = await accounts.verifiedAt('fay2@example.org')
      const same = await accounts.as(token, 'PATCH', `/users/${id}`, { email: 'Fay2@example.org' })
      assert.equal(same.body.email, 'Fay2@example.org')
      assert.equal(await accounts.verifiedAt('Fay2@example.org'), verifiedAt)
    },
  )

  await t.test('somebody else takes the new address first: a conflict, and nothing has changed', async () => {
    const { id, token } = await verified('gus@example.org')
    const { proof } = await change(id, token, 'gus@example.org', 'hal@example.org')
    await accounts.signUp('hal@example.org')
    const late = await accounts.as(token, 'POST', '/verifications', { email: 'hal@example.org', code: proof.code })
    assert.deepEqual([late.status, late.body.errors[0].path], [409, 'email'])
    assert.equal(await emailOf(id), 'gus@example.org')
  })
})

test('without mails an address changes at once, and is unproven', async (t) => {
  const accounts = await MailedAccounts.open(t, sdl, { mailbox: null })
  const id = await accounts.signUp('ann@example.org')
  const token = await accounts.token('ann@example.org')
  const changed = await accounts.as(token, 'PATCH', `/users/${id}`, { email: 'ann2@example.org' })
  assert.equal(changed.body.email, 'ann2@example.org')
})

test('the mails of a change leave at once, and do not wait for the next look into the queue', async (t) => {
  const hook = `export default { before: { User: () => {} } }`
  for (const code of [undefined, hook]) {
    const accounts = await MailedAccounts.open(t, sdl, code === undefined ? {} : { code })
    const id = await accounts.signUp('ann@example.org')
    const token = await accounts.token('ann@example.org')
    const woken = t.mock.method(SqlCodeStore.prototype, 'mailsEnqueued')
    const batch = [{ method: 'PATCH', path: `/users/${id}`, body: { email: 'c@example.org' } }]
    const changes = [
      () => accounts.as(token, 'PATCH', `/users/${id}`, { email: 'a@example.org' }),
      () => accounts.graphql(`mutation { updateUser(id: "${id}", email: "b@example.org") { id } }`, {}, token),
      () => accounts.as(token, 'POST', '/batch', batch),
    ]
    for (const [at, change] of changes.entries()) {
      const { mail } = await accounts.mailOf(`${'abc'[at]}@example.org`, change)
      assert.notEqual(mail.code, '')
      assert.equal(woken.mock.callCount(), at + 1, `${code} ${at}`)
    }
    await accounts.as(token, 'PATCH', `/users/${id}`, { name: 'Ann' })
    assert.equal(woken.mock.callCount(), changes.length)
    woken.mock.restore()
  }
})
