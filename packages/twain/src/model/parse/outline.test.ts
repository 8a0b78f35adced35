import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const cases: Record<string, MistakeCase> = {
  'a type that is defined twice': ['type A { id: ID! }\ntype ‹A { id: ID! }', 'line 1'],
  'a field that is defined twice, also in an extension': ['type A { id: ID! b: Int } extend type A { ‹b: Int }', 'A.b'],
  'an enum value that is defined twice': ['type A { id: ID! } enum E { X ‹X }', 'E.X is already defined on line 1'],
  'an interface that is named twice': [
    'interface I { id: ID! } type A implements I & ‹I { id: ID! }',
    'A already implements I',
  ],
  'a union that names a type twice': ['type A { id: ID! } union U = A | ‹A', 'U already has A'],
  'a type without fields': ['type A { id: ID! } type ‹B', 'no fields'],
  'an enum without values': ['type A { id: ID! } enum ‹E', 'no values'],
  'a union without types': ['type A { id: ID! } union ‹U', 'no types'],
  'an extension of nothing': ['type Post { id: ID! } extend type ‹Pots { a: Int }', 'Did you mean "Post"'],
  'an extension of another kind': ['type A { id: ID! } extend enum ‹A { X }', 'extend type A'],
  'a query in the file': ['type A { id: ID! }\n‹query { as { id } }', 'not a definition'],
  'a directive of the file itself': ['directive @‹own on OBJECT type A { id: ID! }', '@own has no effect'],
  'operations with names of their own': ['schema { query: ‹Root } type A { id: ID! }', 'Write: query: Query'],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test("the file may contain the definitions of Twain's own directives", () => {
  expectMistakes(['directive @immutable on FIELD_DEFINITION enum TwainAction { READ } type A { id: ID! }'])
})

test('a type that is wider than a table can be is a mistake', () => {
  const wide = (count: number) => Array.from({ length: count - 1 }, (_, n) => `f${n}: Int`).join(' ')
  expectMistakes([`type ‹A { id: ID! ${wide(1501)} }`, 'has 1501 fields; at most 1500'])
  expectMistakes([`type A { id: ID! ${wide(1500)} }`])
})
