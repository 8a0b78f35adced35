// The JSON Schema of the settings, with a validator: it accepts the examples of docs/reference/settings.md, which the server takes too,
// and refuses mistakes.
// stores: none

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readConfigFile } from '../../packages/twain/src/cli/settings/config-file.ts'
import { readSettings } from '../../packages/twain/src/cli/settings/settings.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/settings.md'), 'utf8')
const schema = createRequire(import.meta.url)('twain/settings.schema.json') as object
const validate = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false }).compile(schema)

test('the JSON file of the page is valid, and the server takes it', async (t) => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
  const [, code = ''] = /```ts\n(\/\/ twain\.config\.ts\nimport settings[\s\S]*?)```/.exec(page) ?? []
  assert.ok(validate(JSON.parse(json)), JSON.stringify(validate.errors))
  const folder = mkdtempSync(join(tmpdir(), 'twain-settings-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'settings.json'), json)
  writeFileSync(join(folder, 'twain.config.ts'), code)
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  const mistakes: string[] = []
  const config = await readConfigFile(join(folder, 'schema.graphql'), mistakes)
  const { limits, http, poolSize } = readSettings({ flags: new Map(), env: {}, config }, mistakes)
  assert.deepEqual(mistakes, [])
  assert.deepEqual([limits.depth, http.trustProxy, poolSize], [6, '1', 20])
})

test('each form of a setting is valid, and mistakes are not', () => {
  const valid = [
    {},
    { port: 4100, 'limits.depth': 6 },
    { database: 'postgres://ann@db.example.org/blog', 'database.tls': 'verify' },
    { database: { poolSize: 5, statementTimeoutSeconds: null } },
    { http: { cors: '*', origin: ['https://a.example', 'https://b.example'], compression: false } },
    { auth: { issuers: [{ issuer: 'https://id.example.org' }] }, log: { level: 'warn' } },
  ]
  for (const value of valid) assert.ok(validate(value), JSON.stringify([value, validate.errors]))
  const invalid = [
    { prot: 4100 },
    { port: 70_000 },
    { port: '4100' },
    { limits: { depth: -1 } },
    { limits: { deepness: 3 } },
    { 'database.tls': 'sometimes' },
    { http: { compression: 'yes' } },
    { log: { level: 'loud' } },
  ]
  for (const value of invalid) assert.equal(validate(value), false, JSON.stringify(value))
})
