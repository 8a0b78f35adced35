// examples/chat/client.html, the chat on this client, in two windows of a real browser. The connection of one is cut for ten
// seconds, requests and socket alike, while both send messages: afterwards both show every message once, in the same order.
// stores: sqlite

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { servePage } from '../../examples/chat/serve-page.ts'
import { CuttableConnection } from '../client/cuttable-connection.ts'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { openChat, say, serveChat, signIn } from '../harness/open-chat.ts'

const patience = { timeout: 60_000 }

test('a chat whose connection is cut for ten seconds loses and repeats no message', { skip: noBrowser }, async (t) => {
  const service = await openChat(t)
  const server = await serveChat(service, 0)
  t.after(() => server.close())
  const address = `http://127.0.0.1:${server.port}`
  const connection = await CuttableConnection.open(address)
  t.after(() => connection.close())
  const pages = await servePage(0)
  t.after(() => pages.close())
  const browser = await openBrowser()
  t.after(() => browser.close())
  const { port } = pages.address() as AddressInfo
  const ann = await enter(browser, port, connection.address, 'ann')
  const bob = await enter(browser, port, address, 'bob')

  await say(ann, 'Ann, before')
  await shows(bob, 'Ann, before')
  await say(bob, 'Bob, before')
  await shows(ann, 'Bob, before')

  // The first message is on its way when the connection is cut: it may have been written, and only the answer lost.
  const away = { ann: ['Ann, as it breaks'], bob: [] as string[] }
  await say(ann, away.ann[0]!)
  connection.cut()
  const tried = connection.tried
  for (let n = 1; n <= 5; n++) {
    away.ann.push(`Ann, away ${n}`)
    away.bob.push(`Bob, away ${n}`)
    await say(ann, `Ann, away ${n}`)
    await say(bob, `Bob, away ${n}`)
    await pause(2000)
  }
  assert.ok(connection.tried > tried, 'it is tried again meanwhile')
  assert.deepEqual((await waiting(ann)).slice(-5), away.ann.slice(1))
  const apart = [await shown(ann), await shown(bob)] as const
  assert.ok(!apart[0].some((text) => away.bob.includes(text)), 'nothing comes through')
  assert.ok(!apart[1].some((text) => text.startsWith('Ann, away')), 'nothing goes through')

  connection.mend()
  for (const page of [ann, bob]) for (const text of [...away.ann, ...away.bob]) await shows(page, text)
  await say(ann, 'Ann, after')
  await say(bob, 'Bob, after')
  for (const page of [ann, bob]) for (const text of ['Ann, after', 'Bob, after']) await shows(page, text)

  const ask = await signIn(address, 'ann')
  const [harbour] = await ask('GET', '/channels?name=harbour')
  const stored = (await ask<{ body: string }[]>('GET', `/messages?channel=${harbour!.id}&sort=sentAt&limit=100`)).map(
    ({ body }) => body,
  )
  const output = ['Ann, before', 'Bob, before', ...away.ann, ...away.bob, 'Ann, after', 'Bob, after']
  assert.deepEqual(stored.slice(3).toSorted(), output.toSorted(), 'each is stored once, behind the three of the seed')
  for (const page of [ann, bob]) {
    assert.deepEqual(await shown(page), stored)
    assert.deepEqual(await page.evaluate('window.doubled'), [], 'at no time one was seen twice')
    assert.equal(await page.getByRole('alert').textContent(), '')
  }
})

/** Signs in, opens the channel, and from then on checks that no message is shown twice. */
async function enter(browser: Browser, port: number, server: string, name: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`http://localhost:${port}/client.html?server=${server}`)
  const form = page.locator('#sign-in')
  await form.getByLabel('E-mail').fill(`${name}@quay.example`)
  await form.getByLabel('Password').fill('fair winds')
  await form.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: '# harbour' }).click(patience)
  await shows(page, 'Then there is time for soup.')
  await page.evaluate(`
    window.doubled = []
    new MutationObserver(() => {
      const texts = [...document.querySelectorAll('li span')].map(({ textContent }) => textContent)
      window.doubled.push(...texts.filter((text, n) => texts.indexOf(text) !== n))
    }).observe(document.querySelector('ol'), { childList: true })
  `)
  return page
}

/** The message is shown, and the server has answered. */
const shows = (page: Page, text: string) =>
  page.locator('li:not(.waiting)').getByText(text, { exact: true }).waitFor(patience)

const shown = (page: Page): Promise<string[]> => page.locator('li span').allTextContents()

const waiting = (page: Page): Promise<string[]> => page.locator('li.waiting span').allTextContents()
