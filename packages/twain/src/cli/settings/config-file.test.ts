import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfigFile } from './config-file.ts'

test('the config file beside the schema sets settings by name', async (t) => {
  const { values, mistakes } = await read(
    t,
    `const depth: number = 6
     export default { port: 5000, limits: { depth }, http: { cors: ['https://a.example', 'https://b.example'], serverTiming: true } }`,
  )
  assert.deepEqual(mistakes, [])
  assert.deepEqual(Object.fromEntries(values), {
    port: '5000',
    'limits.depth': '6',
    'http.cors': 'https://a.example,https://b.example',
    'http.serverTiming': 'true',
  })
})

test('a missing file is empty; an invalid one is a mistake; custom code is no setting', async (t) => {
  assert.deepEqual([...(await readConfigFile('/nowhere/schema.graphql', []))], [])
  assert.deepEqual((await read(t, 'export const limits = {}')).mistakes, [
    'twain.config.ts must export default { … } with settings.',
  ])
  assert.match((await read(t, 'export default {')).mistakes[0]!, /^twain\.config\.ts:1:\d+ can't be loaded: /)
  const { values, mistakes } = await read(
    t,
    'export default { resolvers: {}, before: {}, after: {}, on: { Post() {} }, signIn() {}, jobs: {} }',
  )
  assert.deepEqual([[...values], mistakes], [[], []])
})

test('a schema folder stands beside the config file, or contains it', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'twain-config-'))
  t.after(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'schema')
  mkdirSync(folder)
  const portOf = async (path: string) => (await readConfigFile(path, [])).get('port')
  writeFileSync(join(root, 'twain.config.ts'), 'export default { port: 1 }')
  assert.equal(await portOf(folder), '1')
  assert.equal(await portOf(`${folder}/`), '1')
  writeFileSync(join(folder, 'twain.config.ts'), 'export default { port: 2 }')
  assert.equal(await portOf(folder), '2')
})

test('an error of the file has its line and column', async (t) => {
  const places: Record<string, string> = {
    'export default {\n  resolvers: {{\n}\n': 'twain.config.ts:2:15 ',
    'const a = 1\nexport default { a: b }\n': 'twain.config.ts:2:21 ',
    'enum A { X }\nexport default {}\n': 'twain.config.ts:1:1 ',
    'const f = 1\nexport default {}\nconst f = 2\n': 'twain.config.ts:3:7 ',
    'import { a } from "./broken.ts"\nexport default { a }\n': 'broken.ts:2:10 ',
  }
  for (const [text, place] of Object.entries(places)) {
    const { mistakes } = await read(t, text, { 'broken.ts': 'export const a = 1\nconst b =\n' })
    assert.equal(mistakes[0]?.slice(0, place.length), place, mistakes[0])
  }
})

test('where package.json says commonjs, the error names twain.config.mts, which works', async (t) => {
  const commonjs = { 'package.json': '{"type": "commonjs"}' }
  const { mistakes } = await read(t, 'import "node:fs"\nexport default { port: 1 }', commonjs)
  assert.match(mistakes[0] ?? '', /Rename it to twain\.config\.mts/)
  const { values } = await read(t, 'import "node:fs"\nexport default { port: 1 }', commonjs, 'twain.config.mts')
  assert.equal(values.get('port'), '1')
})

async function read(t: TestContext, text: string, files: Record<string, string> = {}, name = 'twain.config.ts') {
  const folder = mkdtempSync(join(tmpdir(), 'twain-config-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [other, content] of Object.entries(files)) writeFileSync(join(folder, other), content)
  writeFileSync(join(folder, name), text)
  const mistakes: string[] = []
  return { values: await readConfigFile(join(folder, 'schema.graphql'), mistakes), mistakes }
}
