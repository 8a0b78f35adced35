import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonWhere, PlanBuilder, planWhere, resolveValues, whereShape } from '#plan/build'
import { resource } from '../blog.fixture.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'
import { parseQuery } from '../request/query-string.ts'

const post = resource('Post')
const find = ({ query }: ParsedRequest) => query.filters[0]!.json
const filter = (title: string, city: string, ids: string[]) => ({
  or: [{ title: { eq: title } }, { not: { author: { address: { city: { ne: city } } } } }],
  tags: { some: { id: { in: ids } } },
  createdAt: { isNull: true },
})

test('R27: the values of the next request are read from the same places', () => {
  const builder = new PlanBuilder()
  planWhere(jsonWhere(filter('a', 'b', ['c']), post, find), post, builder, 'where')
  const query = parseQuery(`where=${encodeURIComponent(JSON.stringify(filter('x', 'y', ['z', 'w'])))}`)
  assert.deepEqual(builder.values(), ['a', 'b', ['c']])
  assert.deepEqual(resolveValues(builder.requestValues, { query }), ['x', 'y', ['z', 'w']])
})

test('filters that differ in values share a shape, those that differ in booleans or names do not', () => {
  const shape = (where: unknown) => whereShape(where, post)
  assert.equal(shape(filter('a', 'b', [])), shape(filter('x', 'y', ['z'])))
  assert.notEqual(shape({ createdAt: { isNull: true } }), shape({ createdAt: { isNull: false } }))
  assert.notEqual(shape({ title: { eq: 'a' } }), shape({ title: { ne: 'a' } }))
  assert.notEqual(shape({ title: { eq: 'a' } }), shape({ title: { eq: null } }))
  assert.notEqual(shape({ title: { eq: 'a' } }), shape({ title: '?' }))
})

test('a filter that does not match the model is reported by the plan', () => {
  const odd = JSON.parse('{"__proto__": {"eq": 1}, "title": "x", "tags": [1], "and": {"nme": 1}}') as unknown
  const builder = new PlanBuilder()
  planWhere(jsonWhere(odd, post, find), post, builder, 'where')
  assert.deepEqual(
    builder.problems.map(({ path }) => path),
    ['where.__proto__', 'where.title', 'where.tags', 'where.and.0.nme'],
  )
})
