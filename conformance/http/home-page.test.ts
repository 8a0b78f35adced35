// The page at `/` in a real browser, without JavaScript: it loads from the server alone, its links lead somewhere, and it can be
// read in light and dark and on a phone.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { ServerProcess } from '../harness/server-process.ts'

const blog = join(import.meta.dirname, '../../examples/blog/schema.graphql')

describe('the page at /', { skip: noBrowser }, () => {
  const data = mkdtempSync(join(tmpdir(), 'twain-home-'))
  let server: ServerProcess
  let browser: Browser

  before(async () => {
    server = await ServerProcess.start(blog, data)
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    rmSync(data, { recursive: true })
  })

  test('it shows what the service has, and loads nothing from elsewhere', async () => {
    const { page, requests, errors } = await open({})
    assert.equal(await page.title(), 'Harbour Blog')
    assert.deepEqual(await page.locator('h1, h2').allTextContents(), [
      'Harbour Blog',
      'Resources',
      'Custom operations',
      'Sign in',
      'Try it',
    ])
    const [paths, operations] = await page.locator('table').all()
    assert.ok((await paths!.locator('a').allTextContents()).includes('/posts'))
    assert.match((await operations!.textContent())!, /GET \/top-authors/)
    assert.deepEqual(errors, [])
    assert.deepEqual([...new Set(requests.map((url) => new URL(url).origin))], [server.address])
  })

  test('every link leads somewhere', async () => {
    const { page } = await open({})
    const links = await page.locator('a').all()
    assert.ok(links.length >= 10)
    const headers = { accept: 'text/html,*/*;q=0.8' }
    for (const link of links) {
      assert.notEqual((await link.textContent())?.trim(), '')
      const href = (await link.getAttribute('href'))!
      if (href.startsWith('#')) assert.equal(await page.locator(href).count(), 1, href)
      else assert.equal((await fetch(server.address + href, { headers })).status, 200, href)
    }
  })

  test('the icon is a picture', async () => {
    const { page } = await open({})
    assert.ok(await page.evaluate('document.querySelector("img").naturalWidth > 0'))
    for (const path of ['/favicon.svg', '/favicon.ico']) {
      assert.equal((await fetch(server.address + path)).headers.get('content-type'), 'image/svg+xml')
    }
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`all text has enough contrast in ${colorScheme}`, async () => {
      const { page } = await open({ colorScheme })
      const lowest = (await page.evaluate(lowestContrast)) as { ratio: number; text: string }
      assert.ok(lowest.ratio >= 4.5, `${lowest.ratio}: ${lowest.text}`) // WCAG 2.2, 1.4.3
    })
  }

  test('nothing is cut off on a phone', async () => {
    const { page } = await open({ viewport: { width: 360, height: 740 } })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
    const wide = await page.evaluate(
      '[...document.querySelectorAll("pre, td, th, a")].filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline").map((one) => one.textContent)',
    )
    assert.deepEqual(wide, [])
  })

  async function open(options: Parameters<Browser['newContext']>[0]) {
    const page: Page = await (await browser.newContext({ javaScriptEnabled: false, ...options })).newPage()
    const requests: string[] = []
    const errors: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    page.on('response', (reply) => reply.status() >= 400 && errors.push(`${reply.status()} ${reply.url()}`))
    page.on('console', (message) => errors.push(message.text()))
    await page.goto(`${server.address}/`)
    return { page, requests, errors }
  }
})

/** Runs in the page: the lowest contrast of an element with text of its own to the background behind it. */
const lowestContrast = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number)
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((value) => value / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const backgroundOf = (element) => {
    const { backgroundColor } = getComputedStyle(element)
    return (channels(backgroundColor)[3] ?? 1) > 0 ? backgroundColor : backgroundOf(element.parentElement)
  }
  const withText = [...document.body.querySelectorAll('*')].filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  const all = withText.map((element) => {
    const [a, b] = [getComputedStyle(element).color, backgroundOf(element)].map(luminance)
    return { ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), text: element.textContent }
  })
  return all.sort((a, b) => a.ratio - b.ratio)[0]
})()`
