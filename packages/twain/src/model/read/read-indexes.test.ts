import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

test('indexes stand on fields alone or together, in order', () => {
  const sdl = `type A { id: ID! a: String @unique b: Int @index(with: ["c", "a"]) c: E @unique(with: "d") d: A @index e: A @unique }
    enum E { X }`
  const [resource] = loadModel(sdl, 'test.graphql').resources
  const indexes = resource!.indexes.map(({ unique, fields }) => [unique, ...fields.map(({ name }) => name)])
  assert.deepEqual(indexes, [
    [true, 'a'],
    [false, 'b', 'c', 'a'],
    [true, 'c', 'd'],
    [false, 'd'],
    [true, 'e'],
  ])
  const unique = ['d', 'e']
    .map((name) => resource!.fields.get(name))
    .map((field) => field && 'unique' in field && field.unique)
  assert.deepEqual(unique, [false, true])
})

const cases: Record<string, MistakeCase> = {
  'an index on JSON': ['type A { id: ID! b: JSON ‹@index }', 'which is JSON'],
  'an index on a list': ['type A { id: ID! b: [Int] ‹@unique }', 'which is a list'],
  'an index on a value': ['type A { id: ID! b: V ‹@index } type V { x: Int }', 'which is a value type'],
  'an index on a list of resources': [
    'type A { id: ID! bs: [B!]! ‹@index } type B { id: ID! a: A }',
    'does not fit A.bs',
  ],
  'an index on the id': ['type A { id: ID! ‹@unique }', 'always unique'],
  'an index with a field that is not there': [
    'type A { id: ID! b: Int @index(with: [‹"cc"]) c: Int }',
    'Did you mean "c"',
  ],
  'an index with a field that has no column': [
    'type A { id: ID! b: Int @index(with: ‹"bs") bs: [B!]! } type B { id: ID! a: A }',
    'not stored in the row',
  ],
  'an index that names a field twice': ['type A { id: ID! b: Int @index(with: ["c", ‹"c"]) c: Int }', 'already part'],
  'an index that names its own field': ['type A { id: ID! b: Int @index(with: ‹"b") }', 'already part'],
  'the same unique index in two places': [
    'type A { id: ID! b: Int @unique(with: "c") c: Int ‹@unique(with: "b") }',
    'already has this index',
  ],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))
