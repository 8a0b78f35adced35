import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema } from 'graphql'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'
import { SchemaMistakes } from '../mistakes.ts'
import { directiveDefinitions } from './vocabulary.ts'

const cases: Record<string, MistakeCase> = {
  'an unknown directive': ['type A { id: ID! b: Int ‹@uniqe }', '"@unique"'],
  'an unknown directive that is near nothing': ['type A ‹@zzzzzzzz { id: ID! }', 'On a type: @resource'],
  'a directive on the wrong place': ['type A ‹@unique { id: ID! }', 'It stands on a field'],
  'a directive of queries': ['type A { id: ID! b: Int ‹@skip(if: true) }', 'no directive @skip'],
  'a directive that stands twice': ['type A { id: ID! b: Int @index ‹@index }', 'twice'],
  'an unknown argument': ['type A { id: ID! b: Int @unique(‹wiht: ["c"]) c: Int }', '"with"'],
  'an argument that no directive of this name takes': ['type A { id: ID! b: Int @immutable(‹x: 1) }', 'no arguments'],
  'an argument that stands twice': ['type A { id: ID! b: Int @constraint(min: 1, ‹min: 2) }', 'twice'],
  'a missing argument': ['type A { id: ID! b: DateTime ‹@auto }', '@auto(set: …)'],
  'an argument of the wrong type': ['type A { id: ID! b: String @constraint(minLength: ‹"3") }', 'a whole number'],
  'a value in a list of the wrong type': ['type A { id: ID! b: Int @unique(with: [‹c]) c: Int }', 'a string in quotes'],
  'an unknown enum value': ['type A { id: ID! b: DateTime @auto(set: ‹CREATED_TIME) }', '"CREATE_TIME"'],
  'null for what is required': ['type A { id: ID! b: DateTime @auto(set: ‹null) }', "can't be null"],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('the mistakes of all arguments of a directive are reported, and those of all stages', () => {
  const sdl = `type User @account { id: ID! email: String! @unique }
    type Book @allow(to: [REED], who: "autor") @allow(who: "author", where: { titel: { eq: "x" } }, rol: "admin") {
      id: ID! title: String! @constraint(minLength: "x", pattern: "[") author: User! other: Usr
    }`
  const { mistakes } = rejectionOf(() => loadModel(sdl, 'books.graphql'))
  assert.deepEqual(
    mistakes.map(({ message }) => message.replace(/: .*/, '')),
    [
      "@allow(to:) can't be REED.",
      '"autor" leads nowhere',
      'Book has no field titel.',
      '@allow has no argument rol.',
      '@constraint(minLength:) is a whole number, not "x".',
      'The pattern is not a regular expression',
      'There is no type Usr.',
    ],
  )
})

function rejectionOf(load: () => unknown): SchemaMistakes {
  try {
    load()
  } catch (error) {
    if (error instanceof SchemaMistakes) return error
    throw error
  }
  throw new Error('The file is accepted.')
}

test("every one of Twain's directives, arguments and types has a description", () => {
  const schema = buildSchema(`${directiveDefinitions} type Query { a: Int }`)
  const names = directiveDefinitions.match(/(?<=directive @)\w+/g)!
  assert.equal(names.length, 22)
  for (const name of names) {
    const directive = schema.getDirective(name)
    assert.ok(directive?.description, name)
    for (const argument of directive.args) assert.ok(argument.description, `${name}.${argument.name}`)
  }
})
