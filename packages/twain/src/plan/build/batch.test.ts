import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { fullSight } from '../authorize/visibility.ts'
import { slotsOf } from '../parameters.ts'
import { planCreates } from './batch.ts'
import { Draft } from './plan-builder.ts'

const [post] = loadModel('type Post { id: ID! title: String! }', 'x.graphql').resources

test('each row is a write of its own, with the number of the row in its places', () => {
  const draft = new Draft()
  const batch = planCreates([{ title: 'a' }, { title: 'b' }], post!, [], draft, '')
  assert.deepEqual([draft.values(), draft.places, slotsOf(batch).length], [['a', 'b'], ['0.title', '1.title'], 2])
})

test('the mistakes of all rows are told at once', () => {
  const draft = new Draft()
  planCreates([{}, 7, { titel: 'x', title: 'y' }], post!, [], draft, '')
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
    const draft = new Draft(fullSight, undefined, transaction)
    const rows = Array.from({ length: count }, () => ({ title: 'x' }))
    planCreates(rows, post!, [], draft, 'inputs')
    assert.deepEqual(
      draft.problems.map(({ path, code }) => `${path} ${code}`),
      problems,
    )
  }
})

test('rows that are made along count with the others', () => {
  const [owner] = loadModel(
    'type Post { id: ID! parts: [Part!]! } type Part { id: ID! post: Post! }',
    'x.graphql',
  ).resources
  const draft = new Draft(fullSight, undefined, 3)
  planCreates([{ parts: [{}] }, { parts: [{}] }], owner!, [], draft, 'inputs')
  assert.deepEqual(
    draft.problems.map(({ path, code }) => `${path} ${code}`),
    ['1.parts LENGTH'],
  )
})
