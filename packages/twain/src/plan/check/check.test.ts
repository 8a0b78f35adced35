import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planInput } from '../build/input.ts'
import { planOrder } from '../build/order.ts'
import { offsetPage } from '../build/page.ts'
import { PlanBuilder } from '../build/plan-builder.ts'
import { planWhere } from '../build/where.ts'
import { errorOf, listProblems, resource } from '../library.fixture.ts'
import { defaultLimits } from '../limit/limits.ts'
import type { BoundPlan, PageRead, WritePlan } from '../plan.ts'
import { check } from './check.ts'

test('a correct plan gives its canonical values, by parameter', () => {
  const boundPlan = books({ published: { gte: '2026-01-01T01:00:00+01:00' }, price: { in: [1.5, '02.50'] } }, 10, 0)

  assert.deepEqual(check(boundPlan, defaultLimits), ['2026-01-01T00:00:00.000Z', ['1.5', '2.5'], 10, 0])
})

test('all problems of a plan are reported at once, each with its place', () => {
  const boundPlan = books({ pages: { in: [1, 'x'] }, genre: { eq: 'NOVLE' } }, 101, -1)

  const error = errorOf(() => check(boundPlan, defaultLimits))

  assert.equal(error.code, 'VALIDATION_FAILED')
  assert.deepEqual(listProblems(error.problems), [
    'where.pages.in.1 TYPE',
    'where.genre.eq TYPE',
    'limit RANGE',
    'offset RANGE',
  ])
})

test('a write is checked against its fields', () => {
  const builder = new PlanBuilder()
  const set = planInput(
    { title: 'much too long', pages: 1.5, tags: ['t1', 't1'] },
    resource('Book'),
    'update',
    builder,
    '',
    false,
  )
  const plan: WritePlan = {
    kind: 'write',
    action: 'update',
    of: resource('Book'),
    id: builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, 'b1', 'id'),
    set,
    ifVersion: builder.parameter({ kind: 'version' }, -1, 'ifVersion'),
    answer: [],
  }

  const error = errorOf(() => check({ plan, values: builder.values(), places: builder.places }, defaultLimits))

  assert.deepEqual(listProblems(error.problems), ['title LENGTH', 'pages TYPE', 'ifVersion RANGE'])
})

function books(where: unknown, limit: unknown, offset: unknown): BoundPlan<PageRead> {
  const builder = new PlanBuilder()
  const of = resource('Book')
  const plan: PageRead = {
    kind: 'many',
    of,
    within: null,
    where: planWhere(where, of, builder, 'where'),
    order: planOrder([], of, builder),
    page: offsetPage(limit, offset, builder, { limit: 'limit', offset: 'offset' }),
    shape: { kind: 'list', types: [{ of, selections: [] }] },
  }
  return { plan, values: builder.values(), places: builder.places }
}
