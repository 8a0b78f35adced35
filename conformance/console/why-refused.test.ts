// Each refusal of the console says which rule decides: of many rows, of deleted rows, of new rows, states, versions, locks and calls.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Route } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, cell, expectAccessible } from './open-console.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(role: "admin", to: [UPDATE], where: {isStaff: {eq: false}}) {
    id: ID! email: String! @unique name: String! @label isStaff: Boolean! @default(value: false)
  }
  type Shelf @allow { id: ID! name: String! @label isOpen: Boolean! @default(value: true) }
  type Note @softDelete
    @allow(role: "admin", to: [READ, CREATE])
    @allow(role: "admin", to: [UPDATE, DELETE], where: {shelf: {isOpen: {eq: true}}})
  {
    id: ID! text: String! @label place: String shelf: Shelf! step: Step!
  }
  enum Step { NEW @next(to: [READ]) READ }
  type Sign @softDelete @allow(role: "admin", to: [READ, UPDATE]) @allow(role: "admin", to: [CREATE], where: {kind: {eq: "open"}}) {
    id: ID! title: String! @label kind: String!
  }
  extend type Mutation {
    clear: Int! @allow(role: "admin")
    hidden: Int! @allow(role: "owner")
  }
`
const code = `
  export default {
    resolvers: {
      Mutation: {
        clear: () => { throw Object.assign(new Error('Not on Tuesdays.'), { code: 'FORBIDDEN' }) },
        hidden: () => 1,
      },
    },
  }
