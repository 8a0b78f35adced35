// Reads of the SQLite store: plan → statement → result.
//
// 1. The main thread runs a read that the estimate proves short, or one that counts its rejected rows and stops after too
//    many. All other reads run in a process that can be killed (docs/internals/decisions/0003-long-reads.md).
// 2. A hot read creates no promise: it is looked up, bound, and answered from the cache or by one step of its statement.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CacheBudget } from '#base'
import { clientKey, type Viewer } from '#base/http'
import { monotonicTime } from '#base/time'
import { isView } from '#model'
import type { AuthorizedPlan, ReadPlan } from '#plan'
import { type StatementObserver, shapeOf } from '../../observe/statement-observer.ts'
import type { StorageFailures } from '../../observe/storage-failures.ts'
import { CompiledReads } from '../../read/compiled-reads.ts'
import { isDeep } from '../../read/deep-page.ts'
import { type Estimate, estimate, estimateCounted, estimateMiss } from '../../read/estimate.ts'
import { type ReadResult, toResult } from '../../read/read-result.ts'
import { bind } from '../../sql/bind.ts'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'
import { type CompiledRead, compileCountedRead, compileDeepRead, compileRead } from '../../sql/read.ts'
import { type Layout, tableOf } from '../../tables/layout.ts'
import type { RunOptions } from '../../write/open-transaction.ts'
import { isResultTooLarge } from '../connect/connect.ts'
import { clearFunctionError, requireNoFunctionError } from '../connect/function-error.ts'
import { sqlite } from '../dialect.ts'
import type { LongReader } from './long-reader.ts'
import { type EstimatedRead, MissCounter, type ReadCost } from './read-cost.ts'
import { cacheKey, type ResultCache } from './result-cache.ts'
import type { Snapshot } from './snapshot.ts'

/** How long the main thread does not try a read again that was too much for it. */
const longReadMemoryMs = 1000

interface SqliteReaderOptions {
  layout: Layout
  reading: DatabaseSync
  snapshot: Snapshot
  resultCache: ResultCache
  longReader: LongReader
  failures: StorageFailures
  cost: ReadCost
  caches: CacheBudget
  observer: StatementObserver
  minDeepOffset: number
}

interface PreparedRead extends CompiledRead, EstimatedRead {
  statement: StatementSync
  /** When its result was last too large for the main thread. */
  tooLargeAt: number
  /** Whether its result depends on the time. */
  isTimed: boolean
  /** For a read whose filters may be long: it counts rejected rows. Compiled on first use. */
  counted: CountedRead | undefined
}

interface CountedRead extends CompiledRead, EstimatedRead {
  statement: StatementSync
  /** The cost of a rejected row. */
  miss: Estimate
  /** When it last rejected too many rows, or its result was too large. */
  tooLongAt: number
}

export class SqliteReader {
  readonly #options: SqliteReaderOptions
  readonly #prepared: CompiledReads<PreparedRead>
  readonly #misses: MissCounter
  #compiled = 0

  constructor(options: SqliteReaderOptions) {
    this.#options = options
    this.#misses = new MissCounter(options.reading)
    this.#prepared = new CompiledReads((...read) => this.#prepare(...read), options.caches)
  }

  /** How many statements were compiled so far. */
  get compiled(): number {
    return this.#compiled
  }

  read(
    plan: AuthorizedPlan<ReadPlan>,
    values: readonly unknown[],
    options: RunOptions,
    viewer: Viewer,
  ): ReadResult | Promise<ReadResult> {
    const prepared = this.#prepared.get(plan, options.more === true, isDeep(plan, values, this.#options.minDeepOffset))
    const parameters = bind(prepared.parameters, values, viewer, sqlite)
    const snapshot = this.#options.snapshot.acquire()
    const answers = prepared.isTimed ? null : this.#options.resultCache.resultsOf(prepared, snapshot)
    const key = answers === null ? null : cacheKey(parameters)
    if (answers === null || key === null) return this.#observed(prepared, parameters, plan, values, options, viewer)
    const known = answers.get(key)
    if (known) {
      this.#options.resultCache.hits++
      this.#options.observer.recording?.add(shapeOf(plan), prepared.sql, 0, true)
      return known
    }
    this.#options.resultCache.misses++
    const answer = this.#observed(prepared, parameters, plan, values, options, viewer)
    if (!(answer instanceof Promise)) this.#options.resultCache.add(answers, key, answer)
    return answer
  }

  /** The read as a query for the writer, in a transaction that is open there. */
  queryFor(plan: AuthorizedPlan<ReadPlan>, values: readonly unknown[], more: boolean, viewer: Viewer): Query {
    const prepared = this.#prepared.get(plan, more)
    this.#options.cost.requireShort(prepared, values)
    return { sql: prepared.sql, parameters: bind(prepared.parameters, values, viewer, sqlite) }
  }

