// /docs in a real browser: the page works under its content security policy, its script runs, and no other script does.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { ServerProcess } from '../harness/server-process.ts'

const evil = '<script>document.title = 1</script><img src=x onerror=document.title=2>'
const sdl = `
  extend schema @service(name: "Shelf", description: "${evil}")
  "${evil}" type Book @allow { id: ID! "${evil}" title: String! old: Int @deprecated(reason: "Use title.") }
`

test('the page loads from the server alone, and markup in a description stays text', {
  skip: noBrowser,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-docs-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const server = await ServerProcess.start(schemaFile, join(folder, 'data'))
  const browser = await openBrowser()
  t.after(async () => {
    await browser.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  const page = await browser.newPage()
  const sent: string[] = []
  const refused: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && refused.push(message.text()))
  page.on('pageerror', (error) => refused.push(error.message))

  await page.goto(`${server.address}/docs#createBook`)

  assert.equal(await page.title(), 'Shelf')
  assert.ok(await page.getByText(evil).first().isVisible(), 'the description is read as it was written')
  assert.ok(await page.locator('#createBook pre').first().isVisible(), 'what the address names is open')
  const line = await page.locator('#createBook pre').first().textContent()
  assert.match(line ?? '', new RegExp(`^curl '${server.address}/books'`), 'the line names this server')
  await page.locator('#find').fill('delete')
  assert.equal(await page.locator('nav li:visible').count(), 4, 'those of books, a book, an API key and a webhook')
  assert.ok((await page.locator('#listBooks .old').count()) > 0, 'what is deprecated says so')
  const expected = ['/docs', '/docs/page.css', '/docs/page.js', '/favicon.svg'].map((path) => server.address + path)
  assert.deepEqual(
    sent.filter((address) => !expected.includes(address.replace(/#.*/, ''))),
    [],
    'nothing is loaded from elsewhere',
  )
  assert.deepEqual(refused, [])
})
