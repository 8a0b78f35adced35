// Reads that may be long: a few processes, each with one read at a time, killed when the read's time is over. They are
// started when such reads come, and end when none has come for a while.

import { type ChildProcess, fork } from 'node:child_process'
import { ApiError, type Log } from '#base'
import { readCancelled, readTimedOut, resultTooLarge } from '../../read/read-errors.ts'
import type { SqlValue } from '../../sql/encode.ts'

export interface LongRead {
  sql: string
  parameters: SqlValue[]
}

export type LongReadResult = { row: unknown[] | null } | { error: string; tooBig: boolean }

interface Asked extends LongRead {
  done: (row: unknown[] | null) => void
  failed: (error: unknown) => void
  timer: NodeJS.Timeout | undefined
}

interface Reader {
  child: ChildProcess
  /** What it reads now. */
  read: Asked | null
  /** Ends it when it has had nothing to read for a while. */
  idle: NodeJS.Timeout | undefined
}

const mostReaders = 2
/** More would only wait for their time to be over. */
const mostWaiting = 32
const idleTime = 30_000

export class LongReader {
  readonly #file: string
  readonly #timeLimit: number
  readonly #log: Log
  readonly #readers = new Set<Reader>()
  #waiting: Asked[] = []
  #closed = false

  /** `timeLimit` in milliseconds, from the moment that the read is asked for; 0 is none. */
  constructor(file: string, timeLimit: number, log: Log) {
    this.#file = file
    this.#timeLimit = timeLimit
    this.#log = log
  }

  read(sql: string, parameters: SqlValue[]): Promise<unknown[] | null> {
    if (this.#waiting.length >= mostWaiting) return Promise.reject(tooMany())
    return new Promise((done, failed) => {
      const asked: Asked = { sql, parameters, done, failed, timer: undefined }
      if (this.#timeLimit > 0) asked.timer = setTimeout(() => this.#giveUp(asked), this.#timeLimit)
      this.#waiting.push(asked)
      this.#next()
    })
  }

  /** What still reads or waits is cut off. */
  close(): void {
    this.#closed = true
    for (const reader of this.#readers) this.#lose(reader)
    this.#next()
  }

  #next(): void {
    if (this.#closed) {
      for (const asked of this.#waiting) fail(asked, readCancelled())
      this.#waiting = []
    }
    const [asked] = this.#waiting
    if (asked === undefined) return
    const reader = this.#free()
    if (reader === null) return
    this.#waiting.shift()
    this.#send(reader, asked)
  }

  #free(): Reader | null {
    for (const reader of this.#readers) if (reader.read === null) return reader
    return this.#readers.size < mostReaders ? this.#start() : null
  }

  #start(): Reader {
    const child = fork(new URL('./reader-process.ts', import.meta.url), [this.#file, String(process.pid)], {
      serialization: 'advanced',
    })
    const reader: Reader = { child, read: null, idle: undefined }
    this.#readers.add(reader)
    child.on('message', (result: LongReadResult) => this.#finish(reader, result))
    child.on('exit', () => this.#lose(reader))
    child.on('error', () => this.#lose(reader))
    return reader
  }

  #send(reader: Reader, asked: Asked): void {
    const { child } = reader
    clearTimeout(reader.idle)
    child.ref()
    child.channel?.ref()
    reader.read = asked
    child.send({ sql: asked.sql, parameters: asked.parameters } satisfies LongRead)
  }

  #finish(reader: Reader, result: LongReadResult): void {
    const { child, read } = reader
    reader.read = null
    reader.idle = setTimeout(() => this.#lose(reader), idleTime).unref()
    // An idle process must not keep the server's process alive.
    child.unref()
    child.channel?.unref()
    this.#next()
    if (read === null) return
    if ('error' in result) {
      fail(read, result.tooBig ? resultTooLarge() : new Error(result.error))
    } else {
      clearTimeout(read.timer)
      read.done(result.row)
    }
  }

  /** The process is gone, or must go; what it read was cut off. */
  #lose(reader: Reader): void {
    if (!this.#readers.delete(reader)) return
    clearTimeout(reader.idle)
    reader.child.kill('SIGKILL')
    if (reader.read !== null) fail(reader.read, readCancelled())
    this.#next()
  }

  /** The time is over, whether the read still waits for a process or runs in one. */
  #giveUp(asked: Asked): void {
    const seconds = this.#timeLimit / 1000
    this.#log.warn({ sql: asked.sql, seconds }, 'a read took too long and was stopped')
    fail(asked, readTimedOut(seconds))
    this.#waiting = this.#waiting.filter((one) => one !== asked)
    for (const reader of this.#readers) if (reader.read === asked) this.#lose(reader)
  }
}

/** A promise is settled once: whoever fails a read later changes nothing. */
function fail({ timer, failed }: Asked, error: unknown): void {
  clearTimeout(timer)
  failed(error)
}

function tooMany(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many long reads wait already.', {
    hint: 'Filter and sort by fields that have an index: such reads do not wait.',
    headers: { 'retry-after': '5' },
  })
}
