// Runs long reads in a few processes, each with one read at a time, and kills a process when its read times out. The
// processes start on demand and end when they are idle.
//
// Clients take turns, and a client has one read at a time: else one of them could hold all processes, until its reads time out.
//
// A process takes 70 MB, and most long reads take a few milliseconds. So a read waits a moment for a process that runs, before it gets
// another one. It waits longer for a process that starts, which may hang.

import { type ChildProcess, fork } from 'node:child_process'
import { FairQueue, type Log, unreachable } from '#base'
import { clearTimeout, setTimeout } from '#base/time'
import { type StorageFailure, StorageFailures } from '../../observe/storage-failures.ts'
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
  reason: 'result too large' | 'sum out of range' | StorageFailure | null
}

interface PendingRead extends LongRead {
  done: (row: unknown[] | null) => void
  failed: (error: unknown) => void
  timer: NodeJS.Timeout | undefined
  /** Whether its promise is settled. */
  isOver: boolean
}

interface ReaderProcess {
  child: ChildProcess
  /** The read that it runs. */
  read: PendingRead | null
  /** Whether it has loaded its modules and opened the file. */
  isReady: boolean
  /** Ends the process when it is idle for a while. */
  idle: NodeJS.Timeout | undefined
  /** Called when it has no read any more. */
  drained: (() => void) | undefined
  /** Its locks are released then. */
  exited: Promise<void>
}

const maxReaderProcesses = 2

/** Further reads would only time out in the queue. */
const turns = {
  maxAtOnce: maxReaderProcesses,
  maxAtOnceOfClient: 1,
  maxOfClient: 32,
  maxOfAll: 512,
  message: 'Too many long reads wait already.',
  hint: 'Filter and sort by fields that have an index: such reads do not wait. No index serves an order by fields of other rows or by counts.',
  retryAfterSeconds: 5,
}

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
  readonly #failures: StorageFailures
  readonly #readers = new Set<ReaderProcess>()
  readonly #turns = new FairQueue(turns)
  /** Those whose turn it is, without a process. */
  #pending: PendingRead[] = []
  /** Starts another process, unless the reads that wait begin earlier. */
  #nextStart: NodeJS.Timeout | null = null
  #isPaused = false
  #closed = false

  /** The timeout counts from the call of `read`; 0: none. */
  constructor(
    file: string,
    timeLimit: number,
    log: Log,
    patience: Partial<Patience> = {},
    failures = new StorageFailures({}, log),
  ) {
    this.#failures = failures
    this.#file = file
    this.#patience = { ...defaultPatience, ...patience }
    this.#timeoutMs = timeLimit
    this.#log = log
  }

  /** `client`: for whom (`clientKey`); empty: for the server itself. */
  read(sql: string, parameters: SqlValue[], client = ''): Promise<unknown[] | null> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown[] | null>()
    const read: PendingRead = { sql, parameters, done: resolve, failed: reject, timer: undefined, isOver: false }
    if (this.#timeoutMs > 0) read.timer = setTimeout(() => this.#timeOut(read), this.#timeoutMs)
    this.#turns
      .run(client, () => {
        if (!read.isOver) this.#pending.push(read)
        this.#next()
        return promise
      })
      .catch((error) => fail(read, error)) // too many wait
    return promise
  }

  /** Begins no read until `resume`. Resolves when none runs. A read that runs longer than `patienceMs` is stopped, and begins again. */
  async pause(patienceMs: number): Promise<void> {
    this.#isPaused = true
    this.#stopCounting()
    await Promise.all([...this.#readers].map((reader) => this.#drain(reader, patienceMs)))
  }

  resume(): void {
    this.#isPaused = false
    for (let n = 0; n < maxReaderProcesses; n++) this.#next()
  }

  /** Fails the reads that still run or wait. Resolves when no process holds the file open. */
  async close(): Promise<void> {
    this.#closed = true
    const exits = [...this.#readers].map(({ exited }) => exited)
    for (const reader of this.#readers) this.#lose(reader)
    this.#next()
    await Promise.all(exits)
  }

  #next(): void {
    if (this.#closed) {
      for (const read of this.#pending) fail(read, readCancelled())
      this.#pending = []
    }
    if (this.#isPaused) return
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
    const { promise: exited, resolve: end } = Promise.withResolvers<void>()
    const reader: ReaderProcess = { child, read: null, isReady: false, idle: undefined, drained: undefined, exited }
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
    for (const event of ['exit', 'error']) {
      child.on(event, () => {
        this.#lose(reader)
        end()
      })
    }
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
    reader.drained?.()
    reader.idle = setTimeout(() => this.#lose(reader), idleTimeoutMs).unref()
    // An idle process must not keep the server's process alive.
    child.unref()
    child.channel?.unref()
    this.#next()
    if (read === null) return
    if ('error' in result) {
      fail(read, this.#errorOf(result))
    } else {
      settle(read)
      read.done(result.row)
    }
  }

  #errorOf({ error, reason }: LongReadFailure): unknown {
    switch (reason) {
      case 'result too large':
        return resultTooLarge()
      case 'sum out of range':
        return sumOutOfRange()
      case 'damaged':
      case 'full':
        return this.#failures.met(reason, new Error(error))
      case null:
        return new Error(error)
      default:
        return unreachable(reason)
    }
  }

  #drain(reader: ReaderProcess, patienceMs: number): Promise<void> {
    if (reader.read === null) return Promise.resolve()
    const { promise: drained, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.#takeBack(reader), patienceMs)
    reader.drained = resolve
    return Promise.race([drained, reader.exited]).finally(() => {
      clearTimeout(timer)
      reader.drained = undefined
    })
  }

  /** The read of a process that must end waits again, as the next one. */
  #takeBack(reader: ReaderProcess): void {
    if (reader.read !== null) this.#pending.unshift(reader.read)
    reader.read = null
    this.#lose(reader)
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

/** A promise settles once: a later failure changes nothing. */
function fail(read: PendingRead, error: unknown): void {
  settle(read)
  read.failed(error)
}

function settle(read: PendingRead): void {
  clearTimeout(read.timer)
  read.isOver = true
}
