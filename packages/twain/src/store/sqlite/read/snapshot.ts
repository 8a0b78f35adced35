// One look at the database that serves many reads: a transaction that stays open saves each of them the locks that SQLite
// takes and lets go of around a statement, which is a tenth of a small request.
//
// 1. It is held only while nothing waits for the writer, and let go of before a write is sent there: who has heard of a
//    write reads behind it, and the write-ahead log can start over as if nobody held anything.
// 2. It is never old: what another process writes (the command makes keys) is seen a moment later.
// 3. Two looks with the same number have seen the same: nobody has committed anything between them.

import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Milliseconds. */
const maxSnapshotMs = 50

export class Snapshot {
  readonly #database: DatabaseSync
  readonly #begin: StatementSync
  readonly #end: StatementSync
  /** Changes with every commit of another connection, and there is no other way to write. */
  readonly #selectVersion: StatementSync
  readonly #isQuiet: () => boolean
  readonly #maxMs: number
  #isOpen = false
  #openedAt = 0
  #dataVersion = 0

  /** `isQuiet` says whether no write is under way. */
  constructor(database: DatabaseSync, isQuiet: () => boolean, longest = maxSnapshotMs) {
    this.#database = database
    this.#begin = database.prepare('BEGIN')
    this.#end = database.prepare('COMMIT')
    this.#selectVersion = database.prepare('PRAGMA data_version')
    this.#selectVersion.setReturnArrays(true)
    this.#isQuiet = isQuiet
    this.#maxMs = longest
  }

  /** Before a read that may share what was seen a moment ago: the number of what is seen, null where it is as of each read. */
  acquire(): number | null {
    const now = performance.now()
    if (this.#isOpen) {
      if (now - this.#openedAt < this.#maxMs) return this.#dataVersion
      this.release()
    }
    if (!this.#isQuiet()) return null
    this.#begin.run()
    this.#isOpen = true
    this.#openedAt = now
    this.#dataVersion = (this.#selectVersion.get() as unknown as [number])[0]
    return this.#dataVersion
  }

  /** What is read next is as of then. */
  release(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    // SQLite ends a transaction by itself when memory or the disk fails.
    if (this.#database.isTransaction) this.#end.run()
  }
}
