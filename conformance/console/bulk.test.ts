// Many rows at once in the console, what a delete takes along, and deleted rows that come back.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, cell, expectAccessible } from './open-console.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(role: "admin") { id: ID! email: String! @unique name: String! }
  type Book @allow(to: [READ]) @allow(who: "owner") @allow(role: "admin") {
    id: ID! title: String! shelf: String owner: User @default(value: VIEWER)
  }
  type Review @allow { id: ID! text: String! book: Book! @relation(onDelete: CASCADE) }
  type Answer @allow { id: ID! text: String! review: Review! @relation(onDelete: CASCADE) }
  type Loan @allow { id: ID! who: String! book: Book! }
  type Mention @allow { id: ID! where: String! book: Book }
  type Note @softDelete @allow { id: ID! text: String! @unique }
`

describe('many rows in the console', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(sdl)
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const make = async (path: string, body: object, headers: Record<string, string> = stories.admin): Promise<string> =>
    (await stories.service.succeed('POST', path, body, headers)).id
  const titles = async (query: string): Promise<string[]> =>
    ((await stories.row(`/books?sort=title&${query}`)) as unknown as { title: string }[]).map(({ title }) => title)
  const choose = async (page: Page, ...names: string[]) => {
    for (const name of names) await cell(page, name).getByRole('checkbox', { includeHidden: true }).click()
  }

  test('a delete says what goes along, what loses a reference, and what refuses it', async () => {
    const book = await make('/books', { title: 'Reviewed' })
    const review = await make('/reviews', { text: 'good', book })
    for (const text of ['yes', 'no']) await make('/answers', { text, review })
    await make('/mentions', { where: 'here', book })
    const loan = await make('/loans', { who: 'Ann', book })
    const page = await stories.asDeveloper(`/books/${book}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('alert').waitFor()
    assert.deepEqual(await dialog.getByRole('listitem').allTextContents(), [
      '1 Review (book) would be deleted along.',
      '2 Answer (review) would be deleted along.',
      '1 Loan (book) would refuse it.',
      '1 Mention would lose their book.',
    ])
    assert.equal(await dialog.getByRole('button', { name: 'Delete for good' }).isDisabled(), true)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await stories.service.succeed('DELETE', `/loans/${loan}`, undefined, stories.admin)
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('2 Answer').waitFor()
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.deepEqual(await stories.row('/answers'), [])
  })

  test('chosen rows are changed after a try', async () => {
    for (const one of ['1', '2', '3', '4']) await make('/books', { title: `Chosen ${one}`, shelf: 'A' })
    const page = await stories.asDeveloper('/books?sort=title&title[startsWith]=Chosen')
    await cell(page, 'Chosen 1').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+Space') // the rows between
    await page.getByText('3 rows chosen').waitFor()
    assert.equal(await page.getByRole('row', { selected: true }).count(), 3)
    await choose(page, 'Chosen 2')
    await expectAccessible(page, 'chosen rows')
    await page.getByText('Change a field…').click()
    await page.getByLabel('Field').selectOption('Shelf')
    await page.getByRole('textbox', { name: 'Shelf' }).fill('B')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('Change 2 rows?').waitFor()
    assert.deepEqual(await titles('shelf=B'), [])
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByText('2 rows changed.').waitFor()
    assert.deepEqual(await titles('shelf=B'), ['Chosen 1', 'Chosen 3'])
  })

  test('all rows that match are deleted, and those that the server refuses are named first', async () => {
    const ids = await Promise.all(
      ['x', 'y', 'z'].map((one) => make('/books', { title: `Matching ${one}`, shelf: 'M' })),
    )
    await make('/loans', { who: 'Ben', book: ids[1] })
    const page = await stories.asDeveloper('/books?shelf=M&sort=title')
    await choose(page, 'Matching x')
    await page.getByRole('button', { name: 'Choose all that match' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete rows' })
    await dialog.getByRole('listitem').waitFor()
    assert.match((await dialog.getByRole('listitem').allTextContents()).join(), /^Matching y: .*loans refer to it/)
    await expectAccessible(page, 'refused rows')
    await dialog.getByRole('button', { name: 'Only the other 2 rows' }).click()
    await dialog.getByText('Delete 2 rows?').waitFor()
    assert.equal((await titles('shelf=M')).length, 3)
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('2 rows deleted.').waitFor()
    assert.deepEqual(await titles('shelf=M'), ['Matching y'])
  })

  test('somebody sees which rows the rules refuse, and writes the others', async () => {
    const ann = await stories.service.signUp('ann')
    await make('/books', { title: 'Hers', shelf: 'R' }, { authorization: ann.authorization })
    await make('/books', { title: 'Of others', shelf: 'R' })
    const page = await stories.asAccount('ann', '/books?shelf=R&sort=title')
    await choose(page, 'Hers', 'Of others')
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete rows' })
    await dialog.getByText(/^Of others:/).waitFor()
    await dialog.getByRole('button', { name: 'Only the other 1 row' }).click()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('1 row deleted.').waitFor()
    assert.deepEqual(await titles('shelf=R'), ['Of others'])
  })

  test('deleted rows come back, but those that can not', async () => {
    for (const text of ['one', 'two']) {
      const id = await make('/notes', { text })
      await stories.service.succeed('DELETE', `/notes/${id}`, undefined, stories.admin)
    }
    await make('/notes', { text: 'two' }) // takes the unique value
    const page = await stories.asDeveloper('/notes?sort=text')
    await page.getByRole('button', { name: 'Deleted rows' }).click()
    await cell(page, 'one').waitFor()
    await choose(page, 'one', 'two')
    await page.getByRole('button', { name: 'Restore…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore rows' })
    await dialog.getByText('Restore 2 rows?').waitFor()
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
    await dialog.getByText(/^two:/).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText('1 row restored.').waitFor()
    await cell(page, 'two').waitFor()
    assert.equal(await cell(page, 'one').count(), 0)
    await page.getByRole('button', { name: 'Deleted rows' }).click()
    await cell(page, 'one').waitFor()
    assert.equal(((await stories.row('/notes?text=one')) as unknown as object[]).length, 1)
  })

  test('a table of all rows, deleted or not, deletes only deleted ones for good', async () => {
    for (const text of ['mixed gone', 'mixed here']) {
      const id = await make('/notes', { text })
      if (text === 'mixed gone') await stories.service.succeed('DELETE', `/notes/${id}`, undefined, stories.admin)
    }
    const page = await stories.asDeveloper('/notes?text[startsWith]=mixed&sort=text&deleted=with')
    await cell(page, 'mixed gone').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Deleted rows', pressed: true }).count(), 0)
    await choose(page, 'mixed here')
    await page.getByRole('button', { name: 'Choose all that match' }).click()
    await page.getByRole('button', { name: 'Delete for good…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete rows for good' })
    await dialog.getByText('Delete 1 row for good? Nobody can restore them.').waitFor()
    await dialog.getByRole('button', { name: 'Delete for good', exact: true }).click()
    await page.getByText('1 row deleted for good.').waitFor()
    const left = (await stories.row('/notes?text[startsWith]=mixed&deleted=with')) as unknown as { text: string }[]
    assert.deepEqual(
      left.map(({ text }) => text),
      ['mixed here'],
    )
  })

  test('Ctrl+K does not leave rows that are being deleted for good, and a page that is left stops', async () => {
    const texts = Array.from({ length: 9 }, (_, index) => `purged ${index}`)
    await stories.service.succeed(
      'POST',
      '/notes',
      texts.map((text) => ({ text })),
      stories.admin,
    )
    await stories.service.succeed('DELETE', '/notes?text[startsWith]=purged', undefined, stories.admin)
    const page = await stories.asDeveloper('/notes?text[startsWith]=purged&sort=text&deleted=only')
    await choose(page, texts[0]!)
    await page.getByRole('button', { name: 'Choose all that match' }).click()
    await page.getByRole('button', { name: 'Delete for good…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete rows for good' })
    await dialog.getByText('Delete 9 rows for good?').waitFor()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let sent = 0
    await page.route('**/notes/*purge=true', async (route) => {
      sent++
      await held
      await route.continue()
    })
    const begun = page.waitForRequest((request) => request.method() === 'DELETE')
    await dialog.getByRole('button', { name: 'Delete for good', exact: true }).click()
    await begun
    await page.locator('dialog[aria-busy=true]').waitFor()
    await page.keyboard.press('Control+k')
    assert.equal(await page.locator('dialog.find').count(), 0)
    await page.evaluate("history.pushState(null, '', '/console/books'); dispatchEvent(new PopStateEvent('popstate'))")
    await dialog.waitFor({ state: 'detached' })
    while (sent < 4) await page.waitForTimeout(20) // a portion
    release()
    const left = async () =>
      ((await stories.row('/notes?text[startsWith]=purged&deleted=only')) as unknown as object[]).length
    while ((await left()) > 5) await page.waitForTimeout(50)
    await page.waitForTimeout(300)
    assert.deepEqual([sent, await left()], [4, 5])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('all deleted rows that match come back, more than one page of them, but those that can not', async () => {
    const texts = Array.from({ length: 130 }, (_, index) => `many ${String(index).padStart(3, '0')}`)
    for (const some of [texts.slice(0, 100), texts.slice(100)])
      await stories.service.succeed(
        'POST',
        '/notes',
        some.map((text) => ({ text })),
        stories.admin,
      )
    await stories.service.succeed('DELETE', '/notes?text[startsWith]=many', undefined, stories.admin)
    await make('/notes', { text: texts[120] }) // takes the unique value
    const page = await stories.asDeveloper('/notes?text[startsWith]=many&sort=text')
    await page.getByRole('button', { name: 'Deleted rows' }).click()
    await choose(page, texts[0]!)
    await page.getByRole('button', { name: 'Choose all that match' }).click()
    await page.getByRole('button', { name: 'Restore…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore rows' })
    await dialog.getByText('Restore 130 rows?').waitFor()
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
    await dialog.getByText(/^many 120:/).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText('129 rows restored.').waitFor()
    await cell(page, texts[120]!).waitFor()
    const counted = { ...stories.admin, prefer: 'count=exact' }
    const { headers } = await stories.service.send('GET', '/notes?text[startsWith]=many', undefined, counted)
    assert.equal(headers.get('x-total-count'), '130') // with the new one
    assert.deepEqual(stories.violations, [])
  })
})
