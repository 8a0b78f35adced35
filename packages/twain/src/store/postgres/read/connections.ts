// The connections of a store, and every statement that goes over them.
//
// 1. Nothing waits longer than the time limit: not for a connection, not for the server, and not for one that is away.
// 2. The server keeps each statement that a connection has prepared until that connection ends, and a plan for it. So that
//    callers who ask ever new questions can't fill its memory, a connection that is worn is ended, and another opened.
// 3. None is left over when they are closed.

import { ApiError, type Log } from '#base'
import { readTimedOut } from '../../read/read-errors.ts'
import type { SqlValue } from '../../sql/encode.ts'
import { type Pool, placeOf } from '../connect/connect.ts'
import { away, isAway, toFault } from '../connect/database-errors.ts'
import { openLine } from './open-wire-connection.ts'
import type { Line, Owner, Question } from './wire-connection.ts'

/** More would only wait for their time to be over. */
const mostWaiting = 1000

/** Milliseconds that the server has to say that the time was over. */
const grace = 250

/** Milliseconds until the next try when a connection could not be opened: a server that starts, or has no more to give, is not
 *  asked for one with every read. */
const pause = 250

/** Milliseconds that what was asked has to be answered when all is closed. */
const longestClose = 5000

interface Asked extends Question {
  /** As `performance.now` counts. */
  until: number
  line: Line | null
  reject: (fault: unknown) => void
}

export class Connections implements Owner {
  readonly #address: string
  readonly #pool: Pool
  readonly #log: Log
  readonly #lines = new Set<Line>()
  readonly #idle: Line[] = []
  readonly #opening = new Set<Promise<void>>()
  readonly #ending = new Set<Promise<void>>()
  /** What is not over yet, in the order of its time. */
  readonly #asked = new Set<Asked>()
  /** Those of them that have no line yet, and perhaps some that are over. */
  #waiting: Asked[] = []
  #watch: NodeJS.Timeout | null = null
  #areThere = true
  /** Until then none is opened. Who asks meanwhile waits for it. */
  #retry: NodeJS.Timeout | null = null
  #isProbing = false
  #isClosed = false
  /** Who waits for all to be settled. */
  #settled: (() => void) | null = null

