// Transactions on PostgreSQL, beside those of other nodes. Each is repeated until it commits or is refused.
//
// 1. Two concurrent writes may both pass their lookups and then conflict (a unique value, a reference to a deleted row). The
//    database reports it. The write is rolled back and repeated: now it sees the other write and reports the conflict as
//    usual. Deadlocks are repeated too.
// 2. An unknown outcome is looked up. Only if that fails it is reported as unknown.
// 3. A crashed server may reuse the id of a transaction that left nothing on disk. So `aborted` always means this transaction,
//    and so does an id that was not assigned yet. `committed` means it only with a change log entry that nobody else wrote.

import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Log } from '#base'
import type { Query, QueryRows } from '../../sql/query.ts'
import { referredByUnknown } from '../../write/rows/unknown-referrers.ts'
import type { QueryBatch, Step } from '../../write/steps/query-step.ts'
import type { PoolOptions } from '../connect/connect.ts'
import { errorCode, toWriteError } from '../connect/database-errors.ts'
import { type RunQueries, runInOpenTransaction, runInTransaction, UnknownOutcome } from './run-step.ts'
import { SessionPool } from './session-pool.ts'
import { connectionLost, type WriteSession } from './write-session.ts'

/** How long the lookup of an outcome may take. */
const outcomeTimeoutSeconds = 5

/** How often a write is tried that conflicts with others. */
const maxAttempts = 10

/** unique_violation, foreign_key_violation, serialization_failure, deadlock_detected. */
const retriableCodes = new Set(['23505', '23503', '40001', '40P01'])

/** A foreign key violation that repeats is no race: a table that Twain does not know refers to the row. */
const stillReferred = '23503'

/** The error of `pg_xact_status` for an id beyond all assigned ones (invalid_parameter_value). */
const notAssignedYet = '22023'

/** How to find out whether a write was committed. */
export interface CommitTrace {
  /** What the result needs: the row of the last query, which may be read again; or nothing. */
  needed: 'last' | 'none'
  /** The time of its change log entries. */
  time(): string
}

/** How many entries may have got positions while the outcome was unknown. */
const maxRecentChanges = 100_000

/** Whether the transaction `$1` wrote an entry at the time `$2`. */
const selectOwnChange = `
  SELECT 1 FROM twain_change WHERE seq IS NULL AND tx = $1::text::xid8 AND time = $2
  UNION ALL
  SELECT 1 FROM twain_change
  WHERE seq > (SELECT last - ${maxRecentChanges} FROM twain_log) AND tx = $1::text::xid8 AND time = $2
  LIMIT 1`

export class Transactions {
  readonly #sessions: SessionPool
  readonly #time: number
  readonly #log: Log

  constructor(address: string, pool: PoolOptions, log: Log) {
    this.#sessions = new SessionPool(address, pool)
    this.#time = pool.time
    this.#log = log
  }

  /** Runs statements on system tables: all of them or none. */
  run(...statements: Query[]): Promise<QueryRows[]> {
    const look: QueryBatch<QueryRows[]> = { queries: statements, read: (rows) => [...rows] }
    return this.runStep(() => onlyBatch(look), null)
  }

  close(): Promise<void> {
    return this.#sessions.close()
  }

  /** Throws an ApiError, or an error of the database. Without a trace an unknown outcome is resolved only if nothing has
   *  happened. */
  runStep<T>(start: () => Step<QueryBatch<T>>, trace: CommitTrace | null): Promise<T> {
    return this.#untilDone((session) => runInTransaction(start(), session), trace)
  }

  /** The same for a transaction that stays open while `work` runs. */
  runOpen<T>(work: (query: RunQueries) => Promise<T>, trace: CommitTrace): Promise<T> {
    return this.#untilDone((session) => runInOpenTransaction(work, session), trace)
  }

