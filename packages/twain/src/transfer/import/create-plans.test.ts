import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { PlanBuilder } from '#plan/build'
import { CreatePlans } from './create-plans.ts'

const model = loadModel(
  'type Note { id: ID! slug: String @unique n: Int! tags: [Tag!]! } type Tag { id: ID! }',
  'x.graphql',
)
const note = model.resources.find(({ name }) => name === 'Note')!

test('rows with the same columns share a plan, each with its own values', () => {
  const plans = creates()
  const [first, second] = [
    { slug: 'a', n: 1 },
    { slug: null, n: 2 },
  ].map((input) => plans.plan(input).boundPlan)
  assert.equal(second!.plan, first!.plan)
  assert.deepEqual(
    [first!.values, second!.values],
    [
      ['a', 1],
      [null, 2],
    ],
  )
  assert.deepEqual(second!.places, ['slug', 'n'])
  const other = plans.plan({ n: 3 }).boundPlan
  assert.notEqual(other.plan, first!.plan)
  assert.deepEqual(other.values, [3])
})

test('a row without a required column is refused, whatever the rows before it have', () => {
  const plans = creates()
  plans.plan({ n: 1 })
  assert.throws(() => plans.plan({ slug: 'a' }), /n: is required/)
})

test('a key that is null is refused, and rows with a key share a plan', () => {
  const plans = creates(['slug'])
  const [first, second] = ['a', 'b'].map((slug) => plans.plan({ slug, n: 1 }).boundPlan)
  assert.equal(second!.plan, first!.plan)
  assert.deepEqual(second!.values, ['b', 'b', 1])
  assert.throws(() => plans.plan({ slug: null, n: 1 }), /slug: is required: onConflict names it/)
})

function creates(onConflict?: string[]): CreatePlans {
  return new CreatePlans(note, onConflict, [], () => new PlanBuilder(), defaultLimits)
}
