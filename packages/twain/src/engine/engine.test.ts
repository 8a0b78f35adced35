import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiError } from '#base'
import { anonymous } from '#base/http'
import { loadModel, type Resource } from '#model'
import {
  type BoundPlan,
  defaultLimits,
  type Selection as Picked,
  type PlanResult,
  type RowRead,
  type WritePlan,
} from '#plan'
import { PlanBuilder } from '#plan/build'
import type { DenialReporting } from './denials.ts'
import { createEngine, type EngineOptions } from './engine.ts'

const model = loadModel('type Node { id: ID! name: String next: Node }', 'test.graphql')
const node = model.types.get('Node') as Resource
const answer: PlanResult = { kind: 'one', text: '{}', version: 1 }

const forgetful: Omit<EngineOptions['store'], 'run'> = {
  projector: { project: async () => [], channelValues: () => [] },
  idempotency: { queries: null as never, recall: async () => null, remember: async () => {} },
  queryFor: () => ({ sql: '', parameters: [] }),
  transact: async () => ({ kind: 'batch', answers: [] }),
}

/** An engine over a store that only records its calls. */
function engineOver(runs: unknown[], limits = defaultLimits) {
  const store: EngineOptions['store'] = {
    ...forgetful,
    run(plan, values, options) {
      runs.push({ plan, values, options })
      return answer
    },
  }
  return createEngine({ model, store, limits })
}

/** `next` followed so many times. */
function read(depth: number, id: unknown = 'x'): BoundPlan<RowRead> {
  const builder = new PlanBuilder()
  const field = node.fields.get('next')
  if (field?.kind !== 'reference') throw new Error('next is a reference')
  const selection: Picked[] = depth === 1 ? [{ kind: 'version', key: 'v' }] : read(depth - 1).plan.selections
  const nested: Picked[] =
    depth === 1 ? selection : [{ kind: 'one', key: 'next', field, types: [{ of: node, selections: selection }] }]
  const parameter = builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, 'id')
  return {
    plan: { kind: 'one', of: node, id: parameter, selections: nested },
    values: builder.values(),
    places: builder.places,
  }
}

test('a plan goes to the store with canonical values, and its result comes back', async () => {
  const runs: unknown[] = []
  const boundPlan = read(1, 7)
  assert.equal(await engineOver(runs).execute(boundPlan, anonymous, { more: true }), answer)
  assert.deepEqual(runs, [{ plan: boundPlan.plan, values: ['7'], options: { more: true } }])
})

test('values are checked before the limits, and no rejected plan reaches the store', async () => {
  const runs: unknown[] = []
  const engine = engineOver(runs)
  await assert.rejects(async () => engine.execute(read(6, true), anonymous), { code: 'VALIDATION_FAILED' })
  await assert.rejects(async () => engine.execute(read(6), anonymous), { code: 'QUERY_TOO_DEEP' })
  assert.deepEqual(runs, [])
})

test('depth and cost of a default selection are not limited', async () => {
  const runs: unknown[] = []
  await engineOver(runs).execute(read(6), anonymous, { isDefaultSelection: true })
  assert.equal(runs.length, 1)
})

test('a shape is measured once, and one that is over a limit every time', async () => {
  const runs: unknown[] = []
  let looked = 0
  const engine = engineOver(runs, {
    ...defaultLimits,
    get depth() {
      looked++
      return 5
    },
  })
  const boundPlan = read(2)
  for (let again = 0; again < 3; again++) await engine.execute(boundPlan, anonymous)
  const once = looked
  assert.ok(once > 0)
  await engine.execute({ ...boundPlan, values: ['other'] }, anonymous)
  assert.equal(looked, once)
  const deep = read(6)
  for (let again = 0; again < 2; again++) {
    await assert.rejects(async () => engine.execute(deep, anonymous), { code: 'QUERY_TOO_DEEP' })
  }
})

test('writes with the same selections are one shape, whatever they set', async () => {
  const runs: unknown[] = []
  let looked = 0
  const engine = engineOver(runs, {
    ...defaultLimits,
    get depth() {
      looked++
      return 5
    },
  })
  const deep = read(6).plan.selections
  const write = (selection: Picked[]): BoundPlan<WritePlan> => ({
    plan: { kind: 'write', action: 'create', of: node, id: null, set: [], ifVersion: null, answer: selection },
    values: [],
    places: [],
  })
  const shallow = read(2).plan.selections
  await engine.execute(write(shallow), anonymous)
  const once = looked
  await engine.execute(write(shallow), anonymous)
  assert.equal(looked, once)
  await assert.rejects(async () => engine.execute(write(deep), anonymous), { code: 'QUERY_TOO_DEEP' })
  assert.equal(runs.length, 2)
})

test('a denied write is explained with the rules that would allow it: in the log, and in the error if clients get hints', async () => {
  const ruled = loadModel('type Post @allow(to: [READ]) @allow(role: "editor", to: [CREATE]) { id: ID! }', 'a.graphql')
  const of = ruled.types.get('Post') as Resource
  const plan: WritePlan = { kind: 'write', action: 'create', of, id: null, set: [], ifVersion: null, answer: [] }
  const ways = 'Post: a.graphql:1 @allow(role: "editor", to: [CREATE]) would allow it.'
  for (const inAnswer of [true, false]) {
    const logged: unknown[] = []
    const log: DenialReporting['log'] = (text, denied, { id, path }) => void logged.push([text, denied, id, path])
    const denials = { inAnswer, log }
    const engine = createEngine({
      model: ruled,
      store: { ...forgetful, run: () => answer },
      limits: defaultLimits,
      denials,
    })
    const execute = async () => engine.execute({ plan, values: [], places: [] }, anonymous)
    const error = await execute().catch((thrown: unknown) => thrown)
    const { code, hint, headers } = error as ApiError
    assert.deepEqual([code, hint], ['UNAUTHENTICATED', inAnswer ? ways : undefined])
    assert.deepEqual(headers, { 'www-authenticate': 'Bearer' })
    engine.denials.logError(error, { path: '/posts', id: 'r1' })
    engine.denials.logError(new Error('another'), { path: '/posts', id: 'r2' })
    assert.deepEqual(logged, [[ways, 'write', 'r1', '/posts']])
  }
})
