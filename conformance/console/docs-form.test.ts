// The form of each operation on the REST reference at `/docs`: it begins with the example, sends the request as the viewer of the page, and
// shows the answer as text.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, expectAccessible } from './open-console.ts'

const script = '<img src=x onerror=document.title=1>'
const sdl = `
  extend schema @service(name: "Shop")
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String! @label }
  "Goods. ${script}"
  type Ware @allow(to: [READ]) @allow(role: "admin") { id: ID! title: String! list: File }
`

describe('the form of the REST reference', { skip: noBrowser, timeout: 200_000 }, () => {
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(sdl)
    await stories.service.signUp('ann')
    for (const title of ['Anchor', script]) await stories.service.succeed('POST', '/wares', { title }, stories.admin)
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  /** Opens the form of an operation. */
  const openForm = async (page: Page, id: string) => {
    await page.goto(`${stories.service.address}/docs#${id}`)
    const operation = page.locator(`[id="${id}"]`)
    await operation.getByRole('button', { name: 'Try it' }).click()
    await operation.locator('form').waitFor()
    return operation
  }

  test('a reader sends the example, and a query of their own; a script in an answer is inert', async () => {
    const page = await stories.tab()
    const operation = await openForm(page, 'listWares')
    await operation.getByRole('button', { name: 'Add to query' }).click()
    await operation.getByLabel('Query: name').last().fill('title[startsWith]')
    await operation.getByLabel('Query: value').last().fill('<img')
    await operation.getByRole('button', { name: 'Send GET' }).click()
    await operation.getByText('200 OK').waitFor()
    await operation.getByText('x-request-id: ').waitFor()
    await operation.getByText(`"title": "${script}"`).waitFor()
    assert.match(await page.title(), /^Shop/)
    await expectAccessible(page, 'the form of the REST reference')
  })

  test('a developer who is signed in to the console creates a row, and reads it by its path', async () => {
    const page = await stories.asDeveloper('/wares')
    await page.getByRole('gridcell', { name: 'Anchor' }).waitFor()
    await page.getByRole('link', { name: 'REST reference' }).click()
    await page.waitForURL('**/docs')
    const create = await openForm(page, 'createWare')
    await create.getByLabel('Body').fill('{"title": "Boat"}')
    await create.getByRole('button', { name: 'Send POST' }).click()
    await create.getByText('201 Created').waitFor()
    const [boat] = (await stories.row('/wares?title=Boat')) as unknown as { id: string }[]
    const read = await openForm(page, 'getWare')
    await read.getByLabel('id ', { exact: true }).fill(boat!.id)
    await read.getByRole('button', { name: 'Send GET' }).click()
    await read.getByText('"title": "Boat"').waitFor()
  })

  test('somebody without a session gets the refusal of the server', async () => {
    const page = await stories.tab()
    const operation = await openForm(page, 'createWare')
    await operation.getByLabel('Body').fill('{"title": "Never"}')
    await operation.getByRole('button', { name: 'Send POST' }).click()
    await operation.getByText('401 Unauthorized').waitFor()
    await operation.getByText('"code": "UNAUTHENTICATED"').waitFor()
    assert.deepEqual(await stories.row('/wares?title=Never'), [])
  })

  test('a file is uploaded with its own type, and the text of the example as a text', async () => {
    const page = await stories.asDeveloper('/wares')
    await page.getByRole('gridcell', { name: 'Anchor' }).waitFor()
    const operation = await openForm(page, 'uploadFile')
    await operation.getByRole('button', { name: 'Send POST' }).click()
    await operation.getByText('"mediaType": "text/plain"').waitFor()
    const buffer = Buffer.from('a,b\n1,2\n')
    await operation.getByLabel('or a file').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer })
    await operation.getByRole('button', { name: 'Send POST' }).click()
    await operation.getByText('"mediaType": "text/csv"').waitFor()
    await operation.getByText('201 Created').waitFor()
  })

  test('an answer of several lines of JSON is shown as it is', async () => {
    const page = await stories.tab()
    const operation = await openForm(page, 'listWares')
    await operation.getByRole('button', { name: 'Add to headers' }).click()
    await operation.getByLabel('Headers: name').fill('accept')
    await operation.getByLabel('Headers: value').fill('application/x-ndjson')
    await operation.getByRole('button', { name: 'Send GET' }).click()
    await operation.getByText('content-type: application/x-ndjson').waitFor()
    await operation.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    assert.match(await operation.locator('form pre').last().innerText(), /"Anchor".*\n\{/)
    assert.equal(await operation.getByText('SyntaxError').count(), 0)
  })

  test('a session of the console that has ended is left out, and the forms send without it', async () => {
    const page = await stories.tab()
    await page.evaluate(() => sessionStorage.setItem('twain.session', '{"token": "ended"}'))
    const operation = await openForm(page, 'listWares')
    const token = page.locator('#viewer input')
    assert.equal(await token.inputValue(), '')
    assert.equal(await page.evaluate('document.querySelector("#viewer input").validationMessage'), '')
    await operation.getByRole('button', { name: 'Send GET' }).click()
    await operation.getByText('200 OK').waitFor()
    await token.fill('wrong')
    await token.blur()
    await page.locator('#viewer input:invalid').waitFor()
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
