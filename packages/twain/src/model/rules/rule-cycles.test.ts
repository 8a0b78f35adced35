import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const user = 'type U @account { id: ID! email: String @unique }'

const cases: Record<string, MistakeCase> = {
  'to its own type': [`type P @allow(who: ‹"parent") { id: ID! parent: P } ${user}`, 'is circular'],
  'through a list to its own type': [
    `type P @allow(who: ‹"parent.children") { id: ID! parent: P children: [P!]! } ${user}`,
    'is circular',
  ],
  'over two types': [
    `type P @allow(who: ‹"team") { id: ID! team: T } type T @allow(who: ‹"post") { id: ID! post: P } ${user}`,
    'is circular',
    'is circular',
  ],
  'over a member of an interface': [
    `interface I { id: ID! } type P @allow(who: ‹"on") { id: ID! on: I } type Q implements I @allow { id: ID! }
     type R implements I @allow(who: ‹"post") { id: ID! post: P } ${user}`,
    'permission to read R depends on permission to read P',
    'permission to read P depends on permission to read R',
  ],
  'over three types, with one that only leads into it': [
    `type O @allow(who: "a") { id: ID! a: A } type A @allow(who: "boss") @allow(who: ‹"b") { id: ID! b: B boss: U }
     type B @allow(who: ‹"c") { id: ID! c: C } type C @allow(role: "x") @allow(who: ‹"a", to: READ) { id: ID! a: A } ${user}`,
    'permission to read B depends on permission to read A (A → B → C → A)',
    'B → C → A → B',
    'C → A → B → C',
  ],
}

for (const [title, mistake] of Object.entries(cases)) {
  test(`a cycle of rules ${title} is a mistake`, () => expectMistakes(mistake))
}

const fine: Record<string, string> = {
  'a path to the account type, whose rules refer back': `type P @allow(who: "author") { id: ID! author: A }
    type A @account @allow(who: "posts") { id: ID! email: String @unique posts: [P!]! }`,
  'accounts that lead to accounts': 'type A @account @allow(who: "boss") { id: ID! email: String @unique boss: A }',
  'two ways to one type': `type P @allow(who: "a") @allow(who: "b") { id: ID! a: A b: B } type A @allow(who: "t") { id: ID! t: T }
    type B @allow(who: "t") { id: ID! t: T } type T @allow(who: "u") { id: ID! u: U } ${user}`,
  'a rule on a field that depends on a type whose rules refer back': `type T @allow(who: "u") { id: ID! u: U p: P x: Int @allow(who: "p") }
    type P @allow(who: "t") { id: ID! t: T } ${user}`,
}

for (const [title, sdl] of Object.entries(fine)) test(`${title}: no circle`, () => expectMistakes([sdl]))
