import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'
import type { Constraint, CustomScalar, Json, StoredType } from '../model.ts'
import { broken } from './constraints.ts'

const cases: Record<string, MistakeCase> = {
  'a length of a number': ['type A { id: ID! b: Int @constraint(minLength: ‹3) }', 'It can have min, max.'],
  'min on a String': ['type A { id: ID! b: String @constraint(min: ‹3) }', 'min is for numbers, and b is a String'],
  'items of what is no list': ['type A { id: ID! b: String @constraint(maxItems: ‹3) }', 'maxItems is for lists'],
  'a constraint on an enum': ['type A { id: ID! b: E @constraint(min: ‹3) } enum E { X }', 'the enum E'],
  'a constraint on a value': ['type A { id: ID! b: V @constraint(min: ‹3) } type V { x: Int }', 'the value type V'],
  'a constraint on a reference': ['type A { id: ID! b: A ‹@constraint(min: 3) }', 'which is a reference'],
  'min above max': ['type A { id: ID! b: Int @constraint(min: ‹3, max: 2) }', 'no value fits'],
  'minLength above maxLength': [
    'type A { id: ID! b: String @constraint(minLength: ‹3, maxLength: 2) }',
    'no value fits',
  ],
  'minItems above maxItems': ['type A { id: ID! b: [Int] @constraint(minItems: ‹3, maxItems: 2) }', 'no value fits'],
  'a negative length': ['type A { id: ID! b: String @constraint(minLength: ‹-1) }', "can't be negative"],
  'a bound that a double would round': ['type A { id: ID! b: BigInt @constraint(max: ‹9007199254740993) }', 'exactly'],
  'a pattern that does not compile': [
    'type A { id: ID! b: String @constraint(pattern: ‹"(") }',
    'not a regular expression',
  ],
  'a pattern with nested repetitions, which is not tried on the default either': [
    `type A { id: ID! b: String! @default(value: "${'a'.repeat(60)}!") @constraint(pattern: ‹"^(a+)+$", maxLength: 99) }`,
    'could block the server',
  ],
  'a pattern that takes too long without a maxLength': [
    'type A { id: ID! b: String @constraint(pattern: ‹"^\\\\S+@\\\\S+\\\\.\\\\S+$") }',
    'Write maxLength: 125 or less',
  ],
  'a pattern that takes too long up to its maxLength': [
    'type A { id: ID! b: String @constraint(pattern: ‹"x+y", maxLength: 5000) }',
    'on a text of 5000 characters',
  ],
  'an unknown format': ['type A { id: ID! b: String @constraint(format: ‹"emial") }', 'Did you mean "email"'],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('each argument is accepted where it fits, of a list for its items too', () => {
  expectMistakes([
    `type A { id: ID! a: Decimal @constraint(min: 0.5, max: 10) b: [String!] @constraint(minItems: 1, maxLength: 3, pattern: "^a")
     c: Own @constraint(pattern: "x", format: "uri", min: 1) d: BigInt @constraint(min: -5) e: [[Float!]!] @constraint(max: 1) } scalar Own`,
  ])
})

test('a pattern is fine up to the length that it can take', () => {
  expectMistakes([
    `type A { id: ID! a: String @constraint(pattern: "^\\\\S+@\\\\S+\\\\.\\\\S+$", maxLength: 100)
     b: String @constraint(pattern: "^[a-z]+$", maxLength: 100000) c: String @constraint(pattern: "x+y") }`,
  ])
})

test('the first violation of a constraint is described', () => {
  const cases: [Json, Constraint, string | null][] = [
    [3, { min: 1, max: 5 }, null],
    [0, { min: 1 }, 'is less than 1'],
    ['12.50', { max: 5 }, 'is more than 5'],
    ['😀😀', { maxLength: 2 }, null],
    ['abc', { maxLength: 2 }, 'has more than 2 characters'],
    ['', { minLength: 1 }, 'has fewer than 1 characters'],
    ['xay', { pattern: 'a' }, null],
    ['xy', { pattern: '^a' }, 'does not match the pattern ^a'],
    ['a'.repeat(1001), { pattern: 'a' }, 'has more than 1000 characters'],
    ['a'.repeat(1001), { pattern: 'a', maxLength: 2000 }, null],
    ['no', { format: 'email' }, 'is not of the format email'],
    [['a'], { minItems: 2 }, 'has fewer than 2 items'],
    [['a', 'bbb'], { maxItems: 2, maxLength: 2 }, 'has an item that has more than 2 characters'],
    [null, { min: 1 }, null],
  ]
  const text: StoredType = { kind: 'scalar', name: 'String' }
  const list: StoredType = { kind: 'list', of: text, itemRequired: false }
  for (const [value, constraint, expected] of cases)
    assert.equal(broken(value, Array.isArray(value) ? list : text, constraint), expected)
})

test('a custom scalar with a constraint is what the constraint is about', () => {
  const { types } = loadModel('scalar Opus type Work @allow { id: ID! opus: Opus }', 'a.graphql')
  const opus: StoredType = { kind: 'custom', scalar: types.get('Opus') as CustomScalar }
  assert.equal(broken(7, opus, { pattern: 'a' }), 'is no string')
  assert.equal(broken({ a: 1 }, opus, { min: 1, maxLength: 2 }), 'is no string and no number')
  assert.equal(broken(true, opus, { max: 3 }), 'is no number')
  assert.equal(broken(7, opus, { max: 3, pattern: 'a' }), 'is more than 3')
  assert.equal(broken('xay', opus, { max: 3, pattern: 'a' }), null)
  assert.equal(broken({ a: 1 }, opus, {}), null)
})
