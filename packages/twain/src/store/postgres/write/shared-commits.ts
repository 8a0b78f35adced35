// Shared commits. Writes that need one round trip, and wait at the same time, go to the database as one transaction in one round trip.
//
// 1. Each write gets its own rows, and its answer after the commit of all. One statement checks the rows that they refer to
//    (`Query.ofEachId`). Creates of one type that read the same of their rows are one statement too (`Query.several`), behind the checks
//    of all. So no check of the others sees their rows. Where a rule looks at their table,
//    each create is a statement of its own, right behind its checks. Unique values have an index that decides, and (2) follows.
// 2. If a statement fails, the server undoes all of them, and each runs again alone, as if it had never shared. So a write that is
//    refused, or conflicts, harms no other.
// 3. A statement that waits for a lock, or takes long, keeps the others at most for `togetherMs`. Then each write runs alone. The more
//    writes share, the less may each wait for a lock: all of them together keep the others for a moment, not for 32.
// 4. If the connection is lost, each write finds out its own outcome: they have the same transaction id.
// 5. A failure, or a long wait, makes the next transactions smaller; others make them larger again. Where many writes fail, none share,
//    until `successesAlone` in a row have succeeded.

import { ApiError } from '#base'
import { clearTimeout, monotonicTime, setTimeout } from '#base/time'
import type { Query, QueryRows } from '../../sql/query.ts'
import { errorCode, isSwitching, isUnavailable } from '../connect/database-errors.ts'
import type { AssertionTexts } from './assumptions.ts'
import { divideRows, joinTransactions, togetherMs } from './joined-transactions.ts'
import { ClientGone, maxWaitingWrites, tooManyWaitingWrites } from './session-pool.ts'
import {
  connectionLost,
  OutdatedStatement,
  outdatedStatement,
  type ServerProcess,
  type WriteSession,
} from './write-session.ts'

/** A whole transaction, from BEGIN to COMMIT. */
interface WholeTransaction {
  queries: readonly Query[]
  /** Takes the rows of each query. */
  received: QueryRows[]
  /** `SessionPool.versionFloor` as the queries know it. */
  versionFloor: number
  /** Called with the process that runs it, before it is sent; again if it is sent again, alone. If it throws, the transaction is not
   *  sent. */
  onSent(process: ServerProcess | null, sent: SentTransaction): void
}

/** What goes to the database in one round trip. */
export interface SentTransaction {
  /** Of all writes. */
  queries: readonly Query[]
  writes: number
  /** Whether this write is the first of them: it answers for all in the slow-query log. */
  isFirst: boolean
}

interface WaitingTransaction extends WholeTransaction {
  since: number
  isLarge: boolean
  resolve(): void
  reject(error: unknown): void
}

const maxTogether = 32

/** So many share a transaction rather than begin another beside it, and wait for no more. */
const minTogether = 8

/** A write with more characters in its parameters is sent alone. */
const maxCharacters = 20_000

/** How many transactions run at a time, while writes share them: more would each have fewer writes. */
const maxRunning = 2

/** A transaction that takes longer does not count among those that run. */
const slowMs = 50

/** Where no writes share: after so many that succeeded alone, two share again. */
const successesAlone = 32

/** What `SharedCommits` needs of a `SessionPool`. */
interface WriteSessions {
  readonly size: number
  readonly time: number
  readonly versionFloor: number
  acquire(): Promise<Pick<WriteSession, 'process' | 'query'>>
  release(session: Pick<WriteSession, 'process' | 'query'>): void
}

export class SharedCommits {
  readonly #sessions: WriteSessions
  readonly #assertions: AssertionTexts
  #waiting: WaitingTransaction[] = []
  #running = 0
  #pending = 0
  #isScheduled = false
  /** How many writes may share the next transaction. */
  #limit = maxTogether
  /** While none share: how many have succeeded alone, one after the other. */
  #successes = 0

  constructor(sessions: WriteSessions, assertions: AssertionTexts) {
    this.#sessions = sessions
    this.#assertions = assertions
  }

