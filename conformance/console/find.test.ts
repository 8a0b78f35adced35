// Finding in the console: from anywhere by Ctrl+K, through references and lists by filters, and from a row to the rows of its lists.
// Also what a small, zoomed or high-contrast screen shows.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { type ConsoleStories, cell, columnTexts, expectAccessible, expectAddress } from './open-console.ts'
import { Shelf } from './shelf.ts'

describe('finding in the console', { skip: noBrowser, timeout: 300_000 }, () => {
  let shelf: Shelf
  let stories: ConsoleStories
  before(async () => {
    shelf = await Shelf.open(14)
    stories = shelf.stories
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const find = async (page: Page, text: string) => {
    await page.keyboard.press('Control+k')
    await page.locator('dialog.find input:focus').waitFor()
    await page.keyboard.type(text)
  }

  test('Ctrl+K finds types and rows from anywhere, and leads there by keys alone', async () => {
    const page = await stories.asDeveloper('/users')
    await page.getByRole('grid').waitFor()
    await find(page, 'auth')
    await page.getByRole('option', { name: 'Author type' }).waitFor()
    await page.keyboard.press('Enter')
    await expectAddress(page, '/console/authors')
    await find(page, 'zo')
    await page.getByRole('option', { name: 'Zoë Author' }).waitFor()
    await expectAccessible(page, 'the box that finds')
    await page.keyboard.press('Enter')
    await expectAddress(page, `/console/authors/${shelf.ids.Zoë}`)
    await find(page, 'x')
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Find a type or a row' }).waitFor({ state: 'detached' })
  })

  test('somebody finds only what they may read', async () => {
    await stories.service.succeed('POST', '/secrets', { text: 'Book of secrets' }, stories.admin)
    const page = await stories.asAccount('ann', '/books')
    await cell(page, 'Book 000').waitFor()
    await find(page, 'book')
    await page.getByRole('option', { name: 'Book 003 Book' }).waitFor()
    assert.equal(await page.getByText(/secret/i).count(), 0)
  })

  test('a filter goes through a list', async () => {
    const page = await stories.asDeveloper('/authors?fields=name')
    await page.getByText('Add filter').click()
    await page.getByLabel('Field').selectOption('Books › pages')
    await page.getByLabel('Condition').selectOption('is')
    await page.getByLabel('Value').fill('2')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectAddress(page, '/console/authors?books.pages=2&fields=name')
    await cell(page, 'Ada').waitFor({ state: 'detached' })
    assert.deepEqual(await columnTexts(page, 1, 1), ['Ben'])
  })

  test('the lists of a row show their number and their first rows', async () => {
    const page = await stories.asDeveloper(`/authors/${shelf.ids.Ada}`)
    const lists = page.getByRole('navigation', { name: 'Lists' })
    await lists.getByText('7', { exact: true }).waitFor()
    assert.equal(await lists.getByRole('link').count(), 6)
    await lists.getByRole('link', { name: 'Book 002' }).click()
    await page.getByRole('heading', { name: 'Book 002' }).waitFor()
    await page.getByRole('link', { name: 'Ada' }).last().click()
    await expectAddress(page, `/console/authors/${shelf.ids.Ada}`)
  })

  test('a phone, 400 % zoom and forced colours show everything, and nothing scrolls sideways but the table', async () => {
    const page = await stories.asDeveloper('/books?fields=title,pages&sort=title')
    await cell(page, 'Book 000').waitFor()
    await page.emulateMedia({ forcedColors: 'active' })
    // 1280 pixels at 400 % are 320.
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 700 })
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(overflow, 0, String(width))
      await expectAccessible(page, `${width} pixels`)
    }
    await cell(page, 'Book 000').click()
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    assert.deepEqual(stories.violations, [])
  })
})
