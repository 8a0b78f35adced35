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

/** One column more than a request can have measures for, whose name begins another one's. */
const ledger = `
  type Ledger @allow(role: "admin") { id: ID! a: Int b: Int c: Int priceTotal: Int price: Int paidOn: Date }
`

describe('finding in the console', { skip: noBrowser, timeout: 300_000 }, () => {
  let shelf: Shelf
  let stories: ConsoleStories
  before(async () => {
    shelf = await Shelf.open(14, ledger)
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
    await page.keyboard.press('Escape') // closes the row
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('/') // authors have no search by words
    await page.locator('dialog.find input:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Find a type or a row' }).waitFor({ state: 'detached' })
  })

  test('Ctrl+K works in a cell that is edited and in a dialog, keeps what was typed, and finds pages', async () => {
    const page = await stories.asDeveloper('/books?fields=title,pages&title=Book 001')
    await page.locator('[role=gridcell][aria-colindex="2"]').press('Enter')
    await page.keyboard.type('77')
    await find(page, 'access')
    await page.getByRole('option', { name: 'Access matrix page' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('1 change in 1 row').waitFor()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await cell(page, 'Book 001').click()
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click()
    await find(page, 'events')
    await page.getByRole('option', { name: 'Events page' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Listening').waitFor()
    assert.equal((await shelf.bookNamed('Book 001')).pages, 2)
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

  test('a filter on a reference is picked by its name, and its chip shows it', async () => {
    const page = await stories.asDeveloper('/books?fields=title&sort=title')
    await page.getByText('Add filter').click()
    await page.getByLabel('Field').selectOption('Author')
    await page.getByLabel('Condition').selectOption('is')
    await page.getByRole('combobox', { name: 'Value' }).fill('be')
    await page.getByRole('option', { name: 'Ben' }).waitFor()
    const apply = page.getByRole('button', { name: 'Apply' })
    assert.equal(await apply.isDisabled(), true, 'nothing is picked yet')
    await page.keyboard.press('Enter')
    await apply.click()
    await expectAddress(page, `/console/books?author=${shelf.ids.Ben}&sort=title&fields=title`)
    await cell(page, 'Book 000').waitFor({ state: 'detached' })
    assert.deepEqual(await columnTexts(page, 1, 2), ['Book 001', 'Book 003'])
    await page.getByRole('button', { name: 'Remove the filter Author is Ben' }).waitFor()
    // An id that was copied elsewhere.
    await page.getByText('Add filter').click()
    await page.getByLabel('Field').selectOption('Author')
    await page.getByLabel('Condition').selectOption('is not')
    await page.getByRole('combobox', { name: 'Value' }).fill(`${shelf.ids.Ada} `)
    await apply.click() // waits until it is enabled
    await expectAddress(
      page,
      `/console/books?author=${shelf.ids.Ben}&author[ne]=${shelf.ids.Ada}&sort=title&fields=title`,
    )
  })

  test('a filter on a time is typed in the time zone of the browser', async () => {
    await shelf.newBook('Printed late', { printedAt: '2026-05-04T10:30:00Z' })
    await shelf.newBook('Printed early', { printedAt: '2026-05-04T09:30:00Z' })
    const page = await stories.asDeveloper('/books?fields=title', 'Europe/Oslo')
    await page.getByText('Add filter').click()
    await page.getByLabel('Field').selectOption('Printed at')
    await page.getByLabel('Condition').selectOption('is at least')
    await page.getByLabel('Value').fill('2026-05-04T12:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectAddress(page, '/console/books?printedAt[gte]=2026-05-04T10:00:00.000Z&fields=title')
    await cell(page, 'Printed late').waitFor()
    await cell(page, 'Printed early').waitFor({ state: 'detached' })
    await page
      .getByRole('button', { name: /^Remove the filter Printed at is at least May 4, 2026, 12:00:00/ })
      .waitFor()
  })

  test('totals are those of all rows that match, exact, also in a list, and GraphQL gives the same', async () => {
    for (const price of ['9007199254740993.10', '0.05']) await shelf.newBook(`Priced ${price}`, { price, pages: 500 })
    const page = await stories.asDeveloper('/books?pages=500&fields=title,pages,price&sort=title')
    await page.getByText('Totals', { exact: true }).click()
    await page.getByText('2 rows', { exact: true }).waitFor()
    assert.deepEqual(await page.getByRole('table').getByRole('row').nth(2).getByRole('cell').allTextContents(), [
      '9007199254740993.15',
      '4503599627370496.575',
      '0.05',
      '9007199254740993.1',
    ])
    const { x, width } = (await page.locator('.menu-body').boundingBox())!
    assert.ok(x >= 0 && x + width <= 1200, `${x} ${width}`)
    await expectAccessible(page, 'totals')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Requests' }).click()
    const select = page.getByLabel('Request', { exact: true })
    await select.waitFor()
    const sent = (await select.getByRole('option').allTextContents()).find((text) => text.includes('groupBy='))!
    await select.selectOption(sent)
    await page.getByRole('button', { name: 'GraphQL', exact: true }).click()
    const twin = await page.getByLabel('The request', { exact: true }).inputValue()
    const [query, variables] = twin.split('\n\n# Variables\n')
    const body = { query, variables: JSON.parse(variables!) }
    const { data } = await stories.service.succeed('POST', '/graphql', body, stories.admin)
    assert.deepEqual(data.booksAggregate.sum, { pages: '1000', price: '9007199254740993.15' })
    await page.goto(`${stories.service.address}/console/authors/${shelf.ids.Ada}/books?fields=pages`)
    await page.getByText('Totals', { exact: true }).click()
    await page.getByText('7 rows', { exact: true }).waitFor()
    await page.getByRole('cell', { name: '49', exact: true }).waitFor() // 1 + 3 + … + 13
  })

  test('totals follow the filters: a late answer and a failure of others are gone; columns without room are named', async () => {
    const page = await stories.asDeveloper('/books?pages=1&fields=title,pages')
    await cell(page, 'Book 000').waitFor()
    const other = "history.pushState(null, '', '/console/books?fields=title,pages')"
    await page.evaluate(`${other}; dispatchEvent(new PopStateEvent('popstate'))`)
    await cell(page, 'Book 001').waitFor()
    const late = Promise.withResolvers<void>()
    let isHeld = true
    await page.route(
      ({ pathname, search }) => pathname === '/books' && search.startsWith('?groupBy='),
      async (route) => {
        if (!isHeld) return route.fulfill({ status: 400 })
        await late.promise
        return route.fulfill({ json: { count: 999 } })
      },
    )
    const asked = page.waitForRequest((request) => request.url().includes('?groupBy='))
    await page.getByText('Totals', { exact: true }).click()
    await asked
    await page.goBack()
    await page.getByText('1 rows', { exact: true }).waitFor()
    const answered = page.waitForResponse((reply) => reply.url().includes('?groupBy='))
    late.resolve()
    await (await answered).finished()
    await page.evaluate('new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve)))')
    assert.equal(await page.getByText('999 rows').count(), 0)
    isHeld = false
    await page.goForward()
    await page.locator('.menu-body [role=alert]').waitFor()
    await page.goBack()
    await page.getByText('1 rows', { exact: true }).waitFor()

    await page.goto(`${stories.service.address}/console/ledgers?fields=a,b,c,priceTotal,price,paidOn`)
    await page.getByText('Totals', { exact: true }).click()
    await page.getByText('1 more column has totals: show fewer columns to see them.').waitFor()
    const heads = await page.getByRole('table').getByRole('rowheader').allTextContents()
    assert.deepEqual(heads, ['A', 'B', 'C', 'Price total', 'Paid on'])
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
