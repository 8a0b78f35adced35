// Each use that makes sense is refused as not built yet; one that makes no sense hears that alone.

import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.ts'

const unbuilt: Record<string, MistakeCase> = {
  '@was': [
    'type A ‹@was(name: "B") { id: ID! b: Int ‹@was(name: "c") } enum E { X ‹@was(name: "Y") }',
    'not built yet',
  ],
}

for (const [title, mistake] of Object.entries(unbuilt)) {
  test(`${title} stops the start and says that it is not built yet`, () => expectMistakes(mistake))
}

const senseless: Record<string, MistakeCase> = {
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
  '@was with a name that is still there': ['type A { id: ID! b: Int @was(name: ‹"c") c: Int }', 'still there'],
  '@was with what is no name': ['type A { id: ID! b: Int @was(name: ‹"a b") }', 'not a name'],
  '@cacheControl with a negative age': ['type A @cacheControl(maxAge: ‹-1) { id: ID! }', 'negative'],
  '@cacheControl that says nothing': ['type A ‹@cacheControl { id: ID! }', 'says nothing'],
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
