// The console in a real browser: each test is a task of a person, from signing in to the row in the database.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { noBrowser } from '../harness/open-browser.ts'
import { type ConsoleStories, cell, columnTexts, expectAccessible, expectAddress, save } from './open-console.ts'
import { Shelf } from './shelf.ts'

const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

describe('the console', { skip: noBrowser, timeout: 600_000 }, () => {
  let shelf: Shelf
  let stories: ConsoleStories
  before(async () => {
    shelf = await Shelf.open()
    stories = shelf.stories
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  test('the link of twain dev signs the developer in once', async () => {
    const key = stories.links.make()
    const page = await stories.tab(`/books#key=${key}`)
    await cell(page, 'Book 000').waitFor()
    assert.equal(new URL(page.url()).hash, '')
    assert.match(await page.locator('.header').innerText(), /Operator \(admin\)/)
    await page.reload()
    await cell(page, 'Book 000').waitFor()

    const again = await stories.tab(`/books#key=${key}`)
    assert.match(await again.getByRole('alert').innerText(), /used before, or has expired/)
    await again.getByRole('button', { name: 'Sign in' }).waitFor()
    // In an open tab only the hash of the address changes.
    await again.evaluate(`location.hash = 'key=${stories.links.make()}'`)
    await cell(again, 'Book 000').waitFor()
    assert.equal(new URL(again.url()).hash, '')
  })

  test('an account signs in with its password, and sees what it may read', async () => {
    const page = await stories.tab('/books')
    await page.getByLabel('Email').fill('ann@example.org')
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.notEqual(await page.getByRole('alert').innerText(), '')
    await page.getByLabel('Password', { exact: true }).fill('a long password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await cell(page, 'Book 000').waitFor()
    const types = await page.getByRole('navigation', { name: 'Types' }).innerText()
    assert.match(types, /User\nAuthor\nBook/)
    const html = await page.content()
    for (const secret of ['Secret', 'Note', 'for staff', 'New Book', 'BackgroundJob']) assert.ok(!html.includes(secret))
    await cell(page, 'Book 000').click()
    const title = page.getByRole('textbox', { name: 'Title' })
    await title.waitFor()
    assert.equal(await title.isDisabled(), true)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email').waitFor()
    assert.equal(await page.evaluate(() => sessionStorage.length), 0)
  })

  test('a token that is none is refused with a reason, and no session has ended', async () => {
    const page = await stories.tab('/books')
    await page.getByText('Use a token').click()
    await page.getByLabel('Token or API key').fill('nonsense')
    await page.getByRole('button', { name: 'Use this token' }).click()
    assert.match(await page.getByRole('alert').innerText(), /token/)
    assert.equal(await page.getByText('Your session has ended.').count(), 0)
    await page.getByLabel('Token or API key').fill(stories.admin.authorization.slice('Bearer '.length))
    await page.getByRole('button', { name: 'Use this token' }).click()
    await cell(page, 'Book 000').waitFor()
  })

  test('somebody without an account reads what everyone may read', async () => {
    const page = await stories.tab('/books')
    await page.getByRole('button', { name: 'Continue without signing in' }).click()
    await cell(page, 'Book 000').waitFor()
    assert.match(await page.locator('.header').innerText(), /Not signed in/)
  })

  test('the address is that of the API: filter, order and columns', async () => {
    const query = 'author.name=Ada&pages[lte]=9&fields=title,author.name,pages&sort=-pages'
    const page = await stories.asDeveloper(`/books?${query}`)
    assert.deepEqual(await columnTexts(page, 1, 5), ['Book 008', 'Book 006', 'Book 004', 'Book 002', 'Book 000'])
    assert.deepEqual(await columnTexts(page, 2, 1), ['Ada'])
    assert.deepEqual(await page.getByRole('columnheader').allTextContents(), ['Title', 'Author › name', 'Pages ↓'])
    const rows = (await stories.row(`/books?${query}`)) as unknown as { title: string }[]
    assert.deepEqual(
      rows.map(({ title }) => title),
      await columnTexts(page, 1, 5),
    )
  })

  test('a filter is built from the operators of the type', async () => {
    const page = await stories.asDeveloper('/books?fields=title')
    await page.getByText('Add filter').click()
    await page.getByLabel('Field').selectOption('Pages')
    await page.getByLabel('Condition').selectOption('is at least')
    await page.getByLabel('Value').fill('129')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectAddress(page, '/console/books?pages[gte]=129&fields=title')
    await cell(page, 'Book 000').waitFor({ state: 'detached' })
    assert.deepEqual(await columnTexts(page, 1, 2), ['Book 128', 'Book 129'])
    await page.getByRole('button', { name: 'Remove the filter Pages is at least 129' }).click()
    await cell(page, 'Book 000').waitFor()
    await expectAddress(page, '/console/books?fields=title')
  })

  test('words are searched, and a mistake in the address is explained', async () => {
    const page = await stories.asDeveloper('/books')
    await cell(page, 'Book 000').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('book 077')
    await cell(page, 'Book 000').waitFor({ state: 'detached' })
    await cell(page, 'Book 077').waitFor()
    await expectAddress(page, '/console/books?search=book%20077')
    const wrong = await stories.asDeveloper('/books?titel=x')
    assert.match(await wrong.getByRole('alert').innerText(), /titel.*Did you mean "title"/)
  })

  test('columns are chosen, ordered and sorted by', async () => {
    const page = await stories.asDeveloper('/books?fields=title,pages')
    await page.getByText('Columns', { exact: true }).click()
    await page.getByRole('button', { name: 'Move Pages up' }).click()
    await page.getByRole('checkbox', { name: 'Author › name' }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Pages' }).click()
    await page.getByRole('columnheader', { name: 'Pages' }).click()
    await expectAddress(page, '/console/books?sort=-pages&fields=pages,title,author.name')
    assert.deepEqual(await columnTexts(page, 1, 2), ['130', '129'])
  })

  test('a reference is sorted by its name, and a column is made wider by keys', async () => {
    const page = await stories.asDeveloper('/books?fields=title,author&pages[lte]=4')
    await page.getByRole('columnheader', { name: 'Author' }).click()
    await page.getByRole('columnheader', { name: 'Author' }).click()
    await expectAddress(page, '/console/books?pages[lte]=4&sort=-author.name&fields=title,author')
    assert.deepEqual(await columnTexts(page, 2, 4), ['Ben', 'Ben', 'Ada', 'Ada'])
    const header = page.getByRole('columnheader', { name: 'Author' })
    await header.focus()
    await page.keyboard.press('Shift+ArrowRight')
    assert.equal((await header.boundingBox())?.width, 180)
    await page.reload()
    await header.waitFor()
    assert.equal((await header.boundingBox())?.width, 180)
  })

  test('rows are loaded as one scrolls, and counted when asked', async () => {
    const page = await stories.asDeveloper('/books?fields=title&sort=title')
    await cell(page, 'Book 000').waitFor()
    await page.getByText('50+ loaded').waitFor()
    assert.ok((await page.getByRole('row').count()) < 50)
    await page.getByRole('button', { name: 'Count rows' }).click()
    await page.getByText('130 rows').waitFor()
    await cell(page, 'Book 000').focus()
    for (let presses = 0; presses < 4; presses++) {
      const rows = page.getByRole('gridcell')
      await page.keyboard.press('Control+End')
      await page.locator('[role=grid][aria-busy=false]').waitFor()
      await rows.first().waitFor()
    }
    await cell(page, 'Book 129').waitFor()
    await cell(page, 'Book 000').waitFor({ state: 'detached' })
  })

  test('a row is opened, read and closed by keys alone', async () => {
    const page = await stories.asDeveloper('/books?fields=title,pages&sort=title')
    await cell(page, 'Book 000').focus()
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key)
    assert.equal(await page.evaluate('document.activeElement.textContent'), '3')
    await page.keyboard.press('Control+e') // never starts an edit
    await page.keyboard.press('Control+Enter')
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Book 002')
    await page.keyboard.press('Escape')
    await expectAddress(page, '/console/books?fields=title,pages&sort=title')
  })

  test('references show names and lead both ways', async () => {
    const page = await stories.asDeveloper('/books?fields=title,author&sort=title')
    await cell(page, 'Book 001').waitFor()
    await page.getByRole('link', { name: 'Ben' }).first().click()
    await expectAddress(page, `/console/authors/${shelf.ids.Ben}`)
    await page.getByRole('link', { name: 'Books' }).click()
    await expectAddress(page, `/console/authors/${shelf.ids.Ben}/books`)
    await cell(page, 'Book 001').waitFor()
    assert.equal(await cell(page, 'Book 000').count(), 0)
    await page.getByRole('heading', { name: 'books of Ben' }).getByRole('link', { name: 'Ben' }).click()
    await expectAddress(page, `/console/authors/${shelf.ids.Ben}`)
  })

  test('only the fields that were touched are sent, with the version', async () => {
    const id = await shelf.newBook('Typo in tittle')
    const page = await shelf.openBook(id)
    await page.getByRole('textbox', { name: 'Title' }).fill('Typo in title')
    await page.getByRole('textbox', { name: 'Price' }).fill('12345678901234567890.05')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.keyboard.press('Control+s')
    const request = await sent
    assert.deepEqual(request.postDataJSON(), { title: 'Typo in title', price: '12345678901234567890.05' })
    assert.equal(request.headers()['if-match'], '"1"')
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
    await page.getByText('Version 2').waitFor()
    assert.equal((await stories.row(`/books/${id}`)).price, '12345678901234567890.05')
  })

  test('changes of several rows survive a reload, and are one transaction', async () => {
    const [first, second] = [await shelf.newBook('First of two'), await shelf.newBook('Second of two')]
    const page = await shelf.openBook(first)
    await page.getByRole('textbox', { name: 'Pages' }).fill('11')
    await page.goto(`${stories.service.address}/console/books/${second}`)
    await page.getByRole('textbox', { name: 'Pages' }).fill('22')
    await page.reload()
    await page.getByText('2 changes in 2 rows').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Pages' }).inputValue(), '22')
    const sent = page.waitForRequest((request) => request.url().endsWith('/batch'))
    await save(page)
    assert.equal((await sent).postDataJSON().length, 2)
    assert.deepEqual(
      [(await stories.row(`/books/${first}`)).pages, (await stories.row(`/books/${second}`)).pages],
      [11, 22],
    )
  })

  test('a conflict shows mine, theirs and before, and loses nothing', async () => {
    const id = await shelf.newBook('Contested')
    const page = await shelf.openBook(id)
    await page.getByRole('textbox', { name: 'Title' }).fill('Contested by me')
    await page.getByRole('textbox', { name: 'Pages' }).fill('77')
    await stories.service.succeed('PATCH', `/books/${id}`, { title: 'Contested by her', price: '3' }, stories.admin)
    await page.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('region', { name: 'Unsaved changes' }).getByRole('row', { name: /^Title/ })
    await row.getByText('Contested by her').waitFor()
    assert.deepEqual((await row.getByRole('cell').allTextContents()).slice(0, 3), [
      'Contested by me',
      'Contested by her',
      'Contested',
    ])
    assert.equal((await stories.row(`/books/${id}`)).pages, 5)
    await row.getByRole('button', { name: 'Keep mine' }).click()
    await save(page)
    const { title, pages, price } = await stories.row(`/books/${id}`)
    assert.deepEqual([title, pages, price], ['Contested by me', 77, '3'])
  })

  test('a change of other fields by somebody else is no conflict', async () => {
    const id = await shelf.newBook('Shared')
    const page = await shelf.openBook(id)
    await page.getByRole('textbox', { name: 'Title' }).fill('Shared work')
    await stories.service.succeed('PATCH', `/books/${id}`, { pages: 9 }, stories.admin)
    await save(page)
    const { title, pages } = await stories.row(`/books/${id}`)
    assert.deepEqual([title, pages], ['Shared work', 9])
  })

  test('a reference is picked by its name', async () => {
    const id = await shelf.newBook('Without an author')
    const page = await shelf.openBook(id)
    await page.getByRole('combobox', { name: 'Author' }).fill('zoe')
    await page.getByRole('option', { name: 'Zoë' }).waitFor()
    await page.keyboard.press('Enter')
    assert.equal(await page.getByRole('combobox', { name: 'Author' }).inputValue(), 'Zoë')
    await save(page)
    assert.equal((await stories.row(`/books/${id}`)).author, shelf.ids.Zoë)
  })

  test('states are buttons, and one that is not allowed is disabled', async () => {
    const id = await shelf.newBook('In print')
    const page = await shelf.openBook(id)
    await page.getByRole('button', { name: 'Change to PRINTED' }).click()
    await page.getByRole('button', { name: 'Change to SOLD' }).waitFor()
    assert.equal((await stories.row(`/books/${id}`)).state, 'PRINTED')
    const empty = await shelf.newBook('Without pages', { pages: null })
    const other = await shelf.openBook(empty)
    assert.equal(await other.getByRole('button', { name: 'Change to PRINTED' }).isDisabled(), true)
  })

  test('a row is created, after its mistakes are mended', async () => {
    const page = await stories.asDeveloper('/books?fields=title')
    await page.getByRole('link', { name: 'New Book' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('No')
    await page.getByText('At least 3 characters.').waitFor()
    await page.getByRole('textbox', { name: 'Extra' }).fill('{"a": ')
    await page.getByText('This is not JSON.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Some fields have no valid value yet.').waitFor()
    await page.getByRole('textbox', { name: 'Extra' }).fill('{"a": [1]}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('textbox', { name: 'Title' }).fill('Newly made')
    await page.getByLabel('Printed at').fill('2026-05-04T12:30')
    await save(page)
    await page.getByText('Version 1').waitFor()
    const { extra, printedAt } = await shelf.bookNamed('Newly made')
    assert.deepEqual([extra, printedAt], [{ a: [1] }, '2026-05-04T12:30:00.000Z'])
  })

  test('a mistake that only the server finds stands beside its field', async () => {
    const page = await stories.asDeveloper('/authors/+new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.mistake').waitFor()
    assert.match(await page.getByRole('region', { name: 'Unsaved changes' }).innerText(), /1 change in 1 row/)
  })

  test('a row is deleted after a question, or the reason says why not', async () => {
    const id = await shelf.newBook('To be deleted')
    const page = await shelf.openBook(id)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete To be deleted?' }).waitFor()
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await expectAddress(page, '/console/books')
    assert.equal((await stories.service.send('GET', `/books/${id}`)).status, 404)
  })

  test('an ended session keeps the changes', async () => {
    const id = await shelf.newBook('Long work')
    const page = await shelf.openBook(id)
    await page.getByRole('textbox', { name: 'Title' }).fill('Very long work')
    await page.evaluate(() => sessionStorage.setItem('twain.session', JSON.stringify({ token: 'over' })))
    await page.reload()
    await page.getByText('Your session has ended. Sign in again: your changes are kept.').waitFor()
    await page.getByText('Use a token').click()
    await page.getByLabel('Token or API key').fill(stories.admin.authorization.slice('Bearer '.length))
    await page.getByRole('button', { name: 'Use this token' }).click()
    await page.getByText('1 change in 1 row').waitFor()
    await save(page)
    assert.equal((await stories.row(`/books/${id}`)).title, 'Very long work')
  })

  test('changes wait for their author: neither the next person in the tab nor the browser keeps them', async () => {
    const id = await shelf.newBook('Of the operator')
    const page = await shelf.openBook(id)
    await page.getByRole('textbox', { name: 'Title' }).fill('Private thoughts')
    const bar = page.getByRole('region', { name: 'Unsaved changes' })
    await bar.waitFor()
    await page.evaluate(() => sessionStorage.setItem('twain.session', JSON.stringify({ token: 'over' })))
    await page.reload()
    await page.getByText('Your session has ended.').waitFor()
    await page.getByLabel('Email').fill('ann@example.org')
    await page.getByLabel('Password', { exact: true }).fill('a long password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Of the operator')
    assert.equal(await bar.count(), 0)
    // Nobody asks her about changes that are not hers, and they stay.
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Use a token').click()
    await page.getByLabel('Token or API key').fill(stories.admin.authorization.slice('Bearer '.length))
    await page.getByRole('button', { name: 'Use this token' }).click()
    await bar.getByText('1 change in 1 row').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Private thoughts')
    page.once('dialog', (dialog) => void dialog.dismiss())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await bar.getByText('1 change in 1 row').waitFor()
    page.once('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email').waitFor()
    assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)), [])
  })

  test('changes that a former version stored are kept, and text that is none does not stop the page', async () => {
    const id = await shelf.newBook('Before the upgrade')
    const page = await shelf.openBook(id)
    const title = page.getByRole('textbox', { name: 'Title' })
    const draft = { key: `books/${id}`, path: 'books', id, label: 'Before the upgrade', version: 1 }
    const old = [{ ...draft, before: { title: draft.label }, changes: { title: 'After the upgrade' } }]
    // A page that is left stores its own, so the text is put in place as the next one begins.
    await page.addInitScript((text) => sessionStorage.setItem('twain.drafts', text), JSON.stringify(old))
    await page.evaluate(() => sessionStorage.removeItem('twain.drafts.owner'))
    await page.reload()
    await page.getByText('1 change in 1 row').waitFor()
    assert.equal(await title.inputValue(), 'After the upgrade')
    await save(page)
    assert.equal((await stories.row(`/books/${id}`)).title, 'After the upgrade')
    for (const text of ['{"drafts":[]}', '[null]', '{']) {
      await page.addInitScript((other) => sessionStorage.setItem('twain.drafts', other), text)
      await page.reload()
      await title.waitFor()
    }
  })

  test('drafts that find no room beside their copy do not stop the page', async () => {
    const id = await shelf.newBook('Large drafts')
    const page = await shelf.openBook(id)
    await page.getByRole('textbox', { name: 'Title' }).fill('Large drafts, changed')
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor()
    await page.evaluate(() => sessionStorage.setItem('twain.session', JSON.stringify({ token: 'over' })))
    await page.reload()
    await page.evaluate(() => {
      const { setItem } = Storage.prototype
      Storage.prototype.setItem = function (key, text) {
        if (key.startsWith('twain.drafts')) throw new DOMException('full', 'QuotaExceededError')
        setItem.call(this, key, text)
      }
    })
    await page.getByLabel('Email').fill('ann@example.org')
    await page.getByLabel('Password', { exact: true }).fill('a long password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const title = page.getByRole('textbox', { name: 'Title' })
    await title.waitFor()
    assert.equal(await title.inputValue(), 'Large drafts')
  })

  test('script in a row is shown as text', async () => {
    const id = await shelf.newBook(evil.slice(0, 80))
    const page = await shelf.openBook(id)
    assert.equal(await page.getByRole('heading', { name: evil.slice(0, 20) }).count(), 1)
    assert.equal(await page.title(), 'Shelf · Console')
  })

  test('axe finds nothing in any view, dark or light', async () => {
    const id = await shelf.newBook('To be looked at')
    const page = await stories.tab('/books')
    await page.getByLabel('Email').waitFor()
    await expectAccessible(page, 'the sign-in page')
    const table = await shelf.openBook(id)
    await table.getByRole('textbox', { name: 'Title' }).fill('To')
    await table.getByRole('button', { name: 'Review' }).click()
    await expectAccessible(table, 'a table, a row and changes')
    await table.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(table, 'the same in the dark')
    await table.setViewportSize({ width: 360, height: 700 })
    await expectAccessible(table, 'the same on a phone')
    await table.goto(`${stories.service.address}/console/books?fields=title,author&pages[gte]=3`)
    await table.getByText('Add filter').click()
    await expectAccessible(table, 'the form of a filter')
    await table.keyboard.press('Escape')
    await table.getByText('Columns', { exact: true }).click()
    await expectAccessible(table, 'the menu of columns')
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
