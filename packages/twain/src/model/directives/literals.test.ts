import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const cases: Record<string, MistakeCase> = {
  'a text for an Int': ['type A { id: ID! b: Int @default(value: ‹"1") }', 'Int takes a whole number'],
  'an Int beyond 32 bits': ['type A { id: ID! b: Int @default(value: ‹2147483648) }', "can't be 2147483648"],
  'a fraction for an Int': ['type A { id: ID! b: Int @default(value: ‹1.5) }', 'whole number'],
  'a Float beyond a double': ['type A { id: ID! b: Float @default(value: ‹1e999) }', 'takes a number'],
  'a number for a String': ['type A { id: ID! b: String @default(value: ‹1) }', 'a text in quotes'],
  'a text for a Boolean': ['type A { id: ID! b: Boolean @default(value: ‹"yes") }', 'true or false'],
  'a day for a DateTime': ['type A { id: ID! b: DateTime @default(value: ‹"2024-05-01") }', '"2024-05-01T12:00:00Z"'],
  'a day that is not in the calendar': ['type A { id: ID! b: Date @default(value: ‹"2023-02-29") }', 'a day such as'],
  'an exponent for a Decimal': ['type A { id: ID! b: Decimal @default(value: ‹1e3) }', '12.50'],
  'a fraction for a BigInt': ['type A { id: ID! b: BigInt @default(value: ‹"1.5") }', 'whole number'],
  'a value of an enum in quotes': [
    'type A { id: ID! b: E @default(value: ‹"X") } enum E { X }',
    'Write X, without quotes',
  ],
  'a value that the enum does not have': ['type A { id: ID! b: E @default(value: ‹YES) } enum E { YEP }', '"YEP"'],
  'an enum value for JSON': ['type A { id: ID! b: JSON @default(value: {a: [‹X]}) }', 'Write it in quotes'],
  'a NUL character in JSON': ['type A { id: ID! b: JSON @default(value: {a: [‹"x\\u0000"]}) }', 'NUL'],
  'a NUL character in a reference': ['type A { id: ID! b: A @default(value: ‹"x\\u0000") }', 'write an id in quotes'],
  'a NUL character in an ID': ['type A { id: ID! b: [ID!] @default(value: [‹"x\\u0000"]) }', 'without NUL'],
  'JSON that is too deep': [
    `type A { id: ID! b: JSON @default(value: ${'['.repeat(64)}‹[1]${']'.repeat(64)}) }`,
    'more than 64 levels',
  ],
  'a single value for a list': ['type A { id: ID! b: [Int] @default(value: ‹1) }', 'Write: [1]'],
  'a wrong item of a list': ['type A { id: ID! b: [Int] @default(value: [1, ‹"2"]) }', 'An item of the default of b'],
  'null in a list of required items': ['type A { id: ID! b: [Int!] @default(value: [‹null]) }', "can't contain null"],
  'a text for a value': ['type A { id: ID! v: V @default(value: ‹"x") } type V { x: Int }', 'Write: {x: …}'],
  'an unknown field of a value': [
    'type A { id: ID! v: V @default(value: {‹y: 1}) } type V { x: Int }',
    'V has no field y',
  ],
  'a wrong field of a value, deep inside': [
    'type A { id: ID! v: V @default(value: {w: [{x: ‹"1"}]}) } type V { w: [W!] } type W { x: Int }',
    'x in an item of w',
  ],
  'null for a required field of a value': [
    'type A { id: ID! v: V @default(value: {x: ‹null}) } type V { x: Int! }',
    'null',
  ],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('JSON of 64 levels is fine', () => {
  expectMistakes([`type A { id: ID! b: JSON @default(value: ${'['.repeat(64)}${']'.repeat(64)}) }`])
})
