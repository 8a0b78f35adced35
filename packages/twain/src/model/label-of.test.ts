import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelOf } from './label-of.ts'
import { loadModel } from './load-model.ts'

const labels: [title: string, sdl: string, expected: string | null][] = [
  ['the field with @label', 'type A { id: ID! code: String! @unique name: String year: Int @label }', 'year'],
  ['else the first unique String', 'type A { id: ID! name: String n: Int @unique code: String! @unique }', 'code'],
  [
    'a String that is unique with others is not unique',
    'type A { id: ID! a: String b: String @unique(with: ["a"]) }',
    'a',
  ],
  ['else the first String', 'type A { id: ID! n: Int name: String title: String }', 'name'],
  ['else none', 'type A { id: ID! n: Int names: [String!] }', null],
  [
    'of an interface, among its own fields',
    'interface N { id: ID! n: Int } type A implements N { id: ID! n: Int x: String }',
    null,
  ],
]

for (const [title, sdl, expected] of labels) {
  test(`the label of a row is ${title}`, () => {
    const model = loadModel(sdl, 'a.graphql')
    assert.equal(labelOf(model.abstracts[0] ?? model.resources[0]!)?.name ?? null, expected)
  })
}

test('the label of a row is a field that the viewer can read', () => {
  const [of] = loadModel('type A { id: ID! secret: String! @unique name: String }', 'a.graphql').resources
  assert.equal(labelOf(of!, ({ name }) => name !== 'secret')?.name, 'name')
})
