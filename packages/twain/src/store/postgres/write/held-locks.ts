// Advisory locks that one write holds until it is done, through all of its attempts.
//
// 1. A lock is taken outside of the write's transaction, before that begins: a SERIALIZABLE transaction sees the database as of
//    its first statement, so it would not see what another holder of the lock has committed while it waited.
// 2. The locks belong to a transaction of their own on a connection of their own. They end with it, also if this process
//    dies, and they work through a pooler that gives each transaction another connection.
// 3. A write holds a connection for locks before it takes one for its transaction, never the other way round: the two pools
//    can't block each other. If two writes wait for each other's locks, the database ends one of them. Its next attempt takes
//    all of its locks in their order.

import type { SessionPool } from './session-pool.ts'
import type { WriteSession } from './write-session.ts'

export class HeldLocks {
  readonly #sessions: SessionPool
  readonly #wanted = new Set<string>()
  readonly #held = new Set<string>()
  #session: WriteSession | null = null

  constructor(sessions: SessionPool) {
    this.#sessions = sessions
  }

  has(name: string): boolean {
    return this.#held.has(name)
  }

  wants(name: string): boolean {
    return this.#wanted.has(name)
  }

  /** The next `take` waits for it, also after the locks were lost. */
  want(name: string): void {
    this.#wanted.add(name)
  }

  /** Whether a wanted lock is not held. */
  get isMissing(): boolean {
    return this.#held.size < this.#wanted.size
  }

  /** Waits for all wanted locks. Rejects with an ApiError, or with the error of the database; then no lock is held. */
  async take(): Promise<void> {
    try {
      for (const name of [...this.#wanted].sort()) {
        if (this.#held.has(name)) continue
        this.#session ??= await this.#begin()
        await this.#lock(this.#session, name)
        this.#held.add(name)
      }
    } catch (error) {
      this.release()
      throw error
    }
  }

  release(): void {
    this.#held.clear()
    if (this.#session === null) return
    this.#session.rollBack()
    this.#sessions.release(this.#session)
    this.#session = null
  }

  async #begin(): Promise<WriteSession> {
    const session = await this.#sessions.acquire()
    try {
      await session.query([{ sql: 'BEGIN', parameters: [] }], [])
      return session
    } catch (error) {
      this.#sessions.release(session)
      throw error
    }
  }

  /** Advisory locks belong to the whole database, so their numbers are made from the name of the schema too. */
  #lock(session: WriteSession, name: string): Promise<void> {
    const sql = `SELECT 1 FROM (SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || $1::text, 0))) taken`
    return session.query([{ sql, parameters: [` ${name}`] }], [])
  }
}
