import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

test('a default is plain JSON of its type', () => {
  const model = loadModel(
    `type A { id: ID!
      int: Int @default(value: -3) float: Float @default(value: 2) text: String @default(value: "x") yes: Boolean @default(value: true)
      time: DateTime @default(value: "2024-05-01T14:00:00+02:00") day: Date @default(value: "2024-05-01")
      json: JSON @default(value: {a: [1, null, "x"]}) decimal: Decimal @default(value: 12.50) big: BigInt @default(value: 9007199254740993)
      kind: E @default(value: X) list: [Int] @default(value: [1, null]) key: ID @default(value: 7)
      none: Int @default(value: null) own: Own @default(value: [1]) to: A @default(value: "a1") } enum E { X } scalar Own`,
    'test.graphql',
  )
  const defaults = [...model.resources[0]!.fields.values()].flatMap((field) =>
    'default' in field ? [[field.name, field.default]] : [],
  )
  assert.deepEqual(Object.fromEntries(defaults), {
    int: -3,
    float: 2,
    text: 'x',
    yes: true,
    time: '2024-05-01T12:00:00.000Z',
    day: '2024-05-01',
    json: { a: [1, null, 'x'] },
    decimal: '12.5',
    big: '9007199254740993',
    kind: 'X',
    list: [1, null],
    key: '7',
    none: null,
    own: [1],
    to: 'a1',
  })
})

test('a default is completed by the defaults of its value types, wherever these stand in the file', () => {
  const model = loadModel(
    `type A { id: ID! v: V @default(value: {}) } type V { w: W! @default(value: {x: 1}) } type W { x: Int! y: Int @default(value: 2) z: Int }`,
    'test.graphql',
  )
  const field = model.resources[0]!.fields.get('v')
  assert.deepEqual(field?.kind === 'stored' && field.default, { w: { x: 1, y: 2 } })
})

test('a reference to the account type can default to the viewer', () => {
  const { resources } = loadModel(
    `type A { id: ID! b: U! @default(value: VIEWER) c: U @default(value: "u1") }
     type U @account { id: ID! email: String @unique }`,
    'test.graphql',
  )
  const { fields } = resources[0]!
  const defaults = ['b', 'c'].map((name) => {
    const field = fields.get(name)
    return field?.kind === 'reference' && [field.defaultsToViewer, field.default]
  })
  assert.deepEqual(defaults, [
    [true, undefined],
    [false, 'u1'],
  ])
})

const cases: Record<string, MistakeCase> = {
  'null for a required field': ['type A { id: ID! b: Int! @default(value: ‹null) }', 'since the field is required'],
  'a default that breaks the constraint': [
    'type A { id: ID! b: Int @constraint(min: 5) @default(value: ‹1) }',
    'must be at least 5',
  ],
  'a default that lacks what its value requires': [
    'type A { id: ID! v: V @default(value: ‹{}) } type V { x: Int! }',
    'lacks x, which V requires',
  ],
  'a default that would contain itself': [
    'type A { id: ID! v: V } type V { v: V @default(value: ‹{}) }',
    'would contain itself without end',
  ],
  'a default of the id': ['type A { id: ID! ‹@default(value: "x") }', 'does not fit A.id'],
  'a default of a many-to-many relation': [
    'type A { id: ID! bs: [B!]! ‹@default(value: []) } type B { id: ID! }',
    'many-to-many',
  ],
  'a number for a reference': ['type A { id: ID! a: A @default(value: ‹1) }', 'write an id in quotes'],
  'the viewer for what is no account': [
    'type A { id: ID! a: A @default(value: ‹VIEWER) }',
    'A is not the account type',
  ],
  'the viewer in a stored field': ['type A { id: ID! b: String @default(value: ‹VIEWER) }', "can't be VIEWER"],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))
