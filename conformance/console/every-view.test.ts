// Every view of the console for every pair of eyes and hands: axe finds nothing in light and dark; forced colours show controls, states
// and the focus; 360 pixels and 400 % zoom leave every control in reach, and the page never scrolls sideways.
// `TWAIN_VIEW_PICTURES=FOLDER` also takes pictures of each view. `npm test` takes a third of the views and leaves axe to `npm run samples`.
// stores: sqlite
// all samples: sqlite

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { LogHistory } from '../../packages/twain/src/base/index.ts'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { Mailbox } from '../../packages/twain/src/mail/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { noBrowser } from '../harness/open-browser.ts'

import { ConsoleStories, expectAccessible } from './open-console.ts'

const sdl = `
  extend schema @service(name: "Harbour")
  type User @account @allow(to: [READ, CREATE]) @allow(role: "admin") {
    id: ID! email: String! @unique name: String! @label roles: [String!]
  }
  type Author @allow(to: [READ]) @allow(role: "admin") { id: ID! name: String! @unique books: [Book!]! }
  "What we lend."
  type Book @history @softDelete @allow(to: [READ]) @allow(role: "admin") {
    id: ID!
    title: String! @search @constraint(minLength: 3, maxLength: 80)
    pages: Int @constraint(min: 1)
    price: Decimal
    isNew: Boolean
    state: State! @default(value: DRAFT)
    author: Author
    cover: File
    printedAt: DateTime
    extra: JSON
    owner: User @auto(set: VIEWER)
  }
  enum State { DRAFT @next(to: [PRINTED], where: {pages: {isNull: false}}) PRINTED @next(to: [SOLD], role: "seller") SOLD }
  extend type Mutation {
    "Lends a book."
    lend(book: ID!, who: String! @constraint(minLength: 2), days: Int! = 14): String! @allow(role: "admin")
  }
`
const code = `export default {
  resolvers: { Mutation: { lend: ({ who }, { enqueue }) => enqueue('remind', { who }) } },
  jobs: { remind: { retries: 0, run() { throw new Error('no paper') } } },
}`

const script = readFileSync(join(import.meta.dirname, 'look-at-hands.js'), 'utf8')

async function checkHands(page: Page): Promise<string[]> {
  await page.keyboard.press('Shift') // from now on the focus is that of a keyboard
  await page.evaluate(script)
  return page.evaluate('lookAtHands()')
}

/** How to open a view from any other. */
type View = (page: Page) => Promise<void>

