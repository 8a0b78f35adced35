import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const user = 'type U @account { id: ID! email: String @unique }'

const cases: Record<string, MistakeCase> = {
  'to its own type': [`type P @allow(who: ‹"parent") { id: ID! parent: P } ${user}`, 'goes in a circle'],
  'through a list to its own type': [
    `type P @allow(who: ‹"parent.children") { id: ID! parent: P children: [P!]! } ${user}`,
    'goes in a circle',
  ],
  'over two types': [
    `type P @allow(who: ‹"team") { id: ID! team: T } type T @allow(who: ‹"post") { id: ID! post: P } ${user}`,
    'goes in a circle',
    'goes in a circle',
  ],
  'over three types, with one that only leads into it': [
    `type O @allow(who: "a") { id: ID! a: A } type A @allow(who: "boss") @allow(who: ‹"b") { id: ID! b: B boss: U }
     type B @allow(who: ‹"c") { id: ID! c: C } type C @allow(role: "x") @allow(who: ‹"a", to: READ) { id: ID! a: A } ${user}`,
    'who may see B depends on who may see A (A → B → C → A)',
    'B → C → A → B',
    'C → A → B → C',
  ],
}

for (const [title, mistake] of Object.entries(cases)) {
  test(`rules that are taken over in a circle ${title} are a mistake`, () => expectMistakes(mistake))
}

const fine: Record<string, string> = {
  'a path to the account type, whose lines lead back': `type P @allow(who: "author") { id: ID! author: A }
    type A @account @allow(who: "posts") { id: ID! email: String @unique posts: [P!]! }`,
  'accounts that lead to accounts': 'type A @account @allow(who: "boss") { id: ID! email: String @unique boss: A }',
  'two ways to one type': `type P @allow(who: "a") @allow(who: "b") { id: ID! a: A b: B } type A @allow(who: "t") { id: ID! t: T }
    type B @allow(who: "t") { id: ID! t: T } type T @allow(who: "u") { id: ID! u: U } ${user}`,
  'a line on a field that asks for a type whose lines lead back': `type T @allow(who: "u") { id: ID! u: U p: P x: Int @allow(who: "p") }
    type P @allow(who: "t") { id: ID! t: T } ${user}`,
}

for (const [title, sdl] of Object.entries(fine)) test(`${title}: no circle`, () => expectMistakes([sdl]))
