// Results stored under idempotency keys (`Idempotency-Key`), outside of a write. A write saves its result in its own
// transaction (`write/apply-job.ts`).

import type { IdempotencyKey } from '#base/http'
import type { PlanResult } from '#plan'
import { findResult, readResult, saveResult } from './idempotency-table.ts'
import { type SystemQuery, type SystemTables, systemQuery } from './system-tables.ts'

export interface IdempotencyRecords {
  /** The result of a write, or what `remember` saved; null: there is none. Throws an ApiError if the key was used for another
   *  request. */
  recall<A extends object = PlanResult>(key: IdempotencyKey): Promise<A | null>
  /** Saves the result of a request that is more than one write. */
  remember(key: IdempotencyKey, result: object): Promise<void>
}

export class SqlIdempotencyRecords implements IdempotencyRecords {
  readonly #tables: Pick<SystemTables, 'dialect' | 'run'>
  readonly #query: SystemQuery

  constructor(tables: Pick<SystemTables, 'dialect' | 'run'>) {
    this.#tables = tables
    this.#query = systemQuery(tables.dialect)
  }

  async recall<A extends object>(key: IdempotencyKey): Promise<A | null> {
    const [rows] = await this.#tables.run(findResult(key, now(), this.#query))
    return readResult(key, rows!)
  }

  async remember(key: IdempotencyKey, result: object): Promise<void> {
    const { run, dialect } = this.#tables
    await run(...saveResult(key, result, now(), this.#query, dialect.skipLocked))
  }
}

function now(): string {
  return new Date().toISOString()
}
