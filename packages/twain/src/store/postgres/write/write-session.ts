// One connection for writes. Queries of one call go in one round trip, and each sees what those before it wrote.
//
// 1. After the connection is lost nothing is sent on it: the driver would reconnect and run parts of a transaction outside
//    of it.
// 2. Every `query` ends: with rows, with an error, or because the server was silent for longer than the timeout. Then the
//    connection is closed.

import type { ReservedSql } from 'postgres'
import type { Query, QueryRows } from '../../sql/query.ts'
import { connectOne, connectTimeoutSeconds, type Database } from '../connect/connect.ts'
import { isUnavailable } from '../connect/database-errors.ts'

/** Different statements; the server keeps each until the connection ends. */
const maxStatements = 1000

/** How long the server may take to report a timeout. */
const timeoutGraceMs = 250

export class WriteSession {
  readonly #time: number
  readonly #database: Database
  readonly #statements = new Set<string>()
  readonly #running = new Set<(error: unknown) => void>()
  #reserved: ReservedSql | null = null
  #isLost = false

  /** `time` is the timeout of a statement in seconds; 0: none. */
  static async open(address: string, time: number): Promise<WriteSession> {
    const session = new WriteSession(address, time)
    // The driver dials for ever while something accepts its connections and closes them, as a proxy without servers does.
    const { promise: timedOut, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new ConnectTimeout()), connectTimeoutSeconds(time) * 1000)
    try {
      await Promise.race([session.#reserve(), timedOut])
      return session
    } catch (error) {
      session.close()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  async #reserve(): Promise<void> {
    await this.#database.unsafe('SELECT 1') // the driver reserves no connection before it has opened one
    this.#reserved = await this.#database.reserve()
  }

  private constructor(address: string, time: number) {
    this.#time = time
    this.#database = connectOne(address, time, () => this.#lose())
  }

  /** Whether another write may use it. */
  get isReusable(): boolean {
    return !this.#isLost && this.#statements.size < maxStatements
  }

  /** Fills `received` with the rows of each query as they arrive. Rejects with the first error after all queries have
   *  ended, or at once if the connection is lost. */
  query(queries: readonly Query[], received: QueryRows[]): Promise<void> {
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
            received[index] = rows as unknown as QueryRows
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

  /** Later queries wait behind it. */
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

class ConnectTimeout extends Error {
  readonly code = 'CONNECT_TIMEOUT'

  constructor() {
    super('the database did not accept a connection in time')
  }
}

export const connectionLost = 'CONNECTION_LOST'

class ConnectionLost extends Error {
  readonly code = connectionLost

  constructor(cause?: unknown) {
    super('the connection to the database was lost', { cause })
  }
}
