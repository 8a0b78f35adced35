// The client as it is published: packed by npm, installed into an empty folder without a network, and used from JavaScript,
// from TypeScript and by a bundler.
// stores: sqlite

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { Library } from './open-library.ts'

const repository = join(import.meta.dirname, '../..')
const modules = join(repository, 'node_modules')
const run = promisify(execFile)
// The Node of the repository, also for npm's scripts.
const env = { ...process.env, PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH}` }

describe('the package of the client', () => {
  let place: string
  let app: string
  let library: Library
  before(async () => {
    library = await Library.open()
    await library.book({ title: 'Dune' })
    place = await mkdtemp(join(tmpdir(), 'twain-pack-'))
    app = join(place, 'app')
    // A copy: packing changes its package.json for a moment, which other tests must not see.
    await cp(join(repository, 'packages/client'), join(place, 'packages/client'), {
      recursive: true,
      filter: (path) => !/node_modules|dist/.test(path.slice(repository.length)),
    })
    for (const name of ['scripts', 'node_modules']) await symlink(join(repository, name), join(place, name))
    await run('npm', ['pack', '--pack-destination', place], { cwd: join(place, 'packages/client'), env })
    await mkdir(app)
    await writeFile(join(app, 'package.json'), '{"name": "app", "private": true, "type": "module"}')
    const tarball = (await readdir(place)).find((name) => name.endsWith('.tgz'))!
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(place, tarball)], { cwd: app, env })
  })
  after(async () => {
    await library.close()
    await rm(place, { recursive: true, force: true })
  })

  test('leaves the repository unchanged, and has no dependencies', async () => {
    const own = JSON.parse(await readFile(join(place, 'packages/client/package.json'), 'utf8'))
    assert.equal(own.exports['.'], './src/index.ts')
    const installed = (await readdir(join(app, 'node_modules'))).filter((name) => !name.startsWith('.'))
    assert.deepEqual(installed, ['@twain'])
    const names = await readdir(join(app, 'node_modules/@twain/client'))
    assert.deepEqual(names.sort(), ['README.md', 'dist', 'package.json'])
  })

  test('is used from plain JavaScript', async () => {
    await writeFile(
      join(app, 'plain.js'),
      `
        import { createClient } from '@twain/client'
        const client = createClient({ url: process.argv[2] })
        const { data } = await client.query('{ books { id title } }')
        console.log(data.books.map(({ title }) => title).join())
      `,
    )
    const { stdout } = await run(process.execPath, ['plain.js', `${library.service.address}/graphql`], { cwd: app })
    assert.equal(stdout.trim(), 'Dune')
  })

  test('is used from TypeScript, and its types reject mistakes', async () => {
    await writeFile(
      join(app, 'typed.ts'),
      `
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
        client.query(document, { limit: 3 }).then(({ data }) => data?.books[0]?.pages)
      `,
    )
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
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }))
    const { stdout } = await run(join(modules, '.bin/tsc'), ['-p', app]).catch((error: { stdout: string }) => error)
    assert.equal(stdout, '')
  })

  test('adds to a bundle only what is used', async () => {
    const { outputFiles } = await build({
      stdin: { contents: `export { NetworkError } from '@twain/client'`, resolveDir: app },
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    })
    assert.ok(outputFiles[0]!.contents.length < 1000, `${outputFiles[0]!.contents.length} bytes`)
  })
})
