import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GraphQLInputType, parseType, parseValue, typeFromAST } from 'graphql'
import { RequestValue, resolveValues } from '#plan/build'
import { blog } from '../blog.fixture.ts'
import { buildApiSchema } from '../schema/build-schema.ts'
import { evaluateLiteral, leafOf, treeOf } from './argument-values.ts'

const { schema } = buildApiSchema(blog)
const typed = (type: string) => typeFromAST(schema, parseType(type)) as GraphQLInputType

test('a literal becomes JSON, and a variable its value', () => {
  const literal = parseValue('{title: {in: ["a", $b]}, not: {title: {eq: $none}}}')
  assert.deepEqual(evaluateLiteral(literal, typed('PostWhere'), { b: 'c' }), {
    title: { in: ['a', 'c'] },
    not: { title: {} },
  })
})

test('a single value is a list of one', () => {
  assert.deepEqual(evaluateLiteral(parseValue('"a"'), typed('[ID!]'), {}), ['a'])
  assert.deepEqual(evaluateLiteral(parseValue('{and: {title: {eq: "x"}}}'), typed('PostWhere'), {}), {
    and: [{ title: { eq: 'x' } }],
  })
})

test('numbers of exact types and ids stay text and keep all digits', () => {
  assert.equal(evaluateLiteral(parseValue('12345678901234567890.10'), typed('Decimal'), {}), '12345678901234567890.10')
  assert.equal(evaluateLiteral(parseValue('12345678901234567890'), typed('ID'), {}), '12345678901234567890')
  assert.equal(evaluateLiteral(parseValue('1.5'), typed('Float'), {}), 1.5)
})

test('JSON accepts anything, and a member with the name __proto__ is plain data', () => {
  const value = evaluateLiteral(parseValue('{a: [1, {b: $x}], __proto__: ENUM}'), typed('JSON'), { x: true })
  assert.deepEqual(Object.entries(value as object), [
    ['a', [1, { b: true }]],
    ['__proto__', 'ENUM'],
  ])
})

test('the leaves of a filter are read again from the variables of the next request', () => {
  const literal = parseValue('{title: {eq: "x", in: ["y", $a]}, author: $author, and: [{title: {ne: $a}}]}')
  const tree = treeOf(literal, typed('PostWhere'), { a: 'a1', author: { name: { in: ['n1'] } } })
  const requestValues = leavesOf(tree)
  assert.deepEqual(resolveValues(requestValues, { a: 'a2', author: { name: { in: ['n2', 'n3'] } } }), [
    'x',
    ['y', 'a2'],
    ['n2', 'n3'],
    'a2',
  ])
})

test('an absent variable has no value', () => {
  assert.equal(leafOf(parseValue('$limit'), typed('Int'), {}), undefined)
})

function leavesOf(tree: unknown): unknown[] {
  if (typeof tree !== 'object' || tree === null || tree instanceof RequestValue) return [tree]
  return Object.values(tree).flatMap(leavesOf)
}
