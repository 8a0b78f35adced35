// The life of an account in a real browser: sign up, prove the address by the mail that arrived, sign out, reset the password, a second
// tab, and the lock of an administrator. conformance/accounts/provider-browser.test.ts has the sign-in with a provider.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { MailedAccounts, password } from '../harness/mailed-accounts.ts'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { until } from '../harness/until.ts'
import { bundleClient } from './bundle-client.ts'

const sdl = `
  type User @account(verification: REQUIRED) @allow(to: [CREATE]) @allow(who: "self") @allow(role: "admin") {
    id: ID!
    email: String! @unique
  }
  type Note @allow(who: "signedIn") { id: ID! text: String! }`
const email = 'ann@example.org'
const next = 'another fine horse'
const patience = { timeout: 60_000 }

/** Each page of the application. It loads itself anew when somebody signs out, as many do. */
const application = `
  globalThis.changes = []
  globalThis.auth = twain.createAuth({ url: '' })
  auth.onChange((session, reason) => {
    changes.push(reason)
    if (reason === 'SIGN_OUT') location.reload()
  })
  const { authorization, refresh } = auth
  globalThis.client = twain.createClient({ url: '/graphql', authorization, refresh, fetchPolicy: 'no-cache' })
  globalThis.write = () => client.mutate('mutation { createNote(input: {text: "x"}) { id } }').then(() => true, () => false)
  globalThis.statusOf = (promise) => promise.then(() => 0, (error) => error.status)`

test('the life of an account in Chromium', { skip: noBrowser, timeout: 180_000 }, async (t) => {
  const accounts = await MailedAccounts.open(t, sdl)
  const browser = await openBrowser()
  t.after(() => browser.close())
  const script = await bundleClient("export * from '@twain/client'; export * from '@twain/client/auth'")
  const context = await browser.newContext()
  await context.addInitScript(`if (location.protocol === 'http:') { ${script}; ${application} }`)
  const open = async (): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${accounts.service.address}/healthz`)
    return page
  }
  const page = await open()
  const session = () => page.evaluate<{ id: string; account: string } | null>('auth.session')
  const admin = await accounts.service.operator('admin')
  const sessionsOf = async (account: string): Promise<string[]> =>
    (await accounts.as(admin, 'GET', `/tokens?account=${account}`)).body.map(({ id }: { id: string }) => id)

  await t.test('sign up: there is no account before the code of the mail', async () => {
    const signUp = `auth.signUp({ email: '${email}', password: '${password}' })`
    const { result, mail } = await accounts.mailOf(email, () => page.evaluate(signUp))
    assert.deepEqual([result, await session()], ['VERIFY', null])
    assert.equal(await page.evaluate("statusOf(auth.verify('00000000'))"), 401)
    // The page was loaded anew while the person read the mail: it knows the secret of the code, and no password.
    await page.reload()
    assert.equal(await page.evaluate(`auth.verify('${mail.code}')`), null)
    await page.evaluate(`auth.signIn({ email: '${email}', password: '${password}' })`)
    assert.notEqual(await session(), null)
    assert.equal(await page.evaluate('write()'), true)
  })

  await t.test('sign out: the page loads itself anew, and the session has ended on the server', async () => {
    const { id, account } = (await session())!
    assert.deepEqual(await sessionsOf(account), [id])
    const isLoaded = page.waitForEvent('load', patience)
    await page.evaluate('void auth.signOut()')
    await isLoaded
    assert.equal(await session(), null)
    assert.deepEqual(
      await until(
        () => sessionsOf(account),
        (ids) => ids.length === 0,
      ),
      [],
    )
    assert.equal(await page.evaluate('write()'), false)
  })

  await t.test('reset the password by the code of a mail, after the page was loaded anew', async () => {
    const { mail } = await accounts.mailOf(email, () => page.evaluate(`auth.sendCode('RESET', '${email}')`))
    await page.reload()
    await page.evaluate(`auth.reset({ code: '${mail.code}', password: '${next}' })`)
    assert.notEqual(await session(), null)
    assert.equal((await accounts.signIn(email)).status, 401)
    assert.equal((await accounts.signIn(email, next)).status, 201)
  })

  const second = await open()
  await t.test('a second tab has the same session', async () => {
    assert.deepEqual(await second.evaluate('auth.session'), await session())
    assert.equal(await second.evaluate('write()'), true)
  })

  await t.test('lock: both tabs are signed out within a second, and nobody signs in', async () => {
    const { account } = (await session())!
    const locked = await accounts.as(admin, 'PATCH', `/users/${account}`, { _locked: true })
    assert.equal(locked.status, 200, locked.text)
    accounts.time.now += 1001
    assert.deepEqual([await page.evaluate('write()'), await second.evaluate('write()')], [false, false])
    for (const tab of [page, second]) {
      await tab.waitForFunction("changes.at(-1) === 'ENDED' && auth.session === null", undefined, patience)
    }
    const signIn = `statusOf(auth.signIn({ email: '${email}', password: '${next}' }))`
    assert.equal(await page.evaluate(signIn), 401)
    await accounts.as(admin, 'PATCH', `/users/${account}`, { _locked: false })
    accounts.time.now += 1001
    assert.equal(await page.evaluate(signIn), 0)
    await second.waitForFunction("changes.at(-1) === 'SIGN_IN'", undefined, patience)
  })
})
