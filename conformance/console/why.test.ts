// The console explains rights: why a field is greyed, a button is missing or disabled, and why somebody else can't see a row.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, cell, expectAccessible, expectAddress } from './open-console.ts'

const sdl = `
  extend schema @service(name: "Press")
  type User @account @allow(to: [READ, CREATE]) @allow(role: "admin") {
    id: ID! email: String! @unique name: String! @label
  }
  type Post
    @allow(to: [READ], where: {status: {eq: PUBLISHED}})
    @allow(who: "author", to: [READ, UPDATE])
    @allow(role: "admin", to: [READ, UPDATE])
  {
    id: ID!
    title: String!
    author: User! @auto(set: VIEWER)
    note: String @allow(who: "author", to: [UPDATE])
    status: Status!
  }
  enum Status { DRAFT @next(to: [PUBLISHED], role: "editor") PUBLISHED }
  type Memo @allow(role: "admin", to: [READ]) @allow(role: "admin", to: [UPDATE], where: {isLocked: {eq: false}}) {
    id: ID! text: String! place: String isLocked: Boolean! @default(value: false)
  }
  type Ticket @allow(role: "admin", to: [READ]) @allow(role: "admin", to: [CREATE], where: {kind: {eq: "open"}}) {
    id: ID! title: String! kind: String!
  }
`

