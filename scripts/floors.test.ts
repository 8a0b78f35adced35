import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkImport, importsOf } from './floors.ts'

test('an import may go down, and not up or sideways', () => {
  assert.equal(checkImport('engine/engine.ts', '#store'), null)
  assert.match(checkImport('store/run.ts', '#engine') ?? '', /^store\/run\.ts: imports #engine, which is not below/)
  assert.match(checkImport('rest/rest.ts', '#graphql') ?? '', /not below/)
})

test('a room is entered by its door only, also from a test', () => {
  assert.equal(checkImport('plan/deep/check.ts', '../plan.ts'), null)
  assert.match(checkImport('plan/check.ts', '../model/model.ts') ?? '', /enter the room by #model/)
  assert.match(checkImport('plan/check.test.ts', '../model/model.ts') ?? '', /enter the room by #model/)
  assert.match(checkImport('plan/check.ts', '#plan') ?? '', /import the file itself/)
})

test('a door never reaches for the store', () => {
  assert.match(checkImport('rest/rest.ts', '#store') ?? '', /ask the engine/)
})

test('a test may look down from any floor, and packages are no rooms', () => {
  assert.equal(checkImport('rest/rest.test.ts', '#main'), null)
  assert.equal(checkImport('rest/rest.ts', 'node:crypto'), null)
})

test('a room or a door that the table does not know is told', () => {
  assert.match(checkImport('attic/a.ts', '#base') ?? '', /"attic" is no room/)
  assert.match(checkImport('rest/rest.ts', '#attic') ?? '', /no room/)
})

test('imports are found in all their forms, and not in comments', () => {
  const text = [
    "import { a } from '#a'",
    'import {',
    '  b,',
    "} from './b.ts'",
    "export type { C } from '#c'",
    "import 'd'",
    "const e = await import('#e')",
    "// import { f } from '#f'",
  ].join('\n')
  assert.deepEqual(importsOf(text), ['#a', './b.ts', '#c', 'd', '#e'])
})
