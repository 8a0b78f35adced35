import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

const cases: Record<string, MistakeCase> = {
  'an id that may be null': ['type A { id: ‹ID }', 'Write: id: ID!'],
  'an id of another type': ['type A { id: ‹Int! }', 'must be of the type ID!'],
  'a list of ids as the id': ['type A { id: ‹[ID!]! }', 'must be of the type ID!'],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('@resource sets the path and with it the name of the list', () => {
  const { resources } = loadModel('type Human @resource(path: "all-people") { id: ID! }', 'test.graphql')
  assert.deepEqual([resources[0]?.path, resources[0]?.list, resources[0]?.single], ['all-people', 'allPeople', 'human'])
})

test('a deprecation carries its reason, or the one of GraphQL', () => {
  const sdl = 'type A { id: ID! b: Int @deprecated c: Int @deprecated(reason: "old") d: Int }'
  const fields = loadModel(sdl, 'test.graphql').resources[0]!.fields
  assert.deepEqual(
    [...fields.values()].map(({ deprecated }) => deprecated),
    [null, 'No longer supported', 'old', null],
  )
})
