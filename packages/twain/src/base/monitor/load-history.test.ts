import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationBounds, LoadHistory, type LoadSource, maxLoadMinutes } from './load-history.ts'

interface Counters {
  durations: number[]
  errors: number
  refused: number
}

class FakeSource implements LoadSource {
  readonly kind: LoadSource['kind']
  readonly series = new Map<string, Counters>()

  constructor(kind: LoadSource['kind']) {
    this.kind = kind
  }

  count(id: string, milliseconds: number, outcome: 'errors' | 'refused' | null = null): void {
    const one = this.series.get(id) ?? {
      durations: new Array(durationBounds.length + 1).fill(0),
      errors: 0,
      refused: 0,
    }
    const at = durationBounds.findIndex((bound) => milliseconds <= bound)
    one.durations[at === -1 ? durationBounds.length : at]!++
    if (outcome !== null) one[outcome]++
    this.series.set(id, one)
  }

  readonly visit: LoadSource['visit'] = (see) => {
    for (const [id, { durations, errors, refused }] of this.series) see(id, durations, errors, refused)
  }
}

function openHistory() {
  const [routes, operations] = [new FakeSource('route'), new FakeSource('operation')]
  const clock = { now: 0 }
  const history = new LoadHistory([routes, operations], () => clock.now)
  const step = () => {
    clock.now += 10_000
    history.endStep()
  }
  return { routes, operations, clock, history, step }
}

test('each step has what was counted in it, and the last one is not complete', () => {
  const { routes, clock, history, step } = openHistory()
  routes.count('GET /posts', 0.4)
  routes.count('GET /posts', 0.4, 'errors')
  step()
  step()
  routes.count('POST /posts', 3, 'refused')
  clock.now += 4000
  const { points, routes: series } = history.report(60, null)!
  assert.deepEqual(
    points.map(({ seconds, requests, errors, refused }) => [seconds, requests, errors, refused]),
    [
      [10, 2, 1, 0],
      [10, 0, 0, 0],
      [4, 1, 0, 1],
    ],
  )
  assert.equal(points[1]!.p50, null)
  assert.deepEqual(
    series.map(({ id, requests }) => [id, requests]),
    [
      ['GET /posts', 2],
      ['POST /posts', 1],
    ],
  )
})

test('quantiles are within the bucket of the duration', () => {
  const { routes, history } = openHistory()
  for (let index = 0; index < 90; index++) routes.count('GET /posts', 0.8)
  for (let index = 0; index < 10; index++) routes.count('GET /posts', 200)
  const { p50, p95, p99 } = history.report(60, null)!.routes[0] as { p50: number; p95: number; p99: number }
  assert.ok(p50 > 0.5 && p50 <= 1, `${p50}`)
  assert.ok(p95 > 100 && p95 < p99 && p99 <= 250, `${p95} ${p99}`)
  routes.count('GET /slow', 99_000)
  assert.equal(history.report(60, 'GET /slow')!.points[0]!.p99, 30_000)
})

test('operations are series of their own, and not counted among the requests again', () => {
  const { routes, operations, history } = openHistory()
  routes.count('POST /graphql', 1)
  operations.count('query posts', 1, 'errors')
  const all = history.report(60, null)!
  assert.deepEqual([all.points[0]!.requests, all.points[0]!.errors], [1, 0])
  assert.deepEqual([all.operations[0]!.id, all.operations[0]!.errors], ['query posts', 1])
  assert.equal(history.report(60, 'query posts')!.points[0]!.errors, 1)
  assert.equal(history.report(60, 'query nothing'), null)
})

test('memory is bounded: an hour of steps, and the busiest hundred series of each', () => {
  const { routes, history, step } = openHistory()
  for (let one = 0; one < 300; one++) for (let index = 0; index <= one % 3; index++) routes.count(`GET /${one}`, 1)
  for (let index = 0; index < 400; index++) step()
  assert.equal(history.report(60, null)!.points.length, (maxLoadMinutes * 60) / 10 + 1)
  for (let one = 0; one < 300; one++) for (let index = 0; index <= one % 3; index++) routes.count(`GET /${one}`, 1)
  const { points, routes: series } = history.report(1, null)!
  assert.equal(series.length, 100)
  assert.equal(series[0]!.id, 'other routes')
  assert.equal(points.at(-1)!.requests, 600)
  assert.ok(series.slice(1).every(({ requests }) => requests === 3))
})
