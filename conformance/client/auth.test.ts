// Accounts in the client, against a real service: every flow, tokens that end, and failures that must not end a session.
// stores: sqlite

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createClient, HttpError, NetworkError } from '@twain/client'
import { type Auth, type ChangeReason, createAuth, type Session, type SessionStore } from '@twain/client/auth'
import { MailedAccounts } from '../harness/mailed-accounts.ts'

const sdl = `
  type User @account @allow(to: [CREATE, READ]) @allow(who: "self") { id: ID! email: String! @unique name: String }
  type Note @allow(who: "signedIn") { id: ID! text: String! author: User! @auto(set: VIEWER) }
`
const email = 'ann@example.org'
const password = 'correct horse battery'

test('signing up signs in, and the client sends the token', async (t) => {
  const { auth, changes, write } = await open(t)
  assert.equal(auth.session, null)
  assert.equal(await auth.signUp({ email, password, name: 'Ann' }), 'SIGNED_IN')
  assert.deepEqual(changes, [['SIGN_IN', (auth.session as Session | null)?.account]])
  assert.equal(await write(), 'x')
  await auth.signOut()
  assert.equal(auth.session, null)
  await assert.rejects(write(), { name: 'GraphQLErrors' })
  await assert.rejects(auth.signIn({ email, password: 'wrong horse battery' }), { status: 401 })
  assert.equal(auth.session, null)
  await auth.signIn({ email, password })
  assert.deepEqual(
    changes.map(([reason]) => reason),
    ['SIGN_IN', 'SIGN_OUT', 'SIGN_IN'],
  )
})

test('signing out ends the session on the server, also after the access token has ended', async (t) => {
  const { auth, accounts, kept } = await open(t)
  await auth.signUp({ email, password })
  const { id, refreshToken } = JSON.parse(kept.text!)
  accounts.time.now += 20 * 60_000
  await auth.signOut()
  assert.equal((await accounts.call('POST', '/tokens', { refreshToken })).status, 401)
  const token = await accounts.token(email)
  const { body } = await accounts.as(token, 'GET', '/tokens')
  assert.equal(
    body.some((one: { id: string }) => one.id === id),
    false,
  )
})

test('a code by mail verifies the address, and the account keeps its password and session', async (t) => {
  const { auth, accounts } = await open(t)
  await auth.signUp({ email, password })
  const { mail } = await accounts.mailOf(email, () => auth.sendCode('VERIFY', email))
  await assert.rejects(auth.verify('00000000'), { status: 401 })
  const session = await auth.verify(mail.code)
  assert.deepEqual(session, auth.session)
  assert.notEqual(await accounts.verifiedAt(email), null)
  assert.equal((await accounts.signIn(email)).status, 201)
  await assert.rejects(auth.verify(mail.code), /sendCode or signUp first/)
})

test('where addresses must be proven, signing up waits for the code of the mail, which may be sent again', async (t) => {
  const { auth, accounts, changes } = await open(t, 0, sdl.replace('@account', '@account(verification: REQUIRED)'))
  const { result } = await accounts.mailOf(email, () => auth.signUp({ email, password }))
  assert.deepEqual([result, auth.session, changes], ['VERIFY', null, []])
  accounts.time.now += 11 * 60_000 // the first code has ended
  const { mail } = await accounts.mailOf(email, () => auth.sendCode('VERIFY', email))
  await assert.rejects(auth.verify('00000000'), { status: 401 })
  const session = await auth.verify(mail.code)
  assert.equal(session?.account, auth.session?.account)
  assert.deepEqual(changes, [['SIGN_IN', session?.account]])
  // Of a taken address nothing is told, and its code works for nobody.
  await auth.signOut()
  assert.equal(await auth.signUp({ email, password: 'another fine horse' }), 'VERIFY')
  await assert.rejects(auth.verify('00000000'), { status: 401 })
  assert.equal((await accounts.signIn(email)).status, 201)
})

