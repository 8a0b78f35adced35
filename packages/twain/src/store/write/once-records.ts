// Answers that are kept under a key and are not of a write: each is found, or kept, by itself (`apply-once.ts` has those of
// writes, which are kept in the write's own transaction).

import type { Once } from '#base'
import type { OwnTables } from '../own-tables.ts'
import { findAnswer, keepAnswer, recalled } from './apply-once.ts'
import { type OwnQuery, ownQuery } from './own-query.ts'

export class OnceRecords {
  readonly #tables: Pick<OwnTables, 'dialect' | 'run'>
  readonly #query: OwnQuery

  constructor(tables: Pick<OwnTables, 'dialect' | 'run'>) {
    this.#tables = tables
    this.#query = ownQuery(tables.dialect)
  }

  /** Null when there is none. Throws a Fault when the key was used for something else. */
  async recall<A extends object>(once: Once): Promise<A | null> {
    const [rows] = await this.#tables.run(findAnswer(once, now(), this.#query))
    return recalled(once, rows!)
  }

  async remember(once: Once, answer: object): Promise<void> {
    const { run, dialect } = this.#tables
    await run(...keepAnswer(once, answer, now(), this.#query, dialect.unheld))
  }
}

function now(): string {
  return new Date().toISOString()
}
