// The console with other page sizes than the standard one: `limits.page` is 0, which is no limit, or smaller than what a page asks for.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, cell } from './open-console.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(role: "admin") { id: ID! email: String! @unique name: String! @label }
  type Book @allow { id: ID! title: String! tags: [Tag!]! }
  type Tag @allow { id: ID! name: String! @unique books: [Book!]! }
`

for (const page of [0, 3]) {
  test(`with limits.page ${page} every list of the console is there`, {
    skip: noBrowser,
    timeout: 120_000,
  }, async (t) => {
    const stories = await ConsoleStories.open(sdl, { limits: { ...defaultLimits, page } })
    t.after(() => stories.close())
    const { service, admin } = stories
    await service.signUp('ann')
    const tags: string[] = []
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) tags.push((await service.succeed('POST', '/tags', { name })).id)
    const { id } = await service.succeed('POST', '/books', { title: 'Knots', tags })
    for (const name of ['k1', 'k2', 'k3', 'k4']) {
      await service.succeed('POST', '/api-keys', { name, roles: ['reader'] }, admin)
    }
    const tab = await stories.asDeveloper('/tags?sort=name')
    for (const name of ['a1', 'a5']) await cell(tab, name).waitFor()
    await tab.goto(`${service.address}/console/books/${id}`)
    const panel = tab.getByRole('complementary')
    await panel.getByRole('button', { name: 'Remove a1 from Tags' }).waitFor()
    await panel.getByRole('combobox', { name: 'Add to Tags' }).fill('a')
    await tab.getByRole('option', { name: /^a1/ }).waitFor()
    await tab.keyboard.press('Escape')
    await panel.getByText('History', { exact: true }).click()
    await panel.getByRole('listitem').filter({ hasText: 'Version 1' }).waitFor()
    await tab.goto(`${service.address}/console/+keys`)
    await tab.getByRole('button', { name: 'End k4' }).waitFor()
    assert.equal(await tab.getByText('may do what the role reader may do').count(), 4)
    await tab.goto(`${service.address}/console/+people`)
    await tab.locator('main summary').filter({ hasText: 'ann@example.org' }).click()
    await tab.getByText('password, ').waitFor()
    assert.equal(await tab.getByRole('alert').count(), 0)
    assert.deepEqual(stories.violations, [])
  })
}
