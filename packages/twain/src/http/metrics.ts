// The metrics at `/metrics`, in the Prometheus text format. Label values are few: they are fixed or come from the schema, and
// nothing from a client becomes a label. Counting a request is an increment in a typed array.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Gauge, LoadHistory, type OperationKind, stepSeconds } from '#base'
import { clearInterval, setInterval } from '#base/time'
import { LabelledTimes, otherLabel } from './labelled-times.ts'

const apis = ['rest', 'graphql', 'other'] as const
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'] as const
const classes = 5
const operationKinds: readonly (OperationKind | 'other')[] = ['query', 'mutation', 'subscription', 'other']
/** Upper bounds of the histogram buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export class Metrics {
  readonly #requests = new Float64Array(apis.length * methods.length * classes)
  readonly #buckets = new Float64Array(apis.length * (bounds.length + 1))
  readonly #seconds = new Float64Array(apis.length)
  readonly #delay = monitorEventLoopDelay({ resolution: 20 })
  readonly #malformed = new Map<string, number>()
  readonly #routes = new LabelledTimes({
    name: 'twain_http_route_duration_seconds',
    about: 'Seconds from the end of the request header to the response, by the template of the path.',
    labels: ['route', 'method'],
    seconds: methods,
    outcomes: {
      name: 'twain_http_route_requests_total',
      about: 'Answered HTTP requests, by the template of the path.',
      label: 'status_class',
      values: ['1xx', '2xx', '3xx', '4xx', '5xx'],
    },
  })
  readonly #operations = new LabelledTimes({
    name: 'twain_graphql_operation_duration_seconds',
    about: 'Seconds of GraphQL operations, by their root field.',
    labels: ['operation', 'type'],
    seconds: operationKinds,
    outcomes: {
      name: 'twain_graphql_operations_total',
      about: 'GraphQL operations, by their root field.',
      label: 'outcome',
      values: ['ok', 'error'],
    },
  })
  /** The load of the last hour. */
  readonly load = new LoadHistory([
    this.#routes.loadSource('route', { id: (route, method) => `${method} ${route}`, errors: '5xx', refused: '4xx' }),
    this.#operations.loadSource('operation', { id: (name, kind) => `${kind} ${name}`, errors: 'error', refused: null }),
  ])
  readonly #step = setInterval(() => this.load.endStep(), stepSeconds * 1000).unref()
  #inFlight = 0
  #slowReaders = 0
  #unsentBytes: () => number = () => 0

  constructor() {
    this.#delay.enable()
  }

  began(): void {
    this.#inFlight++
  }

  /** `route`: the template of the path; null: it is no path of the REST API. */
  ended(path: string, method: string, status: number, milliseconds: number, route: string | null = null): void {
    this.#inFlight--
    const api = apiOf(path)
    const known = methods.indexOf(method as (typeof methods)[number])
    const verb = known === -1 ? methods.length - 1 : known
    const statusClass = Math.floor(status / 100) - 1
    this.#requests[(api * methods.length + verb) * classes + statusClass]!++
    this.#routes.record(route ?? fixedRoute(path) ?? otherLabel, verb, statusClass, milliseconds)
    let bucket = 0
    while (bucket < bounds.length && milliseconds > bounds[bucket]! * 1000) bucket++
    this.#buckets[api * (bounds.length + 1) + bucket]!++
    this.#seconds[api]! += milliseconds / 1000
  }

  /** Counts a GraphQL operation. `field`: its root field; null: it has several, or could not be planned. */
  operation(kind: OperationKind | null, field: string | null, isFailed: boolean, milliseconds: number): void {
    const kindIndex = kind === null ? operationKinds.length - 1 : operationKinds.indexOf(kind)
    this.#operations.record(field ?? otherLabel, kindIndex, isFailed ? 1 : 0, milliseconds)
  }

  /** Counts a request that could not be parsed. There are few reasons. */
  malformed(reason: string): void {
    this.#malformed.set(reason, (this.#malformed.get(reason) ?? 0) + 1)
  }

  /** Counts a connection that was closed because its client did not read. */
  slowReader(): void {
    this.#slowReaders++
  }

  watchUnsent(bytes: () => number): void {
    this.#unsentBytes = bytes
  }

  /** `gauges`: the metrics of other modules. */
  text(gauges: readonly Gauge[]): string {
    return [
      ...this.#requestLines(),
      ...this.#durationLines(),
      ...this.#routes.lines(),
      ...this.#operations.lines(),
      ...this.#malformedLines(),
      ...single('http_server_active_requests', 'gauge', 'Requests being answered now.', this.#inFlight),
      ...single(
        'twain_http_unsent_bytes',
        'gauge',
        'Bytes of responses that clients have not taken yet.',
        this.#unsentBytes(),
      ),
      ...single(
        'twain_http_slow_readers_total',
        'counter',
        'Connections closed because the client did not read.',
        this.#slowReaders,
      ),
      ...this.#delayLines(),
      ...processLines(),
      ...gaugeLines(gauges),
      '',
    ].join('\n')
  }

  close(): void {
    this.#delay.disable()
    clearInterval(this.#step)
  }

  #requestLines(): string[] {
    const lines = head('twain_http_requests_total', 'counter', 'Answered HTTP requests.')
    for (const [api, apiName] of apis.entries()) {
      for (const [verb, method] of methods.entries()) {
        for (let status = 0; status < classes; status++) {
          const count = this.#requests[(api * methods.length + verb) * classes + status]!
          if (count === 0) continue // avoids hundreds of empty series
          lines.push(
            `twain_http_requests_total{api="${apiName}",method="${method}",status_class="${status + 1}xx"} ${count}`,
          )
        }
      }
    }
    return lines
  }

  #malformedLines(): string[] {
    const name = 'twain_http_malformed_requests_total'
    const lines = [...this.#malformed].map(([reason, count]) => `${name}{reason="${reason}"} ${count}`)
    return [...head(name, 'counter', 'Connections refused because no HTTP request could be parsed.'), ...lines]
  }

  #durationLines(): string[] {
    const name = 'http_server_request_duration_seconds'
    const lines = head(name, 'histogram', 'Seconds from the end of the request header to the response.')
    for (const [api, apiName] of apis.entries()) {
      let count = 0
      for (let bucket = 0; bucket <= bounds.length; bucket++) {
        count += this.#buckets[api * (bounds.length + 1) + bucket]!
        lines.push(`${name}_bucket{api="${apiName}",le="${bounds[bucket] ?? '+Inf'}"} ${count}`)
      }
      lines.push(`${name}_sum{api="${apiName}"} ${this.#seconds[api]}`, `${name}_count{api="${apiName}"} ${count}`)
    }
    return lines
  }

  /** Since the last scrape. Node measures the time between two timer ticks, of which 20 ms are the resolution. */
  #delayLines(): string[] {
    const name = 'nodejs_eventloop_delay_seconds'
    const lines = head(name, 'gauge', 'Event loop delay since the last scrape.')
    const late = (nanoseconds: number) =>
      Math.max(0, (Number.isFinite(nanoseconds) ? nanoseconds : 0) / 1e9 - 0.02).toFixed(6)
    for (const quantile of [0.5, 0.99]) {
      lines.push(`${name}{quantile="${quantile}"} ${late(this.#delay.percentile(quantile * 100))}`)
    }
    lines.push(`${name}{quantile="1"} ${late(this.#delay.max)}`)
    this.#delay.reset()
    return lines
  }
}

