// The main tasks of the console by keyboard alone: no story here uses a pointer.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { type ConsoleStories, cell, columnTexts, expectAddress } from './open-console.ts'
import { Shelf } from './shelf.ts'

describe('by keyboard alone', { skip: noBrowser, timeout: 300_000 }, () => {
  let shelf: Shelf
  let stories: ConsoleStories
  before(async () => {
    shelf = await Shelf.open(12)
    stories = shelf.stories
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const hasFocus = async (page: Page, target: Locator) => (await target.and(page.locator(':focus')).count()) > 0
  /** Presses Tab until the target has the focus. */
  const tabTo = async (page: Page, target: Locator) => {
    await target.waitFor()
    for (let presses = 0; presses < 120; presses++) {
      if (await hasFocus(page, target)) return
      await page.keyboard.press('Tab')
    }
    assert.fail(`Tab does not lead to ${target}`)
  }
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** From the first rows on. */
  const openBooks = async (query = '?fields=title,pages,author&sort=title'): Promise<Page> => {
    const page = await stories.asDeveloper(`/books${query}`)
    await page.getByRole('gridcell').first().waitFor()
    return page
  }

  test('find a row, and go to another type', async () => {
    const page = await openBooks()
    const finder = page.getByRole('dialog').getByRole('combobox')
    await press(page, 'Control+k')
    await finder.waitFor()
    await page.keyboard.type('Book 004')
    await page.getByRole('option', { name: 'Book 004 Book' }).waitFor()
    await press(page, 'Enter')
    await page.getByRole('heading', { name: 'Book 004' }).waitFor()
    await press(page, 'Escape', 'Control+k')
    await finder.waitFor()
    await page.keyboard.type('auth')
    await press(page, 'Enter')
    await expectAddress(page, '/console/authors')
  })

  test('filter and sort', async () => {
    const page = await openBooks()
    await tabTo(page, page.locator('summary').filter({ hasText: 'Add filter' }))
    await press(page, 'Enter')
    await tabTo(page, page.getByLabel('Field'))
    await page.keyboard.type('Pages')
    await tabTo(page, page.getByLabel('Condition'))
    await page.keyboard.type('is at least')
    await tabTo(page, page.getByLabel('Value'))
    await page.keyboard.type('10')
    await press(page, 'Enter')
    await cell(page, 'Book 000').waitFor({ state: 'detached' })
    assert.deepEqual(await columnTexts(page, 1, 3), ['Book 009', 'Book 010', 'Book 011'])
    await tabTo(page, page.locator('[role=gridcell][tabindex="0"]'))
    await press(page, 'ArrowUp', 'Enter')
    await page.locator('[role=columnheader][aria-sort=descending]').waitFor()
    await cell(page, 'Book 009').waitFor()
    assert.deepEqual(await columnTexts(page, 1, 3), ['Book 011', 'Book 010', 'Book 009'])
  })

  test('leave a menu, which closes behind one', async () => {
    const page = await openBooks()
    await tabTo(page, page.locator('summary').filter({ hasText: 'Totals' }))
    await press(page, 'Enter')
    await page.getByText('12 rows', { exact: true }).waitFor()
    await press(page, 'Tab')
    await page.getByText('12 rows', { exact: true }).waitFor({ state: 'detached' })
  })

  test('edit a cell, undo, and save', async () => {
    const page = await openBooks()
    await tabTo(page, page.locator('[role=gridcell][tabindex="0"]'))
    await press(page, 'ArrowRight', 'Enter', 'Control+a')
    await page.keyboard.type('500')
    await press(page, 'Enter') // goes down
    await page.keyboard.type('600')
    await press(page, 'Enter', 'ArrowUp', 'Escape') // takes the second one back
    await page.getByText('1 change in 1 row').waitFor()
    await press(page, 'Control+s')
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
    assert.deepEqual([(await shelf.bookNamed('Book 000')).pages, (await shelf.bookNamed('Book 001')).pages], [500, 2])
  })

  test('create a row with a reference, to a row that is there and to a new one', async () => {
    const page = await openBooks()
    await tabTo(page, page.getByRole('link', { name: 'New Book' }).or(page.getByRole('button', { name: 'New Book' })))
    await press(page, 'Enter')
    await tabTo(page, page.getByRole('textbox', { name: 'Title' }))
    await page.keyboard.type('By hand')
    await tabTo(page, page.getByRole('combobox', { name: 'Author' }))
    await page.keyboard.type('Zo')
    await page.getByRole('option', { name: 'Zoë' }).waitFor()
    await press(page, 'Enter', 'Control+s')
    await page.getByRole('heading', { name: 'By hand' }).waitFor()
    assert.equal((await shelf.bookNamed('By hand')).author, shelf.ids.Zoë)
    await tabTo(page, page.getByRole('complementary').getByRole('button', { name: 'New Author' }))
    await press(page, 'Enter')
    await page.keyboard.type('Cleo')
    await press(page, 'Control+s')
    await page.getByRole('complementary').getByRole('link', { name: 'Cleo' }).waitFor()
    const [book] = (await stories.row(`/books?title=By+hand&fields=author.name`)) as unknown as [object]
    assert.deepEqual(book, { author: { name: 'Cleo' } })
  })

  test('change the state of a row, then delete it', async () => {
    const id = await shelf.newBook('To be printed')
    const page = await shelf.openBook(id)
    await tabTo(page, page.getByRole('button', { name: 'Change to PRINTED' }))
    await press(page, 'Enter')
    await page.getByRole('button', { name: 'Change to SOLD' }).waitFor()
    assert.equal((await shelf.bookNamed('To be printed')).state, 'PRINTED')
    await tabTo(page, page.getByRole('complementary').getByRole('button', { name: 'Delete' }))
    await press(page, 'Enter')
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: /^Delete/ }))
    await press(page, 'Enter')
    await page.getByRole('complementary').waitFor({ state: 'detached' })
    assert.equal(await shelf.bookNamed('To be printed'), undefined)
    assert.deepEqual(stories.violations, [])
  })
})
