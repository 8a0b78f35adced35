import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.ts'

const user = 'type U ‹@account { id: ID! email: String @unique }'
const built = '@account) is not built yet'

const cases: Record<string, MistakeCase> = {
  'a path that leads nowhere': [
    `type P @allow(who: ‹"auhtor") { id: ID! author: U } ${user}`,
    'Did you mean "author"',
    built,
  ],
  'a path that ends at a stored field': [
    `type P @allow(who: ‹"title") { id: ID! title: Int author: U } ${user}`,
    'no row',
    built,
  ],
  'a path that breaks off in the middle': [
    `type P @allow(who: ‹"team.membrs") { id: ID! team: T } type T { id: ID! members: [U!]! } ${user}`,
    'T has no field membrs',
    built,
  ],
  'a path to a union without accounts': [
    `type P @allow(who: ‹"on") { id: ID! on: X } union X = P ${user}`,
    'no account',
    built,
  ],
  'a path that goes in a circle': [
    `type P @allow(who: ‹"team") { id: ID! team: T } type T @allow(who: ‹"post") { id: ID! post: P } ${user}`,
    'goes in a circle',
    'goes in a circle',
    built,
  ],
  'a path to its own type': [`type P @allow(who: ‹"parent") { id: ID! parent: P } ${user}`, 'goes in a circle', built],
  'who is signed in, without an account type': ['type P @allow(who: ‹"signedIn") { id: ID! }', 'no type has @account'],
  '"self" on another type': [`type P @allow(who: ‹"self") { id: ID! author: U } ${user}`, 'P is not U', built],
  'an empty role': ['type P @allow(role: ‹"") { id: ID! }', 'A role has a name'],
  'nothing that it allows': ['type P @allow(to: ‹[]) { id: ID! }', 'allows nothing'],
  'an unknown action': ['type P @allow(to: [‹REED]) { id: ID! }', 'Did you mean "READ"'],
  'a filter by an unknown field': ['type P @allow(where: {‹titel: {eq: "x"}}) { id: ID! title: String }', '"title"'],
  'a value, which has no rows,': ['type A { id: ID! v: V } type V ‹@allow { x: Int }', 'no rows of its own'],
}

for (const [title, mistake] of Object.entries(cases))
  test(`@allow with ${title} is a mistake`, () => expectMistakes(mistake))

test('a path to an account, and one to another resource with rules of its own, make sense', () => {
  expectMistakes([
    `type P ‹@allow(who: "team.members") ‹@allow(who: "team") ‹@allow(who: "anyone", to: READ) { id: ID! team: T }
     type T ‹@allow(who: "members") { id: ID! members: [U!]! } ${user}`,
    'A rule (@allow) is not built yet',
  ])
})
