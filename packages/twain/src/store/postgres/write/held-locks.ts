// Advisory locks that one write holds until it is done, through all of its attempts.
//
// 1. A lock is taken outside of the write's transaction, before that begins: a SERIALIZABLE transaction sees the database as of
//    its first statement, so it would not see what another holder of the lock has committed while it waited.
// 2. The locks belong to a transaction of their own on a connection of their own. They end with it, also if this process
//    dies, and they work through a pooler that gives each transaction another connection.
// 3. A write holds a connection for locks before it takes one for its transaction, never the other way round: the two pools
//    can't block each other. If two writes wait for each other's locks, the database ends one of them, which then takes its
//    locks again in their order.

import { errorCode } from '../connect/database-errors.ts'
import type { SessionPool } from './session-pool.ts'
import type { WriteSession } from './write-session.ts'

const deadlockDetected = '40P01'

export class HeldLocks {
  readonly #sessions: SessionPool
  readonly #names = new Set<string>()
  #session: WriteSession | null = null

  constructor(sessions: SessionPool) {
    this.#sessions = sessions
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Waits for the lock. Rejects with an ApiError, or with the error of the database; then no lock is held. */
  async take(name: string): Promise<void> {
    try {
      this.#session ??= await this.#begin()
      await this.#lock(this.#session, name)
    } catch (error) {
      const names = [...this.#names, name]
      this.release()
      if (errorCode(error) !== deadlockDetected) throw error
      await this.#takeInOrder(names)
    }
    this.#names.add(name)
  }

  release(): void {
    this.#names.clear()
    if (this.#session === null) return
    this.#session.rollBack()
    this.#sessions.release(this.#session)
    this.#session = null
  }

  async #takeInOrder(names: readonly string[]): Promise<void> {
    for (const name of names.toSorted()) {
      this.#session ??= await this.#begin()
      await this.#lock(this.#session, name)
      this.#names.add(name)
    }
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
