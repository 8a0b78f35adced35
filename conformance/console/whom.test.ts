// The console as somebody else sees it: as nobody, as a role, as an account. It only reads unless a reason is given, a band says so, and
// nothing of the one is left for the other.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, cell, expectAccessible, save } from './open-console.ts'

const sdl = `
  extend schema @service(name: "Desk")
  type User @account @allow(to: [CREATE]) @allow(who: "signedIn", to: [READ]) @allow(who: "self", to: [UPDATE])
    @allow(role: "admin") @allow(role: "support", to: [ACT_AS])
  {
    id: ID! email: String! @unique @allow(who: "self", to: [READ]) @allow(role: "admin", to: [READ])
    name: String! @label roles: [String!]
  }
  type Note @history @allow(who: "author") @allow(role: "admin") @allow(role: "editor", to: [READ], where: {open: {eq: true}}) {
    id: ID! text: String! open: Boolean! @default(value: false) author: User! @auto(set: VIEWER)
    state: State! @default(value: NEW)
  }
  type Page @allow(to: [READ, CREATE]) @allow(role: "admin") { id: ID! title: String! draft: String @allow(role: "admin") }
  type Secret @allow(role: "admin") { id: ID! text: String! }
  enum State { NEW @next(to: [DONE]) DONE }
`

