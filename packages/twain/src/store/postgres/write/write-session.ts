// One connection, held for writes. What is asked together goes in one round trip, and each query sees what those before it
// wrote.
//
// 1. Once the connection is lost nothing is asked of it any more: the driver would connect anew, and what belongs into a
//    transaction would be done outside of one.
// 2. Every `ask` ends: with an answer, with an error, or because nothing was heard for longer than the time limit. In the last
//    case the connection is given up.

import type { ReservedSql } from 'postgres'
import type { Query, QueryRows } from '../../sql/query.ts'
import { connectOne, type Database } from '../connect/connect.ts'
import { isUnavailable } from '../connect/database-errors.ts'

/** Of different texts, each of which the server keeps for as long as the connection lasts. */
const maxStatements = 1000

/** Milliseconds that the server has to say that the time was over. */
const timeoutGraceMs = 250

export class WriteSession {
  readonly #time: number
  readonly #database: Database
  readonly #statements = new Set<string>()
  readonly #running = new Set<(error: unknown) => void>()
  #reserved: ReservedSql | null = null
  #isLost = false

  /** `time` in seconds is the limit for a statement; 0 is none. */
  static async open(address: string, time: number): Promise<WriteSession> {
    const session = new WriteSession(address, time)
    try {
      // The driver gives no connection out before it has made one.
      await session.#database.unsafe('SELECT 1')
      session.#reserved = await session.#database.reserve()
      return session
    } catch (error) {
      session.close()
      throw error
    }
  }

  private constructor(address: string, time: number) {
    this.#time = time
    this.#database = connectOne(address, time, () => this.#lose())
  }

  /** Whether it may be used for another write. */
  get isReusable(): boolean {
    return !this.#isLost && this.#statements.size < maxStatements
  }

  /** Fills `heard` with the rows of each query, as they come. Rejects with the first error, when all have been answered; or at
   *  once when the connection is lost. */
  query(queries: readonly Query[], heard: QueryRows[]): Promise<void> {
    if (this.#isLost) return Promise.reject(new ConnectionLost())
    return new Promise((resolve, reject) => {
      let left = queries.length
      let failure: unknown = null
      const timer =
        this.#time === 0 ? undefined : setTimeout(() => this.#lose(), this.#time * 1000 + timeoutGraceMs).unref()
      const end = (error: unknown) => {
        clearTimeout(timer)
        this.#running.delete(end)
        if (error === null) resolve()
        else reject(error)
      }
      this.#running.add(end)
      const next = () => {
        timer?.refresh()
        if (--left === 0) end(failure)
      }
      for (const [index, { sql, parameters }] of queries.entries()) {
        this.#statements.add(sql)
        const query = this.#reserved!.unsafe(sql, parameters as string[], { prepare: true }).values()
        query.then(
          (rows) => {
            heard[index] = rows as unknown as QueryRows
            next()
          },
          (error) => {
            failure ??= isUnavailable(error) ? new ConnectionLost(error) : error
            next()
          },
        )
      }
    })
  }

  /** What comes next waits behind it. */
  rollBack(): void {
    this.query([{ sql: 'ROLLBACK', parameters: [] }], []).catch(() => this.#lose())
  }

  close(): void {
    this.#isLost = true
    this.#database.end({ timeout: 0 }).catch(() => undefined)
  }

  #lose(): void {
    if (this.#isLost) return
    this.close()
    for (const end of this.#running) end(new ConnectionLost())
  }
}

export const connectionLost = 'CONNECTION_LOST'

class ConnectionLost extends Error {
  readonly code = connectionLost

  constructor(cause?: unknown) {
    super('the connection to the database was lost', { cause })
  }
}
