import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlanBuilder } from '../build/plan-builder.ts'
import { planWhere } from '../build/where.ts'
import { resource } from '../library.fixture.ts'
import { countConditions } from './count-conditions.ts'

test('each comparison counts, and what joins them does not', () => {
  assert.equal(
    count({ title: { ne: 'a' }, or: [{ pages: { in: [1, 2, 3] } }, { not: { rating: { isNull: true } } }] }),
    3,
  )
})

test('a join counts, with all conditions behind it', () => {
  assert.equal(count({ author: { name: { eq: 'a' }, books: { some: {}, none: { pages: { gt: 1 } } } } }), 1 + 1 + 1 + 2)
})

test('a road to a union is one to each of its types', () => {
  assert.equal(count({ about: { id: { eq: 'a' } } }), 2 * (1 + 1))
})

test('an empty branch counts, since it stands in the statement too', () => {
  assert.equal(count({ or: [{}, {}] }), 2)
})

function count(tree: unknown): number {
  return countConditions(planWhere(tree, resource('Book'), new PlanBuilder(), '')!)
}
