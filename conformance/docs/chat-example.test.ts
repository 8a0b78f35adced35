// examples/chat in two windows of a real browser: each sees the messages of the other, nobody receives messages of other channels,
// and a restart of the server loses nothing.
// stores: sqlite

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { servePage } from '../../examples/chat/serve-page.ts'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { openChat, say, serveChat, signIn } from '../harness/open-chat.ts'

const evil = '<img src=x onerror="document.title=1">'
const patience = { timeout: 30_000 }

test('the chat is live in two windows', { skip: noBrowser }, async (t) => {
  const service = await openChat(t)
  let server = await serveChat(service, 0)
  t.after(() => server.close())
  const address = `http://127.0.0.1:${server.port}`
  const pages = await servePage(0)
  t.after(() => pages.close())
  const browser = await openBrowser()
  t.after(() => browser.close())
  const [ann, cid] = await Promise.all(
    ['ann', 'cid'].map((name) => enter(browser, (pages.address() as AddressInfo).port, address, name)),
  )

  await say(ann!, 'Ferry in sight.')
  await cid!.getByText('Ferry in sight.').waitFor(patience)
  await say(cid!, evil)
  await ann!.getByText(evil).waitFor(patience)
  assert.equal(await ann!.title(), 'Quay Chat', 'markup in a message stays text')

  // Cid is no member of this channel until its owner adds him.
  assert.deepEqual(await channels(cid!), ['# galley', '# harbour'])
  await ann!.getByRole('button', { name: '# lighthouse' }).click()
  await say(ann!, 'Between us: the lamp flickers.')
  await ann!.locator('li', { hasText: 'the lamp flickers' }).waitFor(patience)
  await say(ann!, 'And the stairs creak.')
  await ann!.locator('li', { hasText: 'the stairs creak' }).waitFor(patience)
  const shown = await cid!.evaluate('JSON.stringify([...document.querySelectorAll("li")].map((li) => li.textContent))')
  assert.doesNotMatch(String(shown), /lamp/)
  await letIn(address, 'ann', 'lighthouse', 'Cid')
  await cid!.getByRole('button', { name: '# lighthouse' }).click(patience)
  await cid!.getByText('the lamp flickers').waitFor(patience)

  // The server stops, and another starts in its place.
  await server.close()
  await cid!.getByText('reconnecting…').waitFor(patience)
  server = await serveChat(service, server.port)
  await post(address, 'ann', 'lighthouse', 'Said while Cid was away.')
  await cid!.getByText('Said while Cid was away.').waitFor(patience)
  await say(cid!, 'I heard.')
  await ann!.locator('li', { hasText: 'I heard.' }).waitFor(patience)
  const lines = ['Lamp changed', 'Thank you', 'Between us', 'And the stairs', 'Said while Cid', 'I heard']
  for (const page of [ann!, cid!]) {
    const shown = await page.locator('li span').allTextContents()
    assert.deepEqual(
      shown.map((text) => lines.find((line) => text.startsWith(line))),
      lines,
      'each once, in order',
    )
  }
})

async function enter(browser: Browser, port: number, server: string, name: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`http://localhost:${port}/?server=${server}`)
  await page.getByLabel('E-mail').fill(`${name}@quay.example`)
  await page.getByLabel('Password').fill('fair winds')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('live', { exact: true }).waitFor(patience)
  await page.getByRole('button', { name: '# harbour' }).click()
  return page
}

function channels(page: Page): Promise<string[]> {
  return page.locator('nav button').allTextContents()
}

async function letIn(address: string, owner: string, channel: string, name: string): Promise<void> {
  const ask = await signIn(address, owner)
  const [[found], [user]] = [await ask('GET', `/channels?name=${channel}`), await ask('GET', `/users?name=${name}`)]
  await ask('POST', '/memberships', { channel: found!.id, user: user!.id })
}

async function post(address: string, author: string, channel: string, body: string): Promise<void> {
  const ask = await signIn(address, author)
  const [found] = await ask('GET', `/channels?name=${channel}`)
  await ask('POST', '/messages', { channel: found!.id, body })
}
