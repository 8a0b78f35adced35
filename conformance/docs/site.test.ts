// The site of `npm run docs`: every link of every page leads to a page and a heading that exist, the navigation has every document, no
// page loads anything from another host, and the search finds things in a page that was opened as a file.
// stores: none

import assert from 'node:assert/strict'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { buildDocs } from '../../scripts/docs/build-docs.ts'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'

const patience = { timeout: 30_000 }

describe('npm run docs', () => {
  let folder: string
  let pages: Map<string, string>
  let browser: Browser | null = null
  before(async () => {
    if (!noBrowser) browser = await openBrowser()
    folder = mkdtempSync(join(tmpdir(), 'twain-docs-'))
    buildDocs(folder)
    const paths = globSync('**/*.html', { cwd: folder })
    pages = new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
  })
  after(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  test('every link leads to a file of the site, and to a heading of it', () => {
    const ids = new Map([...pages].map(([path, html]) => [path, idsOf(html)]))
    const broken = [...pages].flatMap(([path, html]) =>
      addressesOf(html)
        .filter((address) => !/^(https?|mailto):/.test(address))
        .filter((address) => {
          const [file = '', id] = decodeURI(address).split('#')
          const target = file === '' ? path : posix.join(posix.dirname(path), file)
          if (!existsSync(join(folder, target)) || !statSync(join(folder, target)).isFile()) return true
          return id !== undefined && id !== '' && !ids.get(target)!.has(id)
        })
        .map((address) => `${path}: ${address}`),
    )
    assert.ok(pages.size > 100, `${pages.size} pages`)
    assert.deepEqual(broken, [])
  })

  test('every document of docs/, but for single decisions, is in the navigation', () => {
    const [, navigation] = /<nav[^>]*>([\s\S]*)<\/nav>/.exec(pages.get('index.html')!)!
    const linked = new Set(addressesOf(navigation!))
    const documents = [...pages.keys()].filter((path) => /^(guide|reference|operations|internals)\/[^/]+$/.test(path))
    assert.deepEqual(
      [...documents, 'comparison.html', 'internals/decisions/index.html'].filter((path) => !linked.has(path)),
      [],
    )
  })

  test('a page loads nothing from another host', () => {
    for (const [path, html] of pages) {
      const loaded = [...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="([^"]*)"/g)]
      assert.deepEqual(
        loaded.map(([, address]) => address!).filter((address) => /^(\w+:|\/)/.test(address)),
        [],
        path,
      )
    }
  })

  test('the search finds a page, in a browser, from a file', { skip: noBrowser }, async () => {
    const page = await browser!.newPage()
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.goto(pathToFileURL(join(folder, 'guide/sign-in.html')).href)

    await page.keyboard.press('/')
    await search(page, 'retry window webhooks')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/reference\/(settings|webhooks)\.html#/, patience)

    await search(page, '@allow(who:')
    assert.match((await page.locator('#results a').allInnerTexts()).join('\n'), /^Rules › /m)
    await search(page, 'idempotency key')
    await page.locator('#results a', { hasText: 'Safe retries' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Safe retries and concurrent edits' }).waitFor(patience)

    await page.getByLabel('Search').fill('xyzzy plugh')
    await page.getByText('Nothing found').waitFor(patience)
    assert.deepEqual(
      requested.filter((url) => !url.startsWith('file://')),
      [],
    )
  })

  test('pages are dark for readers who prefer it', { skip: noBrowser }, async () => {
    const brightness = async (colorScheme: 'dark' | 'light') => {
      const page = await browser!.newPage({ colorScheme })
      await page.goto(pathToFileURL(join(folder, 'index.html')).href)
      const colour = await page.evaluate(`getComputedStyle(document.body).backgroundColor`)
      return Number(/\d+/.exec(String(colour))![0])
    }
    assert.ok((await brightness('light')) > 200)
    assert.ok((await brightness('dark')) < 50)
  })
})

async function search(page: Page, words: string): Promise<void> {
  await page.getByLabel('Search').fill(words)
  await page.locator('#results mark').first().waitFor(patience)
}

function addressesOf(html: string): string[] {
  return [...html.matchAll(/<(?:a|img|link|script)\b[^>]*?(?:href|src)="([^"]*)"/g)].map(([, address]) =>
    address!.replaceAll('&amp;', '&'),
  )
}

function idsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!))
}
