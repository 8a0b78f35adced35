// The README: its first two commands, what it says of its schema, and its tour, walked as the pages of docs/guide are.
// stores: sqlite

import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildSchema } from 'graphql'
import { printSchema } from '../../packages/twain/src/graphql/index.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { loadOpenapiText } from '../../packages/twain/src/rest/index.ts'
import { noCurl } from './no-curl.ts'
import { type Step, stepsOf } from './page-steps.ts'
import { walkPage } from './walk-page.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const steps = stepsOf(readme)

test('its first two commands run the example and the tests', () => {
  const commands = commandsOf(steps)
  assert.deepEqual(commands.slice(0, 2), ['npm ci && npm start', 'npm ci && npm test'])
})

test('its schema of 15 lines has the paths and operations that it names', async () => {
  const file = steps.find((step) => step.kind === 'file')!
  assert.equal(file.text.split('\n').filter((line) => line !== '').length, 15)
  const model = loadModel(file.text, file.name)
  const schema = buildSchema(printSchema(model))
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const operations = roots.flatMap((type) => Object.keys(type!.getFields()))
  for (const name of ['messages', 'messagesConnection', 'createMessage', 'messageCreated']) {
    assert.match(readme, new RegExp(`\`${name}\\b`))
    assert.ok(operations.includes(name), name)
  }
  const { paths } = JSON.parse(await loadOpenapiText(model, defaultLimits, 'full')) as { paths: Record<string, object> }
  const named = [...readme.matchAll(/`(GET|POST|PATCH) (\/[^`?]*)/g)]
  assert.ok(named.length >= 6)
  for (const [, method, path] of named) assert.ok(method!.toLowerCase() in (paths[path!] ?? {}), `${method} ${path}`)
})

test('its tour prints what it shows', { skip: noCurl, timeout: 180_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-readme-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [start, tests, ...rest] = steps
  assert.ok(start?.kind === 'commands' && tests?.kind === 'commands')
  await walkPage([{ ...start, terminal: 'server' }, ...rest], { folder, postgres: null })
  assert.ok(commandsOf(rest).filter((line) => line.startsWith('curl')).length >= 9)
})

test('what is to be pasted has no comment and no open quote, which not every shell takes', () => {
  const pages = ['README.md', 'examples/chat/README.md', ...globSync('docs/{guide,reference}/*.md', { cwd: root })]
  const lines = pages.flatMap((name) => shellLines(readFileSync(join(root, name), 'utf8')))
  assert.ok(lines.length >= 100)
  for (const line of lines) {
    assert.doesNotMatch(line, /(^|\s)#/)
    assert.equal(line.replace(/\\'/g, '').split("'").length % 2, 1, line)
  }
})

function commandsOf(some: readonly Step[]): string[] {
  return some.flatMap((step) => (step.kind === 'commands' ? step.text.trimEnd().split('\n') : []))
}

function shellLines(page: string): string[] {
  return [...page.matchAll(/^```sh.*\n([\s\S]*?)^```/gm)].flatMap(([, block]) => block!.trimEnd().split('\n'))
}
