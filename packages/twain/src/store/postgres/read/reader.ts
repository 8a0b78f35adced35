// Reads of the PostgreSQL store: plan → statement → result. Every read is one statement and one round trip, and the server
// caches its plan for each connection. A replica answers if there are any, except where the viewer must see its own writes.

import type { CacheBudget } from '#base'
import { clientKey, type Viewer } from '#base/http'
import { isView } from '#model'
import type { AuthorizedPlan, ReadPlan } from '#plan'
import type { StatementObserver } from '../../observe/statement-observer.ts'
import { CompiledReads } from '../../read/compiled-reads.ts'
import { isDeep } from '../../read/deep-page.ts'
import { type ReadResult, toResult } from '../../read/read-result.ts'
import { bind } from '../../sql/bind.ts'
import type { Query } from '../../sql/query.ts'
import { type CompiledRead, compileDeepRead, compileRead } from '../../sql/read.ts'
import type { Layout } from '../../tables/layout.ts'
import type { RunOptions } from '../../write/open-transaction.ts'
import { postgres } from '../dialect.ts'
import type { QueriedPlan, ReadPool } from './read-pool.ts'
import { ReadTime } from './read-time.ts'
import type { Replicas } from './replicas.ts'

interface TimedRead extends CompiledRead {
  /** Null: it is always short. */
  time: ReadTime | null
  ofView: boolean
}

interface PostgresReaderOptions {
  layout: Layout
  pool: ReadPool
  /** The connections of views, which can't write; null without views. */
  viewPool: ReadPool | null
  replicas: Replicas | null
  caches: CacheBudget
  observer: StatementObserver
  minDeepOffset: number
}

export class PostgresReader {
  readonly #pool: ReadPool
  readonly #viewPool: ReadPool | null
  readonly #replicas: Replicas | null
  readonly #compiled: CompiledReads<TimedRead>
  readonly #observer: StatementObserver
  readonly #minDeepOffset: number

  constructor({ layout, pool, viewPool, replicas, caches, observer, minDeepOffset }: PostgresReaderOptions) {
    this.#viewPool = viewPool
    this.#observer = observer
    this.#minDeepOffset = minDeepOffset
    this.#pool = pool
    this.#replicas = replicas
    this.#compiled = new CompiledReads(
      (plan, more, deep) => ({
        ...(deep ? compileDeepRead : compileRead)(plan, layout, more, postgres),
        time: ReadTime.of(plan),
        ofView: isView(plan.of),
      }),
      caches,
    )
  }

  async read(
    plan: AuthorizedPlan<ReadPlan>,
    values: readonly unknown[],
    options: RunOptions,
    viewer: Viewer,
  ): Promise<ReadResult> {
    const { sql, parameters, time, ofView } = this.#compiled.get(
      plan,
      options.more === true,
      isDeep(plan, values, this.#minDeepOffset),
    )
    const bound = bind(parameters, values, viewer, postgres)
    const replicas = options.fresh === true || ofView ? null : this.#replicas
    const pool = ofView ? this.#viewPool! : this.#pool
    const of: QueriedPlan = {
      plan,
      timed: time === null ? null : { time, client: options.caller?.client ?? clientKey(viewer, '') },
    }
    const query = () => (replicas === null ? pool.query(sql, bound, of) : replicas.query(sql, bound, viewer, of))
    const [row] = await (this.#observer.tracing === null ? query() : this.#observer.traced(plan, sql, query))
    return toResult(plan, row ?? null)
  }

  /** The read as a query for the writer, in a transaction that is open there. */
  queryFor(plan: AuthorizedPlan<ReadPlan>, values: readonly unknown[], more: boolean, viewer: Viewer): Query {
    const { sql, parameters } = this.#compiled.get(plan, more)
    return { sql, parameters: bind(parameters, values, viewer, postgres) }
  }
}
