// Failures of what a service is stored in, on both databases: damage, missing bytes of files, a full disk. It tells them from bugs and from
// an outage, counts them, and logs them.
//
// Damage fails the reads and writes that meet it, and others go on. Until a restart the server says that it is not ready, since more
// may be damaged than was met.

import { type ApiError, damagedData, fullStorage, type Gauge, type Log, stackOf } from '#base'
import { monotonicTime } from '#base/time'

export type StorageFailure = 'damaged' | 'full'

const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_NOTADB = 26
const SQLITE_IOERR_SHORT_READ = 522
/** The file of shared memory beside the write-ahead log can't grow. */
const SQLITE_IOERR_SHMSIZE = 4874
const SQLITE_IOERR_CORRUPTFS = 8458

const codes: Readonly<Record<string, StorageFailure>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  '53100': 'full', // disk_full of PostgreSQL
  XX001: 'damaged', // data_corrupted
  XX002: 'damaged', // index_corrupted
  '58P01': 'damaged', // undefined_file: the file of a table or an index is missing
}

/** What an error of a database or of the file system says about the storage. */
export function storageFailure(error: unknown): StorageFailure | null {
  const { errcode, code } = (error ?? {}) as { errcode?: unknown; code?: unknown }
  if (typeof errcode === 'number') return failureOfSqlite(errcode)
  return codes[String(code)] ?? null
}

function failureOfSqlite(errcode: number): StorageFailure | null {
  if (errcode === SQLITE_IOERR_SHORT_READ || errcode === SQLITE_IOERR_CORRUPTFS) return 'damaged'
  const primary = errcode & 0xff // of an extended code
  if (primary === SQLITE_FULL || errcode === SQLITE_IOERR_SHMSIZE) return 'full'
  return primary === SQLITE_CORRUPT || primary === SQLITE_NOTADB ? 'damaged' : null
}

/** A reason of `Store.unready`. */
export const databaseIsDamaged = 'the database is damaged'

/** Of the same failure. */
const logIntervalMs = 60_000

export class StorageFailures {
  /** The attribute of log entries that names the file or the database. */
  readonly #place: object
  readonly #log: Log
  readonly #counts = { damaged: 0, missing: 0, full: 0 }
  readonly #loggedAt = { damaged: Number.NEGATIVE_INFINITY, full: Number.NEGATIVE_INFINITY }

  constructor(place: object, log: Log) {
    this.#place = place
    this.#log = log
  }

  get isDamaged(): boolean {
    return this.#counts.damaged > 0
  }

  gauges(): Gauge[] {
    const about = 'Reads and writes that met damage, missing bytes of a file, or a full disk.'
    return (['damaged', 'missing', 'full'] as const).map((failure) => {
      return { name: 'storage_failures_total', failure, kind: 'counter', about, value: () => this.#counts[failure] }
    })
  }

  /** Runs a read of SQLite. */
  reading<Result>(read: () => Result): Result {
    try {
      return read()
    } catch (error) {
      throw this.explain(error)
    }
  }

  /** What to throw in the place of this error: the same, unless the storage has failed. */
  explain(error: unknown): unknown {
    const failure = storageFailure(error)
    return failure === null ? error : this.met(failure, error)
  }

  /** Counts and logs a failure, and returns what to throw. */
  met(failure: StorageFailure, error: unknown): ApiError {
    this.#count(failure, error)
    if (failure === 'full') return fullStorage(error)
    return damagedData('The database is damaged where this request reads or writes.', error)
  }

  /** The same for the bytes of an uploaded file that are missing. */
  metMissing(id: string, error: unknown): ApiError {
    this.#counts.missing++
    const fields = { id, 'exception.stacktrace': stackOf(error) }
    this.#log.error(fields, 'the bytes of an uploaded file are missing: restore them from a backup')
    return damagedData('The bytes of this file are missing.', error)
  }

  #count(failure: StorageFailure, error: unknown): void {
    this.#counts[failure]++
    const now = monotonicTime()
    if (now - this.#loggedAt[failure] < logIntervalMs) return
    this.#loggedAt[failure] = now
    const fields = { ...this.#place, 'exception.message': (error as Error).message }
    if (failure === 'full') this.#log.error(fields, 'the disk is full: free some space, and writes succeed again')
    else this.#log.error(fields, 'the database is damaged: twain doctor --deep shows how much; restore a backup')
  }
}
