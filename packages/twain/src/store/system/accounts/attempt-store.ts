// Failed attempts to sign in and what else is limited, counted for all nodes together: the table, and the statements on it. Both
// databases run the same. None of it is in the change log.
//
// 1. A key is a hash of what it counts for: a login, a network, both, or a device.
// 2. Only a failure is written. A success reads, and deletes what it clears.
// 3. A count ends an hour after its last failure. A failure that lies ahead was stored by a clock that was: its count has ended, too. Each node deletes ended ones once a minute while it writes, so that the table has no
//    more rows than the failures of an hour.
//
// Times are milliseconds since 1970.

import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'
import { type SystemQuery, type SystemTables, systemQuery } from '../system-tables.ts'

/** How long a count lasts after its last failure. */
const attemptLifetimeMs = 3_600_000
const pruneIntervalMs = 60_000
/** Clocks of nodes differ by less. */
const maxAheadMs = 60_000

export interface AttemptCount {
  failures: number
  /** When the bucket of this key is full again: each failure postpones it. */
  fullAt: number
  last: number
}

export interface AttemptStore {
  /** The counts that have not ended, by key. */
  read(keys: readonly string[], now: number): Promise<ReadonlyMap<string, AttemptCount>>
  /** Adds a failure to each key; `refillMs` is what it costs a bucket. */
  fail(keys: readonly { key: string; refillMs: number }[], now: number): Promise<void>
  forget(keys: readonly string[]): Promise<void>
}

/** Parameters as in `webhookTables`. */
export function attemptTable({ text, whole, kind }: Record<'text' | 'whole' | 'kind', string>): string {
  return `
CREATE TABLE IF NOT EXISTS twain_attempt (
  key ${text} PRIMARY KEY, -- a hash of what it counts for
  failures ${whole} NOT NULL,
  full_at ${whole} NOT NULL, -- when its bucket is full again
  last_at ${whole} NOT NULL
)${kind};
CREATE INDEX IF NOT EXISTS twain_attempt_last ON twain_attempt (last_at)`
}

const upsert =
  'INSERT INTO twain_attempt (key, failures, full_at, last_at) VALUES (?1, 1, ?2, ?3) ON CONFLICT (key) DO UPDATE SET ' +
  'failures = CASE WHEN twain_attempt.last_at BETWEEN ?4 AND ?5 THEN twain_attempt.failures + 1 ELSE 1 END, ' +
  'full_at = CASE WHEN twain_attempt.full_at > ?3 AND twain_attempt.last_at <= ?5 THEN twain_attempt.full_at + ?6 ELSE ?2 END, ' +
  'last_at = ?3'

export class SqlAttemptStore implements AttemptStore {
  readonly #tables: SystemTables
  readonly #query: SystemQuery
  #pruned = 0

  constructor(tables: SystemTables) {
    this.#tables = tables
    this.#query = systemQuery(tables.dialect)
  }

  async read(keys: readonly string[], now: number): Promise<ReadonlyMap<string, AttemptCount>> {
    const places = keys.map((_, n) => `?${n + 3}`).join(', ')
    const sql = `SELECT key, failures, full_at, last_at FROM twain_attempt WHERE last_at BETWEEN ?1 AND ?2 AND key IN (${places})`
    const rows = await this.#tables.read(this.#query(sql, ...lifetimeAt(now), ...keys))
    return new Map(rows.map(([key, ...counts]) => [key as string, toCount(counts)]))
  }

  async fail(keys: readonly { key: string; refillMs: number }[], now: number): Promise<void> {
    const lifetime = lifetimeAt(now)
    // In one order, so that two nodes never wait for each other.
    const statements = keys
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ key, refillMs }) => this.#query(upsert, key, now + refillMs, now, ...lifetime, refillMs))
    await this.#tables.run(...statements)
    if (now - this.#pruned < pruneIntervalMs) return
    this.#pruned = now
    await this.#tables.run(this.#prune(this.#tables.clock.past(attemptLifetimeMs) - attemptLifetimeMs))
  }

  async forget(keys: readonly string[]): Promise<void> {
    await this.#tables.run(
      ...keys.toSorted().map((key) => this.#query('DELETE FROM twain_attempt WHERE key = ?1', key)),
    )
  }

  #prune(begin: number): Query {
    return this.#query('DELETE FROM twain_attempt WHERE last_at < ?1', begin)
  }
}

/** When the last failure of a count can have been that has not ended (3). */
function lifetimeAt(now: number): [from: number, to: number] {
  return [now - attemptLifetimeMs, now + maxAheadMs]
}

function toCount([failures, fullAt, last]: SqlValue[]): AttemptCount {
  return { failures: Number(failures), fullAt: Number(fullAt), last: Number(last) }
}
