// Watches that the files of the database stay in their place. After a move, a replacement or a removal SQLite goes on with the files
// that it has open. No start would find what it commits there.
//
// The server then reads and writes nothing. It goes on when the same files are back, as after a folder was moved to and fro. Reads
// end within a quarter of a second. No write is acknowledged: each commit looks before its writes have their answers.

import { statSync } from 'node:fs'
import { ApiError, type Log } from '#base'
import { clearInterval, setInterval } from '#base/time'

const lookIntervalMs = 250

export const filesHaveGone = 'the files of the database were moved, replaced or removed'

export class FilePlace {
  readonly #file: string
  readonly #log: Log
  /** By path: which file is open. The write-ahead log counts as soon as it exists: it stays while a connection is open. */
  readonly #open = new Map<string, string>()
  readonly #timer: NodeJS.Timeout
  #hasGone = false

  /** A connection has the file open. */
  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
    this.look()
    this.#timer = setInterval(() => this.look(), lookIntervalMs).unref()
  }

  get hasGone(): boolean {
    return this.#hasGone
  }

  /** Throws if the files have gone. */
  require(): void {
    if (this.#hasGone) throw unavailable('The files of the database are not in their place.')
  }

  /** Throws if no start would find what has just been committed. */
  requireCommit(): void {
    this.look()
    if (!this.#hasGone) return
    throw unavailable(
      'The files of the database are not in their place any more; whether the write was made is not known.',
    )
  }

  look(): void {
    const gone = [this.#file, `${this.#file}-wal`].find((path) => this.#isElsewhere(path))
    if (this.#hasGone === (gone !== undefined)) return
    this.#hasGone = gone !== undefined
    if (gone === undefined) this.#log.warn({ 'file.path': this.#file }, 'the files of the database are back')
    else this.#log.error({ 'file.path': gone }, `${filesHaveGone}: put them back, or restart the server`)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #isElsewhere(path: string): boolean {
    const found = identify(path)
    const open = this.#open.get(path)
    if (open === undefined && found !== null) this.#open.set(path, found)
    return open !== undefined && open !== found
  }
}

function unavailable(message: string): ApiError {
  const hint = 'Nothing is read or written until the operator puts them back, or restarts the server.'
  return new ApiError('UNAVAILABLE', message, { hint, headers: { 'retry-after': '5' } })
}

function identify(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return null
  }
}
