// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type AuthFixture, goodPassword, openAuth } from './auth.fixture.ts'
import { openIssuer, type TestIssuer } from './tokens/external-issuer.fixture.ts'

const refused = { code: 'UNAUTHENTICATED' }
const email = 'ann@example.org'
const verified = { email, email_verified: true }

test('an account belongs to the exact subject: no look-alike is it', async (t) => {
  const { viewerOf, first } = await open(t)
  const ann = await viewerOf(await first.sign({ sub: 'Ann' }))
  for (const sub of [
    'ann',
    'ANN',
    '\uff41nn',
    'Ann ',
    'Ann\u200b',
    'An\u00adn',
    'Ann\u3164',
    'A\u0301nn'.normalize('NFC'),
  ]) {
    const viewer = await viewerOf(await first.sign({ sub })).catch(({ code }) => code)
    if (viewer !== 'CONFLICT') assert.notEqual(viewer.account, ann.account, JSON.stringify(sub))
  }
  assert.equal((await viewerOf(await first.sign({ sub: 'Ann', jti: '2' }))).account, ann.account)
})

test('the same subject of two issuers is two accounts; each issuer has its own settings', async (t) => {
  const { viewerOf, first, second, signUp } = await open(t)
  const one = await viewerOf(await first.sign({ sub: 'u-1', email: 'one@example.org' }))
  await assert.rejects(viewerOf(await second.sign({ user: 'u-1', email: 'two@example.org', aud: 'shop' })), refused)
  await assert.rejects(viewerOf(await second.sign({ user: 'u-1', ...verified })), refused) // the audience of the first
  const account = await signUp(email, goodPassword, ['editor'])
  const two = await viewerOf(await second.sign({ user: 'u-1', ...verified, aud: 'shop', groups: 'reader' }))
  assert.deepEqual([two.account, two.roles], [account, ['reader']])
  assert.notEqual(one.account, two.account)
  // A token that names another issuer than the one that signed it.
  await assert.rejects(viewerOf(await second.sign({ iss: first.name, sub: 'u-1' })), refused)
})

test('an identity stays with its account when its address or the login changes', async (t) => {
  const { viewerOf, first, setLogin } = await open(t)
  const { account } = await viewerOf(await first.sign({ sub: 'u-1', ...verified }))
  await setLogin(account!, 'new@example.org')
  const other = await viewerOf(await first.sign({ sub: 'u-2', ...verified }))
  assert.notEqual(other.account, account)
  const again = await viewerOf(await first.sign({ sub: 'u-1', email: 'third@example.org', email_verified: true }))
  assert.equal(again.account, account)
})

test('an unverified address never joins an account', async (t) => {
  const { viewerOf, first, signUp, signIn } = await open(t)
  await signUp(email)
  for (const claim of [undefined, false, 'true', 1, null]) {
    const token = await first.sign({ sub: 'u-1', email, email_verified: claim })
    await assert.rejects(viewerOf(token), { code: 'CONFLICT' }, String(claim))
  }
  await signIn(email)
})

test('a verified look-alike of the address never joins an account', async (t) => {
  const { viewerOf, first, signUp, signIn } = await open(t)
  const account = await signUp(email)
  for (const twin of ['\uff41nn@example.org', 'ann\u200b@example.org', '\u212bnn@example.org']) {
    const token = await first.sign({ sub: twin, email: twin, email_verified: true })
    const viewer = await viewerOf(token).catch(({ code }) => code)
    if (viewer !== 'CONFLICT') assert.notEqual(viewer.account, account, JSON.stringify(twin))
  }
  await signIn(email)
})

test('the first verified arrival takes password, tokens and other identities of an unproven address', async (t) => {
  const { viewerOf, first, second, signIn, setPassword, time } = await open(t)
  // The address is unverified, so anybody could have made this account.
  const squatter = await viewerOf(await first.sign({ sub: 'squatter', email, auth_time: now() }))
  await setPassword(squatter.account!, goodPassword, squatter)
  const { token } = await signIn(email)
  const owner = await viewerOf(await second.sign({ user: 'u-9', ...verified, aud: 'shop' }))
  assert.equal(owner.account, squatter.account)
  time.now += 1000
  await assert.rejects(viewerOf(token), refused)
  await assert.rejects(signIn(email), refused)
  await assert.rejects(viewerOf(await first.sign({ sub: 'squatter', email })), { code: 'CONFLICT' })
})

test('an account with a proven address keeps its password and identities when another issuer joins', async (t) => {
  const { viewerOf, first, second, signIn, setPassword, time } = await open(t)
  const one = await viewerOf(await first.sign({ sub: 'u-1', ...verified, auth_time: now() }))
  await setPassword(one.account!, goodPassword, one)
  const { token } = await signIn(email)
  const two = await viewerOf(await second.sign({ user: 'u-9', ...verified, aud: 'shop' }))
  assert.equal(two.account, one.account)
  time.now += 2 * 60 * 60_000 // the next arrival records its use
  for (const next of [
    await first.sign({ sub: 'u-1', exp: later(time.now) }),
    await second.sign({ user: 'u-9', aud: 'shop', exp: later(time.now) }),
  ]) {
    assert.equal((await viewerOf(next)).account, one.account)
  }
  await signIn(email)
  assert.ok(token)
})

test('two first arrivals at once are one account, created or joined', async (t) => {
  const { viewerOf, first, signUp } = await open(t)
  const arrive = async (claims: object) =>
    new Set(
      (
        await Promise.all(
          Array.from({ length: 8 }, async (_, n) => viewerOf(await first.sign({ ...claims, jti: `${n}` }))),
        )
      ).map(({ account }) => account),
    )
  assert.equal((await arrive({ sub: 'new', email: 'new@example.org' })).size, 1)
  const account = await signUp(email)
  assert.deepEqual(await arrive({ sub: 'joined', ...verified }), new Set([account]))
})

test('a deleted account loses its identities: the next arrival is a new account', async (t) => {
  const { viewerOf, first, remove, time, credentials } = await open(t)
  const token = await first.sign({ sub: 'u-1', ...verified })
  const { account } = await viewerOf(token)
  await remove(account!)
  assert.equal(await credentials.identities.find({ issuer: first.name, subject: 'u-1' }), null)
  time.now += 1000
  assert.notEqual((await viewerOf(token)).account, account)
})

interface Issuers {
  /** Creates accounts. */
  first: TestIssuer
  /** Identifies accounts by `user`, with roles by `groups`; creates none. */
  second: TestIssuer
}

async function open(t: TestContext): Promise<AuthFixture & Issuers> {
  const first = await openIssuer(t)
  const second = await openIssuer(t, 'https://other.example')
  const own = { issuer: first.name, jwks: first.jwks, audience: 'api', createAccounts: true }
  const more = { issuer: second.name, jwks: second.jwks, audience: 'shop', accountClaim: 'user', rolesClaim: 'groups' }
  const fixture = await openAuth(t, { ...own, issuers: JSON.stringify([more]) })
  return { ...fixture, first, second }
}

const now = () => Math.floor(Date.now() / 1000)
const later = (time: number) => Math.floor(time / 1000) + 60
