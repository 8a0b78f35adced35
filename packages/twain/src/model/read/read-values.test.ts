import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const cases: Record<string, MistakeCase> = {
  'a resource inside a value': ['type A { id: ID! v: V } type V { a: ‹A }', "can't refer to A: V has no id"],
  'a list of resources inside a value': ['type A { id: ID! v: V } type V { as: [‹A!] }', 'references belong to rows'],
  'a value type that requires itself': ['type A { id: ID! v: V } type V { ‹next: V! }', 'without end (V.next)'],
  'two value types that require each other': [
    'type A { id: ID! v: V } type V { ‹w: W! } type W { ‹v: V! }',
    'without end (V.w.v)',
  ],
  'a value with arguments': ['type A { id: ID! v: V } type V { x(‹a: Int): Int }', 'so it takes no a'],
  'an index inside a value': ['type A { id: ID! v: V } type V { x: Int ‹@unique }', 'does not fit V.x'],
  'a rule inside a value': ['type A { id: ID! v: V } type V { x: Int ‹@allow }', 'does not fit V.x'],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('a value type may contain itself through an optional field or a list', () => {
  expectMistakes(['type A { id: ID! v: V! } type V { next: V others: [V!]! }'])
})
