// CSV files in the console: columns are mapped, bad lines are named before anything is written, and a table is exported.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { answerOnce, type ConsoleStories, cell, expectAccessible } from './open-console.ts'
import { Shelf } from './shelf.ts'

const moreTypes = `
  type Copy @allow(role: "admin") { id: ID! book: Book! }
  type Shelf @allow(role: "admin") { id: ID! number: Int! @label }
  type Prize @allow(role: "admin") { id: ID! sum: Decimal! @label }
  type Place @allow(role: "admin") { id: ID! shelf: Shelf prize: Prize }
`

describe('CSV in the console', { skip: noBrowser, timeout: 300_000 }, () => {
  let shelf: Shelf
  let stories: ConsoleStories
  before(async () => {
    shelf = await Shelf.open(0, moreTypes)
    stories = shelf.stories
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const openFile = async (page: Page, text: string) => {
    await page.getByText('Import and export').click()
    await page.getByRole('button', { name: 'Import CSV…' }).click()
    await page.getByLabel(/^CSV file/).setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  }

  test('every bad line is named, then the mended file is imported, its columns mapped', async () => {
    const page = await stories.asDeveloper('/books?fields=title,pages,author&sort=title')
    const head = 'Title;Sheets;Author.name;state;Printed at\n'
    await openFile(
      page,
      `${head}"Two; lines\nof it";many;Ada;;\nNo;7;Nobody;lost;\nFine;8;${shelf.ids.Zoë};;2026-05-04T12:30:00+02:00\n`,
    )
    const dialog = page.getByRole('dialog', { name: 'Import Book from CSV' })
    await dialog.getByLabel('Field of Sheets').selectOption('Pages')
    await expectAccessible(page, 'the import')
    await dialog.getByRole('button', { name: 'Import 3 rows' }).click()
    await dialog.getByRole('alert').waitFor()
    assert.deepEqual(await dialog.getByRole('listitem').allTextContents(), [
      'Line 2: Pages: This is not a number.',
      'Line 4: Title: At least 3 characters.',
      'Line 4: Author: There is no row "Nobody".',
      'Line 4: State: One of DRAFT, PRINTED, SOLD.',
    ])
    assert.deepEqual(await stories.row('/books'), [])
    await page.getByLabel(/^CSV file/).setInputFiles({
      name: 'b.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        `${head}"Two; lines\nof it";6;Ada;;\nFine;8;${shelf.ids.Zoë};draft;2026-05-04T12:30:00+02:00\n`,
      ),
    })
    await dialog.getByLabel('Field of Sheets').selectOption('Pages')
    await dialog.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByText('2 rows imported.').waitFor()
    const fine = await shelf.bookNamed('Fine')
    assert.deepEqual(
      [fine.pages, fine.author, fine.state, fine.printedAt],
      [8, shelf.ids.Zoë, 'DRAFT', '2026-05-04T10:30:00.000Z'],
    )
    assert.equal((await shelf.bookNamed('Two; lines\nof it')).author, shelf.ids.Ada)
  })

  test('a label that several rows have is no reference, also if the rows of all labels are more than a page', async () => {
    const titles = [...Array.from({ length: 99 }, () => 'Many'), 'Twice', 'Twice', 'Once']
    for (const some of [titles.slice(0, 99), titles.slice(99)])
      await stories.service.succeed(
        'POST',
        '/books',
        some.map((title) => ({ title })),
        stories.admin,
      )
    const page = await stories.asDeveloper('/copies')
    await openFile(page, 'book\nOnce\nTwice\nMany\n')
    const dialog = page.getByRole('dialog', { name: 'Import Copy from CSV' })
    await dialog.getByRole('button', { name: 'Import 3 rows' }).click()
    await dialog.getByRole('alert').waitFor()
    assert.deepEqual(await dialog.getByRole('listitem').allTextContents(), [
      'Line 3: Book: More than one row is called "Twice".',
      'Line 4: Book: More than one row is called "Many".',
    ])
  })

  test('what only the server refuses is named by its line, and nothing is written', async () => {
    const page = await stories.asDeveloper('/authors')
    await openFile(page, 'name\nCleo\nAda\n')
    const dialog = page.getByRole('dialog', { name: 'Import Author from CSV' })
    await dialog.getByRole('button', { name: 'Import 2 rows' }).click()
    await dialog.getByText(/^Line 3: Name:/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.deepEqual(await stories.row('/authors?name=Cleo'), [])
  })

  test('a table is exported as it is shown', async () => {
    for (const one of ['1', '2', '3']) await shelf.newBook(`Exported ${one}`, { author: shelf.ids.Ada })
    const page = await stories.asDeveloper('/books?fields=title,author&title[startsWith]=Exported&sort=-title')
    await cell(page, 'Exported 3').waitFor()
    await page.getByText('Import and export').click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const file = await download
    assert.equal(file.suggestedFilename(), 'books.csv')
    const lines = (await readFile(await file.path(), 'utf8')).split(/\r?\n/)
    assert.deepEqual(lines, ['title,author.name', 'Exported 3,Ada', 'Exported 2,Ada', 'Exported 1,Ada', ''])
  })

  test('references are found by labels that are no texts', async () => {
    const { service, admin } = stories
    const shelfId = (await service.succeed('POST', '/shelves', { number: 12 }, admin)).id
    const prizeId = (await service.succeed('POST', '/prizes', { sum: '1.5' }, admin)).id
    const page = await stories.asDeveloper('/places')
    await openFile(page, 'Shelf,Prize\n12,1.50\ntwelve,x\n')
    const dialog = page.getByRole('dialog', { name: 'Import Place from CSV' })
    await dialog.getByRole('button', { name: 'Import 2 rows' }).click()
    await dialog.getByRole('alert').waitFor()
    assert.deepEqual(await dialog.getByRole('listitem').allTextContents(), [
      'Line 3: Shelf: There is no row "twelve".',
      'Line 3: Prize: There is no row "x".',
    ])
    const mended = { name: 'b.csv', mimeType: 'text/csv', buffer: Buffer.from('Shelf,Prize\n12,1.50\n') }
    await page.getByLabel(/^CSV file/).setInputFiles(mended)
    await dialog.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByText('1 row imported.').waitFor()
    const [{ shelf: found, prize }] = (await stories.row('/places')) as unknown as [{ shelf: string; prize: string }]
    assert.deepEqual([found, prize], [shelfId, prizeId])
  })

  test('an export renews a token that has expired', async () => {
    await shelf.newBook('Late export')
    const page = await stories.asAccount('ann', '/books?fields=title&title=Late+export')
    await page.getByText(/^Signed in as/).waitFor()
    await cell(page, 'Late export').waitFor()
    const isExport = (url: URL) => url.pathname === '/books' && !url.searchParams.has('first')
    await answerOnce(page, isExport, 401)
    await page.getByText('Import and export').click()
    const download = page.waitForEvent('download')
    const renewal = page.waitForRequest((request) => request.url().endsWith('/tokens'))
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    assert.deepEqual(Object.keys((await renewal).postDataJSON()), ['refreshToken'])
    assert.match(await readFile(await (await download).path(), 'utf8'), /^title\r?\nLate export/)
    assert.deepEqual(stories.violations, [])
  })
})
