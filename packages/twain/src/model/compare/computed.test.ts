import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../load-model.ts'
import { compareModels } from './compare-models.ts'

const differencesOf = (before: string, after: string) => {
  const model = (fields: string) => {
    const [row = '', query = ''] = fields.split('|')
    return loadModel(`type A { id: ID! ${row} } type Query { x: Int ${query} }`, 'a.graphql')
  }
  return compareModels(model(before), model(after)).map(({ kind, message }) => `${kind}: ${message}`)
}

test('computed fields and custom operations may be added, but not removed or changed', () => {
  assert.deepEqual(differencesOf('', 'b: Int @computed | y: Int'), [
    'additive: field A.b is new',
    'additive: operation Query.y is new',
  ])
  assert.deepEqual(differencesOf('b: Int @computed | y: Int', ''), [
    'breaking: field A.b was removed',
    'breaking: operation Query.y was removed',
  ])
  assert.deepEqual(differencesOf('b: Int @computed', 'b: String @computed'), [
    'breaking: A.b was Int and is String now',
  ])
  assert.deepEqual(differencesOf('b: Int! @computed', 'b: Int @computed'), ['breaking: A.b may be null now'])
  assert.deepEqual(differencesOf('b(c: Int): Int @computed', 'b(c: Int!): Int @computed'), [
    'breaking: A.b(c) is required now',
  ])
  assert.deepEqual(differencesOf('b: Int @computed', 'b(c: Int!): Int @computed'), [
    'breaking: A.b has a new required argument c',
  ])
  assert.deepEqual(differencesOf('| y: Int', '| y: Int @resource(path: "z")'), [
    'breaking: the path of Query.y was /y and is /z now',
  ])
})
