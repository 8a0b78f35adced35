// What the console does can be done by hand: the drawer shows each request as curl, HTTP, GraphQL and client code. The tests send what it
// shows, and compare the outcome.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, afterEach, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { noCurl } from '../docs/no-curl.ts'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, cell, save } from './open-console.ts'

const sdl = `
  extend schema @service(name: "Library")
  type Author @allow { id: ID! name: String! @unique books: [Book!]! @relation(inverse: "author") }
  type Book @allow { id: ID! title: String! @search pages: Int isNew: Boolean size: Size author: Author kind: Kind about: Subject }
  union Subject = Author | Book
  type Size { width: Int height: Int }
  type Invitation @allow { id: ID! text: String! }
  type Leaf @softDelete @allow { id: ID! name: String! @unique }
  enum Kind { NOVEL ESSAY }
`

interface Book {
  title: string
  author: { name: string }
  about: { id: string }
}

describe('the twin of each request', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  let author: string
  before(async () => {
    stories = await ConsoleStories.open(sdl)
    const { service } = stories
    author = (await service.succeed('POST', '/authors', { name: 'Ada' })).id
    const books = ['Knots', 'Bends', 'Hitches'].map((title, index) => ({
      title,
      pages: index * 10,
      author,
      kind: 'ESSAY',
      about: author,
      size: { width: 1, height: 2 },
    }))
    await service.succeed('POST', '/books', books)
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  const show = async (page: Page, request: RegExp, form: string): Promise<string> => {
    const button = page.getByRole('button', { name: 'Requests' })
    if ((await button.getAttribute('aria-expanded')) === 'false') await button.click()
    const select = page.getByLabel('Request', { exact: true })
    await select.waitFor()
    const option = (await select.getByRole('option').allTextContents()).find((text) => request.test(text))
    assert.ok(option !== undefined, `no request like ${request}`)
    await select.selectOption(option)
    await page.getByRole('button', { name: form, exact: true }).click()
    return page.getByLabel('The request', { exact: true }).inputValue()
  }
  const sendTwin = async (text: string) => {
    const [query, variables] = text.split('\n\n# Variables\n')
    const { data } = await stories.service.succeed('POST', '/graphql', { query, variables: JSON.parse(variables!) })
    return data
  }

  const asAdmin = async (text: string) => {
    const [query, variables] = text.split('\n\n# Variables\n')
    const sent = { query, variables: JSON.parse(variables!) }
    return (await stories.service.succeed('POST', '/graphql', sent, stories.admin)).data
  }

  test('a table: GraphQL and curl give the same rows', async () => {
    const page = await stories.asDeveloper(
      '/books?author.name=Ada&pages[gte]=10&kind=ESSAY&fields=title,author,size,about&sort=-pages',
    )
    await cell(page, 'Hitches').waitFor()
    const { booksConnection } = await sendTwin(await show(page, /GET \/books/, 'GraphQL'))
    assert.deepEqual(
      booksConnection.edges.map(({ node }: { node: Book }) => [node.title, node.author.name, node.about.id]),
      [
        ['Hitches', 'Ada', author],
        ['Bends', 'Ada', author],
      ],
    )
    const curl = await show(page, /GET \/books/, 'curl')
    const token = stories.admin.authorization.slice('Bearer '.length)
    if (noCurl === false) {
      const { stdout } = await promisify(execFile)('sh', ['-c', curl], { env: { ...process.env, TOKEN: token } })
      const { edges } = JSON.parse(stdout) as { edges: { node: { title: string } }[] }
      assert.deepEqual(
        edges.map(({ node }) => node.title),
        ['Hitches', 'Bends'],
      )
    }
    assert.match(
      await show(page, /GET \/books/, '@twain/client'),
      /^const \{ data \} = await client\.rest\.get\('\/books\?/,
    )
    assert.match(await show(page, /GET \/books/, 'Time'), /browser +[\d.]+ ms/)
    await page.evaluate(axe.source)
    const found = await page.evaluate(async () => {
      const { axe: checker } = globalThis as unknown as { axe: typeof axe }
      return (await checker.run({ resultTypes: ['violations'] })).violations.map(({ id }) => id)
    })
    assert.deepEqual(found, [])
  })

  test('a change: the mutation does the same, with the version', async () => {
    const { id } = await stories.service.succeed('POST', '/books', { title: 'Splices', pages: 1 })
    const page = await stories.asDeveloper(`/books/${id}`)
    await page.getByRole('textbox', { name: 'Title' }).fill('Long splices')
    await save(page)
    const text = await show(page, /PATCH \/books/, 'GraphQL')
    assert.match(text, /updateBook\(id: \$id, input: \$input, ifVersion: \$ifVersion\)/)
    const again = { query: text.split('\n\n# Variables\n')[0], variables: JSON.parse(text.split('# Variables\n')[1]!) }
    const { body } = await stories.service.send('POST', '/graphql', again)
    assert.equal(body.errors[0].extensions.code, 'PRECONDITION_FAILED')
    const { data } = await stories.service.succeed('POST', '/graphql', {
      ...again,
      variables: { ...again.variables, input: { title: 'Short splices' }, ifVersion: 2 },
    })
    assert.equal(data.updateBook._version, 3)
    const read = await sendTwin(await show(page, new RegExp(`GET /books/${id}\\?`), 'GraphQL'))
    assert.equal(read.book.title, 'Short splices')
  })

  test('lists of a row, interfaces and deleted rows: GraphQL gives the same rows', async () => {
    const { service } = stories
    const gone = await service.succeed('POST', '/leaves', { name: 'Gone' })
    await service.succeed('DELETE', `/leaves/${gone.id}`)
    const page = await stories.asDeveloper(`/authors/${author}/books?pages[lte]=0`)
    await cell(page, 'Knots').waitFor()
    const list = await sendTwin(await show(page, /GET \/authors\/[^/]+\/books/, 'GraphQL'))
    assert.deepEqual(
      list.author.booksConnection.edges.map(({ node }: { node: Book }) => node.title),
      ['Knots'],
    )
    await page.goto(`${service.address}/console/subjects`)
    await page.getByRole('gridcell').first().waitFor()
    const { subjectsConnection } = await sendTwin(await show(page, /GET \/subjects/, 'GraphQL'))
    assert.ok(subjectsConnection.edges.some(({ node }: { node: Book & { id: string } }) => node.id === author))
    await service.succeed('POST', '/invitations', { text: 'Come' })
    await page.goto(`${service.address}/console/invitations`) // of the schema file, not of the server
    await cell(page, 'Come').waitFor()
    const { invitationsConnection } = await sendTwin(await show(page, /GET \/invitations/, 'GraphQL'))
    assert.equal(invitationsConnection.edges[0].node.text, 'Come')
    await page.goto(`${service.address}/console/leaves?deleted=only`)
    await cell(page, 'Gone').waitFor()
    const { leavesConnection } = await sendTwin(await show(page, /GET \/leaves/, 'GraphQL'))
    assert.equal(leavesConnection.edges[0].node.name, 'Gone')
  })

  test('many rows at once: GraphQL creates, changes, restores and deletes the same', async () => {
    const { service } = stories
    const page = await stories.asDeveloper('/leaves')
    await page.getByText('Import and export').click()
    await page.getByRole('button', { name: 'Import CSV…' }).click()
    const buffer = Buffer.from('name\nOak\nElm\n')
    await page.getByLabel(/^CSV file/).setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByText('2 rows imported.').waitFor()
    const create = await show(page, /POST \/leaves/, 'GraphQL')
    assert.match(create, /createLeaves\(inputs: \$inputs\)/)
    await page.getByRole('button', { name: 'Close' }).click()
    await cell(page, 'Oak').getByRole('checkbox', { includeHidden: true }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('1 row deleted.').waitFor()
    await service.succeed('POST', '/graphql', {
      query: 'mutation { deleteLeaves(where: {name: {eq: "Elm"}}) { count } }',
    })
    const created = await sendTwin(create) // their names are free again
    assert.equal(created.createLeaves.length, 2)
    const tried = await sendTwin(await show(page, /DELETE \/leaves\?.*dryRun/, 'GraphQL'))
    assert.equal(tried.deleteLeaves.count, 0)
    await page.goto(`${service.address}/console/leaves?deleted=only&name=Gone`)
    await cell(page, 'Gone').getByRole('checkbox', { includeHidden: true }).click()
    await page.getByRole('button', { name: 'Restore…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('1 row restored.').waitFor()
    const restore = await show(page, /POST \/leaves\/.*restorations/, 'GraphQL')
    const [row] = (await stories.row('/leaves?name=Gone')) as unknown as [{ id: string }]
    await service.succeed('DELETE', `/leaves/${row.id}`)
    await sendTwin(restore)
    assert.equal((await stories.row(`/leaves/${row.id}`)).name, 'Gone')
  })

  test('pages about the service: GraphQL has the same figures, rules and mails', async () => {
    const page = await stories.asDeveloper('/+access?type=Book')
    await page.getByRole('region', { name: 'Access matrix' }).getByRole('row').first().waitFor()
    const { accessMatrix } = await asAdmin(await show(page, /GET \/docs\/access/, 'GraphQL'))
    assert.ok(accessMatrix.entries.length > 0)
    await page.goto(`${stories.service.address}/console/+load`)
    await page.getByRole('region', { name: 'Slow queries' }).waitFor()
    const { serviceSlowQueries } = await asAdmin(await show(page, /GET \/metrics\/slow-queries/, 'GraphQL'))
    assert.ok(Array.isArray(serviceSlowQueries))
    const { serviceNodes } = await asAdmin(await show(page, /GET \/metrics\/nodes/, 'GraphQL'))
    assert.deepEqual([serviceNodes.length, serviceNodes[0].answers], [1, true])
  })

  test('an administrator sees the SQL of a request with its plan, and of those that follow', async () => {
    const page = await stories.asDeveloper('/books?title=Knots&fields=title')
    await cell(page, 'Knots').waitFor()
    await page.getByRole('button', { name: 'Requests' }).click()
    const select = page.getByLabel('Request', { exact: true })
    await select.waitFor()
    await select.selectOption(
      (await select.getByRole('option').allTextContents()).find((text) => /GET \/books\?/.test(text))!,
    )
    await page.getByRole('button', { name: 'SQL', exact: true }).click()
    await page.getByRole('button', { name: 'Send it again with its SQL' }).waitFor()
    await page.getByRole('button', { name: 'Reload' }).click() // which gets 304, and is recorded all the same
    const statement = page
      .getByRole('listitem')
      .filter({ hasText: /Book list|Book page|Book/ })
      .first()
    await statement
      .getByText(/SELECT.*"Book"/s)
      .first()
      .waitFor()
    await statement.getByText(/SCAN|SEARCH|Scan/).waitFor()
    await page.getByRole('button', { name: 'Time', exact: true }).click()
    assert.match(
      await page.getByLabel('The request', { exact: true }).inputValue(),
      /^plan .* ms\n(.+\n)*store .* ms\n/m,
    )
    assert.ok(!(await statement.innerText()).includes('Knots'))
    await page.evaluate(axe.source)
    const found = await page.evaluate(async () => {
      const { axe: checker } = globalThis as unknown as { axe: typeof axe }
      return (await checker.run({ resultTypes: ['violations'] })).violations.map(({ id }) => id)
    })
    assert.deepEqual(found, [])
    await page.goto(`${stories.service.address}/console/books?title=Bends&fields=title`)
    await cell(page, 'Bends').waitFor()
    await show(page, /GET \/books\?title=Bends/, 'curl')
    await page.getByRole('button', { name: 'SQL', exact: true }).click()
    await page.getByRole('button', { name: 'Send it again with its SQL' }).click()
    await statement
      .getByText(/SELECT.*"Book"/s)
      .first()
      .waitFor()
  })

  test('somebody who is no administrator gets no SQL', async () => {
    const page = await stories.tab('/books')
    await page.getByRole('button', { name: 'Continue without signing in' }).click()
    await cell(page, 'Knots').waitFor()
    const asked: (string | undefined)[] = []
    page.on('request', (request) => asked.push(request.headers().prefer))
    await page.getByRole('button', { name: 'Requests' }).click()
    await page.getByRole('button', { name: 'Time', exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'SQL', exact: true }).count(), 0)
    await page.getByRole('button', { name: 'Reload' }).click()
    await cell(page, 'Knots').waitFor()
    assert.ok(!asked.some((preference) => preference?.includes('statements')), String(asked))
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
