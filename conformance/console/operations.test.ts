// The pages of the console about a running service: events as they come, and mails in development.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import axe from 'axe-core'
import { Mailbox } from '../../packages/twain/src/mail/index.ts'
import { noBrowser } from '../harness/open-browser.ts'
import { answerOnce, ConsoleStories } from './open-console.ts'

const sdl = `
  extend schema @service(name: "Watch")
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self", to: [UPDATE]) { id: ID! email: String! @unique name: String! @label }
  type Note @allow(to: [READ]) @allow(role: "admin") { id: ID! title: String! secret: String @allow(role: "admin") }
  type Log @allow(role: "admin") { id: ID! text: String! }
`

describe('operations', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(sdl, { mailbox: new Mailbox() })
    await stories.service.signUp('ann')
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  test('a developer sees events as they come, and follows one to its row', async () => {
    const { service, admin } = stories
    const page = await stories.asDeveloper('/+events')
    await page.getByText('Listening').waitFor()
    const headers = { ...admin, 'x-client-name': 'importer' }
    await service.succeed('POST', '/notes', { title: 'First', secret: 'hush' }, headers)
    const entry = page.getByRole('listitem').filter({ hasText: 'note.created' })
    await entry.waitFor()
    assert.match(await entry.innerText(), /note\.created Version 1 by operator:\S+ through importer/)
    await entry.getByText('note.created').click()
    await entry.getByText('"secret": "hush"').waitFor()
    await page.evaluate(axe.source)
    const found = await page.evaluate(async () => {
      const { axe: checker } = globalThis as unknown as { axe: typeof axe }
      return (await checker.run({ resultTypes: ['violations'] })).violations.map((one) => one.id)
    })
    assert.deepEqual(found, [])
    await page.getByRole('link', { name: 'First', exact: true }).click()
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
  })

  test('an event names the account that made it', async () => {
    const { service } = stories
    const dora = await service.signUp('dora')
    const page = await stories.asDeveloper('/+events')
    await page.getByText('Listening').waitFor()
    const headers = { authorization: dora.authorization, 'x-client-name': 'app' }
    await service.succeed('PATCH', `/users/${dora.id}`, { name: 'Dora' }, headers)
    const entry = page.getByRole('listitem').filter({ hasText: 'user.updated' })
    await entry.getByText(/Version \d+ by Dora through app/).waitFor()
    await entry.getByRole('link', { name: 'Dora', exact: true }).waitFor()
  })

  test('events go on after a request of the feed has failed', async () => {
    const { service, admin } = stories
    const page = await stories.asDeveloper('/+events')
    await page.getByText('Listening').waitFor()
    await answerOnce(page, '**/changes?*', 409)
    const failure = page.getByRole('alert').waitFor()
    const before = await service.succeed('POST', '/notes', { title: 'Before' }, admin)
    await failure
    await page.getByRole('link', { name: before.title, exact: true }).waitFor()
    const later = await service.succeed('POST', '/notes', { title: 'After' }, admin)
    await page.getByRole('link', { name: later.title, exact: true }).waitFor()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('somebody else sees only what they may read', async () => {
    const { service, admin } = stories
    const page = await stories.asAccount('ann', '/+events')
    await page.getByText('Listening').waitFor()
    await service.succeed('POST', '/logs', { text: 'for staff' }, admin)
    await service.succeed('POST', '/notes', { title: 'Second', secret: 'hush' }, admin)
    const entry = page.getByRole('listitem').filter({ hasText: 'note.created' })
    await entry.getByText('note.created').click()
    await entry.getByText('"title": "Second"').waitFor()
    const text = await page.getByRole('region', { name: 'Events' }).innerText()
    for (const hidden of ['log.created', 'for staff', 'hush', 'operator']) assert.ok(!text.includes(hidden), hidden)
  })

  test('a developer reads the mails that the service keeps', async () => {
    await stories.service.succeed('POST', '/codes', { for: 'RESET', email: 'ann@example.org' })
    const page = await stories.asDeveloper('/notes')
    await page.getByRole('link', { name: 'Mails' }).click()
    const mail = page.getByRole('listitem').filter({ hasText: 'ann@example.org' })
    await mail.getByText('ann@example.org').first().click()
    const [kept] = (await stories.row('/mails')) as unknown as { text: string }[]
    assert.equal(await mail.locator('pre').textContent(), kept!.text)
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
