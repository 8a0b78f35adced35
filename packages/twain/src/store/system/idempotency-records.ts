// Results stored under idempotency keys (`Idempotency-Key`), outside of a write. A write saves its result in its own
// transaction (`write/apply-job.ts`).

import { type IdempotencyKey, requestInFlight } from '#base/http'
import type { PlanResult } from '#plan'
import type { Query, QueryRows } from '../sql/query.ts'
import type { WriteDialect } from '../sql/write-dialect.ts'
import type { StoreClock } from '../store-clock.ts'
import { findResult, readResult, saveResult } from './idempotency-table.ts'
import { type SystemQuery, type SystemTables, systemQuery } from './system-tables.ts'

export interface IdempotencyRecords {
  readonly queries: IdempotencyQueries
  /** The result of a write, or what `remember` saved; null: there is none. Throws an ApiError if the key was used for another
   *  request. */
  recall<A extends object = PlanResult>(key: IdempotencyKey): Promise<A | null>
  /** Saves the result of a request that is more than one write. */
  remember(key: IdempotencyKey, result: object): Promise<void>
}

/** The queries that an open transaction runs. */
export class IdempotencyQueries {
  readonly #query: SystemQuery
  readonly #dialect: WriteDialect
  readonly #clock: StoreClock

  constructor({ dialect, clock }: Pick<SystemTables, 'dialect' | 'clock'>) {
    this.#query = systemQuery(dialect)
    this.#dialect = dialect
    this.#clock = clock
  }

  find(key: IdempotencyKey): Query {
    return findResult(key, this.#clock, this.#query)
  }

  save(key: IdempotencyKey, result: object): Query[] {
    return saveResult(key, result, this.#clock, this.#query, this.#dialect.skipLocked)
  }

  /** Holds the key until the transaction ends. */
  async recall<A extends object>(
    key: IdempotencyKey,
    run: (...queries: Query[]) => Promise<readonly QueryRows[]>,
  ): Promise<A | null> {
    const { lockKey } = this.#dialect
    const locked = lockKey === null ? [] : await run(this.#query(lockKey, key.id))
    if (locked.length > 0 && Number(locked[0]![0]![0]) === 0) throw requestInFlight()
    const [found] = await run(this.find(key))
    return readResult(key, found!)
  }
}

export class SqlIdempotencyRecords implements IdempotencyRecords {
  readonly queries: IdempotencyQueries
  readonly #run: SystemTables['run']

  constructor(tables: Pick<SystemTables, 'dialect' | 'clock' | 'run'>) {
    this.queries = new IdempotencyQueries(tables)
    this.#run = tables.run
  }

  async recall<A extends object>(key: IdempotencyKey): Promise<A | null> {
    const [rows] = await this.#run(this.queries.find(key))
    return readResult(key, rows!)
  }

  async remember(key: IdempotencyKey, result: object): Promise<void> {
    await this.#run(...this.queries.save(key, result))
  }
}
