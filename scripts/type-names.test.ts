import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedNames } from './type-names.ts'

test('a name that two files declare is shared; imports and one declaration are not', () => {
  const texts = new Map([
    [
      'a.ts',
      "import { type Row, type Page } from './b.ts'\nexport interface Row {}\ntype Key = string\nclass Cache<T> {}",
    ],
    ['b.ts', 'export type Row = { id: string }\nexport abstract class Store extends Base {}\n// type Key = 1'],
  ])
  const { declarations, shared, percent, names } = sharedNames(texts)
  assert.deepEqual([declarations, shared, percent], [5, 2, 40])
  assert.deepEqual(names, [['Row', ['a.ts', 'b.ts']]])
})