  #observed(
    prepared: PreparedRead,
    parameters: SqlValue[],
    plan: AuthorizedPlan<ReadPlan>,
    values: readonly unknown[],
    options: RunOptions,
    viewer: Viewer,
  ): ReadResult | Promise<ReadResult> {
    const { observer } = this.#options
    const { sql } = prepared
    if (observer.tracing !== null)
      return observer.traced(plan, sql, () => this.#timed(prepared, parameters, plan, values, options, viewer))
    return this.#timed(prepared, parameters, plan, values, options, viewer)
  }

  #timed(
    prepared: PreparedRead,
    parameters: SqlValue[],
    plan: AuthorizedPlan<ReadPlan>,
    values: readonly unknown[],
    options: RunOptions,
    viewer: Viewer,
  ): ReadResult | Promise<ReadResult> {
    const { observer } = this.#options
    const { recording } = observer
    const began = monotonicTime()
    const read = this.#readRow(prepared, parameters, plan, values, options, viewer)
    if (!(read instanceof Promise)) {
      const milliseconds = monotonicTime() - began
      recording?.add(shapeOf(plan), prepared.sql, milliseconds)
      if (milliseconds >= observer.slowMs) observer.took(milliseconds, prepared.sql, plan)
      return read
    }
    return read.finally(() => {
      const milliseconds = monotonicTime() - began
      recording?.add(shapeOf(plan), prepared.sql, milliseconds)
      observer.took(milliseconds, prepared.sql, plan)
    })
  }

  /** Reads on the main thread, or in a process if it may be long. */
  #readRow(
    prepared: PreparedRead,
    parameters: SqlValue[],
    plan: AuthorizedPlan<ReadPlan>,
    values: readonly unknown[],
    options: RunOptions,
    viewer: Viewer,
  ): ReadResult | Promise<ReadResult> {
    let here: unknown[] | null | undefined
    if (this.#options.cost.isLong(prepared, values)) {
      prepared.counted ??= this.#prepareCounted(plan, options.more === true)
      here = this.#readCounted(prepared.counted, values, viewer)
    } else if (prepared.tooLargeAt === 0 || monotonicTime() - prepared.tooLargeAt > longReadMemoryMs) {
      here = readRow(prepared.statement, parameters, this.#options.failures)
      if (here === undefined) prepared.tooLargeAt = monotonicTime()
    }
    if (here !== undefined) return toResult(plan, here)
    const client = options.caller?.client ?? clientKey(viewer, '')
    return this.#options.longReader.read(prepared.sql, parameters, client).then((row) => toResult(plan, row))
  }

  /** The row of the statement; undefined if the read may be long, or was, or its result is too large. */
  #readCounted(counted: CountedRead, values: readonly unknown[], viewer: Viewer): unknown[] | null | undefined {
    const maxMisses = this.#options.cost.maxMisses(counted, values)
    if (maxMisses === null || monotonicTime() - counted.tooLongAt < longReadMemoryMs) return undefined
    const parameters = bind(counted.parameters, values, viewer, sqlite)
    const row = this.#misses.run(maxMisses, () => readRow(counted.statement, parameters, this.#options.failures))
    if (row === undefined) counted.tooLongAt = monotonicTime()
    return row
  }

  #prepare(plan: AuthorizedPlan<ReadPlan>, more: boolean, deep: boolean): PreparedRead {
    const compile = deep ? compileDeepRead : compileRead
    const compiled = this.#open(compile(plan, this.#options.layout, more, sqlite))
    const isTimed = plan.of.kind === 'resource' && tableOf(this.#options.layout, plan.of).isTimed === true
    return { ...compiled, estimate: readEstimate(plan, estimate), tooLargeAt: 0, isTimed, counted: undefined }
  }

  #prepareCounted(plan: AuthorizedPlan<ReadPlan>, more: boolean): CountedRead {
    return {
      ...this.#open(compileCountedRead(plan, this.#options.layout, more, sqlite)),
      estimate: readEstimate(plan, estimateCounted),
      miss: estimateMiss(plan),
      tooLongAt: -longReadMemoryMs,
    }
  }

  #open(compiled: CompiledRead): CompiledRead & { statement: StatementSync } {
    this.#compiled++
    const statement = this.#options.reading.prepare(compiled.sql)
    statement.setReturnArrays(true)
    return { ...compiled, statement }
  }
}

/** What a view reads is unknown before it runs, so it never runs on the main thread. */
function readEstimate(
  plan: AuthorizedPlan<ReadPlan>,
  estimateOf: (plan: ReadPlan) => Estimate | null,
): Estimate | null {
  return isView(plan.of) ? () => Number.POSITIVE_INFINITY : estimateOf(plan)
}

/** Undefined if the result is too large for the main thread. */
function readRow(
  statement: StatementSync,
  parameters: SqlValue[],
  failures: StorageFailures,
): unknown[] | null | undefined {
  try {
    clearFunctionError()
    const row = statement.get(...parameters) as unknown[] | undefined
    if (row === undefined) requireNoFunctionError()
    return row ?? null
  } catch (error) {
    if (isResultTooLarge(error)) return undefined
    throw failures.explain(error)
  }
}
