// Runs long reads in a few processes, each with one read at a time, and kills a process when its read times out. The
// processes start on demand and end when they are idle.
//
// A process takes 70 MB, and most long reads take a few milliseconds. So a read waits a moment for a process that runs, before it gets
// another one. It waits longer for a process that starts, which may hang.

import { type ChildProcess, fork } from 'node:child_process'
import { ApiError, type Log } from '#base'
import { readCancelled, readTimedOut, resultTooLarge } from '../../read/read-result.ts'
import { sumOutOfRange } from '../../sql/aggregates/exact-values.ts'
import type { SqlValue } from '../../sql/encode.ts'

export interface LongRead {
  sql: string
  parameters: SqlValue[]
}

export type LongReadResult = { row: unknown[] | null } | LongReadFailure

/** The first message of a process: it can read now. */
export type ReaderReady = 'ready'

export interface LongReadFailure {
  error: string
  reason: 'result too large' | 'sum out of range' | null
}

interface PendingRead extends LongRead {
  done: (row: unknown[] | null) => void
  failed: (error: unknown) => void
  timer: NodeJS.Timeout | undefined
}

interface ReaderProcess {
  child: ChildProcess
  /** The read that it runs. */
  read: PendingRead | null
  /** Whether it has loaded its modules and opened the file. */
  isReady: boolean
  /** Ends the process when it is idle for a while. */
  idle: NodeJS.Timeout | undefined
}

const maxReaderProcesses = 2
/** Further reads would only time out in the queue. */
const maxPendingReads = 32
const idleTimeoutMs = 10_000
/** How long reads wait, before another process starts: for one that is ready, and for one that is not yet ready. */
interface Patience {
  runningMs: number
  startingMs: number
}

const defaultPatience: Patience = { runningMs: 50, startingMs: 5_000 }

export class LongReader {
  readonly #file: string
  readonly #timeoutMs: number
  readonly #log: Log
  readonly #patience: Patience
  readonly #readers = new Set<ReaderProcess>()
  #pending: PendingRead[] = []
  /** Starts another process, unless the reads that wait begin earlier. */
  #nextStart: NodeJS.Timeout | null = null
  #closed = false

  /** The timeout counts from the call of `read`; 0: none. */
  constructor(file: string, timeLimit: number, log: Log, patience: Partial<Patience> = {}) {
    this.#file = file
    this.#patience = { ...defaultPatience, ...patience }
    this.#timeoutMs = timeLimit
    this.#log = log
  }

  read(sql: string, parameters: SqlValue[]): Promise<unknown[] | null> {
    const open = this.#pending.length + this.#readers.size
    if (open >= maxPendingReads + maxReaderProcesses) return Promise.reject(tooManyPendingReads())
    return new Promise((done, failed) => {
      const read: PendingRead = { sql, parameters, done, failed, timer: undefined }
      if (this.#timeoutMs > 0) read.timer = setTimeout(() => this.#timeOut(read), this.#timeoutMs)
      this.#pending.push(read)
      this.#next()
    })
  }

  /** Fails the reads that still run or wait. */
  close(): void {
    this.#closed = true
    for (const reader of this.#readers) this.#lose(reader)
    this.#next()
  }

  #next(): void {
    if (this.#closed) {
      for (const read of this.#pending) fail(read, readCancelled())
      this.#pending = []
    }
    const reader = this.#pending.length === 0 ? null : this.#freeReader()
    if (reader !== null) this.#send(reader, this.#pending.shift()!)
    this.#watchQueue()
  }

  #freeReader(): ReaderProcess | null {
    for (const reader of this.#readers) if (reader.read === null) return reader
    return this.#readers.size === 0 ? this.#start() : null
  }

  /** Counts from when reads wait. */
  #watchQueue(): void {
    if (this.#pending.length === 0) {
      this.#stopCounting()
      return
    }
    const readers = [...this.#readers]
    if (this.#nextStart !== null || readers.length >= maxReaderProcesses) return
    const { runningMs, startingMs } = this.#patience
    this.#nextStart = setTimeout(
      () => {
        this.#nextStart = null
        if (this.#readers.size < maxReaderProcesses) this.#start()
        this.#next()
      },
      readers.every(({ isReady }) => isReady) ? runningMs : startingMs,
    )
  }

  #stopCounting(): void {
    clearTimeout(this.#nextStart ?? undefined)
    this.#nextStart = null
  }

  #start(): ReaderProcess {
    const child = fork(new URL('./long-reader-process.ts', import.meta.url), [this.#file, String(process.pid)], {
      serialization: 'advanced',
    })
    const reader: ReaderProcess = { child, read: null, isReady: false, idle: undefined }
    this.#readers.add(reader)
    child.on('message', (message: LongReadResult | ReaderReady) => {
      if (message !== 'ready') {
        this.#finish(reader, message)
        return
      }
      reader.isReady = true
      this.#stopCounting() // from now on the reads wait for a process that runs
      this.#watchQueue()
    })
    child.on('exit', () => this.#lose(reader))
    child.on('error', () => this.#lose(reader))
    return reader
  }

  #send(reader: ReaderProcess, read: PendingRead): void {
    const { child } = reader
    clearTimeout(reader.idle)
    child.ref()
    child.channel?.ref()
    reader.read = read
    child.send({ sql: read.sql, parameters: read.parameters } satisfies LongRead)
  }

  #finish(reader: ReaderProcess, result: LongReadResult): void {
    const { child, read } = reader
    reader.read = null
    reader.idle = setTimeout(() => this.#lose(reader), idleTimeoutMs).unref()
    // An idle process must not keep the server's process alive.
    child.unref()
    child.channel?.unref()
    this.#next()
    if (read === null) return
    if ('error' in result) {
      fail(read, errorOf(result))
    } else {
      clearTimeout(read.timer)
      read.done(result.row)
    }
  }

  /** The process ended, or must end; its read fails. */
  #lose(reader: ReaderProcess): void {
    if (!this.#readers.delete(reader)) return
    clearTimeout(reader.idle)
    reader.child.kill('SIGKILL')
    if (reader.read !== null) fail(reader.read, readCancelled())
    this.#next()
  }

  /** The timeout is over, whether the read waits or runs. */
  #timeOut(read: PendingRead): void {
    const seconds = this.#timeoutMs / 1000
    this.#log.warn({ 'db.query.text': read.sql, timeout_seconds: seconds }, 'query timed out')
    fail(read, readTimedOut(seconds))
    this.#pending = this.#pending.filter((one) => one !== read)
    this.#watchQueue()
    for (const reader of this.#readers) if (reader.read === read) this.#lose(reader)
  }
}

function errorOf({ error, reason }: LongReadFailure): Error {
  if (reason === null) return new Error(error)
  return reason === 'result too large' ? resultTooLarge() : sumOutOfRange()
}

/** A promise settles once: a later failure changes nothing. */
function fail({ timer, failed }: PendingRead, error: unknown): void {
  clearTimeout(timer)
  failed(error)
}

function tooManyPendingReads(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many long reads wait already.', {
    hint: 'Filter and sort by fields that have an index: such reads do not wait. No index serves an order by fields of other rows or by counts.',
    headers: { 'retry-after': '5' },
  })
}
