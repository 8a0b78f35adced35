// The package `@twain/client`, installed from its tarball: used from JavaScript, from TypeScript, and by two bundlers.
// stores: sqlite

import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { build } from 'esbuild'
import { Library } from '../client/open-library.ts'
import { InstalledFolder, tarballOf } from './installed.ts'

// As for a web page, without Node's types; strict, and checking the package's own types.
const compilerOptions = {
  target: 'es2022',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
}

const files = {
  'tsconfig.json': JSON.stringify({ compilerOptions, files: ['typed.ts'] }),
  'plain.js': `
    import { createClient } from '@twain/client'
    const client = createClient({ url: process.argv[2] })
    const { data } = await client.query('{ books { id title } }')
    console.log(data.books.map(({ title }) => title).join())`,
  'typed.ts': `
    import { createClient, type FetchPolicy, HttpError, type Source } from '@twain/client'
    declare const document: Source<{ books: { id: string; title: string }[] }, { limit: number }>
    const client = createClient({ url: 'http://127.0.0.1/graphql', batch: true })
    export async function titles(): Promise<string[] | undefined> {
      const policy: FetchPolicy = 'cache-and-network'
      const { data } = await client.query(document, { limit: 3 }, { fetchPolicy: policy })
      return data?.books.map(({ title }) => title)
    }
    export const statusOf = (error: unknown): number | null => (error instanceof HttpError ? error.status : null)
    // @ts-expect-error: a number is required
    client.query(document, { limit: 'three' })
    // @ts-expect-error: there is no such policy
    client.query(document, { limit: 3 }, { fetchPolicy: 'cache' })
    // @ts-expect-error: a book has no pages
    client.query(document, { limit: 3 }).then(({ data }) => data?.books[0]?.pages)`,
  'index.html': '<script type="module" src="./page.ts"></script>',
  'page.ts': `
    import { createClient } from '@twain/client'
    const client = createClient({ url: '/graphql' })
    const { data } = await client.query('{ notes { id text } }')
    document.body.textContent = JSON.stringify(data)`,
}

describe('the package @twain/client', () => {
  let app: InstalledFolder
  let library: Library
  before(async () => {
    library = await Library.open()
    await library.book({ title: 'Dune' })
    app = await InstalledFolder.make(files, [tarballOf('twain-client')])
  })
  after(async () => {
    app?.remove()
    await library.close()
  })

  test('has no dependencies', () => {
    const installed = readdirSync(join(app.path, 'node_modules')).filter((name) => !name.startsWith('.'))
    assert.deepEqual(installed, ['@twain'])
    const names = readdirSync(join(app.path, 'node_modules/@twain/client'))
    assert.deepEqual(names.sort(), ['LICENSE', 'README.md', 'dist', 'package.json'])
  })

  test('is used from plain JavaScript', async () => {
    const ran = await app.run(process.execPath, 'plain.js', `${library.service.address}/graphql`)
    assert.deepEqual(ran, { code: 0, output: 'Dune\n' })
  })

  test('adds to a bundle only what is used', async () => {
    const { outputFiles } = await build({
      stdin: { contents: `export { NetworkError } from '@twain/client'`, resolveDir: app.path },
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    })
    assert.ok(outputFiles[0]!.contents.length < 1000, `${outputFiles[0]!.contents.length} bytes`)
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

  test('is used from TypeScript, and its types reject mistakes', async () => {
    await app.install('--save-dev', 'typescript@7.0.2')
    const { code, output } = await app.run('node_modules/.bin/tsc', '-p', '.')
    assert.deepEqual([code, output], [0, ''])
  })
})
