import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

test('a computed field has arguments, needed row fields and a result type; no row stores it', () => {
  const { resources, inputs } = loadModel(
    `type A { id: ID! b: Int c: A d(unit: Unit! = KG, by: [By!] = [{n: 2}]): [Int!]! @computed(from: ["b", "c"]) e: [A!] @computed }
     enum Unit { KG LB } input By { n: Int! = 1 more: By }`,
    'test.graphql',
  )
  const { fields, computed } = resources[0]!
  assert.deepEqual([...fields.keys()], ['id', 'b', 'c'])
  const { from, args, required, type } = computed.get('d')!
  assert.deepEqual([from.map(({ name }) => name), required], [['b', 'c'], true])
  assert.deepEqual(
    args.map((arg) => [arg.name, arg.required, arg.type.kind, arg.default]),
    [
      ['unit', true, 'enum', 'KG'],
      ['by', false, 'list', [{ n: 2 }]],
    ],
  )
  assert.deepEqual(type, {
    kind: 'stored',
    type: { kind: 'list', of: { kind: 'scalar', name: 'Int' }, itemRequired: true },
  })
  assert.deepEqual(computed.get('e')?.type, { kind: 'rows', of: resources[0], itemRequired: true })
  assert.deepEqual(
    inputs.map(({ name, isInput, fields: own }) => [name, isInput, [...own.keys()]]),
    [['By', true, ['n', 'more']]],
  )
})

const cases: Record<string, MistakeCase> = {
  'a computed id': ['type A { id: ID! ‹@computed }', 'made by the server'],
  'a computed field of a value': ['type A { id: ID! v: V } type V { x: Int ‹@computed }', 'does not fit V.x'],
  'a computed interface': ['type A { id: ID! b: ‹U @computed } union U = A', 'returns rows of one type'],
  'lists of lists of rows': ['type A { id: ID! b: ‹[[A!]!]! @computed }', "can't be a list of lists"],
  'an argument of no type': ['type A { id: ID! b(c: ‹Nope): Int @computed }', 'There is no input Nope'],
  'an argument that is a row': ['type A { id: ID! b(c: ‹A): Int @computed }', "it can't be sent"],
  'a default of another type': ['type A { id: ID! b(c: Int = ‹"x"): Int @computed }', 'The default of c'],
  'a required argument that is null by default': [
    'type A { id: ID! b(c: Int! = ‹null): Int @computed }',
    "can't be null",
  ],
  'an interface that not all compute': [
    'interface I { id: ID! ‹x: Int } type A implements I { id: ID! x: Int @computed } type B implements I { id: ID! x: Int }',
    'is not computed in the same way in A, B',
  ],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))
