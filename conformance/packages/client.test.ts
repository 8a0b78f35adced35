// The package `@twain/client`, installed from its tarball: in Node, in a Vite build, and its types.
// stores: none

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { InstalledFolder, tarballOf } from './installed.ts'

const files = {
  'index.html': '<script type="module" src="./page.ts"></script>',
  'page.ts': `
    import { createClient } from '@twain/client'
    const client = createClient({ url: '/graphql' })
    const { data } = await client.query('{ notes { id text } }')
    document.body.textContent = JSON.stringify(data)`,
  'node.js': `
    import * as client from '@twain/client'
    import * as persist from '@twain/client/persist'
    console.log([client, persist].map((part) => Object.keys(part).length > 0).join())`,
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2024',
      strict: true,
      noEmit: true,
      types: [],
    },
    files: ['page.ts'],
  }),
}

describe('the package @twain/client', () => {
  let app: InstalledFolder
  before(async () => {
    app = await InstalledFolder.make(files, [tarballOf('twain-client')])
  })
  after(() => app?.remove())

  test('loads in Node', async () => {
    assert.deepEqual(await app.run(process.execPath, 'node.js'), { code: 0, output: 'true,true\n' })
  })

  test('is part of a Vite build', async () => {
    await app.install('--save-dev', 'vite@7.3.8')
    const { code, output } = await app.run('node_modules/.bin/vite', 'build', '--minify', 'false')
    assert.equal(code, 0, output)
    const scripts = globSync('dist/assets/*.js', { cwd: app.path }).map((path) =>
      readFileSync(join(app.path, path), 'utf8'),
    )
    assert.ok(scripts.some((text) => text.includes('createClient')))
  })

  test('has types', async () => {
    await app.install('--save-dev', 'typescript@7.0.2')
    const { code, output } = await app.run('node_modules/.bin/tsc', '-p', '.')
    assert.deepEqual([code, output], [0, ''])
  })
})
