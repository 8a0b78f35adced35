// The results of writes with an `Idempotency-Key`: their table, and the statements on it. Both databases run the same.

import { type IdempotencyKey, idempotencyKeyReused } from '#base/http'
import type { SqlValue } from '../sql/encode.ts'
import type { Query, QueryRows } from '../sql/query.ts'
import type { StoreClock } from '../store-clock.ts'
import { type SystemQuery, toText } from './system-tables.ts'

const retentionMs = 24 * 60 * 60 * 1000

/** Each saved result deletes up to so many expired ones, so that no sweep is needed. */
const maxExpiredPerSave = 20

/** `text` is the SQL type of texts that sort by code point; `kind` is appended to the table. */
export function idempotencyTable({ text, kind }: { text: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_idempotency_key (
  id ${text} PRIMARY KEY, -- a hash of viewer, key and operation
  fingerprint ${text} NOT NULL, -- a hash of the request
  result ${text} NOT NULL, -- JSON
  time ${text} NOT NULL
)${kind};
CREATE INDEX IF NOT EXISTS twain_idempotency_key_time ON twain_idempotency_key (time)`
}

/** Selects the saved result; `readResult` reads it. */
export function findResult({ id }: IdempotencyKey, clock: StoreClock, query: SystemQuery): Query {
  return query('SELECT fingerprint, result FROM twain_idempotency_key WHERE id = ?1 AND time >= ?2', id, expiry(clock))
}

/** Null if there is none. Throws an ApiError if the key was used for another request. */
export function readResult<W extends object>({ fingerprint }: IdempotencyKey, [found]: QueryRows): W | null {
  if (found === undefined) return null
  if (found[0] !== fingerprint) throw idempotencyKeyReused()
  return { ...(JSON.parse(String(found[1])) as W), replayed: true }
}

/** `skipLocked` is the dialect's. Also deletes some expired results. */
export function saveResult(
  { id, fingerprint }: IdempotencyKey,
  result: object,
  clock: StoreClock,
  query: SystemQuery,
  skipLocked: string,
): Query[] {
  return [
    deleteExpired(clock, query, skipLocked),
    query(
      'INSERT INTO twain_idempotency_key (id, fingerprint, result, time) VALUES (?1, ?2, ?3, ?4) ' +
        'ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, result = excluded.result, time = excluded.time',
      ...[id, fingerprint, JSON.stringify(result), toText(clock.latest())],
    ),
  ]
}

/** Deletes some expired results; returns a row for each. */
export function deleteExpired(
  clock: StoreClock,
  query: SystemQuery,
  skipLocked: string,
  maxCount = maxExpiredPerSave,
): Query {
  const old = `SELECT id FROM twain_idempotency_key WHERE time < ?1 ORDER BY time LIMIT ${maxCount}${skipLocked}`
  return query(`DELETE FROM twain_idempotency_key WHERE id IN (${old}) RETURNING 1`, expiry(clock))
}

/** Saves a result without a lock on the key: returns no row if another request has the key. Nor does it claim the key if
 *  `from`, whose placeholders begin with `?6`, returns no row. */
export function claimKey(
  { id, fingerprint }: IdempotencyKey,
  result: object,
  clock: StoreClock,
  query: SystemQuery,
  from = 'SELECT 1',
  ...values: SqlValue[]
): Query {
  return query(
    `INSERT INTO twain_idempotency_key (id, fingerprint, result, time) SELECT ?1, ?2, ?3, ?4 FROM (${from}) AS there WHERE TRUE ` +
      unlessClaimed('?5'),
    ...[id, fingerprint, JSON.stringify(result), toText(clock.latest()), expiry(clock), ...values],
  )
}

/** The same for a result that `from` returns as `result`, if it returns a row. Its placeholders begin with `?5`. */
export function claimKeyFor(
  { id, fingerprint }: IdempotencyKey,
  clock: StoreClock,
  query: SystemQuery,
  from: string,
  ...values: SqlValue[]
): Query {
  return query(
    `INSERT INTO twain_idempotency_key (id, fingerprint, result, time) SELECT ?1, ?2, there.result, ?3 FROM (${from}) AS there WHERE TRUE ` +
      unlessClaimed('?4'),
    ...[id, fingerprint, toText(clock.latest()), expiry(clock), ...values],
  )
}

function unlessClaimed(expired: string): string {
  return (
    'ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, result = excluded.result, time = excluded.time ' +
    `WHERE twain_idempotency_key.time < ${expired} RETURNING id`
  )
}

function expiry(clock: StoreClock): string {
  return toText(clock.earliest() - retentionMs)
}
