import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const cases: Record<string, MistakeCase> = {
  'an unknown type that is near one': [
    'type A { id: ID! b: ‹Strng }',
    'There is no type Strng. = Did you mean "String"',
  ],
  'an unknown type that is near nothing': ['type A { id: ID! b: ‹Zebra }', 'Define it: type Zebra'],
  'an input as the type of a field': ['type A { id: ID! b: ‹In } input In { x: Int }', 'is an input'],
  'the operations as the type of a field': ['type A { id: ID! b: ‹Query } type Query { a: A }', 'is for operations'],
  'an interface that nothing implements, as the type of a field': [
    'type A { id: ID! b: ‹Lonely } interface Lonely { x: Int }',
    'No resource implements Lonely',
  ],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))
