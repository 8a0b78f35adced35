// Tells damage of the database file from other failures of SQLite: pages that are not what SQLite wrote. A read or a write that meets
// one fails, and others go on. Until a restart the server says that it is not ready, since more may be wrong than was met.

import { type ApiError, damagedData, type Gauge, type Log } from '#base'
import { monotonicTime } from '#base/time'

export const fileIsDamaged = 'the database file is damaged'

const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_NOTADB = 26
const SQLITE_IOERR_SHORT_READ = 522
/** The file of shared memory beside the write-ahead log can't grow. */
const SQLITE_IOERR_SHMSIZE = 4874
const SQLITE_IOERR_CORRUPTFS = 8458

/** Of an error of SQLite: what it says about the file. */
export function storageFailure(error: unknown): 'damaged' | 'full' | null {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'full'
  if (typeof errcode !== 'number') return null
  if (errcode === SQLITE_IOERR_SHORT_READ || errcode === SQLITE_IOERR_CORRUPTFS) return 'damaged'
  const primary = errcode & 0xff // of an extended code
  if (primary === SQLITE_FULL || errcode === SQLITE_IOERR_SHMSIZE) return 'full'
  return primary === SQLITE_CORRUPT || primary === SQLITE_NOTADB ? 'damaged' : null
}

const logIntervalMs = 60_000

export class DamageWatch {
  readonly #file: string
  readonly #log: Log
  #count = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
  }

  get isDamaged(): boolean {
    return this.#count > 0
  }

  gauge(): Gauge {
    const about = 'Reads and writes that met a damaged page of the database file.'
    return { name: 'sqlite_damaged_total', kind: 'counter', about, value: () => this.#count }
  }

  /** Runs a read of SQLite. */
  reading<Result>(read: () => Result): Result {
    try {
      return read()
    } catch (error) {
      throw this.explain(error)
    }
  }

  /** What to throw in the place of an error of SQLite: the same, unless the file is damaged. */
  explain(error: unknown): unknown {
    return storageFailure(error) === 'damaged' ? this.met(error) : error
  }

  /** Counts and logs damage. */
  met(error: unknown): ApiError {
    this.#count++
    const now = monotonicTime()
    if (now - this.#loggedAt >= logIntervalMs) {
      this.#loggedAt = now
      const fields = { 'file.path': this.#file, 'exception.message': (error as Error).message }
      this.#log.error(fields, `${fileIsDamaged}: twain doctor --deep shows how much; restore a backup`)
    }
    return damagedData('The database file is damaged where this request reads or writes.', error)
  }
}