const others = new Set(['/', '/healthz', '/readyz', '/metrics', '/favicon.svg', '/favicon.ico'])

/** The path, if it is one that the server has beside the REST API. */
export function fixedRoute(path: string): string | null {
  if (isConsolePath(path)) return '/console'
  return path === '/graphql' || others.has(path) ? path : null
}

function apiOf(path: string): number {
  if (path === '/graphql') return 1
  return others.has(path) || isConsolePath(path) ? 2 : 0
}

export function isConsolePath(path: string): boolean {
  return path === '/console' || path.startsWith('/console/')
}

/** Under the names that Prometheus client libraries use. */
function processLines(): string[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, external } = process.memoryUsage()
  return [
    ...single('process_cpu_seconds_total', 'counter', 'Total user and system CPU seconds.', (user + system) / 1e6),
    ...single('process_resident_memory_bytes', 'gauge', 'Resident memory in bytes.', rss),
    ...single(
      'process_start_time_seconds',
      'gauge',
      'Start time of the process as a Unix timestamp.',
      performance.timeOrigin / 1000,
    ),
    ...single('nodejs_heap_size_used_bytes', 'gauge', 'Heap memory in use, in bytes.', heapUsed),
    ...single('nodejs_external_memory_bytes', 'gauge', 'External memory in bytes.', external),
  ]
}

function gaugeLines(gauges: readonly Gauge[]): string[] {
  const lines: string[] = []
  const names = new Set(gauges.map(({ name }) => name))
  for (const name of names) {
    const series = gauges.filter((gauge) => gauge.name === name)
    lines.push(...head(`twain_${name}`, series[0]!.kind, series[0]!.about))
    for (const gauge of series) lines.push(`twain_${name}${labelOf(gauge)} ${gauge.value()}`)
  }
  return lines
}

function labelOf({ cache, failure }: Gauge): string {
  if (cache !== undefined) return `{cache="${cache}"}`
  return failure === undefined ? '' : `{kind="${failure}"}`
}

function single(name: string, kind: Gauge['kind'], about: string, value: number): string[] {
  return [...head(name, kind, about), `${name} ${value}`]
}

function head(name: string, kind: string, about: string): string[] {
  return [`# HELP ${name} ${about}`, `# TYPE ${name} ${kind}`]
}
