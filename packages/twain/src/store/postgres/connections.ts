// The connections of a store, and every statement that goes over them.
//
// 1. Nothing waits longer than the time limit: not for a connection, not for the server, and not for one that is away.
// 2. The server keeps each statement that a connection has prepared until that connection ends, and a plan for it. So that
//    callers who ask ever new questions can't fill its memory, connections are exchanged for new ones after a number of
//    statements.

import { Fault, type Log } from '#base'
import type { SqlValue } from '../compile/encode.ts'
import { tooLong } from '../read-faults.ts'
import { connect, type Database, type Pool } from './connect.ts'
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

export class Connections {
  readonly #address: string
  readonly #pool: Pool
  readonly #log: Log
  #database: Database
  #statements = 0
  #waiting = 0
  #areThere = true
  #isProbing = false

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
  async ask(sql: string, parameters: SqlValue[]): Promise<unknown[][]> {
    if (this.#waiting >= mostWaiting) throw tooMany()
    this.#waiting++
    const query = this.#database.unsafe(sql, parameters as string[], { prepare: true }).values()
    const { time } = this.#pool
    let timer: NodeJS.Timeout | undefined
    try {
      const over = new Promise<never>((_, reject) => {
        if (time > 0) timer = setTimeout(() => reject(this.#giveUp(query)), time * 1000 + grace)
      })
      const rows = await Promise.race([query, over])
      this.#areThere = true
      return rows
    } catch (error) {
      const fault = toFault(error, time)
      if (fault !== error) this.#note(error, sql)
      throw fault
    } finally {
      clearTimeout(timer)
      this.#waiting--
    }
  }

  /** A statement that was not asked before. */
  noteStatement(): void {
    if (++this.#statements < mostStatements) return
    this.#exchange()
  }

  async close(): Promise<void> {
    await this.#database.end({ timeout: 5 })
  }

  /** The server ends what runs too long by itself. So this one still waits for a connection; or it was sent and its
   *  connection is dead, and then no statement must be given to that any more. */
  #giveUp(query: Query): Fault {
    query.catch(() => undefined)
    if (query.state) this.#exchange(1)
    else query.cancel()
    return tooLong(this.#pool.time)
  }

  /** What was asked on the former connections is still answered, for so many seconds. */
  #exchange(seconds?: number): void {
    const former = this.#database
    this.#statements = 0
    this.#database = connect(this.#address, this.#pool)
    former.end(seconds === undefined ? {} : { timeout: seconds }).catch(() => undefined)
  }

  #note(error: unknown, sql: string): void {
    const { code, message } = error as { code?: string; message?: string }
    if (code === '57014') {
      this.#log.warn({ sql, seconds: this.#pool.time }, 'a read took too long and was stopped')
      return
    }
    if (this.#areThere) this.#log.warn({ code, reason: message }, 'the database is not there')
    this.#areThere = false
  }
}

function tooMany(): Fault {
  return new Fault('UNAVAILABLE', 'Too many statements wait for the database already.', {
    headers: { 'retry-after': '1' },
  })
}
