// The hooks with the real React, in a real browser, against a real server.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import type { ReactNode } from 'react'
import { renderToPipeableStream } from 'react-dom/server'
import { Library } from '../../../../conformance/client/open-library.ts'
import { noBrowser, openBrowser } from '../../../../conformance/harness/open-browser.ts'
import { type Client, createClient } from '../client/client.ts'
import { extract } from '../persist.ts'
import { type FrontPage, openFrontPage } from './front-page.fixture.ts'

const patience = { timeout: 60_000 }

describe('React hooks', { skip: noBrowser }, () => {
  let library: Library
  let browser: Browser
  let front: FrontPage
  const files = new Map<string, [type: string, text: string]>()
  before(async () => {
    library = await Library.open()
    browser = await openBrowser()
    files.set('/page.js', ['text/javascript', await bundle()])
    front = await openFrontPage(library.service.address, files)
  })
  after(async () => {
    await browser.close()
    front.close()
    await library.close()
  })

  /** A page with only a root element. */
  const open = async (html = ''): Promise<Page> => {
    const page = await browser.newPage()
    const body = `<!doctype html><meta charset="utf-8"><div id="root">${html}</div><script type="module" src="/page.js"></script>`
    files.set('/page.html', ['text/html', body])
    await page.goto(`${front.address}/page.html`)
    await page.waitForFunction('window.show !== undefined', undefined, patience)
    return page
  }
  const shows = (page: Page, id: string, content: string) =>
    page.waitForFunction(
      `document.querySelector('#${id}')?.textContent === ${JSON.stringify(content)}`,
      undefined,
      patience,
    )
  const sent = async (page: Page) => (await page.evaluate('window.sent.length')) as number

  test('a query sends one request for all components that show it, in strict mode too, and all see a mutation', async () => {
    const { id } = await library.book({ title: 'Dune' })
    const page = await open()
    await page.evaluate(`show.list('${id}')`)
    await shows(page, 'list', 'Dune')
    assert.equal(await sent(page), 1)
    await page.click('#rename')
    await shows(page, 'mutation', 'Dune II')
    assert.deepEqual(await page.locator('#list').allTextContents(), ['Dune II', 'Dune II'])
    await page.click('#refuse')
    await shows(page, 'mutation', 'refused')
    assert.equal(await sent(page), 3)
    await page.close()
  })

  test('a component suspends, keeps its content in a transition, throws an error, and sends a new request after a reset', async () => {
    const first = await library.book({ title: 'First' })
    const second = await library.book({ title: 'Second' })
    const page = await open()
    await page.evaluate('window.broken = true')
    await page.evaluate(`show.waiting('${first.id}', '${second.id}')`)
    await shows(page, 'again', 'NetworkError')
    await page.evaluate('window.broken = false')
    const sentBefore = await sent(page)
    await page.click('#again')
    await shows(page, 'waiting', 'First')
    await page.evaluate(`
      window.fallbacks = 0
      new MutationObserver(() => document.querySelector('#fallback') && window.fallbacks++)
        .observe(document, { childList: true, subtree: true })
    `)
    await page.click('#turn')
    await shows(page, 'waiting', 'Second')
    assert.equal(await page.evaluate('window.fallbacks'), 0)
    assert.equal(await sent(page), sentBefore + 2)
    await page.close()
  })

  test('a live count follows the rows that others write', async () => {
    const page = await open()
    await page.evaluate('show.liveCount()')
    await shows(page, 'count', '0')
    const { id } = await library.book({ title: 'Counted', pages: 77 })
    await shows(page, 'count', '1')
    await library.service.succeed('PATCH', `/books/${id}`, { pages: 78 })
    await shows(page, 'count', '0')
    await page.close()
  })

  test('events arrive in order, each exactly once, in strict mode too', async () => {
    const page = await open()
    await page.evaluate('show.events()')
    // Creates rows until an event arrives: from then on the subscription is active.
    let made = 0
    while (made < 300 && (await page.locator('#events').textContent()) === '') {
      await library.book({ title: `e${made++}` })
      await page.waitForTimeout(100)
    }
    for (let more = 0; more < 5; more++) await library.book({ title: `e${made++}` })
    await page.waitForFunction(
      `document.querySelector('#events').textContent.endsWith('e${made - 1}')`,
      undefined,
      patience,
    )
    const titles = (await page.locator('#events').textContent())!.split(',')
    const from = Number(titles[0]!.slice(1))
    assert.deepEqual(
      titles,
      Array.from({ length: made - from }, (_, n) => `e${from + n}`),
    )
    await page.close()
  })

  test('components that render concurrently while the cache changes show one state of it', async () => {
    const page = await open()
    await page.evaluate(`show.tearing('t1')`)
    await page.click('#start', patience)
    await page.waitForFunction('document.body.dataset.done !== undefined', undefined, patience)
    assert.equal(await page.evaluate('document.body.dataset.done'), 'true', 'the newest is shown')
    assert.ok(
      ((await page.evaluate('window.torn.meanwhile')) as number) > 1,
      'the cache has changed between the pieces',
    )
    assert.deepEqual(await page.evaluate('[...window.torn]'), [])
    await page.close()
  })

  test('server-rendered content hydrates unchanged and sends no request', async () => {
    const { application, books } = (await import('./application.fixture.js' as string)) as {
      application: (client: Client, id: string) => ReactNode
      books: string
    }
    const { id } = await library.book({ title: 'Served' })
    const client = createClient({ url: library.url })
    await client.query(books)
    const html = await new Promise<string>((resolve, reject) => {
      const { pipe } = renderToPipeableStream(application(client, id), {
        onAllReady: () => resolve(text(pipe(new PassThrough()))),
        onError: reject,
      })
    })
    assert.match(html, /<p id="titled">Served<\/p>/)
    const page = await open(html)
    await page.evaluate(`show.hydrate(${JSON.stringify(extract(client))}, '${id}')`)
    await page.waitForFunction('document.body.dataset.hydrated', undefined, patience)
    await page.evaluate(`client.cache.write('query ($id: ID!) { book(id: $id) { id title } }', { id: '${id}' },
      { book: { __typename: 'Book', id: '${id}', title: 'Live' } })`)
    await shows(page, 'titled', 'Live')
    assert.match((await page.locator('#list').textContent())!, /Live/)
    assert.deepEqual(await page.evaluate('[window.mistakes, window.sent]'), [[], []])
    await page.close()
  })
})

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.fixture.js')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
    logLevel: 'error',
  })
  return outputFiles[0]!.text
}
