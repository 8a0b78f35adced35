import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from './load-model.ts'
import { printType } from './print-type.ts'

test('a stored type prints in SDL syntax, and a value type may print under another name', () => {
  const { resources } = loadModel(
    'scalar Url enum E { A } type V { x: Int } type A { id: ID! a: [[String!]] b: [V!] c: E d: Url }',
    'test.graphql',
  )
  const types = ['a', 'b', 'c', 'd'].map((name) => {
    const field = resources[0]!.fields.get(name)!
    return field.kind === 'stored' ? printType(field.type, (value) => `${value}Input`) : ''
  })
  assert.deepEqual(types, ['[[String!]]', '[VInput!]', 'E', 'Url'])
})
