// The pictures of the console in the README and the guide. The test holds what they show; with TWAIN_WRITE_PICTURES=1 it also takes them
// again, always of the same rows.
// stores: sqlite

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, cell } from './open-console.ts'

const root = join(import.meta.dirname, '../..')
const size = { width: 900, height: 490 } // lower ones have one column
const maxBytes = 80_000
const pictures = {
  table: { file: 'docs/guide/images/console-table.png', pages: ['README.md', 'docs/guide/console.md'] },
  row: { file: 'docs/guide/images/console-row.png', pages: ['docs/guide/console.md'] },
}

const sdl = `
  extend schema @service(name: "Harbour library")
  type Author @allow { id: ID! name: String! @unique country: String books: [Book!]! }
  type Book @allow(to: [READ]) @allow(role: "admin") {
    id: ID!
    title: String! @search
    author: Author!
    pages: Int
    price: Decimal
    state: State! @default(value: DRAFT)
    printedAt: DateTime
  }
  type Loan @allow(role: "admin") { id: ID! who: String! book: Book! until: Date! }
  enum State { DRAFT @next(to: [PRINTED], where: {pages: {isNull: false}}) PRINTED @next(to: [SOLD]) SOLD }
  extend type Mutation { lend(book: ID!, who: String!): Loan! @allow(role: "admin") }
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String! @label }
`
const code = `export default { resolvers: { Mutation: { lend: ({ book, who }, { write }) => write.Loan.create({ book, who, until: '2026-12-24' }) } } }`

const authors = ['Ada Berg', 'Ben Dahl', 'Cleo Eide', 'Dag Foss']
const titles = [
  'Anchors',
  'Bends',
  'Currents',
  'Docks',
  'Ebb',
  'Ferries',
  'Gales',
  'Hitches',
  'Islands',
  'Jetties',
  'Knots',
  'Lanterns',
]

describe('the pictures of the console', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(sdl, { code })
    const put = (path: string, body: object) => stories.service.succeed('PUT', path, body, stories.admin)
    for (const [index, name] of authors.entries()) await put(`/authors/a${index}`, { name, country: 'Norway' })
    for (const [index, title] of titles.entries()) {
      const book = {
        title,
        author: `a${index % 4}`,
        pages: index === 3 ? null : 80 + index * 17,
        price: `${12 + index}.50`,
      }
      await put(`/books/b${index}`, book)
      if (index % 3 !== 0) continue
      if (index !== 3)
        await stories.service.succeed(
          'PATCH',
          `/books/b${index}`,
          { state: 'PRINTED', printedAt: '2026-05-04T10:30:00Z' },
          stories.admin,
        )
    }
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const open = async (path: string): Promise<Page> => {
    const page = await stories.asDeveloper(path)
    await page.setViewportSize(size)
    await page.getByRole('gridcell').first().waitFor()
    return page
  }
  const take = async (page: Page, file: string) => {
    if (!process.env.TWAIN_WRITE_PICTURES) return
    writeFileSync(join(root, file), await page.screenshot({ animations: 'disabled', caret: 'hide' }))
  }

  test('the pages show the pictures, which are small', () => {
    if (process.env.TWAIN_WRITE_PICTURES) return
    for (const { file, pages } of Object.values(pictures)) {
      const bytes = readFileSync(join(root, file))
      assert.equal(bytes.toString('latin1', 1, 4), 'PNG')
      assert.ok(bytes.length <= maxBytes, `${file}: ${bytes.length} bytes`)
      for (const page of pages) {
        const link = page === 'README.md' ? file : file.replace('docs/guide/', '')
        assert.ok(readFileSync(join(root, page), 'utf8').includes(`](${link})`), `${page} does not show ${file}`)
      }
    }
  })

  test('a table with a filter, and changes that are not saved', async () => {
    const page = await open('/books?pages[gte]=90&fields=title,author,pages,price,state&sort=title')
    await cell(page, 'Bends').press('ArrowRight')
    await cell(page, '97').press('Enter')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('120')
    await page.keyboard.press('Enter')
    await page.getByText('1 change in 1 row').waitFor()
    await take(page, pictures.table.file)
  })

  test('a row with its states, an operation, and a new author that is created along', async () => {
    const page = await open('/books/b1?fields=title,pages')
    await page.getByRole('button', { name: 'Change to PRINTED' }).waitFor()
    await page.getByRole('complementary').getByRole('button', { name: 'New Author' }).click()
    await page.keyboard.type('Eva Gran')
    await page.getByText('2 changes in 2 rows').waitFor()
    await page.getByRole('complementary').locator('h2').scrollIntoViewIfNeeded()
    await take(page, pictures.row.file)
  })
})