  async #untilDone<T>(attempt: (session: WriteSession) => Promise<T>, trace: CommitTrace | null): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#withSession(attempt)
      } catch (error) {
        if (error instanceof UnknownOutcome) {
          const status = await this.#statusOf(error, trace)
          if (status === 'unknown') throw outcomeUnknown(error)
          if (status === 'committed') return await this.#recall(error as UnknownOutcome<T>, trace!)
        } else if (error instanceof ApiError) throw error
        else if (!isRetriable(error)) throw this.#toApiError(error)
        if (tries === maxAttempts)
          throw errorCode(error) === stillReferred ? referredByUnknown('The row', error) : tooManyConflicts(error)
      }
      await sleep(Math.random() * Math.min(100, 2 ** tries))
    }
  }

  async #withSession<T>(use: (session: WriteSession) => Promise<T>): Promise<T> {
    const session = await this.#sessions.acquire()
    try {
      return await use(session)
    } finally {
      this.#sessions.release(session)
    }
  }

  /** Looks the outcome up as soon as the database answers. The server ends a transaction whose connection is lost. */
  async #statusOf(
    { transactionId: number }: UnknownOutcome<unknown>,
    trace: CommitTrace | null,
  ): Promise<'committed' | 'aborted' | 'unknown'> {
    if (number === null) return 'unknown'
    const query = (sql: string, ...parameters: string[]) => this.#queryAlone({ sql, parameters })
    const until = performance.now() + outcomeTimeoutSeconds * 1000
    while (performance.now() < until) {
      try {
        const [[status] = []] = await query('SELECT pg_xact_status($1::text::xid8)', number)
        if (status === 'aborted') return 'aborted'
        if (status === 'committed') {
          return trace !== null && (await query(selectOwnChange, number, trace.time())).length > 0
            ? 'committed'
            : 'unknown' // see 3
        }
        if (status !== 'in progress') return 'unknown'
      } catch (error) {
        if (errorCode(error) === notAssignedYet) return 'aborted' // see 3
      }
      await sleep(100)
    }
    return 'unknown'
  }

  /** The result of a transaction that committed without confirmation. */
  async #recall<T>(unsure: UnknownOutcome<T>, { needed }: CommitTrace): Promise<T> {
    const { batch: look, received } = unsure
    const { queries } = look
    if (needed === 'none' || Object.keys(received).length === queries.length) return look.read(received)
    const last = await this.#readBack(queries.at(-1)!)
    if (last.length === 0) throw new ApiError('NOT_FOUND', 'It was written, and deleted meanwhile.')
    return look.read(queries.map((_, index) => (index === queries.length - 1 ? last : [])))
  }

  /** Tries again while the database is away: its error would tell the client that nothing was written. */
  async #readBack(query: Query): Promise<QueryRows> {
    const until = performance.now() + outcomeTimeoutSeconds * 1000
    for (;;) {
      try {
        return await this.#queryAlone(query)
      } catch (error) {
        if (performance.now() >= until) throw writtenButUnread(error)
      }
      await sleep(100)
    }
  }

  #queryAlone(query: Query): Promise<QueryRows> {
    return this.#withSession(async (session) => {
      const received: QueryRows[] = []
      await session.query([query], received)
      return received[0]!
    })
  }

  #toApiError(error: unknown): unknown {
    const apiError = toWriteError(error, this.#time)
    if (apiError !== error)
      this.#log.warn({ 'error.type': errorCode(error), 'exception.message': String(error) }, 'database write failed')
    return apiError
  }
}

// biome-ignore lint/correctness/useYield: it has no queries before
function* onlyBatch<T>(look: QueryBatch<T>): Step<QueryBatch<T>> {
  return look
}

/** Whether nothing has happened and the write may be repeated: a conflict, or a connection lost before COMMIT. */
function isRetriable(error: unknown): boolean {
  return retriableCodes.has(errorCode(error)) || errorCode(error) === connectionLost
}

function tooManyConflicts(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many concurrent writes change the same rows; nothing was written.', {
    headers: { 'retry-after': '1' },
    cause,
  })
}

function outcomeUnknown(cause: unknown): ApiError {
  return new ApiError(
    'UNAVAILABLE',
    'The connection to the database was lost; whether the write was made is not known.',
    {
      hint: 'Read what it was about before you send it again.',
      headers: { 'retry-after': '1' },
      cause,
    },
  )
}

function writtenButUnread(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'The write was made; the database was lost before it could be read back.', {
    hint: 'Do not send it again: read it when the database is back.',
    headers: { 'retry-after': '1' },
    cause,
  })
}