  /** As `WriteSession.query`. */
  run(transaction: WholeTransaction): Promise<void> {
    // Also those that wait for a connection: while the database hangs, all of them do.
    if (this.#pending >= maxWaitingWrites + this.#sessions.size) return Promise.reject(tooManyWaitingWrites())
    return new Promise((resolve, reject) => {
      const { queries, received, versionFloor, onSent } = transaction
      const since = monotonicTime()
      const large = isLarge(transaction)
      this.#waiting.push({ queries, received, versionFloor, onSent, since, isLarge: large, resolve, reject })
      this.#pending++
      // The database begins with them while the server takes the other requests that have arrived.
      const areEnough = this.#waiting.length >= minTogether && this.#limit >= minTogether
      if (areEnough && this.#running < maxRunning) void this.#send(this.#takeTogether(minTogether))
      else this.#schedule()
    })
  }

  /** Waits for the pending writes. */
  async close(): Promise<void> {
    while (this.#pending > 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }

  /** After the requests that have arrived together. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const most = this.#limit === 1 ? this.#sessions.size : maxRunning
      // Shares for all that may begin now: while the database runs one, the server answers the other.
      const share = Math.ceil(this.#waiting.length / (most - this.#running))
      const limit = Math.min(this.#limit, Math.max(minTogether, share))
      while (this.#waiting.length > 0 && this.#running < most) void this.#send(this.#takeTogether(limit))
    })
  }

  #takeTogether(limit: number): WaitingTransaction[] {
    const taken: WaitingTransaction[] = []
    while (taken.length < limit) {
      const [next] = this.#waiting
      if (next === undefined || (taken.length > 0 && next.isLarge)) break
      taken.push(this.#waiting.shift()!)
      if (next.isLarge) break
    }
    return taken
  }

  async #send(taken: WaitingTransaction[]): Promise<void> {
    const transactions = taken.filter((transaction) => !this.#isLate(transaction))
    this.#running++
    let isCounted = true
    const uncount = () => {
      if (!isCounted) return
      isCounted = false
      this.#running--
      if (this.#waiting.length > 0) this.#schedule()
    }
    const timer = setTimeout(uncount, slowMs)
    const isDone = transactions.length > 1 && (await this.#runTogether(transactions))
    if (!isDone) await Promise.all(transactions.map((transaction) => this.#runAlone(transaction)))
    clearTimeout(timer)
    uncount()
    this.#pending -= taken.length
  }

  /** A write that has waited as long as one may wait for a connection. */
  #isLate({ since, reject }: WaitingTransaction): boolean {
    const { time } = this.#sessions
    const isLate = time > 0 && monotonicTime() - since > time * 1000
    if (isLate) reject(tooManyWaitingWrites())
    return isLate
  }

  async #runAlone({ queries, received, resolve, reject, ...transaction }: WaitingTransaction): Promise<void> {
    try {
      const session = await this.#sessions.acquire()
      try {
        this.#expectFloor(transaction.versionFloor)
        transaction.onSent(session.process, { queries, writes: 1, isFirst: true })
        await session.query(queries, received)
      } finally {
        this.#sessions.release(session)
      }
      this.#countAlone(true)
      resolve()
    } catch (error) {
      this.#countAlone(false)
      reject(error)
    }
  }

  #countAlone(isSuccess: boolean): void {
    this.#successes = isSuccess && this.#limit === 1 ? this.#successes + 1 : 0
    if (this.#successes === successesAlone) this.#limit = 2
  }

  /** False: nothing has happened, and each may run alone. */
  async #runTogether(transactions: WaitingTransaction[]): Promise<boolean> {
    const received: QueryRows[] = []
    const sent = joinTransactions(transactions, this.#assertions)
    let began = 0
    try {
      const session = await this.#sessions.acquire()
      began = monotonicTime()
      try {
        for (const { versionFloor } of transactions) this.#expectFloor(versionFloor)
        const queries = sent.queries
        for (const [at, { onSent }] of transactions.entries())
          onSent(session.process, { queries, writes: transactions.length, isFirst: at === 0 })
        await session.query(queries, received)
      } finally {
        this.#sessions.release(session)
      }
    } catch (error) {
      if (isRefusal(error)) {
        this.#limit = Math.max(1, transactions.length >> 1)
        return false
      }
      divideRows(received, transactions, sent)
      for (const { reject } of transactions) reject(error)
      return true
    }
    const isLong = monotonicTime() - began > togetherMs.statement
    this.#limit = isLong ? Math.max(1, transactions.length >> 1) : Math.min(maxTogether, this.#limit + 1)
    divideRows(received, transactions, sent)
    for (const { resolve } of transactions) resolve()
    return true
  }

  /** The versions that a write assigns may be those of another server, which was there when it began. */
  #expectFloor(versionFloor: number): void {
    if (versionFloor !== this.#sessions.versionFloor) throw new OutdatedStatement('another server has taken over')
  }
}

/** Whether one of the writes failed, not the server. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ApiError) return error instanceof ClientGone
  const code = errorCode(error)
  return code !== connectionLost && code !== outdatedStatement && !isSwitching(error) && !isUnavailable(error)
}

function isLarge({ queries }: WholeTransaction): boolean {
  let characters = 0
  for (const { parameters } of queries) {
    for (const value of parameters) if (typeof value === 'string') characters += value.length
  }
  return characters > maxCharacters
}
