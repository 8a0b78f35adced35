import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

test('a stored field has its default, constraint and write rules', () => {
  const sdl = `type A { id: ID! code: String! @immutable @constraint(maxLength: 8)
    made: DateTime! @auto(set: CREATE_TIME) changed: DateTime! @auto(set: UPDATE_TIME) n: Int! @default(value: 3) }`
  const fields = loadModel(sdl, 'test.graphql').resources[0]!.fields
  const described = [...fields.values()].map((field) => {
    assert.ok(field.kind === 'stored')
    return [field.name, field.immutable, field.auto, field.constraint, field.default]
  })
  assert.deepEqual(described, [
    ['id', true, null, null, undefined],
    ['code', true, null, { maxLength: 8 }, undefined],
    ['made', false, 'CREATE_TIME', null, undefined],
    ['changed', false, 'UPDATE_TIME', null, undefined],
    ['n', false, null, null, 3],
  ])
})

test('a list may repeat the arguments that it has anyway', () => {
  expectMistakes(['type A { id: ID! bs(offset: Int, limit: Int, where: BWhere): [B!]! } type B { id: ID! a: A }'])
})

const cases: Record<string, MistakeCase> = {
  'a field with arguments that no code answers': ['type A { id: ID! b(‹unit: Int): Int }', 'write @computed behind'],
  'a list with arguments of its own': [
    'type A { id: ID! bs(‹top: Int): [B!]! } type B { id: ID! }',
    'A list takes offset',
  ],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))
