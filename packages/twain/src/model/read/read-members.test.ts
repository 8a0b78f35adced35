import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

test('an interface and a union list their resources, and these list them', () => {
  const model = loadModel(
    `interface Node { id: ID! } interface Named implements Node { id: ID! name: String }
     type A implements Node & Named { id: ID! name: String } type B implements Node { id: ID! } union U = B | A`,
    'test.graphql',
  )
  const members = model.abstracts.map(({ name, members }) => [name, ...members.map((member) => member.name)])
  assert.deepEqual(members, [
    ['Node', 'A', 'B'],
    ['Named', 'A'],
    ['U', 'B', 'A'],
  ])
  assert.deepEqual(
    model.resources[0]!.memberOf.map(({ name }) => name),
    ['Node', 'Named', 'U'],
  )
  assert.deepEqual(
    model.abstracts[1]!.memberOf.map(({ name }) => name),
    ['Node'],
  )
})

const cases: Record<string, MistakeCase> = {
  'an unknown interface': ['interface Node { id: ID! } type A implements ‹Nod { id: ID! }', 'Did you mean "Node"'],
  'a type in the place of an interface': [
    'type B { id: ID! } type A implements ‹B { id: ID! }',
    'B is not an interface',
  ],
  'an interface that implements itself': [
    'interface I implements ‹I { id: ID! } type A implements I { id: ID! }',
    'itself',
  ],
  'interfaces that implement each other': [
    'interface I implements ‹J { id: ID! } interface J implements ‹I { id: ID! } type A implements I & J { id: ID! }',
    'implement each other',
  ],
  'an inherited interface that is left out': [
    'interface I { id: ID! } interface J implements I { id: ID! } type A implements ‹J { id: ID! }',
    'Write: implements J & I',
  ],
  'a value in a union': ['type A { id: ID! } type V { x: Int } union U = A | ‹V', 'V has no rows'],
  'an enum in a union': ['type A { id: ID! } enum E { X } union U = A | ‹E', "E can't be in a union"],
  'an unknown type in a union': ['type Post { id: ID! } union U = Post | ‹Posst', 'Did you mean "Post"'],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('a union or an interface of more types than one statement can read is a mistake', () => {
  const types = (count: number, more = '') =>
    Array.from({ length: count }, (_, n) => `type T${n} ${more} { id: ID! x: Int }`).join(' ')
  const names = (count: number) => Array.from({ length: count }, (_, n) => `T${n}`).join(' | ')
  expectMistakes([`union ‹U = ${names(401)} ${types(401)}`, 'stands for 401 types; at most 400'])
  expectMistakes([`interface ‹I { id: ID! } ${types(401, 'implements I')}`, 'The interface I'])
  expectMistakes([`union U = ${names(400)} ${types(400)}`])
})
