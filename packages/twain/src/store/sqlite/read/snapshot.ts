// One snapshot of the database for many reads. A transaction that stays open saves each read the locks of SQLite, which are
// a tenth of a small request.
//
// 1. It stays open only while no write is pending, and is released before a write is sent. So a client that knows of a write
//    reads after it, and the write-ahead log can be reset.
// 2. It is never old: changes of another process (the command line creates keys) are visible a moment later.
// 3. Two reads with the same data version saw the same data: nothing was committed between them.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { monotonicTime } from '#base/time'

const maxSnapshotMs = 50

export class Snapshot {
  readonly #database: DatabaseSync
  readonly #begin: StatementSync
  readonly #end: StatementSync
  /** Changes with every commit of another connection, and only those write. */
  readonly #selectVersion: StatementSync
  readonly #isIdle: () => boolean
  readonly #maxMs: number
  #isOpen = false
  #openedAt = 0
  #dataVersion = 0

  /** `isIdle`: whether no write is pending. It throws if nothing can be read. */
  constructor(database: DatabaseSync, isIdle: () => boolean, maxAgeMs = maxSnapshotMs) {
    this.#database = database
    this.#begin = database.prepare('BEGIN')
    this.#end = database.prepare('COMMIT')
    this.#selectVersion = database.prepare('PRAGMA data_version')
    this.#selectVersion.setReturnArrays(true)
    this.#isIdle = isIdle
    this.#maxMs = maxAgeMs
  }

  /** Called before a read that may share the snapshot: returns the data version, or null if each read is on its own. */
  acquire(): number | null {
    const now = monotonicTime()
    if (this.#isOpen) {
      if (now - this.#openedAt < this.#maxMs) return this.#dataVersion
      this.release()
    }
    if (!this.#isIdle()) return null
    this.#begin.run()
    this.#isOpen = true
    this.#openedAt = now
    this.#dataVersion = (this.#selectVersion.get() as unknown as [number])[0]
    return this.#dataVersion
  }

  /** The next read sees the latest data. */
  release(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    // SQLite ends a transaction by itself when memory or the disk fails.
    if (!this.#database.isTransaction) return
    try {
      this.#end.run()
    } catch {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK') // a read has met a damaged page
    }
  }
}
