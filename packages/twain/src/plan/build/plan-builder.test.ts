import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf, listProblems } from '../library.fixture.ts'
import { defaultLimits } from '../limit/limits.ts'
import { PlanBuilder } from './plan-builder.ts'
import { currentValue, deriveValue, RequestValue, resolveValues } from './request-value.ts'

const text = { kind: 'type', type: { kind: 'scalar', name: 'String' } } as const
const first = ([value]: readonly unknown[]): unknown => value

test('parameters are numbered in the order of their creation, with the place of each', () => {
  const builder = new PlanBuilder()

  const parameters = [builder.parameter(text, 'a', 'title'), builder.parameter({ kind: 'offset' }, 0, 'offset')]

  assert.deepEqual(
    parameters.map(({ index }) => index),
    [0, 1],
  )
  assert.deepEqual(
    [builder.values(), builder.places],
    [
      ['a', 0],
      ['title', 'offset'],
    ],
  )
})

test('a value of the request is found again in the next request, a constant stays', () => {
  const builder = new PlanBuilder()
  builder.parameter(text, new RequestValue('a', first), '')
  builder.parameter(text, 'constant', '')

  assert.deepEqual(builder.values(), ['a', 'constant'])
  assert.deepEqual(resolveValues(builder.requestValues, ['b']), ['b', 'constant'])
})

test('a value derived from another follows it', () => {
  const twice = (value: unknown): string => `${value}${value}`

  const derived = deriveValue(new RequestValue('a', first), twice)

  assert.equal(currentValue(derived), 'aa')
  assert.deepEqual(resolveValues([derived, deriveValue('c', twice)], ['b']), ['bb', 'cc'])
})

test('a builder without mistakes finishes, whatever its values are: those are checked later', () => {
  const builder = new PlanBuilder()
  builder.parameter(text, 5, 'title')

  assert.doesNotThrow(() => builder.finish(defaultLimits))
})

test('with one mistake in the shape the values are checked too, so that all are reported at once', () => {
  const builder = new PlanBuilder()
  builder.problem('titel', 'UNKNOWN', '"titel" is not a field of Book.')
  builder.parameter(text, new RequestValue(5, first), 'isbn')
  builder.parameter({ kind: 'size' }, 50, 'limit')

  const error = errorOf(() => builder.finish({ ...defaultLimits, page: 10 }))

  assert.deepEqual(listProblems(error.problems), ['titel UNKNOWN', 'isbn TYPE', 'limit RANGE'])
})

test('a plan stops growing at 1000 types of rows', () => {
  const builder = new PlanBuilder()
  for (let count = 0; count < 1000; count++) builder.countType()

  assert.equal(errorOf(() => builder.countType()).code, 'QUERY_TOO_COSTLY')
})
