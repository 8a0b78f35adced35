// The account forms of examples/chat in a real browser: sign up, verify by the mail that arrived, sign out, reset, and what the server
// ends is over in all tabs.
// stores: sqlite

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { servePage } from '../../examples/chat/serve-page.ts'
import { Mailbox } from '../../packages/twain/src/mail/index.ts'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { openChat, serveChat, signIn } from '../harness/open-chat.ts'
import { until } from '../harness/until.ts'

const patience = { timeout: 60_000 }

test('people sign up, verify, sign out, and reset their password in the page', { skip: noBrowser }, async (t) => {
  const mailbox = new Mailbox()
  const service = await openChat(t, mailbox)
  const server = await serveChat(service, 0)
  t.after(() => server.close())
  const address = `http://127.0.0.1:${server.port}`
  mailbox.origin = address
  const pages = await servePage(0)
  t.after(() => pages.close())
  const browser = await openBrowser()
  t.after(() => browser.close())
  const context = await browser.newContext()
  // The module arrives late, as on a slow network. Until then nobody can press a button that does nothing.
  await context.route('**/client.js', async (route) => {
    await pause(1000)
    await route.continue()
  })
  const open = async (): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`http://localhost:${(pages.address() as AddressInfo).port}/client.html?server=${address}`)
    return page
  }
  const codeOf = async (subject: string): Promise<string> => {
    const find = () => mailbox.mails.find((mail) => mail.to === 'dot@quay.example' && mail.subject.includes(subject))
    return (await until(
      async () => find(),
      (mail) => mail !== undefined,
    ))!.code
  }
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click(patience)
  const fill = (page: Page, label: string, text: string) =>
    page.locator('form:not([hidden])').getByLabel(label).fill(text, patience)
  const [first, second] = [await open(), await open()]

  await press(first, 'Create an account')
  await fill(first, 'Name', 'Dot')
  await fill(first, 'E-mail', 'dot@quay.example')
  await fill(first, 'New password', 'fair winds')
  await press(first, 'Sign up')
  await press(first, 'Verify my address')
  await fill(first, 'Code of the mail', '00000000')
  await press(first, 'Verify')
  await first
    .getByRole('alert')
    .getByText(/wrong|code/)
    .waitFor(patience)
  await fill(first, 'Code of the mail', await codeOf('confirm'))
  await press(first, 'Verify')
  await first.getByRole('button', { name: 'Verify my address' }).waitFor({ state: 'hidden', ...patience })

  // The other tab has the same session, and loses it when this one signs out.
  await press(second, 'Sign out')
  for (const page of [first, second]) await page.getByRole('button', { name: 'Forgotten password?' }).waitFor(patience)

  await press(first, 'Forgotten password?')
  await fill(first, 'E-mail', 'dot@quay.example')
  await press(first, 'Send a code')
  await fill(first, 'Code of the mail', await codeOf('reset'))
  await fill(first, 'New password', 'fresh winds')
  await press(first, 'Set the password')
  await first.getByRole('button', { name: 'Sign out' }).waitFor(patience)
  await first.reload()
  await first.getByRole('button', { name: 'Sign out' }).waitFor(patience)

  // Somebody ends all sessions of the account: the page signs out.
  const ask = await signIn(address, 'dot', 'fresh winds')
  const sessions = await ask('GET', '/tokens')
  assert.ok(sessions.length >= 2)
  const stored = await first.evaluate<string>(
    'Object.values(localStorage).find((text) => text.includes("refreshToken"))',
  )
  await ask('DELETE', `/tokens/${(JSON.parse(stored) as { id: string }).id}`)
  await first.getByRole('button', { name: 'Forgotten password?' }).waitFor(patience)
  assert.equal(await first.evaluate('JSON.stringify(localStorage).includes("refreshToken")'), false)
})
