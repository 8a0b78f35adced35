import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema, parse, validate } from 'graphql'
import { VariablePositionsRule } from './variable-positions.ts'

const schema = buildSchema(`
  input Key @oneOf { a: String b: Key c: [ID!] }
  type Query { one(key: Key!): Int some(key: Key): Int many(keys: [Key!]!): Int maybe(keys: [Key]): Int ids(of: [ID!]): Int }
`)

const mistakes = (text: string) => validate(schema, parse(text), [VariablePositionsRule]).map(({ message }) => message)

test('a member of a @oneOf input takes no nullable variable, wherever the object stands', () => {
  const message = 'Variable "$a" is of type "String" but must be non-nullable to be used for OneOf Input Object "Key".'
  for (const call of ['one(key: {a: $a})', 'some(key: {b: {a: $a}})', 'many(keys: [{a: $a}])', 'many(keys: {a: $a})']) {
    assert.deepEqual(mistakes(`query ($a: String) { ${call} }`), [message], call)
    assert.deepEqual(mistakes(`query ($a: String!) { ${call} }`), [], call)
  }
})

test('an item of a list of such inputs may be nullable where the list allows it', () => {
  assert.deepEqual(mistakes('query ($k: Key) { maybe(keys: [$k]) some(key: $k) }'), [])
  assert.equal(mistakes('query ($k: Key) { many(keys: [$k]) }').length, 1)
})

test('a String variable stands for an ID, in lists too', () => {
  assert.deepEqual(
    mistakes('query ($i: String!, $l: [String!]!) { a: ids(of: [$i]) b: ids(of: $l) one(key: {c: $l}) }'),
    [],
  )
  assert.equal(mistakes('query ($i: Int!) { ids(of: [$i]) }').length, 1)
})