test('a locked account is signed out, and learns no more than a stranger', async (t) => {
  const { auth, accounts, changes, write } = await open(
    t,
    0,
    sdl.replace('@allow(who: "self")', '@allow(who: "self") @allow(role: "admin")'),
  )
  await auth.signUp({ email, password })
  const admin = await accounts.service.operator('admin')
  await accounts.as(admin, 'PATCH', `/users/${auth.session!.account}`, { _locked: true })
  accounts.time.now += 1001
  await assert.rejects(write())
  assert.deepEqual([auth.session, changes.at(-1)?.[0]], [null, 'ENDED'])
  const locked = await auth.signIn({ email, password }).catch((error: HttpError) => error)
  const unknown = await auth.signIn({ email: 'nobody@example.org', password }).catch((error: HttpError) => error)
  assert.ok(locked instanceof HttpError && unknown instanceof HttpError)
  assert.deepEqual([locked.status, locked.message], [unknown.status, unknown.message])
})

test('a sign-out survives the page, and one request ends all sessions', async (t) => {
  const { auth, accounts, count } = await open(t)
  await auth.signUp({ email, password })
  auth.onChange(() => (count.sent = []))
  await auth.signOut()
  assert.deepEqual(count.sent, ['DELETE keepalive'])
  const elsewhere = await accounts.token(email)
  await auth.signIn({ email, password })
  await auth.signOut({ everywhere: true })
  assert.deepEqual(count.sent, ['DELETE keepalive'])
  accounts.time.now += 1001
  assert.equal(await accounts.isValid(elsewhere), false)
})

test('a captcha goes with a sign-in, a sign-up and a code', async (t) => {
  const code = `export default {
    attempt({ captcha }) {
      if (captcha !== 'boat') throw Object.assign(new Error('What floats?'), { code: 'FORBIDDEN' })
    },
  }`
  const { auth, accounts } = await open(t, 0, sdl.replace('@account', '@account(verification: REQUIRED)'), code)
  await assert.rejects(auth.signUp({ email, password }), { status: 403 })
  const { mail } = await accounts.mailOf(email, () => auth.signUp({ email, password, _captcha: 'boat' }))
  // The account is there; signing in takes another captcha.
  await assert.rejects(auth.verify(mail.code), { status: 403 })
  await assert.rejects(auth.signIn({ email, password }), { status: 403 })
  await auth.signIn({ email, password, captcha: 'boat' })
  await assert.rejects(auth.sendCode('RESET', email), { status: 403 })
  await auth.sendCode('RESET', email, 'boat')
})

test('a code by mail resets the password, or signs in without one', async (t) => {
  const { auth, accounts } = await open(t)
  await accounts.signUp(email)
  const { mail: reset } = await accounts.mailOf(email, () => auth.sendCode('RESET', email))
  await auth.reset({ code: reset.code, password: 'another fine horse' })
  assert.equal(auth.session?.account, (await accounts.call('GET', '/users')).body[0].id)
  await auth.signOut()
  const { mail } = await accounts.mailOf(email, () => auth.sendCode('SIGN_IN', email))
  await auth.signIn({ code: mail.code })
  assert.notEqual(auth.session, null)
  assert.equal((await accounts.signIn(email, 'another fine horse')).status, 201)
})

test('the store of another visit restores the session, and its first request renews it once', async (t) => {
  const { auth, accounts, kept, count } = await open(t)
  await auth.signUp({ email, password })
  const again = connect(accounts, kept, count)
  assert.deepEqual(again.auth.session, auth.session)
  const before = count.renewals
  assert.deepEqual(await Promise.all([again.write(), again.write()]), ['x', 'x'])
  assert.equal(count.renewals, before + 1)
  assert.doesNotMatch(kept.text!, /"token"/)
})

test('a wrong clock of this machine does no harm', async (t) => {
  for (const year of [1, -1]) {
    const { auth, accounts, kept, count } = await open(t, year * 365 * 86_400_000)
    await auth.signUp({ email, password })
    const { write } = connect(accounts, kept, count)
    await write()
    await write()
    assert.equal(count.renewals, 1)
  }
})

