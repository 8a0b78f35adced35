// Sign-in with a provider in Chromium: an application with the client, a real OpenID provider with its page, and TLS in front, so that
// cookies are those of production (`__Host-`). Apple calls back with a form from another site.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { defaultAuthSettings } from '../../packages/twain/src/auth/index.ts'
import {
  applePrivateKey,
  discovered,
  type FakeAnswers,
  fakeProvider,
} from '../../packages/twain/src/auth/providers/fake-provider.fixture.ts'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { OpenidProvider, providerSecret } from '../harness/openid-provider.ts'
import { TestService } from '../harness/test-service.ts'
import { TlsFront } from '../harness/tls-front.ts'

const sdl = `
type User @account @allow(to: [CREATE]) @allow(who: "self") {
  id: ID!
  email: String! @unique
  name: String!
}`
const patience = { timeout: 60_000 }

test('sign-in with a provider in Chromium', { skip: noBrowser }, async (t) => {
  const front = await TlsFront.open(t)
  const company = await OpenidProvider.open(t)
  company.people.set('ann', { email: 'ann@example.org', email_verified: true, name: 'Ann' })
  company.people.set('bob', { email: 'bob@example.org', email_verified: true })
  company.register(`${front.origin}/sign-in/company/callback`)
  const apple = await openApple()
  const providers = {
    company: { issuer: company.issuer, clientId: 'twain', clientSecret: providerSecret, provesAddresses: true },
    apple: { clientId: 'client', teamId: 'TEAM', keyId: 'KEY', privateKey: await applePrivateKey() },
  }
  const returnTo = `${front.origin}/app`
  const service = await TestService.open(t, sdl, {
    auth: { ...defaultAuthSettings, providers: JSON.stringify(providers), returnTo },
    http: { origin: front.origin },
    providerFetch: (address, init) =>
      address.startsWith('https://appleid') ? apple.fetch(address, init) : fetch(address, init),
  })
  front.target = service.address
  const application = await applicationPage()
  front.pages.set('/app', () => application)
  const appleFront = await TlsFront.open(t)
  const { port } = new URL(appleFront.origin)
  const browser = await openBrowser([`--host-resolver-rules=MAP appleid.apple.com:443 127.0.0.1:${port}`])
  t.after(() => browser.close())
  const open = async () => (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
  const shows = (page: Page, text: string) =>
    page.waitForFunction(`document.querySelector('#who')?.textContent === ${JSON.stringify(text)}`, undefined, patience)

  await t.test('a person signs in on the page of the provider, and is signed in', async () => {
    const page = await open()
    await page.goto(returnTo)
    await page.click('#company')
    await page.fill('input[name=person]', 'ann', patience)
    await page.click('button')
    await shows(page, 'ann@example.org')
    assert.equal(page.url(), returnTo) // no code in the address
    const cookies = await page.context().cookies(front.origin)
    assert.deepEqual(
      cookies.filter(({ name }) => name.includes('twain-sign-in')),
      [],
    )
  })

  await t.test('the cookie is one that no other host or page can set or read', async () => {
    const page = await open()
    await page.goto(returnTo)
    await page.click('#company')
    await page.waitForSelector('input[name=person]', patience)
    const [cookie] = (await page.context().cookies(front.origin)).filter(({ name }) => name.includes('twain-sign-in'))
    assert.equal(cookie!.name, '__Host-twain-sign-in-0')
    assert.deepEqual([cookie!.httpOnly, cookie!.secure, cookie!.sameSite, cookie!.path], [true, true, 'Lax', '/'])
    assert.equal(cookie!.value.includes('challenge'), false)
  })

  await t.test('fields that the provider does not give are asked for', async () => {
    const page = await open()
    await page.goto(returnTo)
    await page.click('#company')
    await page.fill('input[name=person]', 'bob', patience)
    await page.click('button')
    await shows(page, 'input.name')
    await page.click('#finish')
    await shows(page, 'bob@example.org')
  })

  await t.test('stolen callback: another browser gets a page, and no code', async () => {
    const page = await open()
    await page.goto(returnTo)
    front.pages.set('/sign-in/company/callback', () => 'held back')
    await page.click('#company')
    await page.fill('input[name=person]', 'ann', patience)
    await page.click('button')
    await page.waitForURL(/callback/, patience)
    const callback = page.url()
    front.pages.delete('/sign-in/company/callback')
    const thief = await open()
    const reply = await thief.goto(callback)
    assert.equal(reply?.status(), 400)
    assert.match(await thief.content(), /did not begin in this browser/)
    assert.equal(thief.url(), callback)
  })

  await t.test('apple: the form of another site finds the cookie of this one', async () => {
    const page = await open()
    appleFront.pages.set('/authorize', ({ searchParams: asked }) => {
      apple.expect(asked)
      const user = JSON.stringify({ name: { firstName: 'Cat', lastName: 'Oak' } }).replaceAll('"', '&quot;')
      return `<form method="post" action="${asked.get('redirect_uri')}"><input name="state" value="${asked.get('state')}">
        <input name="code" value="one"><input name="user" value="${user}"><button>Continue</button></form>`
    })
    await page.goto(returnTo)
    await page.click('#apple')
    await page.waitForSelector('button:has-text("Continue")', patience)
    await page.click('button')
    await shows(page, 'cat@privaterelay.appleid.com')
  })
})

/** A fake: Apple has none to try. */
async function openApple() {
  const issuer = 'https://appleid.apple.com'
  const answers: FakeAnswers = {
    get: await discovered(issuer),
    token: `${issuer}/token`,
    idToken: (nonce) => ({
      iss: issuer,
      aud: 'client',
      nonce,
      sub: '001',
      email: 'cat@privaterelay.appleid.com',
      email_verified: 'true',
    }),
    code: 'one',
  }
  const { fetch: answer } = fakeProvider(answers)
  return {
    fetch: answer,
    expect(asked: URLSearchParams) {
      answers.expected = { challenge: asked.get('code_challenge')!, nonce: asked.get('nonce')! }
    },
  }
}

/** An application as people write it with the client. */
async function applicationPage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { createAuth } from '@twain/client/auth'
        const auth = createAuth({ url: location.origin })
        const show = (text) => { document.querySelector('#who').textContent = text }
        const finish = async (input) => {
          try {
            if ((await auth.finishSignIn(input)) === null) return
            const reply = await fetch('/users?fields=email', { headers: { authorization: await auth.authorization() } })
            show((await reply.json())[0].email)
          } catch (error) {
            show(error.problem?.errors?.[0]?.path ?? String(error))
          }
        }
        for (const name of ['company', 'apple']) document.querySelector('#' + name).onclick = () => auth.signInWith(name)
        document.querySelector('#finish').onclick = () => finish({ name: 'Bob' })
        void finish()`,
      resolveDir: join(import.meta.dirname),
    },
    bundle: true,
    format: 'esm',
    external: ['node:*'],
    write: false,
    logLevel: 'silent',
  })
  const buttons = ['company', 'apple', 'finish'].map((id) => `<button id="${id}">${id}</button>`).join('')
  return `<!doctype html><title>App</title>${buttons}<p id="who"></p><script type="module">${outputFiles[0]!.text}</script>`
}
