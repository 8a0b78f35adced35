// What the role admin sees of the running node: its load, its slow statements, those of one request, and the tail of its log; and which
// nodes serve. REST has it below `/metrics`, GraphQL as `serviceNodes`, `serviceLoad`, `serviceSlowQueries`, `serviceStatements` and `serviceLog`. The adapters translate; rights, limits and answers are here.

import { ApiError, type Problem, validationError } from '../errors/api-error.ts'
import { isAdmin, requireAdmin } from '../http/require-admin.ts'
import type { Viewer } from '../http/viewer.ts'
import type { Gauge } from '../telemetry.ts'
import { didYouMean } from '../text/suggest.ts'
import { monotonicTime } from '../time/index.ts'
import { type LoadHistory, type LoadReport, maxLoadMinutes } from './load-history.ts'
import { type LogFilter, type LogHistory, type LogLevel, type LogTail, logLevels } from './log-history.ts'
import { ownNode, type ServingNode } from './serving-node.ts'
import type { SlowStatement, SlowStatements } from './slow-statements.ts'
import type { RecordedStatement, StatementRecorder } from './statement-recorder.ts'

/** What the command measures, for as long as the process runs. Each is null if it does not. */
export interface MonitorSources {
  load: LoadHistory | null
  slow: SlowStatements | null
  recorder: StatementRecorder | null
  log: Pick<LogHistory, 'tail' | 'changed' | 'wake'> | null
}

interface MonitoredCache {
  name: string
  entries: number
  bytes: number
  hits: number
  misses: number
}

export interface ServiceLoad extends LoadReport {
  /** Host and process. */
  node: string
  startedAt: string
  /** Resident memory of the process. */
  memoryBytes: number
  caches: MonitoredCache[]
}

interface ListedNode extends ServingNode {
  /** Whether it is the node that answers. */
  answers: boolean
}

interface NodeLog extends LogTail {
  /** The node whose log it is. */
  node: string
}

export interface ExplainedStatement extends SlowStatement {
  /** The node that ran it. */
  node: string
  /** How the database would run it; null: it is no single read, or the database can't tell. */
  plan: string | null
}

interface PlannedStatement extends RecordedStatement {
  /** The id of the request. */
  request: string
  plan: string | null
}

interface MonitorOptions {
  sources: MonitorSources
  node: string
  /** The other nodes that serve from the same database, as they told. */
  otherNodes(): Promise<readonly ServingNode[]>
  gauges(): readonly Gauge[]
  /** Null: the database can't tell. */
  explain(sql: string): Promise<string | null>
}

const maxWords = 10
const maxWordsLength = 200
const maxLogEntries = 200
const shownStatements = 20
const defaultLogEntries = 100
const defaultMinutes = maxLoadMinutes

export class Monitor {
  readonly #options: MonitorOptions
  readonly #plans = new Map<string, Promise<string | null>>()
  #isEnding = false

  constructor(options: MonitorOptions) {
    this.#options = options
  }

