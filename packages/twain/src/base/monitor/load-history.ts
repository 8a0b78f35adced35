// The load of the last hour: requests, errors and durations by route and by GraphQL operation, in steps of ten seconds.
//
// 1. A request pays nothing: its counters are those of `/metrics`, and a timer takes the difference to ten seconds before.
// 2. Memory is bounded: a step keeps at most `maxSeries` routes and as many operations, the busiest. The rest of each is one series, `other …`.
// 3. The names come from the schema, so no client can add one.

import { wallTime } from '../time/index.ts'

/** Upper bounds of the buckets of durations, in milliseconds. What is longer is in a bucket of its own. */
export const durationBounds: readonly number[] = [
  0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000,
]

export const stepSeconds = 10
export const maxLoadMinutes = 60
const maxSteps = (maxLoadMinutes * 60) / stepSeconds
const maxSeries = 100

const buckets = durationBounds.length + 1
const errorsAt = buckets
const refusedAt = buckets + 1
const width = buckets + 2

/** Counters since the start of the process. */
export interface LoadSource {
  kind: 'route' | 'operation'
  /** `durations` has a count for each bucket; `id` is `GET /posts/{id}` or `query posts`. */
  visit(see: (id: string, durations: ArrayLike<number>, errors: number, refused: number) => void): void
}

/** Numbers of requests, and the milliseconds below which half, 95 % and 99 % of them were answered; null: there were none. */
interface LoadFigures {
  requests: number
  /** Answers with a status from 500 on; GraphQL operations with errors. */
  errors: number
  /** Answers with a status from 400 to 499. */
  refused: number
  p50: number | null
  p95: number | null
  p99: number | null
}

interface LoadPoint extends LoadFigures {
  /** The end of the step. */
  time: string
  seconds: number
}

interface LoadSeries extends LoadFigures {
  id: string
}

export interface LoadReport {
  points: LoadPoint[]
  /** The busiest first. */
  routes: LoadSeries[]
  operations: LoadSeries[]
}

/** The series of one step. Those of routes come first. */
interface LoadStep {
  from: number
  to: number
  ids: readonly string[]
  routes: number
  /** `width` numbers for each series. */
  counts: Uint32Array
}

interface SeriesCount {
  id: string
  requests: number
  counts: Uint32Array
}

export class LoadHistory {
  readonly #sources: readonly LoadSource[]
  readonly #now: () => number
  /** The counters at the end of the last step, by id. */
  readonly #before = new Map<string, Float64Array>()
  readonly #steps: LoadStep[] = []
  #from: number

  constructor(sources: readonly LoadSource[], now: () => number = wallTime) {
    this.#sources = sources
    this.#now = now
    this.#from = now()
  }

