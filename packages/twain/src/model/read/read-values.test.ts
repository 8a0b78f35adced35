import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const cases: Record<string, MistakeCase> = {
  'a resource inside a value': ['type A { id: ID! v: V } type V { a: ‹A }', "can't refer to A: V has no id"],
  'a list of resources inside a value': ['type A { id: ID! v: V } type V { as: [‹A!] }', 'references belong to rows'],
  'a value that must hold itself': ['type A { id: ID! v: V } type V { ‹next: V! }', 'for ever (V.next)'],
  'two values that must hold each other': [
    'type A { id: ID! v: V } type V { ‹w: W! } type W { ‹v: V! }',
    'for ever (V.w.v)',
  ],
  'a value with arguments': ['type A { id: ID! v: V } type V { x(‹a: Int): Int }', 'so it takes no a'],
  'an index inside a value': ['type A { id: ID! v: V } type V { x: Int ‹@unique }', 'does not fit V.x'],
  'a rule inside a value': ['type A { id: ID! v: V } type V { x: Int ‹@allow }', 'does not fit V.x'],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('a value may hold itself where it may end', () => {
  expectMistakes(['type A { id: ID! v: V! } type V { next: V others: [V!]! }'])
})
