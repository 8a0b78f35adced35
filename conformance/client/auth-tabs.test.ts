// One session in several tabs of a real browser: one renewal for all, and each tab sees what another does.
// stores: sqlite
// process: own (its tabs race with a server that hashes passwords in full)

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { MailedAccounts } from '../harness/mailed-accounts.ts'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { bundleClient } from './bundle-client.ts'

const sdl = `
  type User @account @allow(to: [CREATE]) @allow(who: "self") { id: ID! email: String! @unique }
  type Note @allow(who: "signedIn") { id: ID! text: String! }
`
const patience = { timeout: 60_000 }

describe('several tabs', { skip: noBrowser }, () => {
  let accounts: MailedAccounts
  let browser: Browser
  let script: string
  let context: BrowserContext
  let renewals: number
  const cleanups: (() => unknown)[] = []
  before(async () => {
    accounts = await MailedAccounts.open({ after: (end) => void cleanups.push(end as () => unknown) }, sdl)
    browser = await openBrowser()
    script = await bundleClient("export * from '@twain/client'; export * from '@twain/client/auth'")
  })
  after(async () => {
    await browser.close()
    for (const end of cleanups) await end()
  })
  beforeEach(async () => {
    await context?.close()
    context = await browser.newContext()
    renewals = 0
    context.on('request', (request) => {
      if (request.url().endsWith('/tokens') && request.postData()?.includes('refreshToken')) renewals++
    })
  })

  /** A tab of the application. */
  const open = async (prelude = ''): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${accounts.service.address}/healthz`)
    await page.evaluate(`${prelude}; ${script}; globalThis.twain = twain`)
    await page.evaluate(`
      globalThis.changes = []
      globalThis.auth = twain.createAuth({ url: '' })
      auth.onChange((session, reason) => changes.push(reason))
      const { authorization, refresh } = auth
      globalThis.client = twain.createClient({ url: '/graphql', authorization, refresh })
      globalThis.write = () => client.mutate('mutation { createNote(input: {text: "x"}) { id } }').then(() => true, () => false)
    `)
    return page
  }
  const signUp = (page: Page, name: string) =>
    page.evaluate(`auth.signUp({ email: '${name}@example.org', password: 'correct horse battery' })`)
  const changed = (page: Page, reasons: string[]) =>
    page.waitForFunction(`changes.join() === '${reasons.join()}'`, undefined, patience)

  test('tabs that need a token at the same time renew it once', async () => {
    const first = await open()
    await signUp(first, 'ann')
    const tabs = [first, ...(await Promise.all([open(), open(), open()]))]
    assert.equal(renewals, 0)
    const started = tabs.map((tab) => tab.evaluate('Promise.all([auth.refresh(), auth.refresh()]).then(write)'))
    assert.deepEqual(await Promise.all(started), [true, true, true, true])
    assert.equal(renewals, 1)
    // A tab that opens later gets its own token, and nobody loses theirs.
    assert.equal(await (await open()).evaluate('write()'), true)
    assert.equal(renewals, 2)
    assert.deepEqual(await Promise.all(tabs.map((tab) => tab.evaluate('write()'))), [true, true, true, true])
    assert.equal(renewals, 2)
  })

  test('a sign-out, and a sign-in as another person, happen in all tabs', async () => {
    const [first, second] = [await open(), await open()]
    await signUp(first, 'bob')
    await changed(second, ['SIGN_IN'])
    assert.equal(await second.evaluate('write()'), true)
    assert.equal(renewals, 0, 'the second tab got the token of the first')
    await second.evaluate('auth.signOut()')
    await changed(first, ['SIGN_IN', 'SIGN_OUT'])
    assert.equal(await first.evaluate('auth.session'), null)
    assert.equal(await first.evaluate('JSON.stringify(localStorage).includes("refreshToken")'), false)
    assert.equal(await first.evaluate('write()'), false)
    await signUp(first, 'cid')
    await changed(second, ['SIGN_IN', 'SIGN_OUT', 'SIGN_IN'])
    assert.deepEqual(await second.evaluate('auth.session'), await first.evaluate('auth.session'))
  })

  test('a session that the server has ended is over in all tabs, once', async () => {
    const [first, second] = [await open(), await open()]
    await signUp(first, 'dan')
    await changed(second, ['SIGN_IN'])
    const { id } = await first.evaluate<{ id: string }>('auth.session')
    await accounts.as(await accounts.token('dan@example.org'), 'DELETE', `/tokens/${id}`)
    accounts.time.now += 2000
    assert.deepEqual(await Promise.all([first, second].map((tab) => tab.evaluate('write()'))), [false, false])
    for (const tab of [first, second]) await changed(tab, ['SIGN_IN', 'ENDED'])
    assert.equal(renewals, 1)
    assert.equal(await first.evaluate('write()'), false)
    assert.equal(renewals, 1)
  })

  test('without locks and channels, tabs that renew at the same time both go on', async () => {
    const old = 'delete Navigator.prototype.locks; delete globalThis.BroadcastChannel'
    const [first, second] = [await open(old), await open(old)]
    await signUp(first, 'eve')
    const started = [first, second].map((tab) => tab.evaluate('auth.refresh().then(write)'))
    assert.deepEqual(await Promise.all(started), [true, true])
    await first.evaluate('auth.signOut()')
    while (await second.evaluate('write()')) {} // other tabs see what the storage has a moment later
    assert.deepEqual(await second.evaluate('[auth.session, changes.at(-1)]'), [null, 'SIGN_OUT'])
  })

  test('scripts find no access token in any storage', async () => {
    const page = await open()
    await signUp(page, 'fay')
    const token = await page.evaluate<string>('auth.authorization()')
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    assert.match(stored, /refreshToken/)
    assert.equal(stored.includes(token.slice('Bearer '.length)), false)
    assert.equal(stored.includes('correct horse'), false)
  })
})