  /** Ends a step. */
  endStep(): void {
    this.#steps.push(this.#step())
    if (this.#steps.length > maxSteps) this.#steps.shift()
    for (const { visit } of this.#sources) {
      visit((id, durations, errors, refused) => {
        const counts = this.#before.get(id) ?? new Float64Array(width)
        for (let index = 0; index < buckets; index++) counts[index] = durations[index]!
        counts[errorsAt] = errors
        counts[refusedAt] = refused
        this.#before.set(id, counts)
      })
    }
    this.#from = this.#now()
  }

  /** `of`: the points of one series; null: those of all requests. Null if these minutes have no such series. */
  report(minutes: number, of: string | null): LoadReport | null {
    const since = this.#now() - minutes * 60_000
    const steps = [...this.#steps, this.#step()].filter(({ to }) => to > since)
    const routes = new Map<string, Uint32Array>()
    const operations = new Map<string, Uint32Array>()
    for (const step of steps) {
      for (const [index, id] of step.ids.entries()) {
        const sums = index < step.routes ? routes : operations
        const counts = sums.get(id) ?? new Uint32Array(width)
        add(counts, step.counts, index)
        sums.set(id, counts)
      }
    }
    if (of !== null && !routes.has(of) && !operations.has(of)) return null
    return {
      points: steps.map((step) => pointOf(step, of)),
      routes: seriesOf(routes),
      operations: seriesOf(operations),
    }
  }

  /** What was counted since the last step. */
  #step(): LoadStep {
    const [routes, operations] = (['route', 'operation'] as const).map((kind) => this.#busiest(kind)) as [
      SeriesCount[],
      SeriesCount[],
    ]
    const all = [...routes, ...operations]
    const counts = new Uint32Array(all.length * width)
    for (const [index, one] of all.entries()) counts.set(one.counts, index * width)
    return { from: this.#from, to: this.#now(), ids: all.map(({ id }) => id), routes: routes.length, counts }
  }

  #busiest(kind: LoadSource['kind']): SeriesCount[] {
    const found: SeriesCount[] = []
    for (const source of this.#sources) {
      if (source.kind !== kind) continue
      source.visit((id, durations, errors, refused) => {
        const before = this.#before.get(id)
        let requests = 0
        for (let index = 0; index < buckets; index++) requests += durations[index]! - (before?.[index] ?? 0)
        if (requests === 0) return
        const counts = new Uint32Array(width)
        for (let index = 0; index < buckets; index++) counts[index] = durations[index]! - (before?.[index] ?? 0)
        counts[errorsAt] = errors - (before?.[errorsAt] ?? 0)
        counts[refusedAt] = refused - (before?.[refusedAt] ?? 0)
        found.push({ id, requests, counts })
      })
    }
    if (found.length <= maxSeries) return found
    found.sort((a, b) => b.requests - a.requests)
    const rest = { id: `other ${kind}s`, requests: 0, counts: new Uint32Array(width) }
    for (const { counts } of found.slice(maxSeries - 1)) add(rest.counts, counts, 0)
    return [...found.slice(0, maxSeries - 1), rest]
  }
}

function add(to: Uint32Array, from: Uint32Array, series: number): void {
  for (let index = 0; index < width; index++) to[index]! += from[series * width + index]!
}

/** A GraphQL operation is part of a request to `/graphql`, so that all requests are those of the routes. */
function pointOf({ from, to, ids, routes, counts }: LoadStep, of: string | null): LoadPoint {
  const sum = new Uint32Array(width)
  for (const [index, id] of ids.entries()) {
    if (of === null ? index < routes : id === of) add(sum, counts, index)
  }
  return { time: new Date(to).toISOString(), seconds: Math.round((to - from) / 10) / 100, ...figuresOf(sum) }
}

function seriesOf(sums: ReadonlyMap<string, Uint32Array>): LoadSeries[] {
  return [...sums]
    .map(([id, counts]) => ({ id, ...figuresOf(counts) }))
    .sort((a, b) => b.requests - a.requests || (a.id < b.id ? -1 : 1))
}

function figuresOf(counts: Uint32Array): LoadFigures {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => quantile(counts, part)) as [number, number, number]
  return { requests: requestsIn(counts), errors: counts[errorsAt]!, refused: counts[refusedAt]!, p50, p95, p99 }
}

function requestsIn(counts: Uint32Array): number {
  let sum = 0
  for (let index = 0; index < buckets; index++) sum += counts[index]!
  return sum
}

/** Durations are spread evenly over their bucket, as Prometheus assumes. Beyond the last bound it is the last bound. */
function quantile(counts: Uint32Array, part: number): number | null {
  const all = requestsIn(counts)
  if (all === 0) return null
  let rest = part * all
  for (const [index, bound] of durationBounds.entries()) {
    const count = counts[index]!
    if (count >= rest) {
      const start = index === 0 ? 0 : durationBounds[index - 1]!
      return Math.round((start + ((bound - start) * rest) / count) * 100) / 100
    }
    rest -= count
  }
  return durationBounds.at(-1)!
}
