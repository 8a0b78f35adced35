// Clients that three generators make of the default OpenAPI document: they compile under `strict`, the answers have one shape, and
// the compiled clients work with a running server.
// stores: sqlite

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { TestService } from '../harness/test-service.ts'

const root = join(import.meta.dirname, '../..')
const schemaFile = join(root, 'examples/blog/schema.graphql')
/** Updates and deletes by a filter are two operations of each type: 8 KB of the blog's document. The history of its rows is 5 KB,
 *  identities, invitations and sessions are 10 KB, the export and the delete of an account 2 KB, acting as
 *  somebody, explained rights and captchas 4 KB. */
const maxBytes = 188_000

/** What an application writes, with each client. They all print the titles of two posts, and the title of the first. */
const applications = {
  'openapi-typescript': `
    import createClient from 'openapi-fetch'
    import type { components, paths } from './schema.ts'
    const client = createClient<paths>({ baseUrl: process.argv[2]! })
    const where: components['schemas']['Post.where'] = { title: { startsWith: 'On' }, author: { handle: { eq: 'ann' } } }
    const query = { sort: ['words' as const, '-title' as const], where: JSON.stringify(where), limit: 2 }
    const { data: posts, error } = await client.GET('/posts', { params: { query } })
    if (error) throw new Error(error.detail)
    const titles: string[] = []
    for (const p of posts) titles.push(p.title)
    const first = await client.GET('/posts/{id}', { params: { path: { id: posts[0]!.id } } })
    if (first.error) throw new Error(first.error.code)
    const title: string = first.data.title
    console.log(JSON.stringify({ titles, title }))`,
  'hey-api': `
    import { client } from './hey/client.gen'
    import { getPost, listPosts, type PostWhere } from './hey'
    client.setConfig({ baseUrl: process.argv[2]! })
    const where: PostWhere = { title: { startsWith: 'On' }, author: { handle: { eq: 'ann' } } }
    const query = { sort: ['words' as const, '-title' as const], where: JSON.stringify(where), limit: 2 }
    const { data: posts } = await listPosts({ query, throwOnError: true })
    const titles: string[] = []
    for (const p of posts) titles.push(p.title)
    const { data: first, error } = await getPost({ path: { id: posts[0]!.id } })
    if (first === undefined) throw new Error(error.detail)
    const title: string = first.title
    console.log(JSON.stringify({ titles, title }))`,
  orval: `
    import { getPost, listPosts, type PostWhere } from './orval'
    const where: PostWhere = { title: { startsWith: 'On' }, author: { handle: { eq: 'ann' } } }
    const posts = await listPosts({ sort: ['words', '-title'], where: JSON.stringify(where), limit: 2 })
    if (posts.status !== 200) throw new Error(posts.data.detail)
    const titles: string[] = []
    for (const p of posts.data) titles.push(p.title)
    const first = await getPost(posts.data[0]!.id)
    if (first.status !== 200) throw new Error(first.data.code)
    const title: string = first.data.title
    console.log(JSON.stringify({ titles, title }))`,
}

describe('generated clients of the blog', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-generated-'))
  const closing: (() => Promise<void>)[] = []
  let service: TestService
  before(async () => {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const context = { after: (close: () => Promise<void>) => void closing.push(close) } as never
    service = await TestService.open(context, readFileSync(schemaFile, 'utf8'), { schemaFile })
    await fill(service)
    const document = await (await fetch(`${service.address}/openapi.json`)).text()
    assert.ok(document.length < maxBytes, `the document has ${document.length} characters`)
    writeFileSync(join(folder, 'openapi.json'), document)
    for (const [name, text] of Object.entries(applications)) writeFileSync(join(folder, `${name}.app.ts`), text)
    const orval = { input: './openapi.json', output: { target: './orval.ts', baseUrl: service.address } }
    const config = { blog: { ...orval, output: { ...orval.output, client: 'fetch', mode: 'single' } } }
    writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(config)}`)
    await Promise.all([
      run('openapi-typescript', 'openapi.json', '-o', 'schema.ts'),
      run('@hey-api/openapi-ts', '-i', 'openapi.json', '-o', 'hey', '--no-log-file'),
      run('orval', '--config', 'orval.config.mjs'),
    ])
  })
  after(async () => {
    for (const close of closing) await close()
    rmSync(folder, { recursive: true })
  })

  test('compile under strict, and so does the example of docs/reference/rest.md', async () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable'],
      types: ['node'],
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    }
    const page = readFileSync(join(root, 'docs/reference/rest.md'), 'utf8')
    const [, example = ''] = /```ts\n(import createClient from[\s\S]*?)```/.exec(page) ?? []
    writeFileSync(join(folder, 'docs.app.ts'), example.replace('./api.ts', './schema.ts'))
    const files = ['docs', ...Object.keys(applications)].map((name) => `${name}.app.ts`)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const compiled = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder])
    const output = await compiled.then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
    assert.equal(output, '')
  })

  for (const name of Object.keys(applications)) {
    test(`${name}: lists, filters, sorts and reads`, async () => {
      const outfile = join(folder, `${name}.mjs`)
      const entryPoints = [join(folder, `${name}.app.ts`)]
      await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
      const { stdout } = await promisify(execFile)(process.execPath, [outfile, service.address])
      assert.deepEqual(JSON.parse(stdout), { titles: ['On tides', 'On boats'], title: 'On tides' })
    })
  }

  /** Runs the command of a package in the folder. */
  async function run(name: string, ...args: string[]): Promise<void> {
    const manifest = packageFile(name)
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: string | Record<string, string> }
    const command = typeof bin === 'string' ? bin : Object.values(bin)[0]!
    await promisify(execFile)(process.execPath, [join(dirname(manifest), command), ...args], { cwd: folder })
  }
})

/** The `package.json` of an installed package, whether or not the package exports it. */
function packageFile(name: string): string {
  const places = createRequire(import.meta.url).resolve.paths(name) ?? []
  const found = places.map((place) => join(place, name, 'package.json')).find((file) => existsSync(file))
  if (found === undefined) throw new Error(`${name} is not installed`)
  return found
}

async function fill({ service }: TestService): Promise<void> {
  const create = async (path: string, row: object) => {
    const headers = { 'content-type': 'application/json' }
    const { status, body } = await service.handleAsSystem(
      plainRequest('POST', path, { headers, body: JSON.stringify(row) }),
    )
    assert.equal(status, 201, String(body))
    return JSON.parse(String(body)) as { id: string }
  }
  const user = { email: 'ann@example.org', password: 'a long password', handle: 'ann', name: 'Ann' }
  const { id: author } = await create('/users', user)
  for (const [title, words] of [
    ['On maps', 9],
    ['On boats', 2],
    ['On tides', 2],
    ['About', 1],
  ] as const) {
    const slug = title.toLowerCase().replace(' ', '-')
    await create('/posts', { slug, title, words, body: 'Text.', status: 'PUBLISHED', author })
  }
}
