// The connections of a store, and every statement that goes over them.
//
// 1. Nothing waits longer than the time limit: not for a connection, not for the server, and not for one that is away.
// 2. The server keeps each statement that a connection has prepared until that connection ends, and a plan for it. So that
//    callers who ask ever new questions can't fill its memory, connections are exchanged for new ones after a number of
//    statements.
// 3. None is left over. The driver, when it is ended, makes new connections for statements that still wait for one, and never
//    ends these: so it is ended when nothing waits any more.

import { setTimeout as sleep } from 'node:timers/promises'
import { Fault, type Log } from '#base'
import type { SqlValue } from '../compile/encode.ts'
import { tooLong } from '../read-faults.ts'
import { connect, type Database, type Pool, placeOf } from './connect.ts'
import { toFault } from './database-faults.ts'

/** Of different texts, before connections are exchanged. */
const mostStatements = 2000

/** More would only wait for their time to be over. */
const mostWaiting = 1000

/** Milliseconds that the server has to say that the time was over. */
const grace = 250

interface Query extends Promise<unknown> {
  /** The driver's: set once it is sent. */
  state?: unknown
  cancel(): void
}

interface Asked {
  query: Query
  of: Database
  reject: (fault: Fault) => void
  /** As `performance.now` counts. */
  until: number
}

export class Connections {
  readonly #address: string
  readonly #pool: Pool
  readonly #log: Log
  #database: Database
  #statements = 0
  /** In the order of their time. */
  readonly #asked = new Set<Asked>()
  #watch: NodeJS.Timeout | null = null
  #areThere = true
  #isProbing = false
  #isClosed = false

  constructor(address: string, pool: Pool, log: Log) {
    this.#address = address
    this.#pool = pool
    this.#log = log
    this.#database = connect(address, pool)
  }

  /** Whether the last statement reached the database. Where it did not, this asks again, for the next time: while a server
   *  says that it is not ready, nobody else may. */
  get areThere(): boolean {
    if (!this.#areThere && !this.#isProbing) {
      this.#isProbing = true
      const probed = () => {
        this.#isProbing = false
      }
      this.ask('SELECT 1', []).then(probed, probed)
    }
    return this.#areThere
  }

  /** The rows, as arrays. Rejects with a Fault. */
  ask(sql: string, parameters: SqlValue[]): Promise<unknown[][]> {
    if (this.#asked.size >= mostWaiting) return Promise.reject(tooMany())
    if (this.#isClosed) return Promise.reject(closed())
    const of = this.#database
    return new Promise((resolve, reject) => {
      const query = of.unsafe(sql, parameters as string[], { prepare: true }).values()
      const asked: Asked = { query, of, reject, until: performance.now() + this.#pool.time * 1000 + grace }
      this.#asked.add(asked)
      query.then(
        (rows) => {
          if (!this.#asked.delete(asked)) return
          this.#areThere = true
          resolve(rows)
        },
        (error: unknown) => {
          if (!this.#asked.delete(asked)) return
          const fault = toFault(error, this.#pool.time)
          if (fault !== error) this.#note(error, sql)
          reject(fault)
        },
      )
      if (this.#watch === null && this.#pool.time > 0) this.#watchFrom(asked)
    })
  }

  /** A statement that was not asked before. */
  noteStatement(): void {
    if (++this.#statements < mostStatements) return
    this.#exchange()
  }

  /** Takes nothing more; what was asked is still answered, within five seconds. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end(this.#database, 5)
  }

  /** One timer for all, since a timer for each would cost every read: they are asked, and so are over, in this order. */
  #watchFrom({ until }: Asked): void {
    this.#watch = setTimeout(() => this.#giveUpOver(), Math.max(1, until - performance.now())).unref()
  }

  #giveUpOver(): void {
    this.#watch = null
    const now = performance.now()
    for (const asked of this.#asked) {
      if (asked.until > now) {
        this.#watchFrom(asked)
        return
      }
      this.#asked.delete(asked)
      asked.reject(this.#giveUp(asked.query))
    }
  }

  /** The server ends what runs too long by itself. So this one still waits for a connection; or it was sent and its
   *  connection is dead, and then no statement must be given to that any more. */
  #giveUp(query: Query): Fault {
    if (query.state) this.#exchange(1)
    else query.cancel()
    return tooLong(this.#pool.time)
  }

  /** What was asked on the former connections is still answered, for so many seconds. */
  #exchange(seconds?: number): void {
    const former = this.#database
    this.#statements = 0
    this.#database = connect(this.#address, this.#pool)
    this.#end(former, seconds).catch(() => undefined)
  }

  /** See 3. */
  async #end(database: Database, seconds?: number): Promise<void> {
    const queries = [...this.#asked].filter(({ of }) => of === database).map(({ query }) => query)
    const answered = Promise.allSettled(queries)
    const isOver = new AbortController()
    await (seconds === undefined
      ? answered
      : Promise.race([answered, sleep(seconds * 1000, null, { signal: isOver.signal }).catch(() => null)]))
    isOver.abort()
    for (const query of queries) if (!query.state) query.cancel()
    await database.end(seconds === undefined ? {} : { timeout: seconds })
  }

  #note(error: unknown, sql: string): void {
    const { code, message } = error as { code?: string; message?: string }
    if (code === '57014') {
      this.#log.warn({ sql, seconds: this.#pool.time }, 'a read took too long and was stopped')
      return
    }
    if (this.#areThere)
      this.#log.warn({ code, reason: message, place: placeOf(this.#address) }, 'the database is not there')
    this.#areThere = false
  }
}

function closed(): Fault {
  return new Fault('UNAVAILABLE', 'The connections to the database are closed.', { headers: { 'retry-after': '1' } })
}

function tooMany(): Fault {
  return new Fault('UNAVAILABLE', 'Too many statements wait for the database already.', {
    headers: { 'retry-after': '1' },
  })
}
