import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkImport, circlesIn, importsOf } from './layers.ts'

test('an import between modules may go down, and not up or sideways', () => {
  assert.equal(checkImport('engine/engine.ts', '#store'), null)
  assert.match(checkImport('store/run.ts', '#engine') ?? '', /^store\/run\.ts: imports #engine, which is not below/)
  assert.match(checkImport('rest/rest.ts', '#graphql') ?? '', /not below/)
})

test('a module is entered by its index only, also from a test', () => {
  assert.equal(checkImport('plan/deep/check.ts', '../plan.ts'), null)
  assert.match(checkImport('plan/check.ts', '../model/model.ts') ?? '', /enter the module by #model/)
  assert.match(checkImport('plan/check.test.ts', '../model/model.ts') ?? '', /enter the module by #model/)
  assert.match(checkImport('plan/check.ts', '#plan') ?? '', /import the file itself/)
})

test('inside a module an import may go down, and not up; tests may', () => {
  assert.equal(checkImport('plan/authorize/rules.ts', '../limit/limits.ts'), null)
  assert.equal(checkImport('plan/limit/limit.ts', './limits.ts'), null)
  assert.equal(checkImport('rest/rest.ts', './request/route.ts'), null)
  assert.match(checkImport('plan/limit/limit.ts', '../authorize/rules.ts') ?? '', /not below it inside the module/)
  assert.match(checkImport('rest/request/route.ts', '../rest.ts') ?? '', /not below it inside the module/)
  assert.equal(checkImport('plan/limit/limit.test.ts', '../authorize/rules.ts'), null)
})

test('an adapter never imports the store', () => {
  assert.match(checkImport('rest/rest.ts', '#store') ?? '', /use the engine/)
})

test('a test may import any module, and packages are no modules', () => {
  assert.equal(checkImport('rest/rest.test.ts', '#main'), null)
  assert.equal(checkImport('rest/rest.ts', 'node:crypto'), null)
})

test('a module that the table does not know is reported', () => {
  assert.match(checkImport('attic/a.ts', '#base') ?? '', /"attic" is not a module/)
  assert.match(checkImport('rest/rest.ts', '#attic') ?? '', /not a module/)
})

test('a circle is found however long it is, and a tree has none', () => {
  const edges = (text: string) =>
    new Map(text.split(' ').map((edge): [string, string[]] => [edge[0]!, [...edge.slice(1)]]))
  assert.deepEqual(circlesIn(edges('abc bc c')), [])
  assert.deepEqual(
    circlesIn(edges('ab bc ca da')).map((circle) => circle.sort()),
    [['a', 'b', 'c']],
  )
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
