// The history of a row in the console: who changed what, through which client, and the way back to an earlier version.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories } from './open-console.ts'

const sdl = `
  extend schema @service(name: "Desk")
  type User @account @allow(to: [READ, CREATE]) @allow(role: "admin") @allow(who: "manager", to: [ACT_AS]) {
    id: ID! email: String! @unique name: String! @label manager: User
  }
  type Shelf @allow { id: ID! name: String! @unique }
  type Note @allow(to: [READ]) @allow(who: "owner") @allow(role: "admin") {
    id: ID!
    title: String!
    owner: User! @default(value: VIEWER)
    shelf: Shelf
    words: Int
    secret: String @allow(role: "admin")
  }
`

describe('the history of a row', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  let note: string
  before(async () => {
    stories = await ConsoleStories.open(sdl)
    const { service, admin } = stories
    const ann = await service.signUp('ann')
    const upper = (await service.succeed('POST', '/shelves', { name: 'Upper' }, admin)).id
    const lower = (await service.succeed('POST', '/shelves', { name: 'Lower' }, admin)).id
    const asAnn = { authorization: ann.authorization, 'x-client-name': 'phone app' }
    note = (await service.succeed('POST', '/notes', { title: 'On knots', shelf: upper }, asAnn)).id
    await service.succeed('PATCH', `/notes/${note}`, { title: 'On nots', shelf: lower, words: 12 }, asAnn)
    await service.succeed('PATCH', `/notes/${note}`, { secret: 'for staff' }, admin)
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  test('a developer sees each version, and puts one back', async () => {
    const page = await stories.asDeveloper(`/notes/${note}`)
    await page.getByText('History', { exact: true }).click()
    const second = page.getByRole('listitem').filter({ hasText: 'Version 2' })
    await second.waitFor()
    const text = await second.innerText()
    assert.match(text, /^Version 2 changed .* by ann through phone app/)
    assert.match(text, /Title\nOn knots\n/)
    assert.equal(await second.locator('del').first().innerText(), 'k')
    assert.match(text, /Shelf\nUpper Lower\n/)
    assert.match(await page.getByRole('listitem').filter({ hasText: 'Version 3' }).innerText(), /Secret\nfor staff/)

    await page.getByRole('button', { name: 'Put version 1 back' }).click()
    await page.getByText('Version 4', { exact: false }).first().waitFor()
    const row = await stories.row(`/notes/${note}`)
    assert.deepEqual([row.title, row.words], ['On knots', null])
  })

  test('somebody who may not write sees what they may read, and no way back', async () => {
    const page = await stories.tab(`/notes/${note}`)
    await page.getByRole('button', { name: 'Continue without signing in' }).click()
    await page.getByText('History', { exact: true }).click()
    await page.getByRole('listitem').filter({ hasText: 'Version 2' }).waitFor()
    const text = await page.getByRole('region', { name: 'History' }).innerText()
    for (const hidden of ['Secret', 'for staff', 'phone app', 'Put version']) assert.ok(!text.includes(hidden), hidden)
  })

  test('a change of somebody who acted as another account names both', async () => {
    const { service, admin } = stories
    const [mia, tom] = [await service.signUp('mia'), await service.signUp('tom')]
    await service.succeed('PATCH', `/users/${tom.id}`, { manager: mia.id }, admin)
    const begin = { as: tom.id, readOnly: false, reason: 'ticket 7' }
    const { token } = await service.succeed('POST', '/tokens', begin, { authorization: mia.authorization })
    const { id } = await service.succeed('POST', '/notes', { title: 'For Tom' }, { authorization: `Bearer ${token}` })
    const page = await stories.asDeveloper(`/notes/${id}`)
    await page.getByText('History', { exact: true }).click()
    const entry = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'mia', exact: true }) })
    assert.match(await entry.innerText(), / by mia as tom/)
    await entry.locator('p').getByRole('link', { name: 'tom', exact: true }).waitFor()
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
