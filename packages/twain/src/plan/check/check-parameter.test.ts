import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Problem } from '#base'
import { fieldOf, listProblems, stored } from '../library.fixture.ts'
import { defaultLimits } from '../limit/limits.ts'
import type { ParameterType } from '../plan.ts'
import { checkParameter } from './check-parameter.ts'

const int = { kind: 'scalar', name: 'Int' } as const

test('a compared value has the type of its field and is never null', () => {
  assert.equal(fit({ kind: 'type', type: int }, 5), 5)
  assert.deepEqual(fit({ kind: 'type', type: int }, '5'), ['v TYPE'])
  assert.deepEqual(fit({ kind: 'type', type: int }, null), ['v REQUIRED'])
  assert.deepEqual(fit({ kind: 'type', type: int }, undefined), ['v REQUIRED'])
})

test('a list of compared values may be empty but has no null', () => {
  assert.deepEqual(fit({ kind: 'types', type: int }, []), [])
  assert.deepEqual(fit({ kind: 'types', type: int }, [1, null, 'x']), ['v.1 REQUIRED', 'v.2 TYPE'])
  assert.deepEqual(fit({ kind: 'types', type: int }, 1), ['v TYPE'])
})

test('a page has 0 up to 100 rows by default, and as many as there are without a limit', () => {
  const size: ParameterType = { kind: 'size' }

  assert.equal(fit(size, 0), 0)
  assert.equal(fit(size, 100), 100)
  for (const wrong of [101, -1]) assert.deepEqual(fit(size, wrong), ['v RANGE'])
  for (const wrong of [1.5, '20', null, Number.NaN]) assert.deepEqual(fit(size, wrong), ['v TYPE'])
  assert.equal(fit(size, 5000, 0), 5000)
})

test('an offset and a version are whole numbers from 0 on', () => {
  for (const kind of ['offset', 'version'] as const) {
    assert.equal(fit({ kind }, 2147483647), 2147483647)
    assert.deepEqual(fit({ kind }, -1), ['v RANGE'])
    assert.deepEqual(fit({ kind }, '1'), ['v TYPE'])
  }
})

test('a written value is checked against its type and then its constraint', () => {
  assert.equal(fit(written('Book.title'), 'Emma'), 'Emma')
  assert.deepEqual(fit(written('Book.title'), ''), ['v LENGTH'])
  assert.deepEqual(fit(written('Book.title'), 5), ['v TYPE'])
  assert.deepEqual(fit(written('Book.price'), '-0.01'), ['v RANGE'])
  assert.deepEqual(fit(written('Book.labels'), ['a', 'toolong', 'c', 'd']), ['v LENGTH', 'v.1 LENGTH'])
})

test('null clears what is optional only', () => {
  assert.equal(fit(written('Book.pages'), null), null)
  assert.deepEqual(fit(written('Book.title'), null), ['v REQUIRED'])
})

test('a reference takes an id', () => {
  const editor: ParameterType = { kind: 'field', field: fieldOf('Book.editor', 'reference'), merge: false }
  const author: ParameterType = { kind: 'field', field: fieldOf('Book.author', 'reference'), merge: false }

  assert.equal(fit(editor, 'a1'), 'a1')
  assert.equal(fit(editor, null), null)
  assert.deepEqual(fit(editor, { id: 'a1' }), ['v TYPE'])
  assert.deepEqual(fit(author, null), ['v REQUIRED'])
})

test('links take a list of ids, each counted once; null is none', () => {
  const tags: ParameterType = { kind: 'field', field: fieldOf('Book.tags', 'links'), merge: false }

  assert.deepEqual(fit(tags, ['t1', 't2', 't1']), ['t1', 't2'])
  assert.deepEqual(fit(tags, null), [])
  assert.deepEqual(fit(tags, 't1'), ['v TYPE'])
  assert.deepEqual(fit(tags, ['t1', null, {}]), ['v.1 REQUIRED', 'v.2 TYPE'])
})

test('a value is replaced as a whole, or merged if the parameter is marked as merge', () => {
  assert.deepEqual(fit(written('Book.size'), { height: 2 }), ['v.width REQUIRED'])
  assert.deepEqual(fit(written('Book.size', true), { height: 2 }), { height: 2 })
})

function written(name: string, merge = false): ParameterType {
  return { kind: 'field', field: stored(name), merge }
}

/** The canonical value, or what is wrong. */
function fit(fits: ParameterType, value: unknown, page = defaultLimits.page): unknown {
  const problems: Problem[] = []
  const canonical = checkParameter(fits, value, 'v', { ...defaultLimits, page }, problems)
  return problems.length === 0 ? canonical : listProblems(problems)
}

test('the list of an "in" has at most 1,000 values', () => {
  const fits = { kind: 'types', type: { kind: 'scalar', name: 'Int' } } as const
  const problems: Problem[] = []
  checkParameter(fits, new Array(1000).fill(1), 'in', defaultLimits, problems)
  assert.deepEqual(problems, [])
  checkParameter(fits, new Array(1001).fill(1), 'in', defaultLimits, problems)
  checkParameter(
    { kind: 'type', type: { kind: 'list', of: int, itemRequired: true } },
    new Array(1001),
    'eq',
    defaultLimits,
    problems,
  )
  assert.deepEqual(listProblems(problems), ['in RANGE', 'eq RANGE'])
})
