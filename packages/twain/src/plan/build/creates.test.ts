import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { parametersOf } from '../parameters.ts'
import { fullVisibility } from '../visibility.ts'
import { planCreates } from './creates.ts'
import { PlanBuilder } from './plan-builder.ts'

const [post] = loadModel('type Post { id: ID! title: String! }', 'x.graphql').resources

test('each row is a write of its own, with the number of the row in its places', () => {
  const builder = new PlanBuilder()
  const batch = planCreates([{ title: 'a' }, { title: 'b' }], post!, [], builder, '')
  assert.deepEqual(
    [builder.values(), builder.places, parametersOf(batch).length],
    [['a', 'b'], ['0.title', '1.title'], 2],
  )
})

test('the mistakes of all rows are reported at once', () => {
  const builder = new PlanBuilder()
  planCreates([{}, 7, { titel: 'x', title: 'y' }], post!, [], builder, '')
  assert.deepEqual(
    builder.problems.map(({ path, code }) => `${path} ${code}`),
    ['0.title REQUIRED', '1 TYPE', '2.titel UNKNOWN'],
  )
})

test('no rows, or more than a transaction may have, are rejected', () => {
  for (const [count, transaction, problems] of [
    [0, 100, ['inputs LENGTH']],
    [101, 100, ['inputs LENGTH']],
    [101, 0, []],
  ] as const) {
    const builder = new PlanBuilder(fullVisibility, undefined, transaction)
    const rows = Array.from({ length: count }, () => ({ title: 'x' }))
    planCreates(rows, post!, [], builder, 'inputs')
    assert.deepEqual(
      builder.problems.map(({ path, code }) => `${path} ${code}`),
      problems,
    )
  }
})

test('rows that are made along count with the others', () => {
  const [owner] = loadModel(
    'type Post { id: ID! parts: [Part!]! } type Part { id: ID! post: Post! }',
    'x.graphql',
  ).resources
  const builder = new PlanBuilder(fullVisibility, undefined, 3)
  planCreates([{ parts: [{}] }, { parts: [{}] }], owner!, [], builder, 'inputs')
  assert.deepEqual(
    builder.problems.map(({ path, code }) => `${path} ${code}`),
    ['1.parts LENGTH'],
  )
})