describe('as whom', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  const ids: Record<string, string> = {}
  before(async () => {
    stories = await ConsoleStories.open(sdl, { operatorsAct: true })
    const { service, admin } = stories
    for (const name of ['ann', 'bob', 'sue']) ids[name] = (await service.signUp(name)).id
    await service.succeed('PATCH', `/users/${ids.sue}`, { roles: ['support'] }, admin)
    const notes = [
      { id: 'anns', text: 'of Ann', author: ids.ann },
      { id: 'bobs', text: 'of Bob', author: ids.bob, open: true },
    ]
    for (const { id, ...note } of notes) await service.succeed('PUT', `/notes/${id}`, note, admin)
    await service.succeed('POST', '/pages', { title: 'Welcome', draft: 'unsaid' }, admin)
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const band = (page: Page) => page.getByRole('region', { name: 'As whom the console is shown' })
  const openMenu = (page: Page) => page.locator('summary', { hasText: 'As whom' }).click()
  const pick = async (page: Page, name: string) => {
    await page.getByRole('combobox', { name: 'Account' }).fill(name)
    await page.getByRole('option', { name }).click()
  }
  const lookAs = async (page: Page, name: string) => {
    await openMenu(page)
    await pick(page, name)
    await page.getByRole('button', { name: 'Show the console as they see it' }).click()
    await band(page).getByText(`You see what ${name} sees.`).waitFor()
  }

  test('an account, found by its name: its rows, its fields, and nothing of the operator', async () => {
    const page = await stories.asDeveloper('/notes')
    await cell(page, 'of Bob').waitFor()
    const tokens = new Set<string>()
    const bodies: Promise<string>[] = []
    await openMenu(page)
    await expectAccessible(page, 'the choice of a person')
    await pick(page, 'ann')
    page.on('request', (request: Request) => tokens.add(request.headers().authorization ?? 'none'))
    page.on('response', (response) => bodies.push(response.text().catch(() => '')))
    await page.getByRole('button', { name: 'Show the console as they see it' }).click()
    await band(page)
      .getByText(/^1[45] minutes are left\.$/)
      .waitFor()
    await cell(page, 'of Ann').waitFor()
    assert.equal(await cell(page, 'of Bob').count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Secret' }).count(), 0)
    assert.equal(await page.locator('summary', { hasText: 'As whom' }).count(), 0)
    await expectAccessible(page, 'the console as an account')
    await page.getByRole('link', { name: 'Page', exact: true }).click()
    await cell(page, 'Welcome').waitFor()
    await page.getByRole('button', { name: 'Requests' }).click()
    const curl = await page.getByLabel('The request').inputValue()
    assert.match(curl, new RegExp(`^# \\$TOKEN acts as ann: POST /tokens {"as":{"account":"${ids.ann}"}}\n`))
    const seen = (await Promise.all(bodies)).join('\n')
    for (const hidden of ['of Bob', 'unsaid', 'bob@example.org', '"Secret"']) {
      assert.equal(seen.includes(hidden), false, hidden)
    }
    // The one request with the operator's token began the session.
    assert.equal([...tokens].filter((token) => token.startsWith('Bearer ')).length, 2)
  })

  test('a session that only reads has nothing to write with, and the server refuses it', async () => {
    const page = await stories.asDeveloper('/notes/anns')
    await page.getByRole('textbox', { name: 'Text' }).waitFor()
    await lookAs(page, 'ann')
    const text = page.getByRole('textbox', { name: 'Text' })
    await text.waitFor()
    assert.equal(await text.isDisabled(), true)
    assert.equal(await page.getByRole('button', { name: 'Change to DONE' }).isDisabled(), true)
    for (const name of ['Delete', 'New Note', 'Duplicate'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
    const status = await page.evaluate(async () => {
      const { session } = JSON.parse(sessionStorage.getItem('twain.acting')!) as { session: { token: string } }
      const headers = { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ text: 'changed' })
      return (await fetch('/notes/anns', { method: 'PATCH', headers, body })).status
    })
    assert.equal(status, 403)
    assert.equal((await stories.row('/notes/anns')).text, 'of Ann')
    await band(page).getByRole('button', { name: 'Be yourself again' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
    assert.equal(await text.isDisabled(), false)
  })

  test('with a reason it writes in their name, and the history says who', async () => {
    const page = await stories.asDeveloper('/notes/anns')
    await lookAs(page, 'ann')
    await band(page).locator('summary').click()
    await page.getByLabel('Reason').fill('ticket 7')
    await page.getByRole('button', { name: 'Act as them', exact: true }).click()
    await band(page).getByText('What you change is done in their name: “ticket 7”.').waitFor()
    await page.getByRole('textbox', { name: 'Text' }).fill('of Ann, mended')
    await save(page)
    const { edges } = (await stories.row('/notes/anns/changes?first=5')) as { edges: { node: { by: string } }[] }
    assert.match(edges[0]!.node.by, new RegExp(`^\\S+ as account:${ids.ann}$`))
    await stories.service.succeed('PATCH', '/notes/anns', { text: 'of Ann' }, stories.admin)
  })

  test('a role, and nobody', async () => {
    const page = await stories.asDeveloper('/notes')
    await openMenu(page)
    await page.getByRole('combobox', { name: /^As whom/ }).selectOption('A role')
    await page.getByRole('combobox', { name: /^Role/ }).selectOption('editor')
    await page.getByRole('button', { name: 'Show the console as they see it' }).click()
    await band(page).getByText('You see what the role editor sees.').waitFor()
    await cell(page, 'of Bob').waitFor()
    assert.equal(await cell(page, 'of Ann').count(), 0)
    await band(page).getByRole('button', { name: 'Be yourself again' }).click()
    await cell(page, 'of Ann').waitFor()

    await openMenu(page)
    await page.getByRole('combobox', { name: /^As whom/ }).selectOption('Nobody: not signed in')
    await page.getByRole('button', { name: 'Show the console as they see it' }).click()
    await band(page).getByText('You see what nobody sees.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Note' }).count(), 0)
    await page.getByRole('link', { name: 'Page', exact: true }).click()
    await cell(page, 'Welcome').waitFor()
    assert.equal(await page.getByRole('button', { name: 'New Page' }).count(), 0)
    await page.getByRole('button', { name: 'Requests' }).click()
    assert.doesNotMatch(await page.getByLabel('The request').inputValue(), /authorization|TOKEN/)
  })

  test('as nobody neither the query page nor the form of the REST reference writes, also where a rule would let them', async () => {
    const page = await stories.asDeveloper('/pages')
    await cell(page, 'Welcome').waitFor()
    await openMenu(page)
    await page.getByRole('combobox', { name: /^As whom/ }).selectOption('Nobody: not signed in')
    await page.getByRole('button', { name: 'Show the console as they see it' }).click()
    await band(page).getByText('You see what nobody sees.').waitFor()
    const document = '# A page\nmutation { createPage(input: {title: "Forbidden"}) { id } }'
    await page.goto(`${stories.service.address}/console/query?query=${encodeURIComponent(document)}`)
    await page.getByRole('complementary', { name: 'Documentation' }).waitFor()
    await page.getByRole('button', { name: 'Run' }).click()
    await page.locator('.query-errors').getByText('It only reads: nothing can be changed.').waitFor()

    await page.goto(`${stories.service.address}/docs#createPage`)
    const operation = page.locator('[id="createPage"]')
    await operation.getByRole('button', { name: 'Try it' }).click()
    await operation.getByLabel('Body').fill('{"title": "Forbidden"}')
    await operation.getByRole('button', { name: 'Send POST' }).click()
    await operation.getByText('The console is shown as nobody, which only reads.').waitFor()
    assert.deepEqual(await stories.row('/pages?title=Forbidden'), [])
  })

  test('changes of the operator are neither sent as the other nor lost', async () => {
    const page = await stories.asDeveloper('/notes/anns')
    await page.getByRole('textbox', { name: 'Text' }).fill('not yet')
    const bar = page.getByRole('region', { name: 'Unsaved changes' })
    await bar.waitFor()
    await lookAs(page, 'ann')
    await page.getByRole('textbox', { name: 'Text' }).waitFor()
    assert.equal(await bar.count(), 0)
    assert.equal(await page.getByRole('textbox', { name: 'Text' }).inputValue(), 'of Ann')
    await page.keyboard.press('Control+s')
    // A session that writes has changes of its own.
    await band(page).locator('summary').click()
    await page.getByLabel('Reason').fill('ticket 8')
    await page.getByRole('button', { name: 'Act as them', exact: true }).click()
    await band(page).getByText('ticket 8').waitFor()
    await page.getByRole('textbox', { name: 'Text' }).waitFor()
    assert.equal(await bar.count(), 0)
    await page.getByRole('textbox', { name: 'Text' }).fill('in her name')
    await bar.waitFor()
    await band(page).getByRole('button', { name: 'Be yourself again' }).click()
    await bar.getByText('1 change in 1 row').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Text' }).inputValue(), 'not yet')
    assert.equal((await stories.row('/notes/anns')).text, 'of Ann')
  })

  test('a session that somebody ended, and one whose time is over, return to the operator with a message', async () => {
    const { service, admin } = stories
    const page = await stories.asDeveloper('/notes')
    await lookAs(page, 'ann')
    await cell(page, 'of Ann').waitFor()
    const [session] = await service.succeed(
      'GET',
      `/tokens?how=ACTING&account=${ids.ann}&sort=-createdAt`,
      undefined,
      admin,
    )
    await service.send('DELETE', `/tokens/${session.id}`, undefined, admin)
    const ended = page.getByText('The session as ann has ended. You are yourself again.')
    // A node knows of it within a second.
    for (let tries = 0; tries < 50 && !(await ended.isVisible()); tries++) {
      await page
        .getByRole('button', { name: 'Reload' })
        .click()
        .catch(() => {})
      await page.waitForTimeout(100)
    }
    await ended.waitFor()
    await cell(page, 'of Bob').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()

    await page.clock.install()
    await lookAs(page, 'bob')
    await cell(page, 'of Bob').waitFor()
    await page.clock.fastForward('15:10')
    await page.getByText('The session as bob has ended.').waitFor()
    await cell(page, 'of Ann').waitFor()
  })

  test('support acts by a rule; signing out ends both sessions', async () => {
    const page = await stories.asAccount('sue', '/notes')
    await lookAs(page, 'bob')
    await cell(page, 'of Bob').waitFor()
    const tokens = await page.evaluate(() => [
      (JSON.parse(sessionStorage.getItem('twain.acting')!) as { session: { token: string } }).session.token,
      (JSON.parse(sessionStorage.getItem('twain.session')!) as { token: string }).token,
    ])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password', { exact: true }).waitFor()
    assert.equal(await band(page).count(), 0)
    assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)), [])
    for (const token of tokens) {
      const status = async () =>
        (await stories.service.send('GET', '/notes', undefined, { authorization: `Bearer ${token}` })).status
      while ((await status()) !== 401) await page.waitForTimeout(100)
    }
  })

  test('staff who may act as nobody sees no control; the model names no roles', async () => {
    const page = await stories.asAccount('bob', '/notes')
    await cell(page, 'of Bob').waitFor()
    assert.equal(await page.locator('summary', { hasText: 'As whom' }).count(), 0)
    const { token } = await page.evaluate(
      () => JSON.parse(sessionStorage.getItem('twain.session')!) as { token: string },
    )
    const headers = { authorization: `Bearer ${token}` }
    const { viewer } = await stories.service.succeed('GET', '/docs/model', undefined, headers)
    assert.deepEqual(viewer, { account: ids.bob, roles: [] })
    assert.equal((await stories.service.send('POST', '/tokens', { as: ids.ann }, headers)).status, 403)
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
