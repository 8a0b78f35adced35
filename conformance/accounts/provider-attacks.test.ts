// What an attacker would try on a sign-in with a provider: each has a test of its name.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerSecret } from '../harness/openid-provider.ts'
import { PlainBrowser } from '../harness/plain-browser.ts'
import { application, ProviderAccounts } from '../harness/provider-accounts.ts'

test('attacks on a sign-in with a provider', async (t) => {
  const setup = await ProviderAccounts.open(t)
  const { accounts, trusted, other, address } = setup
  trusted.people.set('ann', { email: 'ann@example.org', email_verified: true, name: 'Ann' })
  trusted.people.set('mal', { email: 'mal@example.org', email_verified: true, name: 'Mal' })
  assert.equal((await setup.signInAs('trusted', 'ann')).status, 201)

  await t.test('R246 code replay', async () => {
    const code = await setup.goAs('trusted', 'ann')
    const answers = await Promise.all([setup.use(code), setup.use(code), setup.use(code)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 401, 401])
    assert.equal((await setup.use(code)).status, 401)
  })

  await t.test('code of another verifier', async () => {
    const { code, verifier } = await setup.goAs('trusted', 'ann')
    const { verifier: stolen } = await setup.goAs('trusted', 'mal')
    const wrong = await setup.use({ code, verifier: stolen })
    const unknown = await setup.use({ code: 'nothing', verifier })
    assert.equal(wrong.status, 401)
    assert.deepEqual(wrong.body, unknown.body)
    assert.equal((await setup.use({ code, verifier })).status, 201)
  })

  await t.test('expired code', async () => {
    const code = await setup.goAs('trusted', 'ann')
    accounts.time.now += 60_000
    assert.equal((await setup.use(code)).status, 401)
  })

  await t.test('R242 login CSRF: the state of another browser', async () => {
    const attacker = new PlainBrowser()
    const { callback } = await setup.callbackOf('trusted', 'mal', attacker)
    const victim = new PlainBrowser()
    await setup.callbackOf('trusted', 'ann', victim) // has a sign-in of its own under way
    const opened = await victim.request(callback.href)
    assert.equal(opened.status, 400)
    assert.equal(opened.headers.get('location'), null)
    assert.match(await opened.text(), /did not begin in this browser/)
  })

  await t.test('stolen callback', async () => {
    const { callback } = await setup.callbackOf('trusted', 'ann', new PlainBrowser())
    const thief = await new PlainBrowser().request(callback.href)
    assert.equal(thief.status, 400)
  })

  await t.test('a callback works once', async () => {
    const browser = new PlainBrowser()
    const { callback } = await setup.callbackOf('trusted', 'ann', browser)
    const cookies = new Map(browser.cookies)
    const first = await browser.request(callback.href)
    assert.match(first.headers.get('location')!, /\?code=/)
    assert.equal((await browser.request(callback.href)).status, 400)
    for (const [name, value] of cookies) browser.cookies.set(name, value) // somebody has copied them
    const again = await browser.request(callback.href)
    assert.equal(again.headers.get('location'), `${application}?error=server_error`)
  })

  await t.test('mix-up: the answer of another issuer', async () => {
    const browser = new PlainBrowser()
    const { callback } = await setup.callbackOf('trusted', 'ann', browser)
    const atOther = new URL(callback.href.replace('/trusted/', '/other/'))
    assert.equal((await browser.request(atOther.href)).status, 400)
    callback.searchParams.set('iss', other.issuer)
    const wrong = await browser.request(callback.href)
    assert.equal(wrong.headers.get('location'), `${application}?error=server_error`)
    const second = await setup.callbackOf('trusted', 'ann', browser)
    second.callback.searchParams.delete('iss')
    const without = await browser.request(second.callback.href)
    assert.equal(without.headers.get('location'), `${application}?error=server_error`)
  })

  await t.test('R241 open redirect', async () => {
    const tried = [
      'https://evil.example/',
      `${application}/../x`,
      `${application}?next=https://evil.example`,
      application.replace('127.0.0.1', '127.0.0.1@evil.example'),
      `${application}#`,
      application.toUpperCase(),
      `//evil.example`,
      '',
    ]
    for (const to of tried) {
      const { url } = setup.start('trusted', to)
      const reply = await new PlainBrowser().request(url)
      assert.equal(reply.status, 400, to)
      assert.equal(reply.headers.get('location'), null)
      assert.equal(reply.headers.get('set-cookie'), null)
    }
    const { url } = setup.start('trusted')
    const doubled = await new PlainBrowser().request(`${url}&to=https%3A%2F%2Fevil.example`)
    assert.equal(doubled.status, 400)
    const error = await new PlainBrowser().request(
      `${address}/sign-in/trusted/callback?error=x&to=https://evil.example`,
    )
    assert.equal(error.status, 400)
  })

  await t.test('an error of the provider is one of a list, and names no address', async () => {
    const browser = new PlainBrowser()
    const { callback } = await setup.callbackOf('trusted', 'ann', browser)
    const state = callback.searchParams.get('state')!
    const made = new URLSearchParams({
      state,
      iss: trusted.issuer,
      error: '"><script>',
      error_uri: 'https://evil.example',
    })
    const reply = await browser.request(`${callback.origin}${callback.pathname}?${made}`)
    assert.equal(reply.headers.get('location'), `${application}?error=server_error`)
  })

  await t.test('unverified email at the provider', async () => {
    const id = await accounts.signUp('victim@example.org')
    trusted.people.set('liar', { email: 'victim@example.org', email_verified: false })
    const refused = await setup.signInAs('trusted', 'liar')
    assert.equal(refused.status, 409, refused.text)
    trusted.people.set('silent', { email: 'victim@example.org' })
    assert.equal((await setup.signInAs('trusted', 'silent')).status, 409)
    const session = await accounts.token('victim@example.org')
    assert.equal((await accounts.as(session, 'GET', `/users/${id}`)).status, 200)
  })

  await t.test('a look-alike address at the provider', async () => {
    await accounts.signUp('victim2@example.org')
    trusted.people.set('alike', { email: 'vıctim2@example.org', email_verified: true })
    assert.equal((await setup.signInAs('trusted', 'alike')).status, 409)
  })

  await t.test('changed email at the provider', async () => {
    const ann = await setup.accountOf((await setup.signInAs('trusted', 'ann')).body.token)
    const target = await accounts.signUp('target@example.org')
    trusted.people.set('ann', { email: 'target@example.org', email_verified: true })
    const later = await setup.accountOf((await setup.signInAs('trusted', 'ann')).body.token)
    assert.equal(later, ann)
    assert.notEqual(later, target)
    assert.equal((await accounts.signIn('target@example.org')).status, 201)
    // Somebody else gets the old address there: it is another person.
    trusted.people.set('ann2', { email: 'ann@example.org', email_verified: true })
    const joined = await setup.signInAs('trusted', 'ann2')
    assert.equal(joined.status, 201)
  })

  await t.test('two providers with the same address', async () => {
    trusted.people.set('two', { email: 'two@example.org', email_verified: true })
    const first = await setup.accountOf((await setup.signInAs('trusted', 'two')).body.token)
    other.people.set('two', { email: 'two@example.org', email_verified: true })
    assert.equal((await setup.signInAs('other', 'two')).status, 409)
    // The same id at another issuer is another person.
    other.people.set('two', { email: 'elsewhere@example.org', email_verified: true })
    const second = await setup.accountOf((await setup.signInAs('other', 'two')).body.token)
    assert.notEqual(second, first)
  })

  await t.test('nothing secret is in the log', async () => {
    trusted.person = 'ann'
    const browser = new PlainBrowser()
    const { callback, verifier } = await setup.callbackOf('trusted', 'ann', browser)
    const code = callback.searchParams.get('code')!
    callback.searchParams.set('code', `${code}x`)
    const failed = await browser.request(callback.href)
    assert.equal(failed.headers.get('location'), `${application}?error=server_error`)
    const log = setup.logged.join('\n')
    assert.match(log, /a sign-in with a provider failed/)
    for (const secret of [providerSecret, code, verifier, callback.searchParams.get('state')!]) {
      assert.equal(log.includes(secret), false)
    }
  })

  await t.test('the provider does not answer', async () => {
    const lost = await ProviderAccounts.open(t)
    const { url } = lost.start('trusted')
    lost.trusted.stop()
    const reply = await new PlainBrowser().request(url)
    assert.equal(reply.headers.get('location'), `${application}?error=temporarily_unavailable`)
  })

  await t.test('an unknown provider is 404 with the nearest name; other methods are 405', async () => {
    const unknown = await accounts.call('GET', '/sign-in/trustd?to=x')
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'NOT_FOUND'])
    assert.match(unknown.text, /Did you mean \\"trusted\\"/)
    assert.equal((await accounts.call('POST', '/sign-in/trusted/callback', '')).status, 405)
    assert.equal((await accounts.call('DELETE', '/sign-in/trusted')).status, 405)
  })
})
