import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
  assert.match((await read(t, 'export default {')).mistakes[0]!, /^twain\.config\.ts can't be loaded: /)
  const { values, mistakes } = await read(
    t,
    'export default { resolvers: {}, before: {}, after: {}, on: { Post() {} } }',
  )
  assert.deepEqual([[...values], mistakes], [[], []])
})

async function read(t: TestContext, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-config-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'twain.config.ts'), text)
  const mistakes: string[] = []
  return { values: await readConfigFile(join(folder, 'schema.graphql'), mistakes), mistakes }
}
