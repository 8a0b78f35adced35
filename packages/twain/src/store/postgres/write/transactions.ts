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
import type { Look, Step } from '../../write/steps/query-step.ts'
import type { Pool } from '../connect/connect.ts'
import { codeOf, toWriteFault } from '../connect/database-errors.ts'
import { connectionLost, type Session } from './session.ts'
import { Sessions } from './sessions.ts'
import { type Ask, transact, transactOpen, Unsure } from './transact.ts'

/** Seconds in which an outcome must be found out. */
const longestDoubt = 5

/** How often a write is made that others come in the way of. */
const mostTries = 10

/** unique_violation, foreign_key_violation, serialization_failure, deadlock_detected. */
const passing = new Set(['23505', '23503', '40001', '40P01'])

/** What `pg_xact_status` says of a number beyond all that were given (invalid_parameter_value). */
const notGivenYet = '22023'

/** What a write is told by when nobody said whether it was committed. */
export interface Trace {
  /** What the answer is made of: the row of the last query, which may be asked again; or none. */
  needed: 'last' | 'none'
  /** The time that it writes into the change log. */
  time(): string
}

/** Lines of the log that may have been given positions while an outcome was not known. */
const mostSince = 100_000

/** Whether the transaction `$1` has written a line at the time `$2`. */
const wrote = `
  SELECT 1 FROM twain_change WHERE seq IS NULL AND tx = $1::text::xid8 AND time = $2
  UNION ALL
  SELECT 1 FROM twain_change
  WHERE seq > (SELECT last - ${mostSince} FROM twain_log) AND tx = $1::text::xid8 AND time = $2
  LIMIT 1`

export class Transactions {
  readonly #sessions: Sessions
  readonly #time: number
  readonly #log: Log

  constructor(address: string, pool: Pool, log: Log) {
    this.#sessions = new Sessions(address, pool)
    this.#time = pool.time
    this.#log = log
  }

  /** Statements on our own tables: all of them or none. */
  run(...statements: Query[]): Promise<QueryRows[]> {
    const look: Look<QueryRows[]> = { queries: statements, read: (rows) => [...rows] }
    return this.make(() => just(look), null)
  }

  close(): Promise<void> {
    return this.#sessions.close()
  }

  /** Throws a Fault, or what the database says that is none. Without a trace an outcome that nobody told is known only if
   *  nothing has happened. */
  make<T>(start: () => Step<Look<T>>, trace: Trace | null): Promise<T> {
    return this.#untilDone((session) => transact(start(), session), trace)
  }

  /** The same for one that stays open while `work` goes on. */
  hold<T>(work: (ask: Ask) => Promise<T>, trace: Trace): Promise<T> {
    return this.#untilDone((session) => transactOpen(work, session), trace)
  }

  async #untilDone<T>(attempt: (session: Session) => Promise<T>, trace: Trace | null): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#on(attempt)
      } catch (error) {
        if (error instanceof Unsure) {
          const status = await this.#statusOf(error, trace)
          if (status === 'unknown') throw notKnown(error)
          if (status === 'committed') return await this.#recall(error as Unsure<T>, trace!)
        } else if (error instanceof ApiError) throw error
        else if (!isUndone(error)) throw this.#toFault(error)
        if (tries === mostTries) throw inTheWay(error)
      }
      await sleep(Math.random() * Math.min(100, 2 ** tries))
    }
  }

  async #on<T>(use: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#sessions.take()
    try {
      return await use(session)
    } finally {
      this.#sessions.giveBack(session)
    }
  }

  /** As soon as the database can say it. The server ends a transaction whose connection is gone. */
  async #statusOf({ number }: Unsure<unknown>, trace: Trace | null): Promise<'committed' | 'aborted' | 'unknown'> {
    if (number === null) return 'unknown'
    const ask = (sql: string, ...parameters: string[]) => this.#on((session) => askAlone({ sql, parameters }, session))
    const until = performance.now() + longestDoubt * 1000
    while (performance.now() < until) {
      try {
        const [[status] = []] = await ask('SELECT pg_xact_status($1::text::xid8)', number)
        if (status === 'aborted') return 'aborted'
        if (status === 'committed') {
          return trace !== null && (await ask(wrote, number, trace.time())).length > 0 ? 'committed' : 'unknown' // see 3
        }
        if (status !== 'in progress') return 'unknown'
      } catch (error) {
        if (codeOf(error) === notGivenYet) return 'aborted' // see 3
      }
      await sleep(100)
    }
    return 'unknown'
  }

  /** The answer of a transaction that was committed, though nobody said so. */
  async #recall<T>(unsure: Unsure<T>, { needed }: Trace): Promise<T> {
    const { look, heard } = unsure
    const { queries } = look
    if (needed === 'none' || Object.keys(heard).length === queries.length) return look.read(heard)
    const last = await this.#on((session) => askAlone(queries.at(-1)!, session)).catch((error) => {
      throw this.#toFault(error)
    })
    if (last.length === 0) throw new ApiError('NOT_FOUND', 'It was written, and deleted meanwhile.')
    return look.read(queries.map((_, index) => (index === queries.length - 1 ? last : [])))
  }

  #toFault(error: unknown): unknown {
    const fault = toWriteFault(error, this.#time)
    if (fault !== error)
      this.#log.warn({ code: codeOf(error), reason: String(error) }, 'the database could not be written')
    return fault
  }
}

// biome-ignore lint/correctness/useYield: it has nothing to ask before
function* just<T>(look: Look<T>): Step<Look<T>> {
  return look
}

async function askAlone(query: Query, session: Session): Promise<QueryRows> {
  const heard: QueryRows[] = []
  await session.ask([query], heard)
  return heard[0]!
}

/** Whether nothing has happened, and it may be made once more: others came in the way, or the connection was lost before
 *  COMMIT. */
function isUndone(error: unknown): boolean {
  return passing.has(codeOf(error)) || codeOf(error) === connectionLost
}

function inTheWay(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many others write the same just now; nothing was written.', {
    headers: { 'retry-after': '1' },
    cause,
  })
}

function notKnown(cause: unknown): ApiError {
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
