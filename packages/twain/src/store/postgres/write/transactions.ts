// Transactions on PostgreSQL, beside those of other nodes, each made until it is done or refused.
//
// 1. What two writes can't both have (a unique value, a row that one refers to and the other deletes) the database finds when
//    looking did not, since they looked at the same time. The write is undone and made once more: now it sees the other, and
//    says so as always. So are deadlocks.
// 2. An outcome that is not known is asked for; only when that can't be had it is told as not known.

import { setTimeout as sleep } from 'node:timers/promises'
import { Fault, type Log } from '#base'
import type { Look, Query, Rows, Step } from '../../write/ask.ts'
import type { Pool } from '../connect.ts'
import { codeOf, toWriteFault } from '../database-faults.ts'
import { connectionLost, type Session } from './session.ts'
import { Sessions } from './sessions.ts'
import { transact, Unsure } from './transact.ts'

/** Seconds in which an outcome must be found out. */
const longestDoubt = 5

/** How often a write is made that others come in the way of. */
const mostTries = 10

/** unique_violation, foreign_key_violation, serialization_failure, deadlock_detected. */
const passing = new Set(['23505', '23503', '40001', '40P01'])

/** What the answer is made of: the rows of every query, or of the last, which may be asked again; or of none. */
type Needed = 'all' | 'last' | 'none'

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
  run(...statements: Query[]): Promise<Rows[]> {
    const look: Look<Rows[]> = { queries: statements, read: (rows) => [...rows] }
    return this.make(() => just(look), 'all')
  }

  close(): Promise<void> {
    return this.#sessions.close()
  }

  /** Throws a Fault, or what the database says that is none. */
  async make<T>(start: () => Step<Look<T>>, needed: Needed): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#on((session) => transact(start(), session))
      } catch (error) {
        if (error instanceof Unsure) {
          const status = await this.#statusOf(error as Unsure<T>)
          if (status === 'committed') return await this.#recall(error as Unsure<T>, needed)
          if (status === 'unknown') throw notKnown(error)
        } else if (error instanceof Fault) throw error
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
  async #statusOf({ number }: Unsure<unknown>): Promise<'committed' | 'aborted' | 'unknown'> {
    if (number === null) return 'unknown'
    const query: Query = { sql: 'SELECT pg_xact_status($1::text::xid8)', parameters: [number] }
    const until = performance.now() + longestDoubt * 1000
    while (performance.now() < until) {
      const rows = await this.#on((session) => askAlone(query, session)).catch(() => null) // it is away still
      const status = rows?.[0]?.[0]
      if (status === 'committed' || status === 'aborted') return status
      if (rows !== null && status !== 'in progress') return 'unknown'
      await sleep(100)
    }
    return 'unknown'
  }

  /** The answer of a transaction that was committed, though nobody said so. */
  async #recall<T>(unsure: Unsure<T>, needed: Needed): Promise<T> {
    const { look, heard } = unsure
    const { queries } = look
    if (needed === 'none' || Object.keys(heard).length === queries.length) return look.read(heard)
    if (needed === 'all') throw notKnown(unsure)
    const last = await this.#on((session) => askAlone(queries.at(-1)!, session)).catch((error) => {
      throw this.#toFault(error)
    })
    if (last.length === 0) throw new Fault('NOT_FOUND', 'It was written, and deleted meanwhile.')
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

async function askAlone(query: Query, session: Session): Promise<Rows> {
  const heard: Rows[] = []
  await session.ask([query], heard)
  return heard[0]!
}

/** Whether nothing has happened, and it may be made once more: others came in the way, or the connection was lost before
 *  COMMIT. */
function isUndone(error: unknown): boolean {
  return passing.has(codeOf(error)) || codeOf(error) === connectionLost
}

function inTheWay(cause: unknown): Fault {
  return new Fault('UNAVAILABLE', 'Too many others write the same just now; nothing was written.', {
    headers: { 'retry-after': '1' },
    cause,
  })
}

function notKnown(cause: unknown): Fault {
  return new Fault('UNAVAILABLE', 'The connection to the database was lost; whether the write was made is not known.', {
    hint: 'Read what it was about before you send it again.',
    headers: { 'retry-after': '1' },
    cause,
  })
}
