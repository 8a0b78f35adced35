import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

const user = 'type U @account { id: ID! email: String @unique }'
const cases: Record<string, MistakeCase> = {
  'a time in a text': [
    'type A { id: ID! b: String @auto(set: ‹CREATE_TIME) }',
    'Write: b: DateTime! @auto(set: CREATE_TIME)',
  ],
  'a time in a list': ['type A { id: ID! b: [DateTime] @auto(set: ‹UPDATE_TIME) }', "can't store a time"],
  'a time in a reference': ['type A { id: ID! b: A @auto(set: ‹CREATE_TIME) }', 'Make it a DateTime'],
  'a default beside it': [
    'type A { id: ID! b: DateTime @auto(set: CREATE_TIME) ‹@default(value: "2024-05-01T12:00:00Z") }',
    '@default has no meaning here',
  ],
  '@immutable beside it': [
    'type A { id: ID! b: DateTime @auto(set: CREATE_TIME) ‹@immutable }',
    '@immutable has no meaning',
  ],
  'the viewer in a text': ['type A { id: ID! b: String @auto(set: ‹VIEWER) }', 'make it a reference'],
  'the viewer in a reference to something else': [
    'type A { id: ID! b: A @auto(set: ‹VIEWER) }',
    'not the account type',
  ],
  'the viewer in a reference to another type than the account type': [
    `type A { id: ID! b: A @auto(set: ‹VIEWER) } ${user}`,
    'Make it a reference to U',
  ],
  'a default beside the viewer': [
    `type A { id: ID! b: U @auto(set: VIEWER) ‹@default(value: "u1") } ${user}`,
    'set by the server',
  ],
}

test('a reference to the account type, or to an interface or union with it, can be set to the viewer', () => {
  const { resources } = loadModel(
    `type A { id: ID! b: U! @auto(set: VIEWER) c: Who @auto(set: VIEWER) d: U } union Who = U | A ${user}`,
    'test.graphql',
  )
  const autos = [...resources[0]!.fields.values()].flatMap((field) => (field.kind === 'reference' ? [field.auto] : []))
  assert.deepEqual(autos, ['VIEWER', 'VIEWER', null])
})

for (const [title, mistake] of Object.entries(cases))
  test(`@auto with ${title} is a mistake`, () => expectMistakes(mistake))
