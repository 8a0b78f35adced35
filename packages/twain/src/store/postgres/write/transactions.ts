// Transactions on PostgreSQL, beside those of other nodes, each made until it is done or refused.
//
// 1. What two writes can't both have (a unique value, a row that one refers to and the other deletes) the database finds when
//    looking did not, since they looked at the same time. The write is undone and made once more: now it sees the other, and
//    says so as always. So are deadlocks.
// 2. An outcome that is not known is asked for; only when that can't be had it is told as not known.
// 3. A server that crashed may give the number of a transaction that left nothing on disk to another. So `aborted` is always
//    ours, as is a number that was not given yet; `committed` is ours only with a line of the change log that no other wrote.

import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Log } from '#base'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { QueryBatch, Step } from '../../write/steps/query-step.ts'
import type { PoolOptions } from '../connect/connect.ts'
import { errorCode, toWriteError } from '../connect/database-errors.ts'
import { type RunQueries, runInOpenTransaction, runInTransaction, UnknownOutcome } from './run-step.ts'
import { SessionPool } from './session-pool.ts'
import { connectionLost, type WriteSession } from './write-session.ts'

/** Seconds in which an outcome must be found out. */
const outcomeTimeoutSeconds = 5

/** How often a write is made that others come in the way of. */
const maxAttempts = 10

/** unique_violation, foreign_key_violation, serialization_failure, deadlock_detected. */
const retriableCodes = new Set(['23505', '23503', '40001', '40P01'])

/** What `pg_xact_status` says of a number beyond all that were given (invalid_parameter_value). */
const notAssignedYet = '22023'

/** What a write is told by when nobody said whether it was committed. */
export interface CommitTrace {
  /** What the answer is made of: the row of the last query, which may be asked again; or none. */
  needed: 'last' | 'none'
  /** The time that it writes into the change log. */
  time(): string
}

/** Lines of the log that may have been given positions while an outcome was not known. */
const maxRecentChanges = 100_000

/** Whether the transaction `$1` has written a line at the time `$2`. */
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

  /** Statements on our own tables: all of them or none. */
  run(...statements: Query[]): Promise<QueryRows[]> {
    const look: QueryBatch<QueryRows[]> = { queries: statements, read: (rows) => [...rows] }
    return this.runStep(() => onlyBatch(look), null)
  }

  close(): Promise<void> {
    return this.#sessions.close()
  }

  /** Throws a Fault, or what the database says that is none. Without a trace an outcome that nobody told is known only if
   *  nothing has happened. */
  runStep<T>(start: () => Step<QueryBatch<T>>, trace: CommitTrace | null): Promise<T> {
    return this.#untilDone((session) => runInTransaction(start(), session), trace)
  }

  /** The same for one that stays open while `work` goes on. */
  runOpen<T>(work: (ask: RunQueries) => Promise<T>, trace: CommitTrace): Promise<T> {
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
        if (tries === maxAttempts) throw tooManyConflicts(error)
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

  /** As soon as the database can say it. The server ends a transaction whose connection is gone. */
  async #statusOf(
    { transactionId: number }: UnknownOutcome<unknown>,
    trace: CommitTrace | null,
  ): Promise<'committed' | 'aborted' | 'unknown'> {
    if (number === null) return 'unknown'
    const ask = (sql: string, ...parameters: string[]) =>
      this.#withSession((session) => queryAlone({ sql, parameters }, session))
    const until = performance.now() + outcomeTimeoutSeconds * 1000
    while (performance.now() < until) {
      try {
        const [[status] = []] = await ask('SELECT pg_xact_status($1::text::xid8)', number)
        if (status === 'aborted') return 'aborted'
        if (status === 'committed') {
          return trace !== null && (await ask(selectOwnChange, number, trace.time())).length > 0
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

  /** The answer of a transaction that was committed, though nobody said so. */
  async #recall<T>(unsure: UnknownOutcome<T>, { needed }: CommitTrace): Promise<T> {
    const { batch: look, received: heard } = unsure
    const { queries } = look
    if (needed === 'none' || Object.keys(heard).length === queries.length) return look.read(heard)
    const last = await this.#withSession((session) => queryAlone(queries.at(-1)!, session)).catch((error) => {
      throw this.#toApiError(error)
    })
    if (last.length === 0) throw new ApiError('NOT_FOUND', 'It was written, and deleted meanwhile.')
    return look.read(queries.map((_, index) => (index === queries.length - 1 ? last : [])))
  }

  #toApiError(error: unknown): unknown {
    const apiError = toWriteError(error, this.#time)
    if (apiError !== error)
      this.#log.warn({ 'error.type': errorCode(error), 'exception.message': String(error) }, 'database write failed')
    return apiError
  }
}

// biome-ignore lint/correctness/useYield: it has nothing to ask before
function* onlyBatch<T>(look: QueryBatch<T>): Step<QueryBatch<T>> {
  return look
}

async function queryAlone(query: Query, session: WriteSession): Promise<QueryRows> {
  const heard: QueryRows[] = []
  await session.query([query], heard)
  return heard[0]!
}

/** Whether nothing has happened, and it may be made once more: others came in the way, or the connection was lost before
 *  COMMIT. */
function isRetriable(error: unknown): boolean {
  return retriableCodes.has(errorCode(error)) || errorCode(error) === connectionLost
}

function tooManyConflicts(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many others write the same just now; nothing was written.', {
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
