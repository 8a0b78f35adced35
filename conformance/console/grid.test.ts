// Editing in the table of the console: cells, a paste from a spreadsheet, duplicates, and tables with many columns.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, cell, columnTexts, expectAccessible, expectAddress, save } from './open-console.ts'
import { Shelf } from './shelf.ts'

describe('cells of the console', { skip: noBrowser, timeout: 300_000 }, () => {
  let shelf: Shelf
  let stories: ConsoleStories
  before(async () => {
    shelf = await Shelf.open(4)
    stories = shelf.stories
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  /** Pastes into the focused cell, as Ctrl+V does. */
  const paste = (page: Page, text: string) => page.evaluate(clipboardEvent('paste', text))

  test('Enter edits a cell, Escape undoes, and the cells are saved as one transaction with their versions', async () => {
    const page = await stories.asDeveloper('/books?fields=title,pages,state&sort=title&title[startsWith]=Book')
    await cell(page, 'Book 000').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    const box = page.getByRole('textbox', { name: 'Pages' })
    assert.equal(await box.inputValue(), '1')
    await page.keyboard.type('500')
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('region', { name: 'Unsaved changes' }).count(), 0)
    await page.keyboard.type('501') // a typed character begins an edit
    await page.keyboard.press('Enter') // and goes down
    await page.keyboard.press('Enter')
    await page.keyboard.type('502')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'DRAFT')
    for (const key of ['ArrowLeft', 'ArrowDown']) await page.keyboard.press(key)
    await page.keyboard.type('503')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Escape') // takes the change of the cell back
    await page.getByText('2 changes in 2 rows').waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('F2')
    const sent = page.waitForRequest((request) => request.url().endsWith('/batch'))
    await page.keyboard.press('Control+s')
    const operations: { headers: object; body: object }[] = (await sent).postDataJSON()
    assert.deepEqual(
      operations.map(({ headers, body }) => ({ headers, body })),
      [
        { headers: { 'if-match': '"1"' }, body: { pages: 501 } },
        { headers: { 'if-match': '"1"' }, body: { pages: 502 } },
      ],
    )
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
    assert.equal((await shelf.bookNamed('Book 001')).pages, 502)
    assert.equal((await shelf.bookNamed('Book 002')).pages, 3)
  })

  test('a double click edits, a cell that has no room for its value opens the row', async () => {
    const id = await shelf.newBook('Clicked', { extra: { a: 1 } })
    const page = await stories.asDeveloper('/books?fields=title,author,extra&title=Clicked')
    await cell(page, 'Clicked').waitFor()
    await page.locator('[role=gridcell][aria-colindex="2"]').dblclick()
    await page.getByRole('combobox', { name: 'Author' }).fill('zo')
    await page.getByRole('option', { name: 'Zoë' }).waitFor()
    await page.keyboard.press('Enter')
    await cell(page, 'Zoë').waitFor()
    await expectAccessible(page, 'a changed cell')
    await save(page)
    assert.equal((await stories.row(`/books/${id}`)).author, shelf.ids.Zoë)
    await cell(page, '{"a":1}').dblclick()
    await page.getByRole('textbox', { name: 'Extra' }).waitFor()
    await expectAddress(page, `/console/books/${id}?fields=title,author,extra&title=Clicked`)
  })

  test('a value that is none stays in its cell, and is not sent', async () => {
    await shelf.newBook('Mistyped')
    const page = await stories.asDeveloper('/books?fields=title,pages&title=Mistyped')
    await cell(page, '5').dblclick()
    await page.keyboard.type('many')
    await page.keyboard.press('Enter')
    await page.locator('.wrong', { hasText: 'many' }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Some fields have no valid value yet.').waitFor()
    assert.equal((await shelf.bookNamed('Mistyped')).pages, 5)
  })

  test('a block of a spreadsheet is pasted, and what does not fit is named', async () => {
    for (const one of ['A', 'B', 'C']) await shelf.newBook(`Pasted ${one}`)
    const page = await stories.asDeveloper(
      '/books?fields=title,pages,author,id&sort=title&title[startsWith]=Pasted&author[isNull]=true',
    )
    await cell(page, 'Pasted B').focus()
    await paste(page, 'Pasted B2\t"1""0"\tAda\tx\r\n"Pasted\tC2"\t20\tNobody\r\nPasted D\t1\r\n')
    const notes = page.getByRole('alert')
    await notes.waitFor()
    assert.match(await notes.innerText(), /1 pasted line was left out/)
    assert.match(await notes.innerText(), /There is no row "Nobody"/)
    assert.match(await notes.innerText(), /Id was left out/)
    await page.locator('.wrong', { hasText: '1"0' }).waitFor()
    await page.getByRole('gridcell', { name: '1"0' }).focus()
    await page.keyboard.type('10')
    await page.keyboard.press('Enter')
    await save(page)
    const { pages, author } = await shelf.bookNamed('Pasted B2')
    assert.deepEqual([pages, author], [10, shelf.ids.Ada])
    assert.equal((await shelf.bookNamed('Pasted\tC2')).pages, 20)
  })

  test('a long text arrives shortened, and is whole when it is opened or copied', async () => {
    const note = 'word '.repeat(1000).trim()
    const id = await shelf.newBook('With a long note', { note, extra: { text: note } })
    const page = await stories.tab(`/books?fields=title,note,extra&title=With a long note#key=${stories.links.make()}`)
    const loaded = await page.waitForResponse((reply) => reply.url().includes('/books?') && reply.ok())
    assert.ok((await loaded.body()).length < 2000)
    const short = page.locator('[role=gridcell][aria-colindex="2"]', { hasText: '…' })
    await short.focus()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const whole = page.waitForResponse((reply) => reply.url().includes(id))
    await page.evaluate(clipboardEvent('copy', ''))
    await (await whole).finished()
    await page.waitForFunction(`navigator.clipboard.readText().then((text) => text.length === ${note.length})`)
    await page.keyboard.press('Enter')
    assert.equal(await page.getByRole('textbox', { name: 'Note' }).inputValue(), note)
    assert.match(await page.getByRole('textbox', { name: 'Extra' }).inputValue(), new RegExp(note))
  })

  test('a cell is copied as text', async () => {
    const page = await stories.asDeveloper('/books?fields=title,author&title=Book 003')
    await cell(page, 'Ben').focus()
    const copied = await page.evaluate(clipboardEvent('copy', ''))
    assert.equal(copied, 'Ben')
  })

  test('a row is duplicated, and its id and link are copied', async () => {
    const id = await shelf.newBook('Original', { author: shelf.ids.Ada, extra: { a: 1 }, price: '1.1' })
    const page = await shelf.openBook(id)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    for (const [name, text] of [
      ['Copy id', id],
      ['Copy link', `${stories.service.address}/console/books/${id}`],
    ] as const) {
      await page.getByRole('button', { name }).click()
      await page.getByText('Copied.').waitFor()
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), text)
    }
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Copy')
    await save(page)
    await page.getByText('Version 1').waitFor()
    const { author, extra, price, pages } = await shelf.bookNamed('Copy')
    assert.deepEqual([author, extra, price, pages], [shelf.ids.Ada, { a: 1 }, '1.1', 5])
  })

  test('who may not write edits nothing', async () => {
    const page = await stories.asAccount('ann', '/books?fields=title,pages&title=Book 003')
    await cell(page, '4').dblclick()
    await page.getByRole('textbox', { name: 'Pages' }).waitFor() // of the row
    assert.equal(await page.getByRole('textbox', { name: 'Pages' }).isDisabled(), true)
    assert.deepEqual(stories.violations, [])
  })
})

