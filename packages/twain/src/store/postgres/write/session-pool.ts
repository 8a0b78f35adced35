// The connections for writes. They are opened on demand and reused. A connection that was lost, or that has too many
// prepared statements, is not reused.

import { ApiError } from '#base'
import { clearTimeout, setTimeout } from '#base/time'
import type { ServerHistory } from '../changes/server-history.ts'
import type { PoolOptions } from '../connect/connect.ts'
import { WriteSession } from './write-session.ts'

/** Further writes would only time out in the queue. */
export const maxWaitingWrites = 1000

interface WaitingWrite {
  come: () => void
  timer: NodeJS.Timeout | undefined
}

export class SessionPool {
  readonly #address: string
  readonly #history: ServerHistory
  /** How many seconds a write may wait for a connection; 0: without end. */
  readonly time: number
  readonly #statementBytes: number | undefined
  readonly #idle: WriteSession[] = []
  readonly #waiting: WaitingWrite[] = []
  readonly size: number
  #taken = 0
  #versionFloor = 0
  #isClosed = false

  constructor(address: string, { size, time, statementBytes }: PoolOptions, history: ServerHistory) {
    this.#address = address
    this.#history = history
    this.size = size
    this.time = time
    this.#statementBytes = statementBytes
  }

  /** The greatest of all sessions: at least that of the server which a session is connected to. */
  get versionFloor(): number {
    return this.#versionFloor
  }

  /** The caller must release it. Rejects with an ApiError, or with the error of the driver. */
  async acquire(): Promise<WriteSession> {
    if (this.#taken < this.size) this.#taken++
    else await this.#waitForTurn()
    try {
      for (let session = this.#idle.pop(); session !== undefined; session = this.#idle.pop()) {
        if (session.isReusable) return session
        session.close()
      }
      const session = await WriteSession.open(this.#address, this.time, this.#history, this.#statementBytes)
      this.#versionFloor = Math.max(this.#versionFloor, session.versionFloor)
      return session
    } catch (error) {
      this.#free()
      throw error
    }
  }

  release(session: WriteSession): void {
    if (session.isReusable && !this.#isClosed) this.#idle.push(session)
    else session.close()
    this.#free()
  }

  /** Closes after the pending writes. */
  async close(): Promise<void> {
    while (this.#taken > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    this.#isClosed = true
    for (const session of this.#idle.splice(0)) session.close()
  }

  /** Waits for a free connection. */
  #waitForTurn(): Promise<void> {
    if (this.#waiting.length >= maxWaitingWrites) throw tooManyWaitingWrites()
    return new Promise((come, reject) => {
      const waiting: WaitingWrite = { come, timer: undefined }
      if (this.time > 0) {
        waiting.timer = setTimeout(() => {
          this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
          reject(tooManyWaitingWrites())
        }, this.time * 1000)
      }
      this.#waiting.push(waiting)
    })
  }

  /** Passes the connection slot to the next waiting write. */
  #free(): void {
    const next = this.#waiting.shift()
    if (next === undefined) {
      this.#taken--
      return
    }
    clearTimeout(next.timer)
    next.come()
  }
}

export function tooManyWaitingWrites(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many writes wait for the database already.', {
    headers: { 'retry-after': '1' },
  })
}

/** The client of a write has gone before the write began. */
export class ClientGone extends ApiError {
  constructor() {
    super('UNAVAILABLE', 'The client has gone; nothing was written.')
  }
}
