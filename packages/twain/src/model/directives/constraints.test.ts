import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const cases: Record<string, MistakeCase> = {
  'a length of a number': ['type A { id: ID! b: Int @constraint(minLength: ‹3) }', 'It can have min, max.'],
  'min on a String': [
    'type A { id: ID! b: String @constraint(min: ‹3) }',
    'min is for numbers, dates and times, and b is a String',
  ],
  'items of what is no list': ['type A { id: ID! b: String @constraint(maxItems: ‹3) }', 'maxItems is for lists'],
  'a number as a bound of times': [
    'type A { id: ID! b: Time @constraint(min: ‹9) }',
    'a time of day such as "09:30:00"',
  ],
  'a time zone in a bound of times': ['type A { id: ID! b: Time @constraint(max: ‹"09:30:00Z") }', "max can't be"],
  'a text as a bound of numbers': ['type A { id: ID! b: Int @constraint(max: ‹"9") }', 'Write a number'],
  'min after max': ['type A { id: ID! b: Time @constraint(min: ‹"10:00:00", max: "09:00:00.5") }', 'no value fits'],
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
     c: Own @constraint(pattern: "x", format: "uri", min: 1) d: BigInt @constraint(min: -5) f: Date @constraint(min: "2026-01-01") g: [Time!] @constraint(max: "17:30:00") e: [[Float!]!] @constraint(max: 1) } scalar Own`,
  ])
})

test('a pattern is fine up to the length that it can take', () => {
  expectMistakes([
    `type A { id: ID! a: String @constraint(pattern: "^\\\\S+@\\\\S+\\\\.\\\\S+$", maxLength: 100)
     b: String @constraint(pattern: "^[a-z]+$", maxLength: 100000) c: String @constraint(pattern: "x+y") }`,
  ])
})
