import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planInput } from '../build/input.ts'
import { planOrder } from '../build/order.ts'
import { offsetPage } from '../build/page.ts'
import { Draft } from '../build/plan-builder.ts'
import { planWhere } from '../build/where.ts'
import { faultOf, resource, told } from '../library.fixture.ts'
import { defaultLimits } from '../limit/limits.ts'
import type { Many, Question, Write } from '../plan.ts'
import { check } from './check.ts'

test('a question that is right gives its canonical values, by slot', () => {
  const question = books({ published: { gte: '2026-01-01T01:00:00+01:00' }, price: { in: [1.5, '02.50'] } }, 10, 0)

  assert.deepEqual(check(question, defaultLimits), ['2026-01-01T00:00:00.000Z', ['1.5', '2.5'], 10, 0])
})

test('all that is wrong with a question is told at once, each with its place', () => {
  const question = books({ pages: { in: [1, 'x'] }, genre: { eq: 'NOVLE' } }, 101, -1)

  const fault = faultOf(() => check(question, defaultLimits))

  assert.equal(fault.code, 'VALIDATION_FAILED')
  assert.deepEqual(told(fault.problems), [
    'where.pages.in.1 TYPE',
    'where.genre.eq TYPE',
    'limit RANGE',
    'offset RANGE',
  ])
})

test('a write is checked against its fields', () => {
  const draft = new Draft()
  const set = planInput(
    { title: 'much too long', pages: 1.5, tags: ['t1', 't1'] },
    resource('Book'),
    'update',
    draft,
    '',
    false,
  )
  const plan: Write = {
    kind: 'write',
    action: 'update',
    of: resource('Book'),
    id: draft.slot({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, 'b1', 'id'),
    set,
    ifVersion: draft.slot({ kind: 'version' }, -1, 'ifVersion'),
    answer: [],
  }

  const fault = faultOf(() => check({ plan, values: draft.values(), places: draft.places }, defaultLimits))

  assert.deepEqual(told(fault.problems), ['title LENGTH', 'pages TYPE', 'ifVersion RANGE'])
})

function books(where: unknown, limit: unknown, offset: unknown): Question<Many> {
  const draft = new Draft()
  const of = resource('Book')
  const plan: Many = {
    kind: 'many',
    of,
    within: null,
    where: planWhere(where, of, draft, 'where'),
    order: planOrder([], of, draft),
    page: offsetPage(limit, offset, draft, { limit: 'limit', offset: 'offset' }),
    shape: { kind: 'list', cases: [{ of, pick: [] }] },
  }
  return { plan, values: draft.values(), places: draft.places }
}
