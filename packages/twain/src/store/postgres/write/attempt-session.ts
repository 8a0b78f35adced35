// The connection of one attempt of a write. It is taken for the first queries that are not a whole transaction: a whole one
// may share its round trip and its commit with others. What is observed begins when the queries are sent: the wait for a connection,
// or for others, is no time of a statement.

import type { StatementObserver } from '../../observe/statement-observer.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import { observedSession, observeSent, type TransactionSession } from './observed-session.ts'
import type { SessionPool } from './session-pool.ts'
import type { SentTransaction, SharedCommits } from './shared-commits.ts'
import { OutdatedStatement, type ServerProcess, type WriteSession } from './write-session.ts'

export class AttemptSession {
  readonly #sessions: SessionPool
  readonly #shared: SharedCommits
  readonly #versionFloor: number
  readonly #observer: StatementObserver
  readonly #subject: string
  readonly #begin: () => void
  #session: WriteSession | null = null
  #observed: TransactionSession | null = null
  #sharedProcess: ServerProcess | null = null

  /** `begin` throws if nobody waits for the write any more. */
  constructor(
    sessions: SessionPool,
    shared: SharedCommits,
    observer: StatementObserver,
    subject: string,
    begin: () => void,
  ) {
    this.#sessions = sessions
    this.#shared = shared
    this.#observer = observer
    this.#subject = subject
    this.#begin = begin
    this.#versionFloor = sessions.versionFloor
  }

  get process(): ServerProcess | null {
    return this.#session === null ? this.#sharedProcess : this.#session.process
  }

  query(queries: readonly Query[], received: QueryRows[], isWhole = false): Promise<void> {
    return isWhole && this.#session === null ? this.#share(queries, received) : this.#query(queries, received)
  }

  async #query(queries: readonly Query[], received: QueryRows[]): Promise<void> {
    if (this.#observed === null) {
      this.#session = await this.#sessions.acquire()
      this.#begin()
      this.#observed = observedSession(this.#session, this.#observer, this.#subject)
      // The step has begun before this connection was there.
      if (this.#sessions.versionFloor !== this.#versionFloor)
        throw new OutdatedStatement('another server has taken over')
    }
    await this.#observed.query(queries, received)
  }

  rollBack(): void {
    this.#session?.rollBack()
  }

  release(): void {
    if (this.#session !== null) this.#sessions.release(this.#session)
  }

  async #share(queries: readonly Query[], received: QueryRows[]): Promise<void> {
    const observed = observeSent(this.#observer, this.#subject, queries)
    const onSent = (process: ServerProcess | null, sent: SentTransaction) => {
      this.#begin()
      this.#sharedProcess = process
      observed.begin(sent)
    }
    try {
      await this.#shared.run({ queries, received, versionFloor: this.#versionFloor, onSent })
      observed.end()
    } catch (error) {
      observed.end(error)
      throw error
    }
  }
}
