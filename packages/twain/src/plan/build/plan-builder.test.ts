import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOf, told } from '../library.fixture.ts'
import { defaultLimits } from '../limit/limits.ts'
import { Draft, derive, now, Sourced, valuesAgain } from './plan-builder.ts'

const text = { kind: 'type', type: { kind: 'scalar', name: 'String' } } as const
const first = ([value]: readonly unknown[]): unknown => value

test('slots are counted as they are made, with the place of each', () => {
  const draft = new Draft()

  const slots = [draft.slot(text, 'a', 'title'), draft.slot({ kind: 'offset' }, 0, 'offset')]

  assert.deepEqual(
    slots.map(({ index }) => index),
    [0, 1],
  )
  assert.deepEqual(
    [draft.values(), draft.places],
    [
      ['a', 0],
      ['title', 'offset'],
    ],
  )
})

test('a value of the request is found again in the next request, a constant stays', () => {
  const draft = new Draft()
  draft.slot(text, new Sourced('a', first), '')
  draft.slot(text, 'constant', '')

  assert.deepEqual(draft.values(), ['a', 'constant'])
  assert.deepEqual(valuesAgain(draft.leaves, ['b']), ['b', 'constant'])
})

test('a leaf made of another follows it', () => {
  const twice = (value: unknown): string => `${value}${value}`

  const derived = derive(new Sourced('a', first), twice)

  assert.equal(now(derived), 'aa')
  assert.deepEqual(valuesAgain([derived, derive('c', twice)], ['b']), ['bb', 'cc'])
})

test('a draft without mistakes finishes, whatever its values are: those are checked later', () => {
  const draft = new Draft()
  draft.slot(text, 5, 'title')

  assert.doesNotThrow(() => draft.finish(defaultLimits))
})

test('with one mistake in the shape the values are looked at too, so that all is told at once', () => {
  const draft = new Draft()
  draft.problem('titel', 'UNKNOWN', '"titel" is not a field of Book.')
  draft.slot(text, new Sourced(5, first), 'isbn')
  draft.slot({ kind: 'size', most: 'page' }, 50, 'limit')

  const fault = faultOf(() => draft.finish({ ...defaultLimits, page: 10 }))

  assert.deepEqual(told(fault.problems), ['titel UNKNOWN', 'isbn TYPE', 'limit RANGE'])
})

test('a plan stops growing at 1000 kinds of rows', () => {
  const draft = new Draft()
  for (let count = 0; count < 1000; count++) draft.countCase()

  assert.equal(faultOf(() => draft.countCase()).code, 'QUERY_TOO_COSTLY')
})
