// docs/reference/client.md, compiled and run: each TypeScript block, one after another, against the blog with its seed. The
// components for React are compiled.
// stores: sqlite

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '../../packages/client/src/index.ts'
import { ServerProcess } from '../harness/server-process.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/reference/client.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block]) => block!)

/** What the blocks use and do not declare. */
const surroundings = `import type { Client } from '@twain/client'
declare global {
  var client: Client
  var id: string
  var file: File
  var show: (seen: unknown) => void
}
`

describe('docs/reference/client.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-client-page-'))
  const home = process.cwd()
  let server: ServerProcess
  before(async () => {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules')) // where `@twain/client` is found
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    server = await ServerProcess.start(join(root, 'examples/blog/schema.graphql'), join(folder, 'data'), [
      '--seed',
      join(root, 'examples/blog/seed.ts'),
    ])
    blocks('ts').forEach((block, n) => {
      writeFileSync(join(folder, `block${n}.ts`), block.replaceAll('http://127.0.0.1:4000', server.address))
    })
    blocks('tsx').forEach((block, n) => {
      writeFileSync(join(folder, `component${n}.tsx`), block)
    })
    writeFileSync(join(folder, 'surroundings.ts'), surroundings)
    process.chdir(folder) // some of them write files
  })
  after(async () => {
    process.chdir(home)
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  test('has examples in most chapters', () => {
    assert.deepEqual([blocks('ts').length, blocks('tsx').length], [14, 2])
  })

  test('all of it compiles', { timeout: 120_000 }, async () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
      compilerOptions: object
    }
    const options = {
      ...compilerOptions,
      jsx: 'react-jsx',
      moduleDetection: 'force',
      noUnusedLocals: false,
      noUnusedParameters: false,
      typeRoots: [join(root, 'node_modules/@types')],
    }
    const config = { compilerOptions: options, include: ['*.ts', '*.tsx'], exclude: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await promisify(execFile)(compiler, ['-p', folder]).catch((error) => error)
    assert.equal(stdout, '')
  })

  test('all of it runs, and shows data without errors', { timeout: 60_000 }, async (t) => {
    const client = createClient({ url: `${server.address}/graphql`, authorization: () => `Bearer ${token}` })
    t.after(() => client.close())
    const account = { email: 'amara_okafor@harbour.example', password: 'fair winds' }
    const signedIn = await fetch(`${server.address}/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    })
    const { token } = (await signedIn.json()) as { token: string }
    const input = { slug: 'client-page', title: 'Old title', body: 'Text.' }
    const made = await client.rest.post<{ id: string }>('/posts', input)
    const shown: unknown[] = []
    const file = new File(['a photo'], 'photo.png', { type: 'image/png' })
    Object.assign(globalThis, { client, id: made.data!.id, file, show: (seen: unknown) => shown.push(seen) })
    for (const [n] of blocks('ts').entries()) {
      await import(pathToFileURL(join(folder, `block${n}.ts`)).href)
    }
    const text = JSON.stringify(shown)
    for (const seen of ['"New title"', '"name":"Amara Okafor"', '"endCursor"', '"status":200']) {
      assert.ok(text.includes(seen), `${seen} is not in ${text}`)
    }
    assert.doesNotMatch(text, /"error":\{/)
    assert.deepEqual((await client.rest.get<{ title: string }>(`/posts/${made.data!.id}`)).data?.title, 'Newest title')
  })
})
