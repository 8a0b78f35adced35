import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GraphQLInputType, parseType, typeFromAST } from 'graphql'
import { blog } from '../blog.fixture.ts'
import { buildApiSchema } from '../schema/build-schema.ts'
import type { CoercionState } from './coerce-input.ts'

const { schema, coercers } = buildApiSchema(blog)

function coerce(type: string, value: unknown) {
  const state: CoercionState = { problems: [], filterFieldCount: 0, shape: '' }
  const coerced = coercers.coercerFor(typeFromAST(schema, parseType(type)) as GraphQLInputType)(value, 'v', state, 0)
  return { coerced, shape: state.shape, problems: state.problems.map(({ path, code }) => `${path} ${code}`) }
}

test('each scalar is checked as in REST, and not converted', () => {
  const date = '2026-01-31T10:00:00+01:00'
  assert.deepEqual(coerce('DateTime', date), { coerced: date, shape: 'v', problems: [] })
  for (const [type, wrong, code] of [
    ['Int!', 2 ** 31, 'RANGE'],
    ['Int!', '1', 'TYPE'],
    ['Boolean', 'true', 'TYPE'],
    ['String', 'a\0', 'PATTERN'],
    ['Status', 'GONE', 'TYPE'],
    ['Decimal', '1,5', 'TYPE'],
    ['ID!', null, 'REQUIRED'],
  ] as const) {
    assert.deepEqual(coerce(type, wrong).problems, [`v ${code}`], type)
  }
})

test('coercion stops at a list that is too long and at a filter that is too large', () => {
  const endless = { or: Array.from({ length: 40_000 }, () => ({ title: { eq: 'x' } })) }
  assert.deepEqual(coerce('PostWhere', endless).problems, ['v.or.2499.title RANGE'])
  const ids = new Array(1001).fill('x')
  assert.deepEqual(coerce('PostWhere', { title: { in: ids } }).problems, ['v.title.in RANGE'])
})

test('only the size of the body limits the input of a write', () => {
  assert.deepEqual(coerce('UpdatePostInput', { tags: new Array(6000).fill('x') }).problems, [])
})

test('the shape has the structure of a filter, its booleans and directions, and no other value', () => {
  const where = { and: [{ title: { in: ['a', 'b'] } }], pinned: { isNull: true }, meta: null }
  assert.equal(coerce('PostWhere', where).shape, '{and:[{title:{in:v,},}],pinned:{isNull:t,},meta:n,}')
  assert.equal(coerce('[PostOrder!]', { title: 'DESC' }).shape, '[{title:DESC ,}]')
})

test('a member with the name __proto__ is an unknown field', () => {
  assert.deepEqual(coerce('PostWhere', JSON.parse('{"__proto__": {}}')).problems, ['v.__proto__ UNKNOWN'])
})