test('a session that the server has ended signs out once, and requests then are anonymous', async (t) => {
  const { auth, accounts, changes, write, count } = await open(t)
  await auth.signUp({ email, password })
  const token = await accounts.token(email)
  await accounts.as(token, 'DELETE', `/tokens/${auth.session!.id}`)
  accounts.time.now += 2000
  const results = await Promise.allSettled([write(), write(), write()])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  assert.equal(auth.session, null)
  const { renewals } = count
  await assert.rejects(write())
  await assert.rejects(write())
  assert.equal(count.renewals, renewals, 'nothing asks again')
  assert.equal(renewals, 1)
  assert.deepEqual(
    changes.map(([reason]) => reason),
    ['SIGN_IN', 'ENDED'],
  )
})

test('a subscription of a session that was ended does not renew it again and again', async (t) => {
  const { auth, accounts, changes, client, count } = await open(t)
  await auth.signUp({ email, password })
  const failures: unknown[] = []
  const isRefused = new Promise<void>((resolve) => {
    client.subscribe(
      'subscription { noteCreated { id } }',
      {},
      { next() {}, error: (error) => resolve(void failures.push(error)) },
    )
  })
  await auth.authorization()
  await accounts.as(await accounts.token(email), 'DELETE', `/tokens/${auth.session!.id}`)
  accounts.time.now += 2000
  await Promise.race([isRefused, new Promise((resolve) => auth.onChange(resolve))])
  client.close()
  assert.equal(auth.session, null)
  assert.ok(count.renewals <= 1)
  assert.equal(changes.filter(([reason]) => reason === 'ENDED').length, 1)
})

test('without a connection, or with a busy server, the session stays', async (t) => {
  const { auth, accounts, changes, write, count } = await open(t)
  await auth.signUp({ email, password })
  accounts.time.now += 20 * 60_000
  count.fail = () => Promise.reject(new TypeError('offline'))
  await assert.rejects(write(), (error) => error instanceof NetworkError)
  count.fail = async () => new Response('', { status: 503 })
  await assert.rejects(write(), (error) => error instanceof HttpError && error.status === 503)
  assert.notEqual(auth.session, null)
  count.fail = null
  assert.equal(await write(), 'x')
  assert.equal(changes.length, 1)
})

test('a sign-out without a connection forgets the tokens', async (t) => {
  const { auth, kept, count } = await open(t)
  await auth.signUp({ email, password })
  count.fail = () => Promise.reject(new TypeError('offline'))
  await auth.signOut()
  assert.deepEqual([auth.session, kept.text], [null, null])
})

interface Traffic {
  renewals: number
  /** Methods, and whether the request survives its page. */
  sent: string[]
  /** Replaces answers. */
  fail: (() => Promise<Response>) | null
}

type Kept = SessionStore & { text: string | null }

/** `ahead`: milliseconds that the clock of the server is ahead. */
async function open(t: TestContext, ahead = 0, schema = sdl, code?: string) {
  const accounts = await MailedAccounts.open(t, schema, code === undefined ? {} : { code })
  accounts.time.now += ahead
  const kept: Kept = {
    text: null,
    get: () => kept.text,
    set: (text) => {
      kept.text = text
    },
  }
  const count: Traffic = { renewals: 0, sent: [], fail: null }
  const opened = connect(accounts, kept, count)
  t.after(() => opened.client.close())
  const changes: [ChangeReason, string | undefined][] = []
  opened.auth.onChange((session, reason) => changes.push([reason, session?.account]))
  return { accounts, kept, count, changes, ...opened }
}

/** A page that uses the service. */
function connect({ service }: MailedAccounts, storage: SessionStore, traffic: Traffic) {
  const send = (url: string, init: RequestInit) => {
    if (typeof init.body === 'string' && init.body.includes('"refreshToken"')) traffic.renewals++
    traffic.sent.push(`${init.method}${init.keepalive ? ' keepalive' : ''}`)
    return traffic.fail?.() ?? fetch(url, init)
  }
  const auth: Auth = createAuth({ url: service.address, storage, fetch: send, retry: { attempts: 1 } })
  const { authorization, refresh } = auth
  const client = createClient({
    url: `${service.address}/graphql`,
    authorization,
    refresh,
    fetch: send,
    retry: { attempts: 1 },
    fetchPolicy: 'no-cache',
  })
  const mutation = 'mutation { createNote(input: {text: "x"}) { text } }'
  const write = async () => (await client.mutate<{ createNote: { text: string } }>(mutation)).data?.createNote.text
  return { auth, client, write }
}
