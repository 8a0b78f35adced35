// Connects on demand, for statements that are no requests. A lost connection is replaced with the next statement.

import { monotonicTime, setTimeout } from '#base/time'
import { connectionClosed } from './database-error.ts'
import type { ResultRow, Statement } from './queries.ts'
import { Session } from './session.ts'

interface DatabaseOptions {
  /** The maximum number of connections. */
  size: number
  /** The timeout of a statement in seconds; 0: none. */
  time: number
}

export class Database {
  readonly #address: string
  readonly #pool: DatabaseOptions
  readonly #onLost: () => void
  readonly #sessions = new Set<Session>()
  readonly #idle: Session[] = []
  /** Statements that wait for a session. */
  readonly #waiting: (() => void)[] = []
  readonly #closing = new AbortController()
  #taken = 0

  /** `onLost` is called when a connection has ended. */
  constructor(address: string, pool: DatabaseOptions, onLost: () => void = () => {}) {
    this.#address = address
    this.#pool = pool
    this.#onLost = onLost
  }

  /** Runs one statement, or several without parameters. Returns the rows of the last. */
  query<R = ResultRow>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return this.#use((session) => session.query<R>(sql, parameters))
  }

  /** Rows as arrays. */
  values<R = unknown[]>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return this.#use((session) => session.values<R>(sql, parameters))
  }

  /** Several statements in one message, as one transaction. Returns the rows of each. */
  script<R = ResultRow>(sql: string): Promise<R[][]> {
    return this.#use((session) => session.script<R>(sql))
  }

  /** Several statements in one round trip, as one transaction. The server plans each once. Returns the rows of each. */
  runPrepared<R = ResultRow>(statements: readonly Statement[]): Promise<R[][]> {
    return this.#use((session) => session.runPrepared<R>(statements))
  }

  /** Runs `work` in a transaction, which is rolled back if it throws. */
  begin<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#use(async (session) => {
      await session.query('BEGIN')
      try {
        const made = await work(session)
        await session.query('COMMIT')
        return made
      } catch (error) {
        if (!session.isLost) await session.query('ROLLBACK')
        throw error
      }
    })
  }

  /** Running statements have this time to end. */
  async end(seconds = 5): Promise<void> {
    const deadline = monotonicTime() + seconds * 1000
    while (this.#taken > 0 && monotonicTime() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
    this.#closing.abort()
    for (const next of this.#waiting.splice(0)) next()
    await Promise.all([...this.#sessions].map((session) => session.close()))
  }

  async #use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#taken < this.#pool.size) this.#taken++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      const session = this.#idle.pop() ?? (await this.#open())
      try {
        return await work(session)
      } finally {
        this.#giveBack(session)
      }
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#taken--
      else next()
    }
  }

  async #open(): Promise<Session> {
    const { signal } = this.#closing
    if (signal.aborted) throw connectionClosed('The connections to the database are closed.')
    const session: Session = await Session.open({ address: this.#address, time: this.#pool.time, signal }, () => {
      this.#sessions.delete(session)
      const at = this.#idle.indexOf(session)
      if (at >= 0) this.#idle.splice(at, 1)
      this.#onLost()
    })
    this.#sessions.add(session)
    return session
  }

  #giveBack(session: Session): void {
    if (session.isLost) return
    if (!session.isOld) this.#idle.push(session)
    else {
      this.#sessions.delete(session)
      session.close().catch(() => undefined)
    }
  }
}
