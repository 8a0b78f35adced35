// Answers under keys, outside of a write: those of writes are kept in the write's own transaction (`apply-once.ts`).

import type { IdempotencyKey } from '#base'
import type { IdempotencyRecords } from '../contract.ts'
import type { OwnTables } from '../system/system-tables.ts'
import { findAnswer, keepAnswer, recalled } from './apply-idempotent.ts'
import { type OwnQuery, ownQuery } from './steps/system-query.ts'

export class OnceRecords implements IdempotencyRecords {
  readonly #tables: Pick<OwnTables, 'dialect' | 'run'>
  readonly #query: OwnQuery

  constructor(tables: Pick<OwnTables, 'dialect' | 'run'>) {
    this.#tables = tables
    this.#query = ownQuery(tables.dialect)
  }

  async recall<A extends object>(once: IdempotencyKey): Promise<A | null> {
    const [rows] = await this.#tables.run(findAnswer(once, now(), this.#query))
    return recalled(once, rows!)
  }

  async remember(once: IdempotencyKey, answer: object): Promise<void> {
    const { run, dialect } = this.#tables
    await run(...keepAnswer(once, answer, now(), this.#query, dialect.unheld))
  }
}

function now(): string {
  return new Date().toISOString()
}
