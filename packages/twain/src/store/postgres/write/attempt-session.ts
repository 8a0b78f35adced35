// The connection of one attempt of a write. It is taken for the first queries that are not a whole transaction: a whole one
// may share its round trip and its commit with others.

import type { Query, QueryRows } from '../../sql/query.ts'
import type { SessionPool } from './session-pool.ts'
import type { SharedCommits } from './shared-commits.ts'
import { OutdatedStatement, type ServerProcess, type WriteSession } from './write-session.ts'

export class AttemptSession {
  readonly #sessions: SessionPool
  readonly #shared: SharedCommits
  readonly #versionFloor: number
  #session: WriteSession | null = null
  #sharedProcess: ServerProcess | null = null

  constructor(sessions: SessionPool, shared: SharedCommits) {
    this.#sessions = sessions
    this.#shared = shared
    this.#versionFloor = sessions.versionFloor
  }

  get process(): ServerProcess | null {
    return this.#session === null ? this.#sharedProcess : this.#session.process
  }

  async query(queries: readonly Query[], received: QueryRows[], isWhole = false): Promise<void> {
    if (isWhole && this.#session === null) return this.#share(queries, received)
    if (this.#session === null) {
      this.#session = await this.#sessions.acquire()
      // The step has begun before this connection was there.
      if (this.#sessions.versionFloor !== this.#versionFloor)
        throw new OutdatedStatement('another server has taken over')
    }
    return this.#session.query(queries, received)
  }

  rollBack(): void {
    this.#session?.rollBack()
  }

  release(): void {
    if (this.#session !== null) this.#sessions.release(this.#session)
  }

  #share(queries: readonly Query[], received: QueryRows[]): Promise<void> {
    const onSent = (process: ServerProcess | null) => {
      this.#sharedProcess = process
    }
    return this.#shared.run({ queries, received, versionFloor: this.#versionFloor, onSent })
  }
}