`

describe('why a refusal', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(sdl, { code })
    for (const id of ['a', 'b']) await put(`/shelves/${id}`, { name: `Shelf ${id}` })
  })
  afterEach(async () => {
    await stories.closePages()
    await put('/shelves/b', { name: 'Shelf b' })
  })
  after(() => stories?.close())

  const put = async (path: string, body: object) =>
    assert.ok((await stories.service.asSystem('PUT', path, body)).status < 300)
  const closeShelf = () => put('/shelves/b', { name: 'Shelf b', isOpen: false })
  const byShelf = /schema\.graphql:8 @allow\(role: "admin", to: \[UPDATE, DELETE\]\) where shelf\.isOpen = true/

  test('rows beyond the first hundred that the rules refuse are named, each with its rule', async () => {
    const notes = Array.from({ length: 130 }, (_, index) => {
      const isLate = index === 104 || index === 127
      return { text: `Many ${String(index).padStart(3, '0')}`, shelf: isLate ? 'b' : 'a' }
    })
    await stories.service.succeed('POST', '/notes', notes, stories.admin)
    await closeShelf()
    const page = await stories.asDeveloper('/notes?text[startsWith]=Many&sort=text')
    await cell(page, 'Many 000').getByRole('checkbox', { includeHidden: true }).click()
    await page.getByRole('button', { name: 'Choose all that match' }).click()
    await page.getByText('Change a field…').click()
    await page.getByLabel('Field').selectOption('Place')
    await page.getByRole('textbox', { name: 'Place' }).fill('the hall')
    await page.getByRole('button', { name: 'Try it' }).click()
    const dialog = page.getByRole('dialog')
    const refused = dialog.getByRole('listitem').filter({ hasText: /^Many 127: / })
    await refused.getByRole('button', { name: 'Why not: Many 127' }).click()
    await refused.getByText(byShelf).waitFor()
    assert.equal(await dialog.getByRole('listitem').count(), 2)
    await dialog.getByRole('alert').waitFor() // with the filter of the others, which are too many to be named
    assert.equal(await dialog.getByRole('button', { name: /^Only the other/ }).count(), 0)
    await expectAccessible(page, 'refused rows of more than a hundred')
  })

  test('more than a hundred refusals, a closed dialog and a busy server end the search, and it says so', async () => {
    const notes = Array.from({ length: 120 }, (_, index) => ({
      text: `Shut ${String(index).padStart(3, '0')}`,
      shelf: 'b',
    }))
    await stories.service.succeed('POST', '/notes', notes, stories.admin)
    await closeShelf()
    const page = await stories.asDeveloper('/notes?text[startsWith]=Shut&sort=text')
    let tries = 0
    let onTry: (route: Route) => Promise<void> = (route) => route.continue()
    await page.route(/dryRun=true/, (route) => {
      tries++
      return onTry(route)
    })
    await cell(page, 'Shut 000').getByRole('checkbox', { includeHidden: true }).click()
    await page.getByRole('button', { name: 'Choose all that match' }).click()
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByText('Not all rows were tried: there may be more.').waitFor()
    assert.equal(await dialog.getByRole('listitem').count(), 100)
    assert.equal(tries, 200) // the whole, and a page of a hundred halved down to its rows
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    tries = 0
    onTry = async (route) => {
      if (tries === 5) begun.resolve()
      if (tries >= 5) await goOn.promise
      await route.continue()
    }
    await page.getByRole('button', { name: 'Delete…' }).click()
    await begun.promise
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    const answered = page.waitForResponse(/dryRun=true/)
    goOn.resolve()
    await answered
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)))
    assert.equal(tries, 5)

    tries = 0
    const problem = { status: 429, contentType: 'application/problem+json', body: '{"code": "TOO_MANY_REQUESTS"}' }
    onTry = (route) => (tries > 20 ? route.fulfill(problem) : route.continue())
    await page.getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByText('Not all rows were tried: there may be more.').waitFor()
    const found = await dialog.getByRole('listitem').count()
    assert.ok(found > 0 && found < 20, String(found))
    await dialog.getByRole('listitem').first().getByRole('button', { name: 'Why not: Shut 000' }).waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('all deleted rows that match are counted, and not read one by one', async () => {
    await put('/notes/gone', { text: 'Gone', shelf: 'a' })
    await stories.service.succeed('DELETE', '/notes/gone', undefined, stories.admin)
    const page = await stories.asDeveloper('/notes?text=Gone&deleted=only')
    await cell(page, 'Gone').getByRole('checkbox', { includeHidden: true }).click()
    await page.getByRole('button', { name: 'Choose all that match' }).click()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/notes?')) asked.push(request.url())
    })
    await page.getByRole('button', { name: 'Restore…' }).click()
    await page.getByText('Restore 1 row?').waitFor()
    assert.equal(asked.length, 1, asked.join('\n'))
    assert.match(asked[0]!, /&limit=1$/)
  })

  test('a chosen deleted row that the rules do not let come back is named, and the others come back', async () => {
    for (const [id, shelf] of [
      ['back', 'a'],
      ['stays', 'b'],
    ]) {
      await put(`/notes/${id}`, { text: `Deleted ${id}`, shelf })
      await stories.service.succeed('DELETE', `/notes/${id}`, undefined, stories.admin)
    }
    const page = await stories.asDeveloper('/notes?text[startsWith]=Deleted&sort=text&deleted=only')
    for (const id of ['back', 'stays'])
      await cell(page, `Deleted ${id}`).getByRole('checkbox', { includeHidden: true }).click()
    await closeShelf()
    await page.getByRole('button', { name: 'Delete for good…' }).click()
    const purge = page.getByRole('dialog', { name: 'Delete rows for good' })
    await purge.getByText('Delete 1 row for good?').waitFor()
    await purge.getByRole('button', { name: 'Why not: stays' }).waitFor()
    await purge.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Restore…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore rows' })
    await dialog.getByText('Restore 1 row?').waitFor()
    const refused = dialog.getByRole('listitem').filter({ hasText: /^stays: It is not deleted any more, or the rules/ })
    await refused.getByRole('button', { name: 'Why not: stays' }).click()
    await refused.getByText(/READ: always · .* · DELETE: where shelf\.isOpen = true/).waitFor()
    await refused.getByText(byShelf).waitFor()
    await expectAccessible(page, 'deleted rows that can not come back')
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('1 row restored.').waitFor()
    assert.equal((await stories.row('/notes/back')).text, 'Deleted back')
  })

  test('a delete, a state and a version that the rules refuse say which rule decides', async () => {
    await put('/notes/one', { text: 'One', shelf: 'b' })
    await stories.service.succeed('PATCH', '/notes/one', { place: 'the hall' }, stories.admin)
    const page = await stories.asDeveloper('/notes/one')
    await page.getByText('History', { exact: true }).click()
    await page.getByRole('button', { name: 'Put version 1 back' }).waitFor()
    await closeShelf()
    await page.getByRole('button', { name: 'Change to READ' }).click()
    const states = page.getByRole('group', { name: 'Step' })
    await states.getByRole('button', { name: 'Why not: READ' }).click()
    await states.getByText(byShelf).waitFor()
    const history = page.getByRole('region', { name: 'History' })
    await history.getByRole('button', { name: 'Put version 1 back' }).click()
    await history.getByRole('button', { name: /^Why not: / }).click()
    await history.getByText(byShelf).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Why not: One' }).click()
    await dialog.getByText(byShelf).waitFor()
    await expectAccessible(page, 'a refused delete')
    assert.equal((await stories.row('/notes/one')).step, 'NEW')
  })

  test('a new row that the rules refuse, and missing buttons for many and for deleted rows, say which rule decides', async () => {
    await put('/signs/s1', { title: 'Exit', kind: 'shut' })
    const page = await stories.asDeveloper('/signs')
    await page.getByRole('button', { name: 'Why not: Deleted rows' }).click()
    const never = /schema\.graphql:13 has no @allow to DELETE/
    await page.locator('.toolbar').getByText(never).waitFor()
    await cell(page, 'Exit').getByRole('checkbox', { includeHidden: true }).click()
    const bar = page.getByRole('group', { name: '1 row chosen' })
    await bar.getByRole('button', { name: 'Why not: Delete…' }).click()
    await bar.getByText(never).waitFor()
    await page.getByRole('link', { name: 'New Sign' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Entry')
    await page.getByRole('textbox', { name: 'Kind' }).fill('shut')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const changes = page.locator('.change-bar')
    await changes.getByRole('button', { name: /^Why not: / }).click()
    await changes.getByText(/schema\.graphql:13 @allow\(role: "admin", to: \[CREATE\]\) where kind = /).waitFor()
    await expectAccessible(page, 'a refused new row')
    assert.equal(((await stories.row('/signs')) as unknown as object[]).length, 1)
  })

  test('a lock and a call that are refused say what decides', async () => {
    const ann = await stories.service.signUp('ann')
    const page = await stories.asDeveloper('/+people')
    await page.locator('summary').filter({ hasText: 'ann' }).click()
    await page.getByRole('button', { name: 'Lock the account' }).waitFor()
    const refusal = { status: 403, contentType: 'application/problem+json', body: '{"code": "FORBIDDEN"}' }
    await page.route('**/tokens/*', (route) => route.fulfill(refusal))
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('button', { name: 'Why not: Token' }).click()
    await page.getByText(/built in @allow\(role: "admin", to: \[READ, DELETE\]\)/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Why not: Lock the account' }).count(), 0)
    assert.equal((await stories.service.asSystem('PATCH', `/users/${ann.id}`, { isStaff: true })).status, 200)
    await page.getByRole('button', { name: 'Lock the account' }).click()
    await page.getByRole('button', { name: 'Why not: Lock the account' }).click()
    await page.getByText(/schema\.graphql:2 @allow\(role: "admin", to: \[UPDATE\]\) where isStaff = false/).waitFor()
    await page.goto(`${stories.service.address}/console/+call/clear`)
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('button', { name: 'Why not: Clear' }).click()
    await page.getByText(/^The rules allow this call: .*schema\.graphql:17 @allow\(role: "admin"\)/).waitFor()
    await page.goto(`${stories.service.address}/console/+call/hidden`)
    await page.getByRole('link', { name: 'Why not: Hidden' }).click()
    await page.getByRole('row', { name: 'Mutation.hidden CALL' }).getByRole('button').last().click()
    await page.getByText('@allow(role: "owner")').waitFor()
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