describe('every view of the console', { skip: noBrowser, timeout: 600_000 }, () => {
  let stories: ConsoleStories
  let page: Page
  const log = new LogHistory(() => '')
  before(async () => {
    const metrics = new Metrics()
    stories = await ConsoleStories.open(sdl, {
      code,
      operatorsAct: true,
      isWatched: true,
      mailbox: new Mailbox(),
      log: log.keeping(silent),
      metrics: { of: metrics, to: 'local' },
      monitored: { load: metrics.load, log },
      slowQueryMs: 0.0001,
      listening: { metrics },
    })
    const { service, admin } = stories
    await service.signUp('ann')
    await service.succeed('PUT', '/authors/ada', { name: 'Ada' }, admin)
    const books = Array.from({ length: 40 }, (_, index) => ({
      title: `Book ${String(index).padStart(3, '0')}`,
      pages: index === 0 ? null : index,
      author: 'ada',
      isNew: true,
      price: '12.50',
      extra: { shelf: index },
    }))
    await service.succeed('PUT', '/books/first', books[0]!, admin)
    await service.succeed('POST', '/books', books.slice(1), admin)
    await service.succeed('PATCH', '/books/first', { title: 'First book' }, admin)
    const hook = { url: 'https://example.org/hook', events: ['book.created'], active: false }
    await service.succeed('POST', '/webhooks', hook, admin)
    await service.succeed('POST', '/codes', { for: 'RESET', email: 'ann@example.org' })
    await service.succeed('POST', '/invitations', { email: 'bea@example.org', name: 'Bea' }, admin)
    await service.key('seller', 'importer')
    const lend = { query: 'mutation { lend(book: "first", who: "Ann") }' }
    await service.succeed('POST', '/graphql', lend, admin)
    await service.send('GET', '/books?first=x')
    page = await stories.asDeveloper('/books')
    await page.getByRole('gridcell').first().waitFor()
  })
  after(() => stories?.close())

  /** Without the changes of another view. */
  const open = async (path: string) => {
    await page.goto(`${stories.service.address}/console/files/main.css`)
    await page.evaluate(() => sessionStorage.removeItem('twain.drafts'))
    await page.goto(`${stories.service.address}/console${path}`)
  }
  const rows = async (query = '?fields=title,pages,author,state,isNew,printedAt&sort=title') => {
    await open(`/books${query}`)
    await page.getByRole('gridcell').first().waitFor()
  }
  const row = async (path = '/books/first') => {
    await open(path)
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
  }
  const region = (name: string) => page.getByRole('region', { name, exact: true })

  const views: Record<string, View> = {
    rows: () => rows(),
    'rows with filters, chosen rows and the bar about them': async () => {
      await rows('?pages[gte]=2&author.name=Ada&state=DRAFT&fields=title,pages&sort=-pages')
      await page.getByRole('gridcell').first().focus()
      await page.keyboard.press('Space')
      await page.getByText('1 row chosen').waitFor()
    },
    'the form of a filter': async () => {
      await rows()
      await page.getByText('Add filter').click()
      await page.getByLabel('Value').waitFor()
    },
    'the menu of columns': async () => {
      await rows()
      await page.getByText('Columns', { exact: true }).click()
      await page.getByRole('checkbox', { name: 'Pages' }).waitFor()
    },
    'a cell that is edited': async () => {
      await rows()
      await page.locator('[role=gridcell][aria-colindex="3"]').first().press('F2')
      await page.getByRole('grid').getByRole('combobox').waitFor()
    },
    'many rows are changed': async () => {
      await rows()
      await page.getByRole('gridcell').first().focus()
      await page.keyboard.press('Space')
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('dialog').getByText('Delete 1 row?').waitFor()
    },
    'an import with its mistakes': async () => {
      await rows()
      await page.getByText('Import and export').click()
      await page.getByRole('button', { name: 'Import CSV…' }).click()
      const buffer = Buffer.from('Title,Pages\nNo,many\n')
      await page.getByLabel(/^CSV file/).setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer })
      await page.getByRole('button', { name: 'Import 1 row' }).click()
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
    'deleted rows': async () => {
      await stories.service.succeed('PUT', '/books/gone', { title: 'Gone' }, stories.admin)
      await stories.service.succeed('DELETE', '/books/gone', undefined, stories.admin)
      await rows('?deleted=only')
    },
    'a row': () => row(),
    'a row of another type with its lists': async () => {
      await open('/authors/ada')
      await page.getByRole('navigation', { name: 'Lists' }).getByText('40', { exact: true }).waitFor()
    },
    'a new row with a mistake and a row beside it': async () => {
      await row('/books/+new')
      await page.getByRole('textbox', { name: 'Title' }).fill('No')
      await page.getByRole('complementary').getByRole('button', { name: 'New Author' }).click()
      await page.getByText('At least 3 characters.').waitFor()
    },
    'a picker': async () => {
      await row()
      await page.getByRole('combobox', { name: 'Author' }).fill('a')
      await page.getByRole('option', { name: 'Ada' }).waitFor()
    },
    'the delete of a row': async () => {
      await row()
      await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).waitFor()
    },
    'a conflict': async () => {
      await row()
      await page.getByRole('textbox', { name: 'Title' }).fill('Mine of many')
      await stories.service.succeed('PATCH', '/books/first', { title: `Theirs ${Date.now()}` }, stories.admin)
      await page.getByRole('button', { name: 'Save' }).click()
      await region('Unsaved changes').getByRole('button', { name: 'Keep mine' }).waitFor()
    },
    'the history of a row': async () => {
      await row()
      await page.getByText('History', { exact: true }).click()
      await page.getByRole('listitem').filter({ hasText: 'Version 2' }).waitFor()
    },
    'why and who may do what': async () => {
      await row()
      await page.getByRole('button', { name: 'Why not: PRINTED' }).click()
      await page.getByText('Who may do what', { exact: true }).click()
      await page.getByLabel('As whom').selectOption('Nobody: not signed in')
      await region('Who may do what').getByText('may The row: read').waitFor()
    },
    'an operation in the form of a row': async () => {
      await row()
      await page.getByRole('complementary').getByText('Lend', { exact: true }).click()
      await page.getByRole('form', { name: 'Lend' }).getByRole('textbox', { name: 'Who' }).fill('A')
    },
    'the page of an operation': async () => {
      await open('/+call/lend')
      await page.getByRole('form', { name: 'Lend' }).getByRole('textbox', { name: 'Who' }).fill('A')
    },
    'the drawer of requests': async () => {
      await rows()
      await page.getByRole('button', { name: 'Requests' }).click()
      await page.getByLabel('The request', { exact: true }).waitFor()
    },
    'the drawer with SQL': async () => {
      await rows()
      await page.getByRole('button', { name: 'Requests' }).click()
      const request = page.getByLabel('Request', { exact: true })
      await request.waitFor()
      const sent = await request.getByRole('option').allTextContents()
      await request.selectOption(sent.find((text) => /GET \/books\?/.test(text))!)
      await page.getByRole('button', { name: 'SQL', exact: true }).click()
      await page.getByRole('button', { name: 'Send it again with its SQL' }).click()
      await page.locator('.statements pre').first().waitFor()
    },
    'the box that finds': async () => {
      await rows()
      await page.keyboard.press('Control+k')
      await page.locator('dialog.find input:focus').waitFor()
      await page.keyboard.type('book 01')
      await page.getByRole('option').nth(2).waitFor()
    },
    'the query page': async () => {
      await open('/+query')
      await page.getByRole('complementary', { name: 'Documentation' }).waitFor()
      await page.getByRole('button', { name: 'Run' }).click()
      await page.getByRole('textbox', { name: 'Answer' }).filter({ hasText: '"data"' }).waitFor()
    },
    'the schema as a picture': async () => {
      await open('/+schema')
      await page.getByRole('group', { name: /^Picture of/ }).waitFor()
    },
    'the schema as a list': async () => {
      await open('/+schema/list?type=Book')
      await region('Book').waitFor()
    },
    'the schema file': async () => {
      await open('/+schema/file')
      await page.getByText('The file has no mistakes, and is served.').waitFor()
    },
    'changes of the schema': async () => {
      await open('/+schema/changes')
      await page.getByRole('button', { name: 'Begin with the served text' }).click()
      await page.getByLabel('Changed text').fill(sdl.replace('    price: Decimal\n', ''))
      await page.getByRole('button', { name: 'Compare' }).click()
      await region('Breaking').waitFor()
    },
    'the access matrix': async () => {
      await open('/+access')
      await page.getByRole('row', { name: 'Book READ' }).getByRole('button').first().click()
      await region('Rules').waitFor()
    },
    events: async () => {
      await open('/+events')
      await page.getByText('Listening').waitFor()
      await stories.service.succeed('PATCH', '/books/first', { pages: 3 }, stories.admin)
      await page.getByText('book.updated').first().click()
      await stories.service.succeed('PATCH', '/books/first', { pages: null }, stories.admin)
    },
    webhooks: async () => {
      await open('/+webhooks')
      await page.getByText('https://example.org/hook').first().click()
    },
    jobs: async () => {
      await open('/+jobs')
      await region('Jobs').getByRole('listitem').first().locator('summary').click()
    },
    mails: async () => {
      await open('/+mails')
      await page.getByText('ann@example.org').first().click()
    },
    people: async () => {
      await open('/+people')
      await page.locator('main summary').filter({ hasText: 'ann@example.org' }).click()
      await page.getByText('No identities at providers.').waitFor()
      await region('Invitations').getByText('bea@example.org').first().waitFor()
    },
    'API keys': async () => {
      await open('/+keys')
      await page.getByText('never used').waitFor()
    },
    'load and log': async () => {
      await open('/+load')
      await region('Routes').getByRole('row').nth(1).waitFor()
    },
    'nothing there': async () => {
      await open('/nowhere')
      await page.getByText('There is no such page.').waitFor()
    },
    'the menu of whom': async () => {
      await rows()
      await page.locator('summary', { hasText: 'As whom' }).click()
      await page.getByRole('combobox', { name: 'Account' }).waitFor()
    },
    'the console as somebody else': async () => {
      await rows()
      await page.locator('summary', { hasText: 'As whom' }).click()
      await page.getByRole('combobox', { name: 'Account' }).fill('ann')
      await page.getByRole('option', { name: 'ann' }).click()
      await page.getByRole('button', { name: 'Show the console as they see it' }).click()
      await page.getByText('You see what ann sees.').waitFor()
      await page.getByRole('gridcell').first().waitFor()
    },
    'the form of the REST reference': async () => {
      await page.goto(`${stories.service.address}/docs#listBooks`)
      await page.locator('[id="listBooks"]').getByRole('button', { name: 'Try it' }).click()
      await page.locator('[id="listBooks"] form').waitFor()
    },
    'signing in': async () => {
      await open('/books')
      await page.evaluate(() => sessionStorage.clear())
      await page.reload()
      await page.getByText('Use a token').click()
      await page.getByLabel('Token or API key').waitFor()
    },
  }

  const pictures = process.env.TWAIN_VIEW_PICTURES
  /** Else every third view, and without axe, which takes a second of CPU for each look. */
  const isWhole = process.env.TWAIN_SAMPLES === 'all'
  for (const [index, [name, view]] of Object.entries(views).entries()) {
    if (!isWhole && index % 3 !== 0) continue
    test(name, async () => {
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
      await page.setViewportSize({ width: 1200, height: 700 })
      await view(page)
      const found: string[] = []
      const check = async (look: string) => {
        if (pictures) await page.screenshot({ path: join(pictures, `${name.replaceAll(' ', '-')}.${look}.png`) })
        found.push(...(await checkHands(page)).map((text) => `${look}: ${text}`))
      }
      if (isWhole) {
        await expectAccessible(page, name)
        await check('light')
        await page.emulateMedia({ colorScheme: 'dark' })
        await expectAccessible(page, `${name} in the dark`)
        await check('dark')
      }
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
      await check('forced colours')
      await page.setViewportSize({ width: 320, height: 256 })
      await check('400 % zoom')
      await page.setViewportSize({ width: 360, height: 700 })
      await check('360 pixels')
      assert.deepEqual(found, [])
    })
  }

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
