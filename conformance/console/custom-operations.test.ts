// Custom operations run from forms of the console: on a page of their own, and in the form of a row that they take.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, expectAccessible } from './open-console.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(role: "admin") { id: ID! email: String! @unique name: String! @label }
  type Post @allow(to: [READ]) @allow(role: "admin") { id: ID! title: String! views: Int! @default(value: 0) cover: File }
  type Totals { posts: Int! words: [String!]! }
  enum Tone { PLAIN LOUD }
  input Range @oneOf { min: Int max: Int @constraint(max: 9) }
  extend type Query {
    "Posts in a range."
    totals(views: Range, words: [String!], tone: Tone! = PLAIN): Totals! @allow
    staffOnly: Int! @allow(role: "admin")
  }
  extend type Mutation {
    "Adds views to a post."
    addViews(post: ID!, count: Int! = 1 @constraint(min: 1, max: 50)): Post! @allow(role: "admin")
    publish(title: String! @constraint(minLength: 3), cover: Upload): Post! @allow(role: "admin")
  }
`
const code = `
  export default {
    resolvers: {
      Query: {
        totals: async ({ views, words = [], tone }, { read }) => {
          const where = views === undefined || views === null ? {} : { views: views.min === undefined ? { lte: views.max } : { gte: views.min } }
          const rows = await read.Post.list({ where })
          return { posts: rows.length, words: (words ?? []).map((one) => (tone === 'LOUD' ? one.toUpperCase() : one)) }
        },
        staffOnly: () => 7,
      },
      Mutation: {
        addViews: async ({ post, count }, { write, read }) => {
          const { views, title } = await read.Post.get(post)
          if (title === 'Closed') throw Object.assign(new Error('Closed posts count no views.'), { code: 'CONFLICT' })
          return write.Post.update(post, { views: views + count })
        },
        publish: ({ title, cover }, { write }) => write.Post.create({ title, cover }),
      },
    },
  }
`

describe('custom operations', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  const ids: Record<string, string> = {}
  before(async () => {
    stories = await ConsoleStories.open(sdl, { code })
    await stories.service.signUp('ann')
    for (const title of ['Knots', 'Closed'])
      ids[title] = (await stories.service.succeed('POST', '/posts', { title }, stories.admin)).id
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  test('an operation on a row stands in the form of the row, which then shows the outcome', async () => {
    const page = await stories.asDeveloper(`/posts/${ids.Knots}`)
    await page.getByRole('complementary').getByText('Add views', { exact: true }).click()
    const form = page.getByRole('form', { name: 'Add views' })
    const count = form.getByRole('textbox', { name: 'Count' })
    assert.equal(await count.inputValue(), '1') // the default
    assert.equal(await form.getByLabel('Post').count(), 0)
    await count.fill('51')
    await form.getByText('At most 50.').waitFor()
    await form.getByRole('button', { name: 'Run' }).click()
    await form.getByText('VALIDATION_FAILED').waitFor()
    await count.fill('40')
    await expectAccessible(page, 'an operation in the form of a row')
    await form.getByRole('button', { name: 'Run' }).click()
    await form.getByText('Done.').waitFor()
    assert.equal((await stories.row(`/posts/${ids.Knots}`)).views, 40)
    await page.getByText('Version 2').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Views' }).inputValue(), '40')
  })

  test('a refusal of the code has its code and its sentence', async () => {
    const page = await stories.asDeveloper(`/posts/${ids.Closed}`)
    await page.getByRole('complementary').getByText('Add views', { exact: true }).click()
    await page.getByRole('form', { name: 'Add views' }).getByRole('button', { name: 'Run' }).click()
    const alert = page.getByRole('form', { name: 'Add views' }).getByRole('alert')
    await alert.waitFor()
    assert.match(await alert.innerText(), /CONFLICT Closed posts count no views\./)
    assert.equal((await stories.row(`/posts/${ids.Closed}`)).views, 0)
  })

  test('a query with an input, a list and an enum shows its answer, and its GraphQL twin gives the same', async () => {
    const page = await stories.asAccount('ann', '/+call/totals')
    const form = page.getByRole('form', { name: 'Totals' })
    await form.getByText('Posts in a range.').waitFor()
    await form.getByRole('group', { name: 'Views' }).getByRole('textbox', { name: 'Max' }).fill('10')
    await form.getByText('At most 9.').waitFor()
    await form.getByRole('button', { name: 'Run' }).click()
    await form.getByText('VALIDATION_FAILED').waitFor()
    await form.getByRole('textbox', { name: 'Max' }).fill('9')
    await form.getByRole('textbox', { name: 'Words' }).fill('["sea", "shore"')
    await form.getByText('Write the list as JSON: ["one", "two"].').waitFor()
    await form.getByRole('button', { name: 'Run' }).click()
    await form.getByText('Some fields have no valid value yet.').waitFor()
    await form.getByRole('textbox', { name: 'Words' }).fill('["sea", "shore"]')
    await form.getByRole('combobox', { name: 'Tone' }).selectOption('LOUD')
    await form.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('region', { name: 'Answer' }).waitFor()
    const answer = JSON.parse(await page.getByRole('region', { name: 'Answer' }).innerText())
    assert.deepEqual(answer, { posts: 1, words: ['SEA', 'SHORE'] })
    await expectAccessible(page, 'the page of an operation')

    await page.getByRole('button', { name: 'Requests' }).click()
    await page.getByRole('button', { name: 'GraphQL', exact: true }).click()
    const [query, variables] = (await page.getByLabel('The request', { exact: true }).inputValue()).split(
      '\n\n# Variables\n',
    )
    const { data } = await stories.service.succeed('POST', '/graphql', { query, variables: JSON.parse(variables!) })
    assert.deepEqual(data.totals, answer)
  })

  test('a mutation with a file makes a row, to which its answer leads; Ctrl+K finds it', async () => {
    const page = await stories.asDeveloper('/posts')
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('Control+k')
    await page.locator('dialog.find input:focus').waitFor()
    await page.keyboard.type('publi')
    await page.getByRole('option', { name: 'Publish operation' }).waitFor()
    await page.keyboard.press('Enter')
    const form = page.getByRole('form', { name: 'Publish' })
    await form
      .getByLabel('Cover', { exact: true })
      .setInputFiles({ name: '<i>c.txt', mimeType: 'text/plain', buffer: Buffer.from('sea') })
    await form.getByText('<i>c.txt').waitFor()
    await form.getByRole('textbox', { name: 'Title' }).fill('<b>Bends')
    await form.getByRole('button', { name: 'Run' }).click()
    await form.getByRole('link', { name: '<b>Bends' }).click()
    await page.getByRole('heading', { name: '<b>Bends' }).waitFor()
    const [post] = (await stories.row('/posts?title=<b>Bends&fields=cover.name')) as unknown as [object]
    assert.deepEqual(post, { cover: { name: '<i>c.txt' } })
  })

  test('who may not call an operation does not see it', async () => {
    const page = await stories.asAccount('ann', `/posts/${ids.Knots}`)
    await page.getByRole('link', { name: 'Totals' }).waitFor()
    await page.getByText('Version 2').waitFor()
    for (const name of ['Staff only', 'Add views', 'Publish']) assert.equal(await page.getByText(name).count(), 0, name)
    await page.goto(`${stories.service.address}/console/+call/staffOnly`)
    await page.getByText('There is no such page.').waitFor()
    assert.deepEqual(stories.violations, [])
  })
})
