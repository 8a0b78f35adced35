// The pages of the console about who has access: accounts with their sign-ins, identities and locks, invitations, and API keys.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Mailbox } from '../../packages/twain/src/mail/index.ts'
import { noBrowser } from '../harness/open-browser.ts'
import { until } from '../harness/until.ts'
import { ConsoleStories, expectAccessible } from './open-console.ts'

const sdl = `
  extend schema @service(name: "Crew")
  type User @account @allow(to: [CREATE]) @allow(who: "self", to: [READ]) @allow(role: "admin") {
    id: ID! email: String! @unique name: String! @label roles: [String!]
  }
  type Note @allow(to: [READ]) { id: ID! title: String! }
`
const script = '<img src=x onerror="document.title=`stolen`">'

describe('people', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  const mailbox = new Mailbox()
  before(async () => {
    stories = await ConsoleStories.open(sdl, { mailbox })
    for (const name of ['ann', 'bob']) await stories.service.signUp(name)
    const cid = { email: 'cid@example.org', name: script, password: 'a long password', roles: ['editor'] }
    await stories.service.succeed('POST', '/users', cid, stories.admin)
    const credentials = { email: 'cid@example.org', password: 'a long password' }
    await stories.service.succeed('POST', '/tokens', credentials, { 'x-client-name': `app ${script}` })
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const person = (page: Page, text: string) =>
    page.getByRole('region', { name: 'People' }).getByRole('listitem').filter({ hasText: text }).first()

  test('an administrator finds somebody, and sees roles, sign-ins and clients as text', async () => {
    const page = await stories.asDeveloper('/notes')
    await page.getByRole('link', { name: 'People' }).click()
    await person(page, 'ann@example.org').waitFor()
    const search = page.getByRole('searchbox', { name: 'Find people' })
    await search.fill('CID@')
    await search.press('Enter')
    await person(page, 'ann@example.org').waitFor({ state: 'detached' })
    const cid = person(page, 'cid@example.org')
    const text = await cid.locator('summary').innerText()
    assert.ok(text.includes(script) && text.includes('editor') && text.includes('last used'), text)
    await cid.locator('summary').click()
    await cid.getByText(`password, app ${script}, 127.0.0.0/24`).waitFor()
    await cid.getByText('No identities at providers.').waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    assert.notEqual(await page.title(), 'stolen')
    await expectAccessible(page, 'people')
  })

  test('an administrator locks an account, whose sessions end, and unlocks it', async () => {
    const { id } = await stories.service.signUp('dan')
    const page = await stories.asDeveloper('/+people')
    const dan = person(page, 'dan@example.org')
    await dan.locator('summary').click()
    await dan.getByRole('button', { name: 'Lock the account' }).click()
    await dan.getByRole('button', { name: 'Unlock the account' }).waitFor()
    assert.notEqual((await stories.row(`/users/${id}?fields=_lockedAt`))._lockedAt, null)
    const credentials = { email: 'dan@example.org', password: 'a long password' }
    const signIn = async () => (await stories.service.send('POST', '/tokens', credentials)).status
    assert.equal(await until(signIn, (status) => status === 401), 401)
    await dan.getByRole('button', { name: 'Unlock the account' }).click()
    await dan.getByRole('button', { name: 'Lock the account' }).waitFor()
    assert.equal(await until(signIn, (status) => status === 201), 201)
  })

  test('an administrator ends a session', async () => {
    const eve = await stories.service.signUp('eve')
    const page = await stories.asDeveloper('/+people')
    const shown = person(page, 'eve@example.org')
    await shown.locator('summary').click()
    await shown.getByRole('button', { name: 'End', exact: true }).first().click()
    await shown.getByText('Not signed in anywhere.').waitFor()
    assert.deepEqual(await stories.row(`/tokens?account=${eve.id}`), [])
  })

  test('an administrator invites somebody, sends the mail again, and withdraws the invitation', async () => {
    const page = await stories.asDeveloper('/+people')
    const form = page.getByRole('form', { name: 'Invite somebody' })
    await form.getByLabel('Email').fill('fay@example.org')
    await form.getByLabel('Name').fill('Fay')
    await form.getByRole('button', { name: 'Send the invitation' }).click()
    await page.getByText('A mail goes to fay@example.org.').waitFor()
    const invitations = page.getByRole('region', { name: 'Invitations' })
    await invitations.getByRole('listitem').filter({ hasText: 'fay@example.org' }).waitFor()
    const mailsToFay = async () => mailbox.mails.filter(({ to }) => to === 'fay@example.org')
    assert.equal((await until(mailsToFay, ({ length }) => length > 0)).length, 1)
    await invitations.getByRole('button', { name: 'Send fay@example.org the invitation again' }).click()
    await invitations.getByText('Another mail goes to fay@example.org.').waitFor()
    const links = (await until(mailsToFay, (mails) => mails.length === 2)).map(({ url }) => url!)
    const menu = await stories.asDeveloper('/notes')
    await menu.getByRole('link', { name: 'Mails' }).click()
    const mail = menu
      .getByRole('region', { name: 'Mails' })
      .getByRole('listitem')
      .filter({ hasText: 'fay@example.org' })
    await mail.first().locator('summary').click()
    await mail.first().getByText(links[0]!).waitFor()
    const statuses = await Promise.all(
      links.map(async (link) => (await fetch(`${stories.service.address}${link}`)).status),
    )
    assert.deepEqual(statuses.toSorted(), [200, 410])
    await expectAccessible(page, 'invitations')
    await invitations.getByRole('button', { name: 'Withdraw the invitation of fay@example.org' }).click()
    await invitations.getByText('No invitations wait.').waitFor()
    assert.deepEqual(await stories.row('/invitations'), [])
  })

  test('a mistake in an invitation stands at its field', async () => {
    const page = await stories.asDeveloper('/+people')
    const form = page.getByRole('form', { name: 'Invite somebody' })
    await form.getByLabel('Email').fill('gus@example.org')
    await form.getByRole('button', { name: 'Send the invitation' }).click()
    await form.getByRole('alert').waitFor()
    assert.equal(await form.getByLabel('Name').getAttribute('aria-invalid'), 'true')
  })

  test('somebody without rights sees only themselves, and can neither lock nor invite', async () => {
    const page = await stories.asAccount('bob', '/+people')
    const bob = person(page, 'bob@example.org')
    await bob.locator('summary').click()
    await bob.getByText('this session').waitFor()
    const region = page.getByRole('region', { name: 'People' })
    assert.equal(await region.locator('details').count(), 1)
    const text = await region.innerText()
    for (const hidden of ['ann', 'cid', 'Lock', 'Invit', 'locked']) assert.ok(!text.includes(hidden), hidden)
    const anonymous = await stories.tab('/+people')
    await anonymous.getByRole('button', { name: 'Continue without signing in' }).click()
    await anonymous.getByRole('link', { name: 'Events' }).waitFor()
    assert.equal(await anonymous.getByRole('link', { name: 'People' }).count(), 0)
  })

  test('an administrator sees what API keys may do, makes one, and ends them', async () => {
    const { id, key } = await stories.service.key('editor', 'importer')
    const bearer = { authorization: `Bearer ${key}` }
    assert.equal((await stories.service.send('GET', '/notes', undefined, bearer)).status, 200)
    const page = await stories.asDeveloper('/notes')
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click()
    const entry = page.getByRole('listitem').filter({ hasText: id })
    await entry.getByText('may do what the roles editor, importer may do').waitFor()
    await entry.getByText('never used').waitFor()
    await expectAccessible(page, 'API keys')
    const form = page.getByRole('form', { name: 'New API key' })
    await form.getByLabel('What it is for').fill('nightly')
    await form.getByLabel('Roles').fill('editor, importer')
    await form.getByLabel('Roles').press('Enter')
    const made = await form.locator('code').innerText()
    assert.match(made, /^twk_/)
    const asMade = { authorization: `Bearer ${made}` }
    assert.equal((await stories.service.send('GET', '/notes', undefined, asMade)).status, 200)
    await expectAccessible(page, 'a new API key')
    await page.getByRole('button', { name: 'End nightly' }).click()
    await page.getByRole('button', { name: 'End nightly for good' }).click()
    await page.getByText('nightly', { exact: true }).waitFor({ state: 'detached' })
    await entry.getByRole('button', { name: `End ${id}` }).click()
    await entry.getByRole('button', { name: `End ${id} for good` }).click()
    await page.getByText('No API keys.').waitFor()
    assert.deepEqual(await stories.row('/api-keys'), [])
    const forbidden = await stories.asAccount('bob', '/+keys')
    await forbidden.getByText('There is no such page.').waitFor()
    assert.equal(await forbidden.getByRole('link', { name: 'API keys' }).count(), 0)
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
