// Tables of the console follow what others write: marked, and never under one's hands.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { answerOnce, type ConsoleStories, cell, save } from './open-console.ts'
import { Shelf } from './shelf.ts'

describe('live rows of the console', { skip: noBrowser, timeout: 300_000 }, () => {
  let shelf: Shelf
  let stories: ConsoleStories
  before(async () => {
    shelf = await Shelf.open(0)
    stories = shelf.stories
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  /** A table that hears of changes from now on. */
  const openLive = async (query: string): Promise<Page> => {
    const page = await stories.tab(`/books?${query}#key=${stories.links.make()}`)
    await page.waitForRequest((request) => request.url().includes('/changes?') && !request.url().endsWith('now'))
    return page
  }
  const write = (method: string, path: string, body?: object) =>
    stories.service.succeed(method, path, body, stories.admin)

  test('a changed row is marked, a deleted one stays in its place, new ones that match are announced', async () => {
    const first = await shelf.newBook('Live 1')
    const second = await shelf.newBook('Live 2')
    const page = await openLive('fields=title,pages,author&title[startsWith]=Live&sort=title')
    const reads: string[] = []
    page.on('request', (request) => {
      if (request.url().includes(`/books/${first}?`)) reads.push(request.url())
    })
    await write('PATCH', `/books/${first}`, { pages: 77, author: shelf.ids.Ben })
    await page.locator('.news', { hasText: 'Live 1' }).getByText('77').waitFor()
    assert.match(await page.locator('.news').innerText(), /Ben/)
    await write('DELETE', `/books/${second}`)
    await page.locator('.gone', { hasText: 'Live 2' }).waitFor()
    await shelf.newBook('Other')
    await shelf.newBook('Live 0')
    const button = page.getByRole('button', { name: 'Show 1 new row' })
    await button.waitFor()
    assert.equal(await cell(page, 'Live 0').count(), 0)
    await button.click()
    await cell(page, 'Live 0').waitFor()
    assert.equal(await cell(page, 'Live 2').count(), 0)
    assert.equal(reads.length, 1)
  })

  test('a change is shown in the table and in the form, also if reading the row fails at first', async () => {
    const id = await shelf.newBook('Read again')
    const page = await stories.tab(`/books/${id}?fields=title,pages&title=Read+again#key=${stories.links.make()}`)
    await page.waitForRequest((request) => request.url().includes('/changes?') && !request.url().endsWith('now'))
    await page.getByRole('textbox', { name: 'Pages' }).waitFor()
    await answerOnce(page, `**/books/${id}?*`, 409)
    await write('PATCH', `/books/${id}`, { pages: 78 })
    await page.locator('.news', { hasText: 'Read again' }).getByText('78').waitFor()
    await page.getByText(/· Version 2/).waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Pages' }).inputValue(), '78')
  })

  test('nothing changes under an edit, which then saves what it touched alone', async () => {
    const id = await shelf.newBook('Held')
    const other = await shelf.newBook('Held too')
    const page = await openLive('fields=title,pages,price&title[startsWith]=Held&sort=title')
    await page
      .getByRole('row', { name: /^Held 5/ })
      .getByRole('gridcell')
      .nth(1)
      .dblclick()
    await page.keyboard.type('9')
    await write('PATCH', `/books/${id}`, { price: '1.5' })
    await write('PATCH', `/books/${other}`, { price: '2.5' })
    await page.locator('.news', { hasText: 'Held too' }).getByText('2.5').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Pages' }).inputValue(), '9')
    assert.equal(await page.getByText('1.5').count(), 0)
    await page.keyboard.press('Enter')
    await page.getByText('1.5').waitFor()
    await save(page)
    const { pages, price } = await stories.row(`/books/${id}`)
    assert.deepEqual([pages, price], [9, '1.5'])
    assert.deepEqual(stories.violations, [])
  })
})