  constructor(address: string, pool: Pool, log: Log) {
    this.#address = address
    this.#pool = pool
    this.#log = log
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
  ask(sql: string, parameters: readonly SqlValue[]): Promise<unknown[][]> {
    if (this.#asked.size >= mostWaiting) return Promise.reject(tooMany())
    if (this.#isClosed) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      const asked: Asked = {
        sql,
        parameters,
        until: performance.now() + this.#pool.time * 1000 + grace,
        line: null,
        reject,
        answered: (rows) => {
          this.#settle(asked)
          this.#areThere = true
          resolve(rows)
        },
        failed: (error) => this.#fail(asked, error),
      }
      this.#asked.add(asked)
      this.#give(asked)
      if (this.#watch === null && this.#pool.time > 0) this.#watchFrom(asked)
    })
  }

  free(line: Line): void {
    this.#idle.push(line)
    let next = this.#waiting.shift()
    while (next !== undefined && !this.#asked.has(next)) next = this.#waiting.shift()
    if (next !== undefined) this.#give(next)
  }

  lost(line: Line): void {
    this.#lines.delete(line)
    const at = this.#idle.indexOf(line)
    if (at >= 0) this.#idle.splice(at, 1)
    this.#open()
  }

  /** Takes nothing more; what was asked is still answered, within five seconds. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#asked.size > 0) await this.#allSettled()
    for (const asked of this.#asked) this.#giveUp(asked, closed())
    this.#waiting = []
    await Promise.all(this.#opening)
    if (this.#retry !== null) clearTimeout(this.#retry)
    for (const line of this.#lines) this.#end(line)
    await Promise.all(this.#ending)
  }

  #allSettled(): Promise<void> {
    return new Promise((resolve) => {
      const over = setTimeout(resolve, longestClose)
      this.#settled = () => {
        clearTimeout(over)
        resolve()
      }
    })
  }

  #give(asked: Asked): void {
    const line = this.#idleLine()
    if (line !== undefined) {
      asked.line = line
      line.ask(asked)
      return
    }
    this.#waiting.push(asked)
    this.#open()
  }

  #idleLine(): Line | undefined {
    let line = this.#idle.pop()
    while (line?.isWorn) {
      this.#end(line)
      line = this.#idle.pop()
    }
    return line
  }

  /** As many as wait, and there may be; but only one to see whether a database is back. */
  #open(): void {
    const { size, time } = this.#pool
    if (this.#retry !== null) return
    const room = Math.min(size - this.#lines.size, this.#areThere ? size : 1) - this.#opening.size
    const wanted = Math.min(this.#waiting.length, this.#asked.size) - this.#opening.size
    for (let n = 0; n < Math.min(room, wanted); n++) {
      const opening = openLine(this.#address, time, this).then(
        (line) => {
          this.#opening.delete(opening)
          this.#lines.add(line)
          this.#areThere = true
          this.free(line)
          this.#open()
        },
        (error) => {
          this.#opening.delete(opening)
          this.#giveUpWaiting(error)
          this.#retry ??= setTimeout(() => this.#openAgain(), pause)
        },
      )
      this.#opening.add(opening)
    }
  }

  #openAgain(): void {
    this.#retry = null
    this.#open()
  }

  /** Where no line is there that could take them, nor may be soon. */
  #giveUpWaiting(error: unknown): void {
    if (this.#lines.size > 0) return
    this.#noteAway(error)
    if (this.#opening.size > 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const asked of waiting) asked.failed(away(error))
  }

  #end(line: Line): void {
    this.#lines.delete(line)
    const ending = line.end().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  /** False: it was over. */
  #settle(asked: Asked): boolean {
    const isFirst = this.#asked.delete(asked)
    if (this.#asked.size === 0) this.#settled?.()
    return isFirst
  }

  #fail(asked: Asked, error: unknown): void {
    if (!this.#settle(asked)) return
    const fault = toFault(error, this.#pool.time)
    if (fault !== error) this.#note(error, asked.sql)
    asked.reject(fault)
  }

  /** One timer for all, since a timer for each would cost every read: they are asked, and so are over, in this order. */
  #watchFrom({ until }: Asked): void {
    this.#watch = setTimeout(() => this.#giveUpOver(), Math.max(1, until - performance.now())).unref()
  }

  /** The server ends what runs too long by itself. So such a one still waits for a connection; or it was sent and its connection
   *  is dead. */
  #giveUpOver(): void {
    this.#watch = null
    const now = performance.now()
    for (const asked of this.#asked) {
      if (asked.until > now) {
        this.#watchFrom(asked)
        return
      }
      this.#giveUp(asked, readTimedOut(this.#pool.time))
    }
  }

  #giveUp(asked: Asked, fault: ApiError): void {
    this.#settle(asked)
    asked.reject(fault)
    asked.line?.cut()
  }

  #note(error: unknown, sql: string): void {
    const { code, message } = error as { code?: string; message?: string }
    if (isAway(error)) this.#noteAway(error)
    else if (code === '57014') this.#log.warn({ sql, seconds: this.#pool.time }, 'a read took too long and was stopped')
    else this.#log.warn({ sql, code, reason: message }, 'a read could not be answered')
  }

  #noteAway(error: unknown): void {
    const { code, message } = error as { code?: string; message?: string }
    if (this.#areThere)
      this.#log.warn({ code, reason: message, place: placeOf(this.#address) }, 'the database is not there')
    this.#areThere = false
  }
}

function closed(): ApiError {
  return new ApiError('UNAVAILABLE', 'The connections to the database are closed.', { headers: { 'retry-after': '1' } })
}

function tooMany(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many statements wait for the database already.', {
    headers: { 'retry-after': '1' },
  })
}
