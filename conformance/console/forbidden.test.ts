// What the console must not do: show names, counts or operations to staff without rights, or run what is in a row, a file name or a
// description.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, cell } from './open-console.ts'

const script = '<img src=x onerror=globalThis.ran=1><script>globalThis.ran=1</script>'
const sdl = `
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String! @label }
  """${script}"""
  type Note @allow(to: [READ]) @allow(role: "admin") {
    id: ID!
    """${script}"""
    title: String!
    picture: File
    salary: Salary @allow(role: "admin")
  }
  type Salary @allow(role: "admin") { id: ID! amount: Int! notes: [Note!]! }
  extend type Mutation {
    """${script}"""
    shout(note: ID!): String! @allow
    raiseSalary(salary: ID!): Salary! @allow(role: "admin")
  }
`
const code = `export default { resolvers: { Mutation: { shout: () => '${script}', raiseSalary: ({ salary }) => salary } } }`

describe('what the console must not do', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  let note: string
  before(async () => {
    stories = await ConsoleStories.open(sdl, { code })
    const { service, admin } = stories
    await service.signUp('ann')
    const salary = (await service.succeed('POST', '/salaries', { amount: 4711 }, admin)).id
    note = (await service.succeed('POST', '/notes', { title: script, salary }, admin)).id
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  test('staff without rights sees neither names nor counts, on no page and in no answer', async () => {
    const page = await stories.tab('/notes')
    const answers: Promise<string>[] = []
    page.on('response', (response) => {
      if (!response.url().includes('/console/')) answers.push(response.text().catch(() => ''))
    })
    await page.getByLabel('Email').fill('ann@example.org')
    await page.getByLabel('Password', { exact: true }).fill('a long password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await cell(page, script).waitFor()
    const seen = [await page.locator('body').innerText()]
    await cell(page, script).click()
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
    seen.push(await page.locator('body').innerText())
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('salar')
    await page.getByText('Nothing found.').waitFor()
    seen.push(await page.getByRole('dialog').innerText())
    for (const path of ['/salaries', '/+call/raiseSalary']) {
      await page.goto(`${stories.service.address}/console${path}`)
      await page.getByText('There is no such page.').waitFor()
      seen.push(await page.locator('body').innerText())
    }
    for (const text of [...seen, ...(await Promise.all(answers))])
      for (const hidden of [/salar/i, /4711/]) assert.doesNotMatch(text, hidden)
  })

  test('script in a row, a file name, a description and an answer is inert', async () => {
    const page = await stories.asDeveloper(`/notes/${note}`)
    const input = page.getByLabel('Picture', { exact: true })
    await input.setInputFiles({ name: `${script}.txt`, mimeType: 'text/plain', buffer: Buffer.from('x') })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
    await page.getByRole('complementary').getByText('Shout', { exact: true }).click()
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText('Done.').waitFor()
    await page.getByText('History', { exact: true }).click()
    await page.getByText('Version 2').last().waitFor()
    assert.equal(await page.evaluate('globalThis.ran'), undefined)
    assert.equal(await page.locator('img').count(), 0)
    assert.deepEqual(stories.violations, [])
  })
})
