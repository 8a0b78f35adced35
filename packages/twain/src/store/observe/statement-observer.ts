// Statements as an operator sees them: the slow-query log, and spans by the semantic conventions of database clients. Neither
// has the values of parameters.
//
// 1. Without tracing a statement costs two readings of the clock.
// 2. Only work that belongs to a trace has spans: the server's own statements, such as those of the queue, would be noise.

import {
  type Attributes,
  type Log,
  type MaybePromise,
  recordError,
  type SlowStatements,
  type Span,
  type StatementRecorder,
  type StatementRecording,
  type Tracing,
  unreachable,
} from '#base'
import type { Plan } from '#plan'
import { indexHint, orderHint, planShape } from '#plan/explain'

interface ObserverOptions {
  system: 'sqlite' | 'postgresql'
  log: Log
  /** Statements that take at least so many milliseconds are logged; 0: none. */
  slowQueryMs: number
  /** Where slow statements are kept; null: nowhere. */
  slowStatements?: SlowStatements | null
  /** Null: statements of single requests are not recorded. */
  recorder?: StatementRecorder | null
  tracing: Tracing | null
  /** Attributes of every span, such as the address of the server. */
  attributes?: Attributes
}

/** What a statement belongs to: a plan, or words such as `create Post` where the plan is not known. */
export type StatementSubject = Plan | string

/** When a commit began and ended, in milliseconds since 1970. */
export interface CommitTimes {
  began: number
  ended: number
}

interface CommitFacts {
  sql?: string | null
  /** Why it failed. */
  error?: unknown
}

export class StatementObserver {
  /** Null: nothing is traced. */
  readonly tracing: Tracing | null
  readonly slowMs: number
  readonly #log: Log
  readonly #slowStatements: SlowStatements | null
  readonly #recorder: StatementRecorder | null
  readonly #attributes: Attributes

  constructor(options: ObserverOptions) {
    const { system, log, slowQueryMs, slowStatements = null, recorder = null, tracing, attributes = {} } = options
    this.tracing = tracing
    this.slowMs = slowQueryMs === 0 ? Number.POSITIVE_INFINITY : slowQueryMs
    this.#log = log
    this.#slowStatements = slowStatements
    this.#recorder = recorder
    this.#attributes = { 'db.system.name': system, ...attributes }
  }

  /** That of the running request; null: it is not recorded. */
  get recording(): StatementRecording | null {
    return this.#recorder === null ? null : this.#recorder.current
  }

  /** A recording whose statements another thread runs. */
  recordingById(id: number): StatementRecording | undefined {
    return this.#recorder?.byId(id)
  }

  /** Logs the statement if it was slow. */
  took(milliseconds: number, sql: string, subject: StatementSubject): void {
    if (milliseconds < this.slowMs) return
    const shape = shapeOf(subject)
    const duration_ms = Math.round(milliseconds * 100) / 100
    const hint = typeof subject === 'string' ? null : (orderHint(subject) ?? indexHint(subject))
    this.#log.warn({ duration_ms, shape, 'db.query.text': sql, ...(hint === null ? {} : { hint }) }, 'slow query')
    this.#slowStatements?.record({ shape, sql, hint }, milliseconds)
  }

  /** The span of a plan around its work; without tracing only the work. */
  traced<T>(plan: Plan, sql: string | null, work: () => MaybePromise<T>): MaybePromise<T> {
    const { tracing } = this
    if (tracing === null || !tracing.isActive) return work()
    return tracing.around(this.#start(tracing, summaryOf(plan), sql), work)
  }

  /** The same for statements that are sent together; `isCommit`: the last one is COMMIT. */
  tracedBatch<T>(statements: readonly string[], isCommit: boolean, work: () => Promise<T>): Promise<T> {
    const { tracing } = this
    if (tracing === null || !tracing.isActive) return work()
    const span = this.#start(tracing, { operation: isCommit ? 'COMMIT' : 'BATCH' }, statements.join(';\n'))
    if (statements.length > 1) span.setAttribute('db.operation.batch.size', statements.length)
    return tracing.around(span, work)
  }

  /** A commit that has ended: another thread made it, or it was that of several writes. */
  committed({ began, ended }: CommitTimes, batchSize: number, { sql = null, error }: CommitFacts = {}): void {
    const { tracing } = this
    if (tracing === null || !tracing.isActive) return
    const span = this.#start(tracing, { operation: 'COMMIT' }, sql, began)
    if (batchSize > 1) span.setAttribute('db.operation.batch.size', batchSize)
    if (error !== undefined) recordError(span, error)
    span.end(ended)
  }

  #start(tracing: Tracing, { operation, collection }: StatementSummary, sql: string | null, startTime?: number): Span {
    const summary = collection === undefined ? operation : `${operation} ${collection}`
    return tracing.start(summary, {
      kind: 'client',
      attributes: {
        ...this.#attributes,
        'db.operation.name': operation,
        'db.collection.name': collection,
        'db.query.summary': summary,
        'db.query.text': sql ?? undefined,
      },
      ...(startTime === undefined ? {} : { startTime }),
    })
  }
}

/** Nothing is logged or traced. */
export const unobserved = new StatementObserver({
  system: 'sqlite',
  log: { info() {}, warn() {}, error() {} },
  slowQueryMs: 0,
  tracing: null,
})

interface StatementSummary {
  operation: string
  collection?: string
}

const writeOperations = {
  create: 'INSERT',
  replace: 'UPSERT',
  upsert: 'UPSERT',
  update: 'UPDATE',
  delete: 'DELETE',
  restore: 'UPDATE',
  purge: 'DELETE',
} as const

/** What a statement is about, in words. */
export function shapeOf(subject: StatementSubject): string {
  return typeof subject === 'string' ? subject : planShape(subject)
}

function summaryOf(plan: Plan): StatementSummary {
  switch (plan.kind) {
    case 'one':
    case 'many':
    case 'groups':
      return { operation: 'SELECT', collection: plan.of.name }
    case 'write':
      return { operation: writeOperations[plan.action], collection: plan.of.name }
    case 'bulk':
      return { operation: writeOperations[plan.write.action], collection: plan.of.name }
    case 'batch':
      return { operation: 'BATCH', ...(plan.writes[0] && { collection: plan.writes[0].of.name }) }
    default:
      return unreachable(plan)
  }
}
