import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadModel } from '#model'
import { loadMigrations } from './load-migrations.ts'

const model = loadModel('type Post { id: ID! title: String! mood: Mood } enum Mood { GOOD BAD }', 'schema.graphql')

async function load(t: TestContext, files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-load-migrations-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'migrations'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'migrations', name), text)
  const mistakes: string[] = []
  const migrations = await loadMigrations(join(folder, 'schema.graphql'), model, mistakes)
  return { migrations, mistakes }
}

const fine = `export default { type: 'Post', change: () => null }`

test('a schema without the folder has no migrations', async () => {
  const mistakes: string[] = []
  assert.deepEqual(await loadMigrations('/nowhere/schema.graphql', model, mistakes), [])
  assert.deepEqual(mistakes, [])
})

test('files run in the order of their numbers; others are no migrations', async (t) => {
  const { migrations, mistakes } = await load(t, {
    '0010-c.ts': `import { helped } from './_help.ts'\nexport default { run: helped, timeLimit: '2m', hooks: true }`,
    '002-b.mts': `export default { type: 'Post', where: { mood: { eq: 'BAD' } }, portion: 7, change() {}, events: false }`,
    '001-a.ts': fine,
    '_help.ts': 'export const helped = () => null',
    'README.md': '',
    '.keep': '',
    'types.d.ts': '',
  })
  assert.deepEqual(mistakes, [])
  assert.deepEqual(
    migrations.map(({ name, events, hooks, work }) => [name, events, hooks, work.kind]),
    [
      ['001-a', true, false, 'rows'],
      ['002-b', false, false, 'rows'],
      ['0010-c', true, true, 'whole'],
    ],
  )
  const [first, second, third] = migrations.map(({ work }) => work)
  assert.equal(first?.kind === 'rows' && first.portion, 500)
  assert.deepEqual(second?.kind === 'rows' && [second.portion, second.where], [7, { mood: { eq: 'BAD' } }])
  assert.equal(third?.kind === 'whole' && third.timeoutMs, 120_000)
  assert.equal(new Set(migrations.map(({ hash }) => hash)).size, 3)
})

const cases: [text: string, mistake: RegExp][] = [
  ['export default 3', /^migrations\/001-x\.ts exports no migration\. Write: export default defineMigration\(/],
  [
    `export default {}`,
    /^migrations\/001-x\.ts needs one of two functions: change\(row, context\) with a type, or run/,
  ],
  [`export default { type: 'Post', change() {}, run() {} }`, /needs one of two functions/],
  [`export default { type: 'Pots', change() {} }`, /: type must name a type of the schema\. Did you mean "?Post"?\?/],
  [`export default { type: 'Post', change: 3 }`, /: change must be a function: change\(row, context\)\.$/],
  [`export default { type: 'Post', change() {}, portion: 0 }`, /: portion must be a whole number from 1 to 1000\.$/],
  [`export default { type: 'Post', change() {}, portoin: 5 }`, /: portoin is no option of a migration with change\./],
  [`export default { type: 'Post', change() {}, hooks: 'no' }`, /: hooks must be true or false\.$/],
  [`export default { type: 'Post', change() {}, where: 'x' }`, /: where must be an object/],
  [`export default { type: 'Post', change() {}, where: { titel: { eq: '' } } }`, /: where\.titel .*title/],
  [`export default { type: 'Post', change() {}, where: { mood: { eq: 'SAD' } } }`, /: where\.mood\.eq .*GOOD/],
  [`export default { run() {}, where: {} }`, /: where is no option of a migration with run\./],
  [`export default { run() {}, timeLimit: '1d' }`, /: timeLimit must be a duration of at most ten minutes/],
  [`export default {`, /^migrations\/001-x\.ts:1:\d+ can't be loaded: /],
  [`throw new Error('no')`, /^migrations\/001-x\.ts:1:7 can't be loaded: no/],
]

for (const [text, mistake] of cases) {
  test(`a mistake is named: ${text}`, async (t) => {
    const { migrations, mistakes } = await load(t, { '001-x.ts': text })
    assert.deepEqual(migrations, [])
    assert.equal(mistakes.length, 1, mistakes.join('\n'))
    assert.match(mistakes[0]!, mistake)
  })
}

test('names that do not fit and numbers that are taken are mistakes', async (t) => {
  const { mistakes } = await load(t, {
    '1-x.ts': fine,
    'fill.ts': fine,
    '003-x.sql': '',
    '004-a.ts': fine,
    '0004-b.ts': fine,
  })
  assert.equal(mistakes.length, 4, mistakes.join('\n'))
  assert.equal(mistakes.filter((text) => text.includes('Call it NNN-name.ts, such as 001-fill-slugs.ts')).length, 3)
  assert.match(mistakes.at(-1)!, /has the number of .*Give the newer one the next free number, such as 0{0,2}05-…\.$/)
})
