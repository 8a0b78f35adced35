import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { errorOf, listProblems } from '../library.fixture.ts'
import { defaultLimits } from '../limit/limits.ts'
import { PlanBuilder } from './plan-builder.ts'
import { currentValue, deriveValue, RequestValue, resolveValues } from './request-value.ts'
import { bindPlan } from './unbound-plan.ts'

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

const renamed = loadModel(
  `enum State { OPEN @next(to: [CLOSED]), CLOSED @was(name: "SHUT") }
  type Score @was(name: "Sheet") {
    id: ID!
    title: String @was(name: "heading")
    state: State! @default(value: OPEN) @was(name: "phase")
  }`,
  'a.graphql',
)
const score = renamed.resources[0]!

test('a lookup by an alias finds what the present name finds, and is noted once', () => {
  const builder = new PlanBuilder()
  assert.equal(builder.unbound().deprecated, undefined)

  for (const name of ['title', 'heading', 'heading']) {
    assert.equal(builder.fieldNamed(name, score.fields, score)?.name, 'title')
  }
  assert.equal(builder.fieldNamed('nothing', score.fields, score), undefined)
  for (const name of ['_stateTransitions', '_phaseTransitions']) {
    assert.equal(builder.transitionsNamed(name, score)?.name, 'state')
  }
  for (const name of ['Score', 'Sheet']) assert.equal(builder.typeNamed(name, renamed.resources), score)

  const { names } = builder.unbound().deprecated!
  assert.deepEqual(names, ['Score.heading', 'Score.phase', 'Score (previous name)'])
})

test('a planned part keeps its values, places and aliases; what another request adds does not change it', () => {
  const planned = new PlanBuilder()
  planned.parameter(text, new RequestValue('a', first), 'title')
  planned.fieldNamed('heading', score.fields, score)
  const part = planned.unbound()

  const builder = new PlanBuilder()
  builder.addPlanned(part, resolveValues(part.requestValues, ['b']))
  const added = builder.parameter(text, 'c', 'body')
  builder.fieldNamed('phase', score.fields, score)

  assert.deepEqual([builder.values(), builder.places, added.index], [['b', 'c'], ['title', 'body'], 1])
  assert.deepEqual(builder.unbound().deprecated?.names, ['Score.heading', 'Score.phase'])
  assert.deepEqual(part.deprecated?.names, ['Score.heading'])
  const plan = { kind: 'batch' as const, writes: [] }
  const deprecated = { names: ['Score.heading'], parameters: [], args: [] }
  assert.deepEqual(bindPlan({ plan, ...part }, ['d']), { plan, values: ['d'], places: ['title'], deprecated })
})
