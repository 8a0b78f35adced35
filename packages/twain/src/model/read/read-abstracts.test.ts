import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

test('an interface has the fields that it declares, as it declares them', () => {
  const model = loadModel(
    `interface Named { id: ID! "What it is called" name: String owner: A }
     type A implements Named { id: ID! name: String! owner: A extra: Int } type B implements Named { id: ID! name: String owner: A }`,
    'test.graphql',
  )
  const { fields } = model.abstracts[0]!
  assert.deepEqual([...fields.keys()], ['id', 'name', 'owner'])
  assert.equal(fields.get('name')?.required, false)
  assert.equal(fields.get('name')?.description, 'What it is called')
  assert.equal(fields.get('name')?.owner.name, 'A')
})

test('a union has the columns that all its types share', () => {
  const model = loadModel(
    `type A { id: ID! name: String! n: Int a: A bs: [B!]! } type B { id: ID! name: String n: Float a: A } union U = A | B`,
    'test.graphql',
  )
  const { fields } = model.abstracts[0]!
  assert.deepEqual([...fields.keys()], ['id', 'name', 'a'])
  assert.equal(fields.get('name')?.required, false)
})

test('its fields carry no rules, since each type has its own', () => {
  const { abstracts } = loadModel(
    `interface I { id: ID! name: String } type A implements I { id: ID! name: String @allow(role: "x") } union U = A`,
    'test.graphql',
  )
  assert.deepEqual(
    abstracts.map(({ fields }) => fields.get('name')?.rules),
    [[], []],
  )
})

test('a field that is not the same in all types of an interface is a mistake', () => {
  expectMistakes([
    `interface I { id: ID! ‹to: I } type A implements I { id: ID! to: A } type B implements I { id: ID! to: B }`,
    'A.to is a reference to A and B.to is a reference to B',
  ])
})
