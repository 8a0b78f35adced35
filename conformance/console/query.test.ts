// The query page of the console: GraphQL by hand, with completion, checks and documentation from the schema.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { defaultGraphqlSettings } from '../../packages/twain/src/graphql/index.ts'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, expectAccessible } from './open-console.ts'

const script = '<img src=x onerror=document.title=1><script>document.title = 2</script>'
const sdl = `
  extend schema @service(name: "Shop")
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String! @label }
  """
  What we sell. ${script}
  """
  type Ware @allow(to: [READ]) @allow(role: "admin") {
    id: ID!
    "How it is called. ${script}"
    title: String!
    state: State! @default(value: DRAFT)
    old: Int @deprecated(reason: "Use title.")
    secret: String @allow(role: "admin")
  }
  type Ledger @allow(role: "admin") { id: ID! sum: Int! }
  enum State { DRAFT SOLD }
`

describe('the query page', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  before(async () => {
    stories = await ConsoleStories.open(sdl)
    await stories.service.signUp('ann')
    const { service, admin } = stories
    for (const title of ['Anchor', 'Boat', script])
      await service.succeed('POST', '/wares', { title, secret: 'hush' }, admin)
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const editor = (page: Page, name = 'GraphQL document') => page.getByRole('textbox', { name })
  const write = async (page: Page, text: string, name?: string) => {
    await editor(page, name).click()
    await page.keyboard.press('ControlOrMeta+A')
    if (text === '') await page.keyboard.press('Delete')
    else await page.keyboard.insertText(text)
  }
  const answer = (page: Page, text: string | RegExp) =>
    page.getByRole('textbox', { name: 'Answer' }).filter({ hasText: text }).waitFor()
  const open = async (page: Page) => {
    await page.getByRole('complementary', { name: 'Documentation' }).waitFor()
    return page
  }

  test('a developer runs an example, a query with variables, and a mutation', async () => {
    const page = await open(await stories.asDeveloper('/query'))
    await page.getByRole('button', { name: 'Run' }).click()
    await answer(page, '"users"')
    await write(page, 'query ($title: String!) { wares(where: {title: {eq: $title}}) { title secret } }')
    await page.getByText('The variable $title: String! has no value.').waitFor()
    await write(page, '{"title": "Boat"}', 'Variables as JSON')
    await page.keyboard.press('Control+Enter')
    await answer(page, /"title": "Boat",\s*"secret": "hush"/)
    await page.getByRole('button', { name: 'Requests' }).click()
    await page.getByRole('button', { name: '@twain/client' }).click()
    assert.match(
      await page.getByLabel('The request', { exact: true }).inputValue(),
      /^const \{ data \} = await client\.query\(`query \(\\\$title: String!\).*`, \{\n {2}"title": "Boat"\n\}\)$/s,
    )
    await page.getByRole('button', { name: 'Requests' }).click()
    await write(page, 'mutation { createWare(input: {title: "Compass"}) { id title } }')
    await write(page, '', 'Variables as JSON')
    await page.keyboard.press('Control+Enter')
    await answer(page, '"createWare"')
    const rows = (await stories.row('/wares?title=Compass')) as unknown as unknown[]
    assert.equal(rows.length, 1)
    await expectAccessible(page, 'the query page')
    await page.setViewportSize({ width: 360, height: 640 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
    await editor(page).waitFor()
  })

  test('names are completed, mistakes are marked before sending, and formatting mends the look', async () => {
    const page = await open(await stories.asDeveloper('/query'))
    await write(page, '')
    await page.keyboard.type('{ war')
    await page.getByRole('option', { name: /^wares\[/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await write(page, '{ wares(limit: 2, where: {state: {eq: DRAF}}) { titel } }')
    await page.getByText('State has no value DRAF. Did you mean DRAFT?').waitFor()
    const mistake = page.getByRole('listitem').filter({ hasText: 'Ware has no field titel. Did you mean title?' })
    await mistake.getByRole('button').click()
    for (let letter = 0; letter < 5; letter++) await page.keyboard.press('Delete')
    await page.keyboard.type('ti')
    await page.keyboard.press('Control+Space')
    await page.getByRole('option', { name: /^title/ }).waitFor()
    await page.keyboard.press('Enter')
    await mistake.waitFor({ state: 'detached' })
    await write(page, '{ wares(limit:2,where:{state:{eq:DRAFT}}){ title } }')
    await page.getByRole('button', { name: 'Format' }).click()
    await editor(page).filter({ hasText: 'wares(limit: 2, where: {state: {eq: DRAFT}})' }).waitFor()
    await page.keyboard.press('Control+Enter')
  })

  test('the documentation of the name under the cursor is text, and leads on to its types', async () => {
    const page = await open(await stories.asDeveloper('/query'))
    await write(page, '{ wares { old title')
    const docs = page.getByRole('complementary', { name: 'Documentation' })
    await docs.getByText(`How it is called. ${script}`).waitFor()
    for (let step = 0; step < 7; step++) await page.keyboard.press('ArrowLeft')
    await docs.getByText('Deprecated. Use title.').waitFor()
    for (let step = 0; step < 8; step++) await page.keyboard.press('ArrowLeft')
    await docs.getByRole('button', { name: 'Ware', exact: true }).click()
    await docs.getByText(/What we sell\. <img/).waitFor()
    await docs.getByRole('button', { name: 'State!' }).click()
    await docs.getByText('SOLD').waitFor()
  })

  test('an error leads to its place, and a script in an answer is inert', async () => {
    const page = await open(await stories.asDeveloper('/query'))
    await write(page, 'query A {\n  wares { title }\n}\nquery B {\n  ledgers(limit: 100000) { id }\n}')
    await page.keyboard.press('Control+Enter')
    const error = page.getByRole('list', { name: 'Errors' }).getByRole('listitem')
    await error.first().waitFor()
    await error
      .getByRole('button', { name: /line 5/ })
      .first()
      .click()
    await page.keyboard.press('Home')
    await write(page, '{ wares(where: {title: {startsWith: "<img"}}) { title } }')
    await page.keyboard.press('Control+Enter')
    await answer(page, '<script>document.title = 2</script>')
    assert.match(await page.title(), /^Shop/)
  })

  test('of several operations the chosen one runs, and a subscription shows events as they come', async () => {
    const { service, admin } = stories
    const page = await open(await stories.asDeveloper('/query'))
    await write(
      page,
      'query First { wares(limit: 1) { id } }\nquery Second { users(limit: 1) { name } }\nsubscription Third { wareCreated { title } }\n\n',
    )
    const choice = page.getByLabel('Operation', { exact: true })
    await choice.selectOption('Second')
    await page.keyboard.press('Control+Enter')
    await answer(page, '"ann"')
    await choice.selectOption('Third')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Listening: 0 events').waitFor()
    for (const title of ['Dinghy', 'Ensign']) await service.succeed('POST', '/wares', { title }, admin)
    await answer(page, /Ensign.*Dinghy/s)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
  })

  test('the history stays in the browser without secrets, and is opened again', async () => {
    const page = await open(await stories.asDeveloper('/query'))
    await write(
      page,
      'mutation ($p: String!) { createToken(input: {email: "ann@example.org", password: "a long password"}) { token } }',
    )
    await write(page, '{"password": "another secret"}', 'Variables as JSON')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('list', { name: 'Errors' }).waitFor()
    await write(page, '', 'Variables as JSON')
    await write(
      page,
      'mutation { createToken(input: {email: "ann@example.org", password: "a long password"}) { token } }',
    )
    await page.keyboard.press('Control+Enter')
    await answer(page, '"token"')
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage.getItem('twain.query')]))
    for (const secret of ['a long password', 'another secret', 'eyJ']) assert.ok(!kept.includes(secret), secret)
    await page.reload()
    await open(page)
    await page.getByText('History').click()
    await page.getByRole('button', { name: /^mutation \(\$p/ }).click()
    await editor(page).filter({ hasText: 'mutation ($p: String!)' }).waitFor()
  })

  test('somebody who is not signed in sees the schema and the rows of nobody', async () => {
    const page = await stories.tab('/query?query=%7B%20wares%20%7B%20title%20%7D%20ledgers%20%7B%20id%20%7D%20%7D')
    await page.getByRole('button', { name: 'Continue without signing in' }).click()
    await open(page)
    await editor(page).filter({ hasText: '{ wares { title } ledgers { id } }' }).waitFor()
    await page.getByRole('button', { name: 'Run' }).click()
    await answer(page, /Anchor.*"ledgers": \[\]/s)
    await write(page, 'mutation { createLedger(input: {sum: 1}) { id } }')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('list', { name: 'Errors' }).getByText('UNAUTHENTICATED').waitFor()
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})

test('with trusted documents only, the menu has no query page, and the page says why', {
  skip: noBrowser,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'twain-trusted-'))
  const trustedDocuments = join(folder, 'documents.json')
  await writeFile(trustedDocuments, '{}')
  const graphql = { ...defaultGraphqlSettings, trustedDocuments, trustedDocumentsOnly: true }
  const stories = await ConsoleStories.open(sdl, { graphql })
  t.after(async () => {
    await stories.close()
    await rm(folder, { recursive: true })
  })
  const page = await stories.asDeveloper('/wares')
  const menu = page.getByRole('navigation', { name: 'Types' })
  await menu.getByRole('link', { name: 'Events' }).waitFor()
  assert.equal(await menu.getByRole('link', { name: 'Query' }).count(), 0)
  await page.goto(`${stories.service.address}/console/query`)
  await page.getByText('This service runs trusted GraphQL documents only').waitFor()
})
