// The picture of examples/chat in the README: Ann and Bob talk in two windows. The test holds what it shows; with
// TWAIN_WRITE_PICTURES=1 it also takes the picture again.
// stores: sqlite

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FrameLocator } from 'playwright-core'
import { servePage } from '../../examples/chat/serve-page.ts'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { openChat, serveChat } from '../harness/open-chat.ts'

const root = join(import.meta.dirname, '../..')
const picture = 'docs/guide/images/chat.png'
const size = { width: 1280, height: 430 }
const scale = 1.5
const maxBytes = 150_000
const patience = { timeout: 30_000 }

test('the README shows the picture, which is small', () => {
  assert.ok(readFileSync(join(root, 'README.md'), 'utf8').includes(`](${picture})`))
  const bytes = readFileSync(join(root, picture))
  assert.ok(bytes.length < maxBytes, `${bytes.length} bytes`)
  // The header of a PNG: its signature, then the width and height of its first chunk.
  assert.equal(bytes.toString('latin1', 1, 4), 'PNG')
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [size.width * scale, size.height * scale])
})

test('the chat looks as in the picture', { skip: noBrowser }, async (t) => {
  const service = await openChat(t)
  const server = await serveChat(service, 0)
  t.after(() => server.close())
  const pages = await servePage(0)
  t.after(() => pages.close())
  const browser = await openBrowser()
  t.after(() => browser.close())
  const context = await browser.newContext({ viewport: size, deviceScaleFactor: scale, locale: 'en-GB' })
  const page = await context.newPage()
  const address = `http://localhost:${(pages.address() as AddressInfo).port}/?server=http://127.0.0.1:${server.port}`
  await page.setContent(twoWindows(address))

  const [ann, bob] = ['ann', 'bob'].map((name) => page.frameLocator(`iframe[title="${name}"]`))
  await enter(ann!, 'ann')
  await enter(bob!, 'bob')
  await say(ann!, 'I can see her lights now.')
  await shown(bob!, 'I can see her lights now.')
  await say(bob!, 'Soup is on the table.')
  await shown(ann!, 'Soup is on the table.')

  for (const [window, channels] of [
    [ann!, ['# harbour', '# lighthouse']],
    [bob!, ['# galley', '# harbour', '# lighthouse']],
  ] as const) {
    assert.deepEqual(await window.locator('nav button').allTextContents(), channels)
    assert.deepEqual(await window.locator('li b').allTextContents(), ['Ann', 'Cid', 'Bob', 'Ann', 'Bob'])
    assert.equal(await window.locator('#state').textContent(), 'live')
  }
  if (process.env.TWAIN_WRITE_PICTURES) writeFileSync(join(root, picture), await page.screenshot())
})

function twoWindows(address: string): string {
  return `<!doctype html>
<style>
  body { margin: 0; padding: 16px; height: 100vh; box-sizing: border-box; display: flex; gap: 16px; background: #dfe5ec }
  iframe { flex: 1; border: 1px solid #b8c2cc; border-radius: 10px; background: #fff; box-shadow: 0 4px 14px #0003 }
</style>
<iframe title="ann" src="${address}"></iframe><iframe title="bob" src="${address}"></iframe>`
}

async function enter(window: FrameLocator, name: string): Promise<void> {
  await window.getByLabel('E-mail').fill(`${name}@quay.example`)
  await window.getByLabel('Password').fill('fair winds')
  await window.getByRole('button', { name: 'Sign in' }).click()
  await window.getByText('live', { exact: true }).waitFor(patience)
  await window.getByRole('button', { name: '# harbour' }).click()
}

async function say(window: FrameLocator, text: string): Promise<void> {
  await window.getByLabel('Message', { exact: true }).fill(text)
  await window.getByRole('button', { name: 'Send' }).click()
  await shown(window, text)
}

function shown(window: FrameLocator, text: string): Promise<void> {
  return window.locator('li', { hasText: text }).waitFor(patience)
}