describe('why', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(sdl)
    const { service } = stories
    const ann = await service.signUp('ann')
    await service.signUp('bob')
    const row = { title: 'On knots', author: ann.id, note: 'later' }
    assert.equal((await service.asSystem('PUT', '/posts/knots', row)).status, 201)
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  test('a greyed field, a missing button and a disabled one say which rule decides', async () => {
    const page = await stories.asDeveloper('/posts/knots')
    await page.getByRole('button', { name: 'Why not: Note' }).click()
    await page
      .getByText(/^Post\.note: \S+schema\.graphql:14 @allow\(who: "author", to: \[UPDATE\]\) would allow it\.$/)
      .waitFor()
    await page.getByRole('button', { name: 'Why not: Author' }).click()
    await page.getByText('has @auto, so the server sets it.').waitFor()
    await page.getByRole('button', { name: 'Why not: Delete' }).click()
    await page.getByText(/^Post: \S+schema\.graphql:6 has no @allow to DELETE\.$/).waitFor()
    await page.getByRole('button', { name: 'Why not: PUBLISHED' }).click()
    await page.getByText(/schema\.graphql:17 @next\(to: \[PUBLISHED\], role: "editor"\) would allow it\.$/).waitFor()
  })

  test('why can this account not see that post?', async () => {
    const page = await stories.asDeveloper('/posts/knots')
    await page.getByText('Who may do what', { exact: true }).click()
    await page.getByLabel('As whom').selectOption('An account')
    await page.getByRole('combobox', { name: 'Account' }).fill('bob')
    await page.getByRole('option', { name: 'bob' }).click()
    const section = page.getByRole('region', { name: 'Who may do what' })
    const read = section.getByText('may not The row: read')
    await read.click()
    await section
      .getByText(/where status = PUBLISHED does not match this row; .*:8 @allow\(who: "author"/)
      .first()
      .waitFor()
    await page.getByLabel('As whom').selectOption('A role')
    await page.getByRole('textbox', { name: 'Role' }).fill('editr')
    await page.getByRole('textbox', { name: 'Role' }).press('Enter')
    await page.getByRole('textbox', { name: 'Role' }).blur()
    await section.getByText(/Did you mean "?editor"?\?/).waitFor()
  })

  test('the access matrix leads from a cell to its rules, and its filters are a link', async () => {
    const page = await stories.asDeveloper('/posts')
    await page.getByRole('link', { name: 'Access matrix' }).click()
    const matrix = page.getByRole('region', { name: 'Access matrix' })
    const row = (name: string) => matrix.getByRole('row', { name })
    await row('Post READ').waitFor()
    assert.deepEqual(await row('Post DELETE').getByRole('button').allTextContents(), Array(5).fill('never'))
    await expectAccessible(page, 'the access matrix')
    await row('Post.status DRAFT → PUBLISHED').getByRole('button', { name: 'if…' }).click()
    const rules = matrix.getByRole('region', { name: 'Rules' })
    await rules.getByText('@next(to: [PUBLISHED], role: "editor")').waitFor()
    await rules.getByText('role editor, on rows that they may read').waitFor()
    await rules.getByText(/schema\.graphql:17$/).waitFor()
    await row('Post READ').getByRole('button').first().click()
    await rules.getByText('where status = PUBLISHED', { exact: true }).waitFor()
    assert.equal(await rules.getByText('decides here').count(), 1)
    assert.equal(await rules.getByText('does not let them').count(), 2)
    await matrix.getByLabel('Type').selectOption('Post')
    await matrix.getByLabel('As whom').selectOption('role:editor')
    await matrix.getByLabel('Action').selectOption('READ')
    await expectAddress(page, '/console/%2Baccess?type=Post&as=role%3Aeditor&action=READ')
    for (const left of ['User READ', 'Post DELETE']) await row(left).waitFor({ state: 'detached' })
    await matrix.getByRole('columnheader', { name: 'nobody' }).waitFor({ state: 'detached' })
    assert.equal(await matrix.getByRole('row').count(), 2)
    await page.reload()
    await row('Post READ').waitFor()
    assert.equal(await matrix.getByRole('row').count(), 2)
    assert.equal(await matrix.getByRole('columnheader').count(), 3)
  })

  test('a missing button for new rows leads to the rules about creating them', async () => {
    const page = await stories.asDeveloper('/posts')
    await page.getByRole('link', { name: 'Why not: New Post' }).click()
    await expectAddress(page, '/console/%2Baccess?type=Post&action=CREATE')
    const cells = page.getByRole('row', { name: 'Post CREATE' }).getByRole('button')
    await cells.first().waitFor()
    assert.deepEqual(new Set(await cells.allTextContents()), new Set(['never']))
  })

  test('a save that the rules refuse names the row, and says which rule decides', async () => {
    const { service } = stories
    assert.equal((await service.asSystem('PUT', '/memos/m1', { text: 'Water the plants' })).status, 201)
    const page = await stories.asDeveloper('/memos/m1')
    await page.getByRole('textbox', { name: 'Place' }).fill('the hall')
    assert.equal((await service.asSystem('PATCH', '/memos/m1', { isLocked: true })).status, 200)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const refusal = page.getByRole('alert').filter({ hasText: 'You may not update the Memo "Water the plants".' })
    await refusal.waitFor()
    await page.getByRole('button', { name: 'Why not: Water the plants' }).click()
    const because = page.locator('.change-bar').getByText(/^Memo: /)
    await because.waitFor()
    assert.match(
      (await because.textContent())!,
      /schema\.graphql:18 @allow\(role: "admin", to: \[UPDATE\]\) where isLocked = false does not match/,
    )
    await expectAccessible(page, 'a refused save')
  })

  test('rows of many that the rules refuse are named, and say which rule decides', async () => {
    const { service } = stories
    for (const [id, isLocked] of [
      ['b1', false],
      ['b2', true],
    ] as const) {
      assert.equal((await service.asSystem('PUT', `/memos/${id}`, { text: `Bulk ${id}`, isLocked })).status, 201)
    }
    const page = await stories.asDeveloper('/memos?text[startsWith]=Bulk&sort=text')
    for (const name of ['Bulk b1', 'Bulk b2']) {
      await cell(page, name).getByRole('checkbox', { includeHidden: true }).click()
    }
    await page.getByText('Change a field…').click()
    await page.getByLabel('Field').selectOption('Place')
    await page.getByRole('textbox', { name: 'Place' }).fill('the hall')
    await page.getByRole('button', { name: 'Try it' }).click()
    const dialog = page.getByRole('dialog')
    const refused = dialog.getByRole('listitem').filter({ hasText: /^Bulk b2: / })
    await refused.getByRole('button', { name: 'Why not: Bulk b2' }).click()
    await refused
      .getByText(/schema\.graphql:18 @allow\(role: "admin", to: \[UPDATE\]\) where isLocked = false/)
      .waitFor()
    assert.equal(await dialog.getByRole('button', { name: /^Why not/ }).count(), 1)
    await expectAccessible(page, 'refused rows with their rules')
  })

  test('lines of a CSV file that the rules refuse say which rule decides', async () => {
    const page = await stories.asDeveloper('/tickets')
    await page.getByText('Import and export').click()
    await page.getByRole('button', { name: 'Import CSV…' }).click()
    const buffer = Buffer.from('title,kind\nFirst,open\nSecond,closed\n')
    await page.getByLabel(/^CSV file/).setInputFiles({ name: 'tickets.csv', mimeType: 'text/csv', buffer })
    const dialog = page.getByRole('dialog', { name: 'Import Ticket from CSV' })
    await dialog.getByRole('button', { name: 'Import 2 rows' }).click()
    const line = dialog.getByRole('listitem').filter({ hasText: /^Line 3: You may not create this Ticket/ })
    await line.getByRole('button', { name: 'Why not: Line 3' }).click()
    await line.getByText(/schema\.graphql:21 @allow\(role: "admin", to: \[CREATE\]\) where kind = /).waitFor()
    assert.deepEqual(await stories.row('/tickets'), [])
    await expectAccessible(page, 'refused lines with their rules')
  })

  test('somebody without the role admin is shown no rules', async () => {
    const page = await stories.asAccount('ann', '/posts/knots')
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
    assert.equal(await page.getByText('Who may do what').count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Why not' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Why not' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Access matrix' }).count(), 0)
    const answers: Promise<string>[] = []
    page.on('response', (response) => {
      if (response.url().includes('/docs/access')) answers.push(response.text())
    })
    await page.goto(`${stories.service.address}/console/+access`)
    await page.getByText('Explanations of rights need the role admin.').waitFor()
    assert.doesNotMatch((await Promise.all(answers)).join(), /@allow|editor/)
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
