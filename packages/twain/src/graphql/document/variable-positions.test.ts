import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema, parse, VariablesInAllowedPositionRule, validate } from 'graphql'
import { VariablePositionsRule } from './variable-positions.ts'

const schema = buildSchema(`
  type Query { one(id: ID!): Int many(ids: [ID!]!): Int maybe(id: ID = "a"): Int text(text: String!): Int find(where: Where): Int one_(of: Of): Int }
  input Where { id: ID! ids: [ID!] and: [Where!] }
  input Of @oneOf { id: ID text: String }
`)

const problems = (text: string, rule = VariablePositionsRule) =>
  validate(schema, parse(text), [rule]).map(({ message }) => message)

test('a String variable may stand for an ID, a list of String for a list of ID', () => {
  for (const text of [
    'query ($v: String!) { one(id: $v) }',
    'query ($v: String = "a") { one(id: $v) }',
    'query ($v: String) { maybe(id: $v) }',
    'query ($v: [String!]!) { many(ids: $v) }',
    'query ($v: String!) { many(ids: [$v, "b"]) }',
    'query ($v: String!, $w: [String!]) { find(where: {id: $v, and: [{id: "a", ids: $w}]}) }',
    'query ($v: String!) { one_(of: {id: $v}) }',
    'query ($v: String!) { ...F } fragment F on Query { one(id: $v) text(text: $v) }',
  ]) {
    assert.deepEqual(problems(text), [], text)
  }
})

test('everything else is as in graphql-js', () => {
  const types = [
    'ID',
    'ID!',
    'ID! = "a"',
    'ID = "a"',
    '[ID!]!',
    '[ID]',
    'Int!',
    'Where',
    'Where!',
    'String',
    '[String]',
    '[String!]',
  ]
  const uses = [
    'one(id: $v)',
    'maybe(id: $v)',
    'many(ids: $v)',
    'many(ids: [$v])',
    'text(text: $v)',
    'find(where: $v)',
    'find(where: {id: $v})',
    'one_(of: {id: $v})',
    'one_(of: {text: $v})',
  ]
  let differing = 0
  for (const type of types) {
    for (const use of uses) {
      const text = `query ($v: ${type}) { ${use} }`
      const [ours, theirs] = [problems(text), problems(text, VariablesInAllowedPositionRule)]
      if (type.includes('String') && ours.length < theirs.length) differing++
      else assert.deepEqual(ours, theirs, text)
    }
  }
  assert.equal(differing, 2) // maybe(id: $v) with String, and many(ids: $v) needs a list that is not null
})
