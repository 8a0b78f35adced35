import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { planCreates } from './batch.ts'
import { Draft } from './draft.ts'
import { defaultLimits } from './limits.ts'
import { slotsOf } from './slots.ts'

const [post] = loadModel('type Post { id: ID! title: String! }', 'x.graphql').resources

test('each row is a write of its own, with the number of the row in its places', () => {
  const draft = new Draft()
  const batch = planCreates([{ title: 'a' }, { title: 'b' }], post!, [], draft, defaultLimits, '')
  assert.deepEqual([draft.values(), draft.places, slotsOf(batch).length], [['a', 'b'], ['0.title', '1.title'], 2])
})

test('the mistakes of all rows are told at once', () => {
  const draft = new Draft()
  planCreates([{}, 7, { titel: 'x', title: 'y' }], post!, [], draft, defaultLimits, '')
  assert.deepEqual(
    draft.problems.map(({ path, code }) => `${path} ${code}`),
    ['0.title REQUIRED', '1 TYPE', '2.titel UNKNOWN'],
  )
})

test('no rows, or more than a transaction may hold, are refused', () => {
  for (const [count, transaction, problems] of [
    [0, 100, ['inputs LENGTH']],
    [101, 100, ['inputs LENGTH']],
    [101, 0, []],
  ] as const) {
    const draft = new Draft()
    const rows = Array.from({ length: count }, () => ({ title: 'x' }))
    planCreates(rows, post!, [], draft, { ...defaultLimits, transaction }, 'inputs')
    assert.deepEqual(
      draft.problems.map(({ path, code }) => `${path} ${code}`),
      problems,
    )
  }
})
