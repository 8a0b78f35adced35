// A write that is made once, however often it is sent: its answer is kept in its own transaction, so that either both are
// there or neither is. One that is refused leaves nothing, and is judged anew when it comes again.

import { type IdempotencyKey, idempotencyKeyReused, requestInFlight } from '#base'
import type { SqlValue } from '../sql/encode.ts'
import {
  all,
  complete,
  known,
  type Look,
  map,
  type Query,
  type Rows,
  rowsOf,
  type Step,
  take,
} from './steps/query-step.ts'
import type { OwnQuery } from './steps/system-query.ts'
import type { Written, WrittenBatch } from './steps/write-job.ts'
import type { WriterContext } from './steps/writer-context.ts'

/** Milliseconds. */
const keptFor = 24 * 60 * 60 * 1000

/** Expired answers that each kept one takes along: more go than come, so that no sweep is needed. */
const takenAlong = 20

export function* applyOnce<W extends Written | WrittenBatch>(
  once: IdempotencyKey,
  write: () => Step<Look<W>>,
  context: WriterContext,
  time: string,
): Step<Look<W>> {
  const find = findAnswer(once, time, context.query)
  const [[held], [found]] = yield* take(all([rowsOf(context.holdKey(once.id)), rowsOf([find])]))
  if (held !== undefined && Number(held[0]![0]) === 0) throw requestInFlight()
  const answer = recalled<W>(once, found!)
  if (answer !== null) return known(answer)
  const made = yield* complete(write())
  return map(rowsOf(keepAnswer(once, made, time, context.query, context.unheld)), () => made)
}

/** Gives the answer, if it is kept; `recalled` reads it. */
export function findAnswer({ id }: IdempotencyKey, time: string, query: OwnQuery): Query {
  return query('SELECT print, answer FROM twain_once WHERE id = ?1 AND time >= ?2', id, expiry(time))
}

/** Null when there is none. Throws a Fault when the key was used for something else. */
export function recalled<W extends object>({ fingerprint: print }: IdempotencyKey, [found]: Rows): W | null {
  if (found === undefined) return null
  if (found[0] !== print) throw idempotencyKeyReused()
  return { ...(JSON.parse(String(found[1])) as W), replayed: true }
}

/** `unheld` is the dialect's. Old ones go with each new one. */
export function keepAnswer(
  { id, fingerprint: print }: IdempotencyKey,
  answer: object,
  time: string,
  query: OwnQuery,
  unheld: string,
): Query[] {
  return [
    forgetOld(time, query, unheld),
    query(
      'INSERT INTO twain_once (id, print, answer, time) VALUES (?1, ?2, ?3, ?4) ' +
        'ON CONFLICT (id) DO UPDATE SET print = excluded.print, answer = excluded.answer, time = excluded.time',
      ...[id, print, JSON.stringify(answer), time],
    ),
  ]
}

/** Some of those that have expired; gives a row for each. */
export function forgetOld(time: string, query: OwnQuery, unheld: string, most = takenAlong): Query {
  const old = `SELECT id FROM twain_once WHERE time < ?1 ORDER BY time LIMIT ${most}${unheld}`
  return query(`DELETE FROM twain_once WHERE id IN (${old}) RETURNING 1`, expiry(time))
}

/** The same where nothing holds the key meanwhile: it stays another's, and gives no row then. Nor is it claimed where `from`,
 *  whose places begin with `?6`, gives no row. */
export function claimKey(
  { id, fingerprint: print }: IdempotencyKey,
  answer: object,
  time: string,
  query: OwnQuery,
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
  return new Date(Date.parse(time) - keptFor).toISOString()
}
