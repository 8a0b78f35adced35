// New rows inside a form of the console: beside a reference and in lists, written with the others in one transaction.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, expectAccessible, save } from './open-console.ts'

const sdl = `
  type Author { id: ID! name: String! @unique country: Country books: [Book!]! }
  type Country { id: ID! name: String! @constraint(minLength: 3) }
  type Book { id: ID! title: String! author: Author! tags: [Tag!]! about: Subject }
  type Tag { id: ID! name: String! books: [Book!]! }
  type Person { id: ID! name: String! }
  type Place { id: ID! name: String! }
  union Subject = Person | Place
`

interface Link {
  id: string
  name: string
}

describe('new rows inside a form', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(sdl)
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const make = (path: string, body: object): Promise<Link> => stories.service.succeed('POST', path, body)
  const nested = (page: Page | Locator, type: string) => page.getByRole('group', { name: `New ${type}`, exact: true })
  const begin = (page: Page | Locator, type: string) =>
    page
      .getByRole('button', { name: `New ${type}`, exact: true })
      .last()
      .click()

  test('a reference to a new row, which refers to a new one itself, survives a reload and is one transaction', async () => {
    await make('/authors', { name: 'Ada' })
    const page = await stories.asDeveloper('/books/+new')
    await page.getByRole('textbox', { name: 'Title' }).fill('Tides')
    await begin(page.getByRole('complementary'), 'Author')
    await page.keyboard.type('Ada') // the focus is in the new row
    await begin(nested(page, 'Author'), 'Country')
    await nested(page, 'Country').getByRole('textbox', { name: 'Name' }).fill('Norway')
    await begin(page.getByRole('complementary'), 'Tag')
    await nested(page, 'Tag').getByRole('textbox', { name: 'Name' }).fill('sea')
    await expectAccessible(page, 'a form with new rows')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    const name = nested(page, 'Author').getByRole('textbox', { name: 'Name' }).first()
    assert.equal(await name.inputValue(), 'Ada')

    await page.getByRole('button', { name: 'Save' }).click()
    await nested(page, 'Author')
      .getByText(/already/)
      .waitFor()
    assert.deepEqual(await stories.row('/countries'), [])
    await name.fill('Ada L.')
    await save(page)
    await page.getByRole('heading', { name: 'Tides' }).waitFor()
    const [book] = (await stories.row('/books?fields=title,author.name,author.country.name,tags.name')) as unknown as [
      object,
    ]
    assert.deepEqual(book, {
      title: 'Tides',
      author: { name: 'Ada L.', country: { name: 'Norway' } },
      tags: [{ name: 'sea' }],
    })
  })

  test('lists of a row that is there get new rows, and one that is taken back is not written', async () => {
    const author = await make('/authors', { name: 'Ben' })
    const page = await stories.asDeveloper(`/authors/${author.id}`)
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    for (const title of ['One', 'Two', 'Three']) {
      await begin(page.getByRole('complementary'), 'Book')
      await nested(page, 'Book').last().getByRole('textbox', { name: 'Title' }).fill(title)
    }
    assert.equal(await nested(page, 'Book').first().getByLabel('Author').count(), 0) // the list says whose
    await begin(nested(page, 'Book').first(), 'Tag')
    await nested(page, 'Tag').getByRole('textbox', { name: 'Name' }).fill('new')
    await nested(page, 'Book').nth(1).getByRole('button', { name: 'Without this new Book' }).click()
    await page.getByText('5 changes in 4 rows').waitFor()
    await save(page)
    await page.getByRole('link', { name: 'Three' }).waitFor()
    assert.deepEqual(await stories.row(`/authors/${author.id}/books?fields=title,tags.name&sort=title`), [
      { title: 'One', tags: [{ name: 'new' }] },
      { title: 'Three', tags: [] },
    ])
  })

  test('a many-to-many list and a union of a row that is there get new rows with its other changes', async () => {
    const author = await make('/authors', { name: 'Cleo' })
    const tag = await make('/tags', { name: 'kept' })
    const book = await make('/books', { title: 'Old', author: author.id, tags: [tag.id] })
    const page = await stories.asDeveloper(`/books/${book.id}`)
    await page.getByRole('textbox', { name: 'Title' }).fill('New')
    await begin(page.getByRole('complementary'), 'Tag')
    await nested(page, 'Tag').getByRole('textbox', { name: 'Name' }).fill('added')
    await begin(page.getByRole('complementary'), 'Place')
    await nested(page, 'Place').getByRole('textbox', { name: 'Name' }).fill('Oslo')
    await save(page)
    await page.getByRole('complementary').getByRole('link', { name: 'Oslo' }).waitFor()
    const { title, tags, about } = (await stories.row(
      `/books/${book.id}?fields=title,tags.name,about.name,about._type`,
    )) as { title: string; tags: Link[]; about: object }
    assert.deepEqual([title, about], ['New', { name: 'Oslo', _type: 'Place' }])
    assert.deepEqual(tags.map(({ name }) => name).sort(), ['added', 'kept'])

    // The same as GraphQL makes the same rows: the version has changed, so without it.
    await page.getByRole('button', { name: 'Requests' }).click()
    const select = page.getByLabel('Request', { exact: true })
    const option = select.locator('option', { hasText: 'POST /batch' }).first()
    await select.selectOption((await option.textContent())!)
    await page.getByRole('button', { name: 'GraphQL', exact: true }).click()
    const text = await page.getByLabel('The request', { exact: true }).inputValue()
    const [query, variables] = text.split('\n\n# Variables\n') as [string, string]
    const sent = { query, variables: { ...JSON.parse(variables), ifVersion3: null } }
    const { errors } = await stories.service.succeed('POST', '/graphql', sent)
    assert.equal(errors, undefined, text)
    assert.equal(((await stories.row('/tags?name=added')) as unknown as object[]).length, 2)
    assert.deepEqual(stories.violations, [])
  })

  test('rows that are there are added to a many-to-many list and taken away, with a new one, in one write', async () => {
    const author = await make('/authors', { name: 'Eve' })
    const [salt, wind, rope] = [
      await make('/tags', { name: 'salt' }),
      await make('/tags', { name: 'wind' }),
      await make('/tags', { name: 'rope' }),
    ]
    const book = await make('/books', { title: 'Linked', author: author.id, tags: [salt.id, wind.id] })
    const page = await stories.asDeveloper(`/books/${book.id}`)
    const panel = page.getByRole('complementary')
    const add = panel.getByRole('combobox', { name: 'Add to Tags' })
    await add.fill('rop')
    await page.getByRole('option', { name: 'rope' }).waitFor()
    await add.press('Enter')
    await panel.getByRole('button', { name: 'Remove rope from Tags' }).waitFor()
    const remove = panel.getByRole('button', { name: 'Remove wind from Tags' })
    await remove.click()
    await page.getByText('1 change in 1 row').waitFor()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await panel.locator('del', { hasText: 'wind' }).waitFor()
    await panel.locator('ins', { hasText: 'rope' }).waitFor()
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('row', { name: 'Tags + rope, − wind' }).waitFor()
    await expectAccessible(page, 'links that are added and taken away')
    await begin(panel, 'Tag')
    await nested(page, 'Tag').getByRole('textbox', { name: 'Name' }).fill('fresh')
    await save(page)
    await panel.getByRole('link', { name: 'fresh' }).waitFor()
    const tagsOf = async (id: string) => {
      const { tags } = (await stories.row(`/books/${id}?fields=tags.name`)) as { tags: Link[] }
      return tags.map(({ name }) => name).sort()
    }
    assert.deepEqual(await tagsOf(book.id), ['fresh', 'rope', 'salt'])
    // What is taken back is no change.
    await panel.getByRole('button', { name: 'Remove salt from Tags' }).click()
    await panel.getByRole('button', { name: 'Remove salt from Tags', pressed: true }).click()
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })

    // A row that is picked although it is there, and then taken out, is out; the other way round it stays.
    const pick = async (name: string) => {
      await add.fill(name)
      await page.getByRole('option', { name }).click()
    }
    await pick('salt')
    await panel.getByRole('button', { name: 'Remove salt from Tags' }).first().click()
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
    await panel.getByRole('button', { name: 'Remove salt from Tags' }).click()
    await panel.locator('del', { hasText: 'salt' }).waitFor()
    await pick('salt')
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
    assert.equal(await panel.locator('del, ins').count(), 0)

    const other = await stories.asDeveloper('/books/+new')
    await other.getByRole('textbox', { name: 'Title' }).fill('New and linked')
    await other.getByRole('combobox', { name: 'Author' }).fill('Eve')
    await other.getByRole('option', { name: 'Eve' }).click()
    for (const name of ['salt', 'rope']) {
      await other.getByRole('combobox', { name: 'Add to Tags' }).fill(name)
      await other.getByRole('option', { name }).click()
    }
    await other.getByRole('button', { name: 'Remove salt from Tags' }).click()
    await save(other)
    await other.getByRole('heading', { name: 'New and linked' }).waitFor()
    const [{ id }] = (await stories.row('/books?title=New+and+linked')) as unknown as [Link]
    assert.deepEqual(await tagsOf(id), [rope.name])
    assert.deepEqual(stories.violations, [])
  })

  test('picking a row takes the new one back', async () => {
    await make('/countries', { name: 'Wales' })
    const page = await stories.asDeveloper('/authors/+new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Dee')
    await begin(page.getByRole('complementary'), 'Country')
    await nested(page, 'Country').getByRole('textbox', { name: 'Name' }).fill('Nowhere')
    const country = page.getByRole('combobox', { name: 'Country' })
    await country.fill('Wal')
    await page.getByRole('option', { name: 'Wales' }).waitFor()
    await country.press('Enter')
    await nested(page, 'Country').waitFor({ state: 'detached' })
    await save(page)
    const [author] = (await stories.row('/authors?name=Dee&fields=country.name')) as unknown as [object]
    assert.deepEqual(author, { country: { name: 'Wales' } })
  })
})
