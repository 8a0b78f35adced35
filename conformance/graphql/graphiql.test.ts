// GraphiQL in a real browser: it loads from the server alone, under its content security policy; it runs a query and shows its rows;
// its documentation shows deprecations; it sends the token; and it shows texts of the schema as text, never as markup.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { ServerProcess } from '../harness/server-process.ts'

const evil = '</script><script>document.title = 1</script><img src=x onerror=document.title=2>'
const sdl = `
  extend schema @service(name: "Shelf ${evil}", description: "${evil}")
  type Reader @account @allow { id: ID! email: String! @unique }
  "${evil}" type Author @allow { id: ID! name: String! books: [Book!]! }
  type Book @allow { id: ID! title: String! old: Int @deprecated(reason: "Use title.") author: Author }
`

describe('GraphiQL', { skip: noBrowser }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-graphiql-'))
  let server: ServerProcess
  let browser: Browser
  let page: Page
  const sent: { url: string; authorization: string | undefined; body: string }[] = []
  const refused: string[] = []

  before(async () => {
    const schemaFile = join(folder, 'schema.graphql')
    writeFileSync(schemaFile, sdl)
    server = await ServerProcess.start(schemaFile, join(folder, 'data'))
    browser = await openBrowser()
    page = await browser.newPage()
    page.on('request', (request) =>
      sent.push({
        url: request.url(),
        authorization: request.headers().authorization,
        body: request.postData() ?? '',
      }),
    )
    page.on('console', (message) => message.type() === 'error' && refused.push(message.text()))
    page.on('pageerror', (error) => refused.push(error.message))
    await page.goto(`${server.address}/graphql`)
    await page.locator('.graphiql-query-editor .CodeMirror').waitFor()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    rmSync(folder, { recursive: true })
  })

  test('it opens with the name of the service and an example of each kind, and the examples run', async () => {
    assert.equal(await page.title(), `Shelf ${evil} · GraphiQL`)
    assert.equal(await page.locator('h1').textContent(), `Shelf ${evil}`)
    const tabs = await page.locator('.graphiql-tab-button').allTextContents()
    assert.deepEqual(tabs, ['Books', 'Author', 'CreateReader'])

    const create = await run('CreateReader')
    assert.match(create, /"createReader": \{[^}]*"email": /s)
    const listed = await run('Books')
    assert.match(listed, /"books": \[\]/)
  })

  test('it runs a typed query and shows its rows', async () => {
    const headers = { 'content-type': 'application/json' }
    for (const name of ['Ada', 'Ben']) {
      const made = await fetch(`${server.address}/authors`, { method: 'POST', headers, body: JSON.stringify({ name }) })
      assert.equal(made.status, 201)
    }
    const answer = await type('{ authors(orderBy: [{name: DESC}]) { name } }')
    assert.match(answer, /"Ben".*"Ada"/s)
    const wrong = await type('{ authors { nme } }')
    assert.match(wrong, /GRAPHQL_VALIDATION_FAILED/)
  })

  test('the token of the field is sent as authorization', async () => {
    await page.locator('#token').fill('no-token')
    assert.match(await type('{ authors { id } }'), /UNAUTHENTICATED/)
    assert.equal(sent.at(-1)?.authorization, 'Bearer no-token')
    await page.locator('#token').fill('')
    assert.match(await type('{ authors { id } }'), /"id"/)
    assert.equal(sent.at(-1)?.authorization, undefined)
  })

  test('the documentation opens, with descriptions as text and with deprecations', async () => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    const docs = page.locator('.graphiql-doc-explorer')
    await docs.getByText('Query', { exact: true }).first().click()
    await docs.getByText('Book', { exact: true }).first().click()
    await docs.getByText('Show Deprecated Fields').click()
    assert.match((await docs.textContent()) ?? '', /old: Int.*Use title\./s)
  })

  test('an example can be opened again beside a typed query', async () => {
    await page.getByRole('button', { name: 'Show Examples' }).click()
    await page.getByRole('button', { name: 'List books' }).click()
    assert.match(await run(null), /"books": \[\]/)
  })

  test('all of it came from the server, and nothing violated the policy or threw', () => {
    const elsewhere = sent.filter(({ url }) => !url.startsWith(`${server.address}/`) && !url.startsWith('data:'))
    assert.deepEqual(elsewhere, [])
    assert.deepEqual(
      refused.filter((text) => !/status of (404|401)/.test(text)), // the favicon, and the request with an invalid token
      [],
    )
  })

  /** Runs the query of a tab, or of the open one, and returns the answer. */
  async function run(tab: string | null): Promise<string> {
    if (tab !== null) await page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${tab}$`) }).click()
    for (;;) {
      // Of this click: GraphiQL's own introspection may still be in progress.
      const requested = page.waitForRequest(
        (request) => request.method() === 'POST' && request.postDataJSON().operationName !== 'IntrospectionQuery',
      )
      await page.locator('.graphiql-execute-button').click()
      const request = await requested
      await request.response()
      const { operationName } = request.postDataJSON()
      await page.locator('.graphiql-spinner').waitFor({ state: 'detached' })
      // GraphiQL reads a tab some moments after it was opened.
      if (tab === null || operationName === tab) return page.locator('.result-window .CodeMirror-code').innerText()
    }
  }

  async function type(query: string): Promise<string> {
    await page.locator('.graphiql-query-editor .CodeMirror').click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText(query)
    await page.locator('.graphiql-tab-active', { hasText: '<untitled>' }).waitFor() // it has read the typed query
    return run(null)
  }
})
