// The form of a row in the console: files by drag and drop, exact numbers, and times of the browser's time zone.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, expectAccessible, save } from './open-console.ts'

const sdl = `
  type Photo { id: ID! title: String! picture: File price: Decimal views: BigInt takenAt: DateTime place: Place }
  type Place { id: ID! name: String! @label }
`

describe('forms of the console', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(sdl)
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const make = async (body: object): Promise<string> => (await stories.service.succeed('POST', '/photos', body)).id

  test('a file is dropped on its field, uploaded, and saved with the row; then another one is chosen', async () => {
    const id = await make({ title: 'Shore' })
    const page = await stories.asDeveloper(`/photos/${id}`)
    const input = page.getByLabel('Picture', { exact: true })
    await input.waitFor()
    const data = await page.evaluateHandle(`{
      const data = new DataTransfer()
      data.items.add(new File(['x'.repeat(300000)], '<i>shore.txt', { type: 'text/plain' }))
      data
    }`)
    await page.locator('.file-drop').dispatchEvent('drop', { dataTransfer: data })
    await page.locator('.file-drop').getByText('<i>shore.txt').waitFor()
    await expectAccessible(page, 'a form with a file')
    await save(page)
    const { picture } = (await stories.row(`/photos/${id}?fields=picture.name,picture.size`)) as {
      picture: { name: string; size: number }
    }
    assert.deepEqual(picture, { name: '<i>shore.txt', size: 300_000 })
    await input.setInputFiles({ name: 'sea.txt', mimeType: 'text/plain', buffer: Buffer.from('sea') })
    await page.locator('.file-drop').getByText('sea.txt').waitFor()
    await save(page)
    const { picture: next } = await stories.row(`/photos/${id}?fields=picture.name,picture.size`)
    assert.deepEqual(next, { name: 'sea.txt', size: 3 })
  })

  test('exact numbers keep every digit, and what is none is said while typing', async () => {
    const id = await make({ title: 'Exact' })
    const page = await stories.asDeveloper(`/photos/${id}`)
    await page.getByRole('textbox', { name: 'Price' }).fill('1,5')
    await page.getByText('This is not a number with exact digits, such as 12.50.').waitFor()
    await page.getByRole('textbox', { name: 'Price' }).fill('0.123456789012345678901234567')
    await page.getByRole('textbox', { name: 'Views' }).fill('9007199254740993')
    await save(page)
    const { price, views } = await stories.row(`/photos/${id}`)
    assert.deepEqual([price, views], ['0.123456789012345678901234567', '9007199254740993'])
  })

  test('a picker says that its search failed, and finds again when the network is back', async () => {
    const id = await make({ title: 'Offline' })
    const place = (await stories.service.succeed('POST', '/places', { name: 'The pier' })).id
    const page = await stories.asDeveloper(`/photos/${id}`)
    const thrown: string[] = []
    page.on('pageerror', ({ message }) => thrown.push(message))
    const picker = page.getByRole('combobox', { name: 'Place' })
    await picker.waitFor()
    await page.context().setOffline(true)
    await picker.fill('pi')
    await page.locator('.picker').getByRole('alert').waitFor()
    assert.equal(await page.getByRole('option').count(), 0)
    await page.context().setOffline(false)
    await picker.fill('pie')
    await page.getByRole('option', { name: 'The pier' }).click()
    assert.equal(await page.locator('.picker').getByRole('alert').count(), 0)
    await save(page)
    assert.equal((await stories.row(`/photos/${id}`)).place, place)
    assert.deepEqual(thrown, [])
    const others = stories.violations.splice(0).filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))
    assert.deepEqual(others, [])
  })

  test('a time is typed in the time zone of the browser, which is named', async () => {
    const id = await make({ title: 'Timed', takenAt: '2026-07-01T10:00:00Z' })
    const page = await stories.asDeveloper(`/photos/${id}`, 'Asia/Tokyo')
    const input = page.getByRole('textbox', { name: 'Taken at' })
    assert.equal(await input.inputValue(), '2026-07-01T19:00')
    await page.getByText('Time zone: Asia/Tokyo').waitFor()
    await input.fill('2026-07-01T20:30')
    await save(page)
    assert.equal((await stories.row(`/photos/${id}`)).takenAt, '2026-07-01T11:30:00.000Z')
    assert.deepEqual(stories.violations, [])
  })
})
