// `npm create twain`: each template is created, installed from the tarballs, checked, tested and started.
// stores: sqlite

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { InstalledFolder, tarballOf } from './installed.ts'

const packages = { twain: tarballOf('twain'), '@twain/client': tarballOf('twain-client') }

describe('npm create twain', () => {
  let workspace: InstalledFolder
  before(async () => {
    workspace = await InstalledFolder.make({}, [tarballOf('create-twain'), packages.twain])
  })
  after(() => workspace?.remove())

  /** Creates a service and installs what it needs. Our own packages come from the tarballs. */
  async function create(name: string, ...flags: string[]): Promise<InstalledFolder> {
    const { code, output } = await workspace.run('node_modules/.bin/create-twain', name, ...flags)
    assert.equal(code, 0, output)
    assert.match(output, new RegExp(`cd ${name}\n {2}npm install\n {2}npm run dev\n$`))
    const app = new InstalledFolder(join(workspace.path, name))
    const manifestPath = join(app.path, 'package.json')
    const manifest = JSON.parse(await readFile(manifestPath, 'utf8'))
    for (const group of [manifest.dependencies, manifest.devDependencies])
      for (const [own, tarball] of Object.entries(packages)) if (own in group) group[own] = `file:${tarball}`
    manifest.overrides = { rolldown: '1.2.18' } // 1.2.19 was published without its binary for Linux on ARM
    await writeFile(manifestPath, JSON.stringify(manifest))
    await app.install()
    return app
  }

  async function succeeds(app: InstalledFolder, ...command: [string, ...string[]]): Promise<void> {
    const { code, output } = await app.run(...command)
    assert.equal(code, 0, output)
  }

  test('a folder with files and an unknown template are refused', async () => {
    await workspace.run('node_modules/.bin/create-twain', 'taken')
    const again = await workspace.run('node_modules/.bin/create-twain', 'taken')
    assert.deepEqual([again.code, again.output.includes('taken has files already')], [1, true])
    const unknown = await workspace.run('node_modules/.bin/create-twain', 'other', '--template', 'minimul')
    assert.deepEqual([unknown.code, unknown.output.includes('Did you mean "minimal"?')], [2, true])
    assert.ok(!readdirSync(workspace.path).includes('other'))
  })

  test('minimal: checks, tests, the first answer', async (t) => {
    const began = performance.now()
    const app = await create('small-app')
    const server = await app.serve('dev', 'schema.graphql', '--seed', 'seed.ts')
    t.after(() => server.stop())
    const notes = (await (await fetch(`${server.address}/notes?fields=text,words`)).json()) as object[]
    const seconds = (performance.now() - began) / 1000
    t.diagnostic(`${seconds.toFixed(1)} s from npm create to the first answer`)
    assert.deepEqual(notes, [{ text: 'Buy a lamp for the boat', words: 6 }])
    await succeeds(app, 'npm', 'run', 'check')
    await succeeds(app, 'npm', 'test')
    for (const file of ['.gitignore', '.env.example', '.graphqlrc.yml', '.github/workflows/ci.yml', 'compose.yaml'])
      assert.ok((await readFile(join(app.path, file), 'utf8')).length > 10, file)
    const types = await readFile(join(app.path, 'twain.types.ts'), 'utf8')
    await succeeds(app, 'npm', 'run', 'types')
    assert.equal(await readFile(join(app.path, 'twain.types.ts'), 'utf8'), types)
  })

  test('react: checks, tests, and the page in a browser', async (t) => {
    const app = await create('react-app', '--template', 'react')
    await succeeds(app, 'npm', 'run', 'check')
    await succeeds(app, 'npm', 'test')
    await succeeds(app, 'npm', 'run', 'build')
    const port = String(await freePort())
    const server = await app.serve('start', 'schema.graphql', '--seed', 'seed.ts', '--port', port)
    t.after(() => server.stop())
    const page = await fetch(`${server.address.replace('/api', '')}/any/route`, { headers: { accept: 'text/html' } })
    assert.match(await page.text(), /<title>React app<\/title>/)
    if (noBrowser) return t.diagnostic(`the page was not opened: ${noBrowser}`)
    const browser = await openBrowser()
    t.after(() => browser.close())
    const tabs = await browser.newContext()
    const [first, second] = [await tabs.newPage(), await tabs.newPage()]
    for (const tab of [first, second]) await tab.goto(server.address.replace('/api', ''))
    await second.getByText('Buy a lamp for the boat').waitFor()
    await first.getByLabel('E-mail').fill('ann@example.org')
    await first.getByLabel('Password').fill('wrong password')
    await first.getByRole('button', { name: 'Sign in' }).click()
    await first.getByRole('alert').waitFor()
    await first.getByLabel('Password').fill('fair winds')
    await first.getByRole('button', { name: 'Sign in' }).click()
    await first.getByLabel('Note').fill('Written in a browser')
    await first.getByRole('button', { name: 'Save' }).click()
    const draft = first.getByRole('listitem').filter({ hasText: 'Written in a browser' })
    await draft.getByRole('button', { name: 'Publish' }).click()
    await second.getByText('Written in a browser').waitFor() // the list is live
    await second.getByLabel('Note').waitFor() // and the session is that of all tabs
    await first.getByRole('button', { name: 'Sign out' }).click()
    await first.getByLabel('E-mail').waitFor()
    await second.getByRole('button', { name: 'Create an account' }).click()
    await second.getByLabel('Name').fill('Bob')
    await second.getByLabel('E-mail').fill('bob@example.org')
    await second.getByLabel('New password').fill('fresh winds')
    await second.getByRole('button', { name: 'Sign up' }).click()
    await first.getByLabel('Note').waitFor()
  })
})