  /** `place` is before the name of each argument. Throws an ApiError. */
  load(viewer: Viewer, { minutes, of }: { minutes?: unknown; of?: unknown }, place = ''): ServiceLoad {
    admit(viewer)
    const { load } = this.#options.sources
    if (load === null) throw nothing('This server does not count its load.', 'Set http.metrics to "local" or "open".')
    const problems: Problem[] = []
    const span = wholeNumber(minutes ?? defaultMinutes, maxLoadMinutes, `${place}minutes`, problems)
    if (problems.length > 0) throw validationError(problems)
    const series = of === undefined || of === null ? null : String(of)
    const report = load.report(span, series)
    if (report === null) {
      const all = load.report(span, null)!
      const ids = [...all.routes, ...all.operations].map(({ id }) => id)
      const message = `was not requested in these minutes.${didYouMean(series!, ids)}`
      throw validationError([{ path: `${place}of`, code: 'RANGE', message }])
    }
    return {
      node: this.#options.node,
      startedAt: new Date(performance.timeOrigin).toISOString(),
      memoryBytes: process.memoryUsage.rss(),
      ...report,
      caches: cachesOf(this.#options.gauges()),
    }
  }

  /** All nodes that serve from the database, by name. */
  async nodes(viewer: Viewer): Promise<ListedNode[]> {
    admit(viewer)
    const others = await this.#options.otherNodes()
    const all = [{ ...this.ownNode(), answers: true }, ...others.map((one) => ({ ...one, answers: false }))]
    return all.sort((a, b) => (a.node < b.node ? -1 : a.node > b.node ? 1 : 0))
  }

  ownNode(): ServingNode {
    return ownNode(this.#options.node, this.#options.sources.load)
  }

  async slowQueries(viewer: Viewer): Promise<ExplainedStatement[]> {
    admit(viewer)
    const found = this.#options.sources.slow?.slowest(shownStatements) ?? []
    const known = new Set(found.map(({ sql }) => sql))
    for (const sql of this.#plans.keys()) if (!known.has(sql)) this.#plans.delete(sql)
    const { node } = this.#options
    return Promise.all(found.map(async (one) => ({ node, ...one, plan: await this.#planOf(one.sql) })))
  }

  /** Whether the statements of a request of this viewer may be recorded. */
  mayRecord(viewer: Viewer): boolean {
    return this.#options.sources.recorder !== null && isAdmin(viewer)
  }

  record<T>(requestId: string, work: () => T | Promise<T>): Promise<T> {
    return this.#options.sources.recorder!.record(requestId, work)
  }

  /** Of a recorded request, in their order. `request` is its id; absent: the last one. */
  async statements(viewer: Viewer, request: unknown): Promise<PlannedStatement[]> {
    admit(viewer)
    const { recorder } = this.#options.sources
    const isNamed = request !== undefined && request !== null
    const found = (isNamed ? recorder?.find(String(request)) : recorder?.last) ?? null
    if (found === null && !isNamed) return []
    if (found === null) {
      throw nothing(
        'The statements of this request were not recorded, or it is too long ago.',
        'Send it to this node with the header Prefer: statements, and ask with the x-request-id of its answer.',
      )
    }
    const plans = new Map<string, Promise<string | null>>()
    for (const { sql } of found.statements)
      if (!plans.has(sql))
        plans.set(
          sql,
          this.#options.explain(sql).catch(() => null),
        )
    const { request: id, statements } = found
    return Promise.all(statements.map(async (one) => ({ request: id, ...one, plan: await plans.get(one.sql)! })))
  }

  log(viewer: Viewer, input: LogInput, place = ''): NodeLog {
    admit(viewer)
    return { node: this.#options.node, ...this.#log().tail(readFilter(input, place), `${place}after`) }
  }

  /** The same, but waits for entries. `again` judges the token after that. */
  async follow(
    viewer: Viewer,
    input: LogInput,
    seconds: number,
    again: () => Viewer | Promise<Viewer>,
  ): Promise<NodeLog> {
    const until = monotonicTime() + seconds * 1000
    for (;;) {
      const tail = this.log(viewer, input)
      const left = until - monotonicTime()
      if (tail.entries.length > 0 || tail.missed || left <= 0 || this.#isEnding) return tail
      await this.#log().changed(left)
      admit(await again())
    }
  }

  /** Ends all waiting, and lets nobody wait any more. */
  drain(): void {
    this.#isEnding = true
    this.#options.sources.log?.wake()
  }

  #log(): NonNullable<MonitorSources['log']> {
    const { log } = this.#options.sources
    if (log === null) throw nothing('This server keeps no log entries.', 'twain start and twain dev keep them.')
    return log
  }

  #planOf(sql: string): Promise<string | null> {
    let plan = this.#plans.get(sql)
    if (plan === undefined) {
      plan = this.#options.explain(sql).catch(() => {
        this.#plans.delete(sql) // the database may tell the next time
        return null
      })
      this.#plans.set(sql, plan)
    }
    return plan
  }
}

function admit(viewer: Viewer): void {
  requireAdmin(viewer, 'The nodes, the load, the statements and the log need the role admin.')
}

export interface LogInput {
  level?: unknown
  words?: unknown
  first?: unknown
  after?: unknown
}

function readFilter({ level, words, first, after }: LogInput, place: string): LogFilter {
  const problems: Problem[] = []
  const text = typeof words === 'string' ? words : ''
  const found = text.split(/\s+/).filter((word) => word !== '')
  if (text.length > maxWordsLength || found.length > maxWords) {
    const message = `must have at most ${maxWords} words and ${maxWordsLength} characters.`
    problems.push({ path: `${place}words`, code: 'LENGTH', message })
  }
  const lowest = String(level ?? 'info')
  if (!(logLevels as readonly string[]).includes(lowest)) {
    const message = `must be ${logLevels.join(', ')}.${didYouMean(lowest, logLevels)}`
    problems.push({ path: `${place}level`, code: 'TYPE', message })
  }
  const count = wholeNumber(first ?? defaultLogEntries, maxLogEntries, `${place}first`, problems)
  if (problems.length > 0) throw validationError(problems)
  return {
    level: lowest as LogLevel,
    words: found,
    first: count,
    after: after === undefined || after === null ? null : String(after),
  }
}

/** A number, or the digits of one. */
function wholeNumber(value: unknown, max: number, path: string, problems: Problem[]): number {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= max) return number
  problems.push({ path, code: 'RANGE', message: `must be a whole number from 1 to ${max}.` })
  return 1
}

function cachesOf(gauges: readonly Gauge[]): MonitoredCache[] {
  const members = {
    cache_entries: 'entries',
    cache_bytes: 'bytes',
    cache_hits_total: 'hits',
    cache_misses_total: 'misses',
  }
  const caches = new Map<string, MonitoredCache>()
  for (const { name, cache, value } of gauges) {
    if (cache === undefined || !Object.hasOwn(members, name)) continue
    const one = caches.get(cache) ?? { name: cache, entries: 0, bytes: 0, hits: 0, misses: 0 }
    one[members[name as keyof typeof members] as 'entries'] = value()
    caches.set(cache, one)
  }
  return [...caches.values()]
}

function nothing(message: string, hint: string): ApiError {
  return new ApiError('NOT_FOUND', message, { hint })
}
