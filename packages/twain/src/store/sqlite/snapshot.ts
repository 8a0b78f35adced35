// One look at the database that serves many reads: a transaction that stays open saves each of them the locks that SQLite
// takes and lets go of around a statement, which is a tenth of a small request.
//
// 1. It is held only while nothing waits for the writer, and let go of before a write is sent there: who has heard of a
//    write reads behind it, and the write-ahead log can start over as if nobody held anything.
// 2. It is never old: what another process writes (the command makes keys) is seen a moment later.

import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Milliseconds. */
const longest = 50

export class Snapshot {
  readonly #database: DatabaseSync
  readonly #begin: StatementSync
  readonly #end: StatementSync
  readonly #isQuiet: () => boolean
  #held = false
  #since = 0

  /** `isQuiet` says whether no write is under way. */
  constructor(database: DatabaseSync, isQuiet: () => boolean) {
    this.#database = database
    this.#begin = database.prepare('BEGIN')
    this.#end = database.prepare('COMMIT')
    this.#isQuiet = isQuiet
  }

  /** Before a read that may share what was seen a moment ago. */
  hold(): void {
    const now = performance.now()
    if (this.#held) {
      if (now - this.#since < longest) return
      this.letGo()
    }
    if (!this.#isQuiet()) return
    this.#begin.run()
    this.#held = true
    this.#since = now
  }

  /** What is read next is as of then. */
  letGo(): void {
    if (!this.#held) return
    this.#held = false
    // SQLite ends a transaction by itself when memory or the disk fails.
    if (this.#database.isTransaction) this.#end.run()
  }
}