describe('a table with many columns', { skip: noBrowser, timeout: 300_000 }, () => {
  const names = Array.from({ length: 100 }, (_, index) => `c${index}`)
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(`type Wide { id: ID! ${names.map((name) => `${name}: Int`).join(' ')} }`)
    const rows = Array.from({ length: 100 }, (_, row) =>
      Object.fromEntries(names.map((name, column) => [name, row * 1000 + column])),
    )
    await stories.service.succeed('POST', '/wides', rows)
  })
  after(() => stories?.close())

  test('has only the rows and columns in view in the page', async () => {
    const page = await stories.asDeveloper(`/wides?fields=${names.join(',')}`)
    await cell(page, '0').focus()
    const grid = page.getByRole('grid')
    assert.equal(await grid.getAttribute('aria-colcount'), '100')
    assert.ok((await page.getByRole('gridcell').count()) < 1000)
    await page.keyboard.press('End')
    await cell(page, '99').waitFor()
    await page.keyboard.press('ArrowDown')
    assert.equal(await page.evaluate('document.activeElement.textContent'), '1099')
    assert.ok((await page.getByRole('gridcell').count()) < 1000)
    assert.equal(await cell(page, '0').count(), 0)
    await page.keyboard.press('Enter')
    await page.keyboard.type('7')
    await page.keyboard.press('Enter')
    await save(page)
    await cell(page, '7').focus()
    await page.keyboard.press('Home')
    assert.deepEqual(await columnTexts(page, 1, 2), ['0', '1000'])
    const rows = (await stories.row('/wides?limit=2')) as unknown as { c99: number }[]
    assert.equal(rows[1]!.c99, 7)
    assert.deepEqual(stories.violations, [])
  })
})

/** A script that sends the event to the focused element, and returns the text of the clipboard. */
function clipboardEvent(name: 'copy' | 'paste', text: string): string {
  return `{
    const clipboardData = new DataTransfer()
    if (${JSON.stringify(text)}) clipboardData.setData('text/plain', ${JSON.stringify(text)})
    document.activeElement.dispatchEvent(new ClipboardEvent('${name}', { clipboardData, bubbles: true, cancelable: true }))
    clipboardData.getData('text/plain')
  }`
}
