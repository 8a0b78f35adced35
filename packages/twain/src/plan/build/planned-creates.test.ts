import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resource } from '../library.fixture.ts'
import { parametersOf } from '../parameters.ts'
import type { BoundPlan, WritePlan } from '../plan.ts'
import { planInput } from './input.ts'
import { PlanBuilder } from './plan-builder.ts'
import { PlannedCreates } from './planned-creates.ts'

const emma = { title: 'Emma', isbn: '1', author: 'a1' }
const of = resource('Book')

test('a later input with the same names has the plan of the first, with its own values', () => {
  const creates = new PlannedCreates()
  const first = creates.keep(emma, 0, planned(emma))
  const second = creates.bind({ title: 'Persuasion', isbn: null, author: 7 }, [])

  assert.equal(second?.plan, first.plan)
  assert.deepEqual([second?.values, second?.places], [['Persuasion', null, 7], first.places])
  assert.equal(parametersOf(first.plan), parametersOf(second!.plan))
})

test('values before those of the input are those of the request', () => {
  const creates = new PlannedCreates()
  creates.keep(emma, 2, planned(emma, [20, 0]))

  assert.deepEqual(creates.bind(emma, [5, 10])?.values, [5, 10, 'Emma', '1', 'a1'])
})

test('an input with other names, in another order, or that leaves one out, is planned itself', () => {
  const creates = new PlannedCreates()
  creates.keep(emma, 0, planned(emma))

  const others = [
    {},
    { title: 'a', isbn: '1' },
    { isbn: '1', title: 'a', author: 'a1' },
    { ...emma, tags: [] },
    { title: 'a', isbn: '1', author: undefined },
    [],
    'title',
    null,
  ]
  for (const input of others) assert.equal(creates.bind(input, []), null, JSON.stringify(input))
})

test('an input whose plan depends on its values is planned each time', () => {
  const connected = { ...emma, _tags: { connect: ['t1'] } }
  for (const input of [connected, { ...emma, title: undefined }]) {
    const creates = new PlannedCreates()
    const bound = planned(input)
    assert.equal(creates.keep(input, 0, bound), bound)
    assert.equal(creates.bind(input, []), null)
    assert.equal(bound.plan.isKept, undefined)
  }
})

test('links are set as a whole, so the plan is that of any list of ids', () => {
  const creates = new PlannedCreates()
  const tagged = { ...emma, tags: ['t1'] }
  const first = creates.keep(tagged, 0, planned(tagged))

  assert.deepEqual(creates.bind({ ...emma, tags: ['t2', 't3'] }, [])?.values, ['Emma', '1', 'a1', ['t2', 't3']])
  assert.equal(creates.bind({ ...emma, tags: [] }, [])?.plan, first.plan)
})

test('a few plans are kept, and the oldest goes first', () => {
  const creates = new PlannedCreates()
  const names = Object.keys(emma) as (keyof typeof emma)[]
  const orders = names.flatMap((one) =>
    names
      .filter((name) => name !== one)
      .map((two) => [one, two, ...names.filter((name) => name !== one && name !== two)]),
  )
  const inputs = [false, true].flatMap((hasTags) =>
    orders.map((order) => ({
      ...Object.fromEntries(order.map((name) => [name, emma[name]])),
      ...(hasTags && { tags: [] }),
    })),
  )
  for (const input of inputs) creates.keep(input, 0, planned(input))

  assert.equal(inputs.length, 12)
  assert.deepEqual(
    inputs.map((input) => creates.bind(input, []) !== null),
    inputs.map((_, index) => index >= 4),
  )
})

function planned(input: object, before: readonly unknown[] = []): BoundPlan<WritePlan> {
  const builder = new PlanBuilder()
  builder.addPlanned({ requestValues: before, places: before.map(() => ''), deprecated: undefined }, before)
  const set = planInput(input, of, 'create', builder, '', false)
  return builder.bind<WritePlan>({ kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer: [] })
}
