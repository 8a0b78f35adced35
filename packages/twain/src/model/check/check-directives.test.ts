// A directive that has no meaning at its place is a mistake.

import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const senseless: Record<string, MistakeCase> = {
  '@collation on a number': ['type A { id: ID! b: Int ‹@collation(name: BINARY) }', 'fields of the type String'],
  '@collation on a list': ['type A { id: ID! b: [String!] ‹@collation(name: BINARY) }', 'fields of the type String'],
  '@label on a list': ['type A { id: ID! b: [String] ‹@label }', 'for a single value'],
  'two labels': ['type A { id: ID! b: String @label c: String ‹@label }', 'Write @label on one of them'],
  '@search on a number': ['type A { id: ID! b: Int ‹@search }', 'fields of the type String'],
  '@computed from an unknown field': [
    'type A { id: ID! bee: Int c: Int @computed(from: [‹"be"]) }',
    'Did you mean "bee"',
  ],
  '@computed from a list of resources': [
    'type A { id: ID! bs: [B!]! c: Int @computed(from: ‹"bs") } type B { id: ID! a: A }',
    'not stored in the row',
  ],
  '@computed with @default': ['type A { id: ID! c: Int @computed ‹@default(value: 1) }', 'computed, not stored'],
  '@was with a name that still exists': ['type A { id: ID! b: Int @was(name: ‹"c") c: Int }', 'still exists'],
  '@was on the id': ['type A { id: ID! ‹@was(name: "key") }', 'does not fit'],
  '@was twice with the same name': [
    'type A { id: ID! b: Int @was(name: "x") c: Int @was(name: ‹"x") }',
    'two that were called x: b and c',
  ],
  '@was with the same type twice': [
    'type A @was(name: "X") { id: ID! } type B @was(name: ‹"X") { id: ID! }',
    'two that were called X: A and B',
  ],
  '@was with the same enum value twice': [
    'type A { id: ID! e: E } enum E { P @was(name: "X") Q @was(name: ‹"X") }',
    'two that were called X: P and Q',
  ],
  '@was with a name that something else has': [
    'type A { id: ID! bs: [B!]! n: Int @was(name: ‹"bsConnection") } type B { id: ID! a: A }',
    'A.bsConnection is something else',
  ],
  '@was of an interface that a type does not have': [
    'interface I { id: ID! n: Int @was(name: "m") } type A implements I { id: ID! ‹n: Int }',
    'A.n does not have the previous name m',
  ],
  '@was with what is no name': ['type A { id: ID! b: Int @was(name: ‹"a b") }', 'not a name'],
  '@cacheControl with a negative age': ['type A @cacheControl(maxAge: ‹-1) { id: ID! }', 'negative'],
  '@cacheControl without arguments': ['type A ‹@cacheControl { id: ID! }', 'has no arguments'],
  '@cost with a negative weight': ['type A { id: ID! b: Int @cost(weight: ‹-1) }', 'negative'],
  '@cost of an operation with a negative weight': [
    'type A { id: ID! } type Query { b: Int @cost(weight: ‹-1) }',
    'negative',
  ],
  '@cost of an operation that is ours': [
    'type A { id: ID! } type Query { a(id: ID!): A ‹@cost(weight: 3) }',
    'no meaning',
  ],
  '@resource on a value': ['type A { id: ID! v: V } type V ‹@resource(path: "vs") { x: Int }', 'has no path'],
}

for (const [title, mistake] of Object.entries(senseless)) test(`${title} is a mistake`, () => expectMistakes(mistake))
