import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const type = 'type T { id: ID! }'

const cases: Record<string, MistakeCase> = {
  'a required argument that is deprecated': [
    `${type} extend type Query { f(a: Int! ‹@deprecated): Int @allow }`,
    'Required argument Query.f(a:) cannot be deprecated. = Nobody could leave it out',
  ],
  'a required field of an input that is deprecated': [
    `${type} input I { a: Int! ‹@deprecated } type Mutation { f(i: I): Int @allow }`,
    'Required input field I.a cannot be deprecated.',
  ],
  'a required field of a @oneOf input': [
    `${type} input I @oneOf { a: ‹Int! b: Int } type Query { f(i: I): Int @allow }`,
    'OneOf input field I.a must be nullable. = A client sends exactly one of the fields: remove the !.',
  ],
  'a default in a @oneOf input': [
    `${type} input I @oneOf { ‹a: Int = 1 b: Int } type Query { f(i: I): Int @allow }`,
    'OneOf input field I.a cannot have a default value. = A client sends exactly one of the fields: remove the default.',
  ],
  'an input that no value can end': [
    `${type} input I { ‹a: J! } input J { b: [I!]! c: I! } extend type Query { f(i: I): Int @allow }`,
    'cannot be provided a finite value because it references itself through fields: I.a, J.c. = Remove a !',
  ],
  'a field that is deprecated where its interface is not': [
    `interface N { id: ID! n: String } type A implements N { id: ID! n: String ‹@deprecated }`,
    'A.n must not be deprecated. = Deprecate the field of the interface too',
  ],
  'all of them at once': [
    `${type}
     input I @oneOf { a: ‹Int! b: Int = ‹1 }
     extend type Query { f(i: I): Int @allow }`.replace('b: Int = ‹1', '‹b: Int = 1'),
    'must be nullable',
    'default value',
  ],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('what the server adds is no mistake: its scalars, its types, and root types that are only extended', () => {
  expectMistakes([
    `extend schema @service(name: "x") scalar Own
     type T { id: ID! at: DateTime photo: File own: Own n: Int @deprecated }
     input I { file: Upload at: Date = "2026-01-31" old: Int @deprecated inner: [I!] }
     extend type Mutation { f(i: I, old: Int = 3 @deprecated): T! @allow }
     extend type Subscription { ticks: Int @allow }`,
  ])
})
