import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const cases: Record<string, MistakeCase> = {
  'a field of the interface that is left out': [
    'interface I { id: ID! name: String! } type ‹A implements I { id: ID! }',
    'and lacks it. = Add: name: String!',
  ],
  'a field of another type': [
    'interface I { id: ID! n: Int } type A implements I { id: ID! n: ‹String }',
    'I requires Int',
  ],
  'a field that may be null where the interface promises it': [
    'interface I { id: ID! n: Int! } type A implements I { id: ID! n: ‹Int }',
    'A.n is Int, and I requires Int!',
  ],
  'a list where the interface has none': [
    'interface I { id: ID! n: Int } type A implements I { id: ID! n: ‹[Int] }',
    'requires Int',
  ],
  'an interface that no type implements': [
    'interface ‹I { n: Int } interface J { n: Int } type V implements J { n: Int } type A { id: ID! v: V }',
    'No type implements I, so it has no effect. = Write: type … implements I, or remove it.',
  ],
  'an unknown type in an interface': [
    'interface I { id: ID! n: ‹Itn } type A implements I { id: ID! n: ‹Itn }',
    '"Int"',
    '"Int"',
  ],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('a narrower type fits: non-null for nullable, a member for its interface or union', () => {
  expectMistakes([
    `interface I { id: ID! n: Int to: I any: U list: [Int] }
     type A implements I { id: ID! n: Int! to: A any: A list: [Int!]! } union U = A`,
  ])
})
