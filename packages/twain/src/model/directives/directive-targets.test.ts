import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const cases: Record<string, MistakeCase> = {
  '@immutable on the id': ['type A { id: ID! ‹@immutable }', 'which is the id'],
  '@immutable on a list of resources': [
    'type A { id: ID! bs: [B!]! ‹@immutable } type B { id: ID! a: A }',
    'can be written',
  ],
  '@relation on a stored field': [
    'type A { id: ID! b: Int ‹@relation(onDelete: CASCADE) }',
    'on a reference or a list',
  ],
  '@search on a reference': ['type A { id: ID! b: A ‹@search }', 'on a String'],
  '@auto on a many-to-many relation': [
    'type A { id: ID! bs: [B!]! ‹@auto(set: VIEWER) } type B { id: ID! }',
    'does not fit',
  ],
  '@constraint on the field of an interface': [
    'interface I { id: ID! b: Int ‹@constraint(min: 1) } type A implements I { id: ID! b: Int }',
    'on the types that implement it',
  ],
  '@default on a field without a column': [
    'type A { id: ID! b: B @relation(inverse: "a") ‹@default(value: "x") } type B { id: ID! a: A @unique }',
    'has no column',
  ],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))
