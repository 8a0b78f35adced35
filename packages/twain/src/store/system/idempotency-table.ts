// The results of writes with an `Idempotency-Key`: their table, and the statements on it. Both databases run the same.

import { type IdempotencyKey, idempotencyKeyReused } from '#base'
import type { SqlValue } from '../sql/encode.ts'
import type { Query, QueryRows } from '../sql/query.ts'
import type { SystemQuery } from '../sql/system-query.ts'

/** Milliseconds. */
const retentionMs = 24 * 60 * 60 * 1000

/** Expired answers that each kept one takes along: more go than come, so that no sweep is needed. */
const maxExpiredPerSave = 20

/** `text` is the type of a text that is ordered by code point; `kind` is said of the table. */
export function idempotencyTable({ text, kind }: { text: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_once (
  id ${text} PRIMARY KEY, -- a hash of viewer, key and operation
  print ${text} NOT NULL, -- a hash of what was sent
  answer ${text} NOT NULL, -- JSON
  time ${text} NOT NULL
)${kind};
CREATE INDEX IF NOT EXISTS twain_once_time ON twain_once (time)`
}

/** Gives the answer, if it is kept; `recalled` reads it. */
export function findResult({ id }: IdempotencyKey, time: string, query: SystemQuery): Query {
  return query('SELECT print, answer FROM twain_once WHERE id = ?1 AND time >= ?2', id, expiry(time))
}

/** Null when there is none. Throws a Fault when the key was used for something else. */
export function readResult<W extends object>({ fingerprint: print }: IdempotencyKey, [found]: QueryRows): W | null {
  if (found === undefined) return null
  if (found[0] !== print) throw idempotencyKeyReused()
  return { ...(JSON.parse(String(found[1])) as W), replayed: true }
}

/** `unheld` is the dialect's. Old ones go with each new one. */
export function saveResult(
  { id, fingerprint: print }: IdempotencyKey,
  answer: object,
  time: string,
  query: SystemQuery,
  unheld: string,
): Query[] {
  return [
    deleteExpired(time, query, unheld),
    query(
      'INSERT INTO twain_once (id, print, answer, time) VALUES (?1, ?2, ?3, ?4) ' +
        'ON CONFLICT (id) DO UPDATE SET print = excluded.print, answer = excluded.answer, time = excluded.time',
      ...[id, print, JSON.stringify(answer), time],
    ),
  ]
}

/** Some of those that have expired; gives a row for each. */
export function deleteExpired(time: string, query: SystemQuery, unheld: string, most = maxExpiredPerSave): Query {
  const old = `SELECT id FROM twain_once WHERE time < ?1 ORDER BY time LIMIT ${most}${unheld}`
  return query(`DELETE FROM twain_once WHERE id IN (${old}) RETURNING 1`, expiry(time))
}

/** The same where nothing holds the key meanwhile: it stays another's, and gives no row then. Nor is it claimed where `from`,
 *  whose places begin with `?6`, gives no row. */
export function claimKey(
  { id, fingerprint: print }: IdempotencyKey,
  answer: object,
  time: string,
  query: SystemQuery,
  from = 'SELECT 1',
  ...values: SqlValue[]
): Query {
  return query(
    `INSERT INTO twain_once (id, print, answer, time) SELECT ?1, ?2, ?3, ?4 FROM (${from}) AS there WHERE TRUE ` +
      'ON CONFLICT (id) DO UPDATE SET print = excluded.print, answer = excluded.answer, time = excluded.time ' +
      'WHERE twain_once.time < ?5 RETURNING id',
    ...[id, print, JSON.stringify(answer), time, expiry(time), ...values],
  )
}

function expiry(time: string): string {
  return new Date(Date.parse(time) - retentionMs).toISOString()
}
