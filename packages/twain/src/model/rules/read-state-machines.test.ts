import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'
import type { Resource, StoredField } from '../model.ts'

const cases: Record<string, MistakeCase> = {
  'an unknown value': ['type A { id: ID! e: E } enum E { DRAFT @next(to: [‹DONNE]) DONE }', 'Did you mean "DONE"'],
  itself: ['type A { id: ID! e: E } enum E { X @next(to: [‹X]) }', "can't follow itself"],
  nothing: ['type A { id: ID! e: E } enum E { X ‹@next(to: []) }', 'This rule has no transition'],
  'a value in quotes': ['type A { id: ID! e: E } enum E { X @next(to: [‹"Y"]) Y }', 'without quotes'],
  'an enum that no resource uses': ['type A { id: ID! } enum E { X ‹@next(to: [Y]) Y }', 'there is no state machine'],
  'a condition on an unknown field': [
    'type A { id: ID! e: E } enum E { X @next(to: [Y], where: {‹z: {isNull: false}}) Y }',
    'A has no field z',
  ],
  'a path, without an account type': [
    'type A { id: ID! e: E } enum E { X @next(to: [Y], who: ‹"owner") Y }',
    'no type has @account',
  ],
  'a value twice': ['type A { id: ID! e: E } enum E { X @next(to: [Y, ‹Y]) Y }', 'is listed twice here'],
  'a role without a name': [
    'type A { id: ID! e: E } enum E { X @next(to: [Y], role: ‹" ") Y }',
    "A role can't be empty",
  ],
  'a path that leads nowhere, from each type with such a field': [
    'type U @account { id: ID! email: String! @unique e: E } type A { id: ID! u: U e: E } enum E { X @next(to: [Y], who: ‹‹"uu") Y }',
    'U has no field uu',
    'Did you mean "u"',
  ],
  'a field that never changes': [
    'type A { id: ID! e: E ‹@immutable } enum E { X @next(to: [Y]) Y }',
    "can't be @immutable",
  ],
  'a field that starts as nothing': [
    'type A { id: ID! e: E @default(value: ‹null) } enum E { X @next(to: [Y]) Y }',
    'Leave it out to start as X',
  ],
}

for (const [title, mistake] of Object.entries(cases))
  test(`@next to ${title} is a mistake`, () => expectMistakes(mistake))

test('every field of the enum has the machine, starting in its default or in the first value; lists of it have none', () => {
  const sdl = `
    type Order { id: ID! status: Status! other: Status @default(value: PAID) earlier: [Status!] note: String }
    enum Status { CART @next(to: [PAID], role: "cashier", where: {note: {isNull: false}}) @next(to: [GONE]) PAID GONE }`
  const order = loadModel(sdl, 'test.graphql').types.get('Order') as Resource
  const field = (name: string) => order.fields.get(name) as StoredField
  assert.deepEqual(
    ['status', 'other', 'earlier'].map((name) => field(name).stateMachine?.start),
    ['CART', 'PAID', undefined],
  )
  assert.equal(field('status').default, 'CART')
  assert.deepEqual(
    field('status').stateMachine?.transitions.map(({ place, ...transition }) => transition),
    [
      { from: 'CART', to: ['PAID'], who: null, role: 'cashier', where: { note: { isNull: false } } },
      { from: 'CART', to: ['GONE'], who: null, role: null, where: null },
    ],
  )
})
