// The read connections of a store, and every statement that goes over them.
//
// 1. Nothing waits longer than the timeout: not for a connection, not for the server, and not for an unreachable one.
// 2. The server keeps each prepared statement with its plan. A connection closes those that take too much memory there, and an
//    old connection is replaced.
// 3. No connection is left after `close`.
// 4. Reads that may take long use half of the connections (`long-reads.ts`), so that short ones never wait for them.
// 5. A database that is away, because it starts again or another server takes over, is waited for: queries are sent again for
//    `outageWaitSeconds` at most.

import { ApiError, cacheBytesHelp, type Gauge, type Linked, LinkedList, type Log } from '#base'
import { clearTimeout, monotonicTime, setTimeout } from '#base/time'
import type { ReadPlan } from '#plan'
import { type StatementObserver, shapeOf, unobserved } from '../../observe/statement-observer.ts'
import { StorageFailures } from '../../observe/storage-failures.ts'
import { readTimedOut } from '../../read/read-result.ts'
import type { SqlValue } from '../../sql/encode.ts'
import { systemSubject } from '../../write/steps/write-job.ts'
import { describeAddress, type PoolOptions } from '../connect/connect.ts'
import { databaseUnavailable, errorCode, isSwitching, isUnavailable, toReadError } from '../connect/database-errors.ts'
import { type DatabaseClient, openClient, type ServerRole } from '../connect/open-client.ts'
import { query } from '../connect/queries.ts'
import { LongReads } from './long-reads.ts'
import { ReadConnection, type ReadConnectionOwner, type ReadQuery } from './read-connection.ts'
import type { ReadTime } from './read-time.ts'

/** Further queries would only time out in the queue. */
const maxPendingQueries = 1000

/** How long the server may take to report a timeout. */
const timeoutGraceMs = 250

/** A server that starts, or has no free connections, is not tried with every read. */
const reconnectDelayMs = 250

/** How long pending queries may take while the pool closes. */
const closeTimeoutMs = 5000

/** The plan that a query reads for; `timed`: the read may take long. */
export interface QueriedPlan {
  plan: ReadPlan
  timed: TimedQuery | null
}

/** A long read that waits for its turn. */
interface WaitingRead extends Linked<WaitingRead> {
  query: PendingQuery
  client: string
}

/** A read that may take long, and its client. */
interface TimedQuery {
  time: ReadTime
  client: string
}

interface PendingQuery extends ReadQuery, Linked<PendingQuery> {
  /** In the time of `performance.now`. */
  deadline: number
  /** Until then it waits for a database that is away (5). */
  outageEnd: number
  connection: ReadConnection | null
  timed: TimedQuery | null
  /** How it counts in `LongReads`; null: not at all. An object: it waits. */
  longState: 'running' | 'short' | WaitingRead | null
  sentAt: number
  reject: (readError: unknown) => void
}

/** A pooler may refuse it as a parameter of the startup. */
async function setReadOnly(client: DatabaseClient): Promise<void> {
  await query(client, 'SET default_transaction_read_only = on')
}

export class ReadPool implements ReadConnectionOwner {
  readonly #address: string
  readonly #pool: PoolOptions
  readonly #role: ServerRole
  readonly #log: Log
  readonly #connections = new Set<ReadConnection>()
  readonly #idle: ReadConnection[] = []
  readonly #opening = new Set<Promise<void>>()
  readonly #ending = new Set<Promise<void>>()
  /** The pending queries in the order of their deadlines. */
  readonly #pending = new LinkedList<PendingQuery>()
  /** The pending queries without a connection, and perhaps some that are over. */
  #waiting: PendingQuery[] = []
  readonly #longReads: LongReads
  readonly #observer: StatementObserver
  readonly #failures: StorageFailures
  /** The pending long reads that wait for their turn, in their order. */
  readonly #waitingLong = new LinkedList<WaitingRead>()
  #timer: NodeJS.Timeout | null = null
  #isReachable = true
  /** No connection is opened before this timer; queries wait for it. */
  #retry: NodeJS.Timeout | null = null
  #isProbing = false
  #isClosed = false
  /** Called when all queries are settled. */
  #onSettled: (() => void) | null = null

  constructor(address: string, pool: PoolOptions, log: Log, role: ServerRole = 'primary') {
    this.#address = address
    this.#pool = pool
    this.#longReads = new LongReads(pool.size)
    this.#observer = pool.observer ?? unobserved
    this.#failures = pool.failures ?? new StorageFailures({ database: describeAddress(address) }, log)
    this.#role = role
    this.#log = log
  }

  /** Whether the last statement reached the database. If not, it probes again for the next call: a server that reports
   *  "not ready" may get no other statements. */
  get isReachable(): boolean {
    if (!this.#isReachable && !this.#isProbing) {
      this.#isProbing = true
      const probed = () => {
        this.#isProbing = false
      }
      this.query('SELECT 1', []).then(probed, probed)
    }
    return this.#isReachable
  }

  /** Returns rows as arrays. Rejects with an ApiError. */
  query(sql: string, parameters: readonly SqlValue[], of: QueriedPlan | null = null): Promise<unknown[][]> {
    const timed = of?.timed ?? null
    if (this.#pending.size >= maxPendingQueries) return Promise.reject(tooManyPendingQueries())
    if (this.#isClosed) return Promise.reject(poolClosed())
    const { recording } = this.#observer
    const now = monotonicTime()
    return new Promise((resolve, reject) => {
      const query: PendingQuery = {
        sql,
        parameters,
        deadline: now + this.#pool.time * 1000 + timeoutGraceMs,
        outageEnd: now + (this.#pool.outageWaitSeconds ?? 0) * 1000,
        connection: null,
        earlier: null,
        later: null,
        timed,
        longState: null,
        sentAt: 0,
        reject,
        onRows: (rows) => {
          const milliseconds = monotonicTime() - query.sentAt
          timed?.time.ran(milliseconds)
          recording?.add(shapeOf(of?.plan ?? systemSubject), sql, milliseconds)
          if (milliseconds >= this.#observer.slowMs) this.#observer.took(milliseconds, sql, of?.plan ?? systemSubject)
          this.#settle(query)
          this.#isReachable = true
          resolve(rows)
        },
        onError: (error) => this.#fail(query, error),
      }
      if (timed !== null) this.#beginTimed(query, timed)
      if (timed !== null && query.longState === null) {
        reject(tooManyPendingQueries())
        return
      }
      this.#pending.add(query)
      if (!isWaiting(query)) this.#send(query)
      if (this.#timer === null && this.#pool.time > 0) this.#startTimer(query)
    })
  }

  /** Leaves `longState` null if too many reads of the client wait already. */
  #beginTimed(query: PendingQuery, { time, client }: TimedQuery): void {
    if (!time.isLong && this.#longReads.beginShort(client)) query.longState = 'short'
    else if (this.#longReads.begin(client)) query.longState = 'running'
    else if (this.#longReads.wait(client)) {
      query.longState = { query, client, earlier: null, later: null }
      this.#waitingLong.add(query.longState)
    }
  }

  /** When a long read has ended, the next one begins that may. */
  #endTimed(query: PendingQuery): void {
    const { client } = query.timed!
    if (query.longState === 'short') this.#longReads.endShort(client)
    else if (query.longState === 'running') {
      this.#longReads.end(client)
      this.#beginNextLong()
    } else {
      this.#waitingLong.delete(query.longState!)
      this.#longReads.leave(client)
    }
  }

  #beginNextLong(): void {
    let next = this.#waitingLong.first
    while (next !== null && !this.#longReads.begin(next.client)) next = next.later
    if (next === null) return
    this.#waitingLong.delete(next)
    this.#longReads.leave(next.client)
    next.query.longState = 'running'
    this.#send(next.query)
  }

  gauges(): Gauge[] {
    const sum = (member: 'size' | 'bytes' | 'hits' | 'misses') => () =>
      [...this.#connections].reduce((all, { statements }) => all + statements[member], 0)
    const cache = 'prepared_statements'
    return [
      { name: 'cache_entries', cache, kind: 'gauge', about: 'Entries in the cache.', value: sum('size') },
      { name: 'cache_bytes', cache, kind: 'gauge', about: cacheBytesHelp, value: sum('bytes') },
    ]
  }

  onFree(connection: ReadConnection): void {
    this.#idle.push(connection)
    let next = this.#waiting.shift()
    while (next !== undefined && !this.#pending.has(next)) next = this.#waiting.shift()
    if (next !== undefined) this.#send(next)
  }

  onLost(connection: ReadConnection): void {
    this.#connections.delete(connection)
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    this.#open()
  }

  /** Accepts no more queries; pending ones have five seconds. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#pending.size > 0) await this.#allSettled()
    for (let query = this.#pending.first; query !== null; query = this.#pending.first)
      this.#abandon(query, poolClosed())
    this.#waiting = []
    await Promise.all(this.#opening)
    if (this.#retry !== null) clearTimeout(this.#retry)
    for (const connection of this.#connections) this.#end(connection)
    await Promise.all(this.#ending)
  }

  #allSettled(): Promise<void> {
    return new Promise((resolve) => {
      const over = setTimeout(resolve, closeTimeoutMs)
      this.#onSettled = () => {
        clearTimeout(over)
        resolve()
      }
    })
  }

  #send(query: PendingQuery): void {
    const connection = this.#idleConnection()
    if (connection !== undefined) {
      query.connection = connection
      query.sentAt = monotonicTime()
      connection.send(query)
      return
    }
    this.#waiting.push(query)
    this.#open()
  }

  #idleConnection(): ReadConnection | undefined {
    let connection = this.#idle.pop()
    while (connection?.isWorn) {
      this.#end(connection)
      connection = this.#idle.pop()
    }
    return connection
  }

  /** Opens a connection for each waiting query, up to the size; only one while the database is unreachable. */
  #open(): void {
    const { size, time, statementBytes, isReadOnly } = this.#pool
    const target = { address: this.#address, role: this.#role, time, ...(isReadOnly && { onOpen: setReadOnly }) }
    if (this.#retry !== null) return
    const free = Math.min(size - this.#connections.size, this.#isReachable ? size : 1) - this.#opening.size
    const needed = Math.min(this.#waiting.length, this.#pending.size) - this.#opening.size
    for (let n = 0; n < Math.min(free, needed); n++) {
      const opening = openClient(target).then(
        (client) => {
          const connection = new ReadConnection(client, this, statementBytes)
          this.#opening.delete(opening)
          this.#connections.add(connection)
          this.#isReachable = true
          this.onFree(connection)
          this.#open()
        },
        (error) => {
          this.#opening.delete(opening)
          this.#rejectWaiting(error)
          this.#retry ??= setTimeout(() => this.#openAgain(), reconnectDelayMs)
        },
      )
      this.#opening.add(opening)
    }
  }

  #openAgain(): void {
    this.#retry = null
    this.#open()
  }

  /** If no connection can take the waiting queries, now or soon. */
  #rejectWaiting(error: unknown): void {
    if (this.#connections.size > 0) return
    this.#logUnreachable(error)
    if (this.#opening.size > 0) return
    const waiting = this.#waiting.filter((query) => this.#pending.has(query))
    this.#waiting = []
    for (const query of waiting) {
      if (this.#waitsForServer(query, error)) this.#waiting.push(query)
      else this.#reject(query, databaseUnavailable(error))
    }
  }

  #end(connection: ReadConnection): void {
    this.#connections.delete(connection)
    const ending = connection.end().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  /** False if the query was already settled. */
  #settle(query: PendingQuery): boolean {
    const isFirst = this.#pending.delete(query)
    if (isFirst && query.longState !== null) this.#endTimed(query)
    if (this.#pending.size === 0) this.#onSettled?.()
    return isFirst
  }

  #fail(query: PendingQuery, error: unknown): void {
    if (this.#waitsForServer(query, error) && this.#pending.has(query)) {
      const { connection } = query
      query.connection = null
      this.#waiting.push(query)
      this.#retry ??= setTimeout(() => this.#openAgain(), reconnectDelayMs)
      connection?.abort() // it leads to the server that was replaced
      return
    }
    this.#reject(query, error)
  }

  #reject(query: PendingQuery, error: unknown): void {
    if (query.sentAt > 0) query.timed?.time.ran(monotonicTime() - query.sentAt)
    if (!this.#settle(query)) return
    query.reject(this.#explain(error, query.sql))
  }

  #explain(error: unknown, sql: string): unknown {
    const failure = this.#failures.explain(error)
    if (failure !== error) return failure
    const readError = toReadError(error, this.#pool.time)
    if (readError !== error) this.#logFailure(error, sql)
    return readError
  }

  /** See 5. Refused credentials do not change. */
  #waitsForServer({ outageEnd }: PendingQuery, error: unknown): boolean {
    if (this.#isClosed || monotonicTime() >= outageEnd) return false
    return isSwitching(error) || (isUnavailable(error) && !errorCode(error).startsWith('28'))
  }

  /** One timer for all queries: their deadlines are in order, and a timer for each would cost every read. */
  #startTimer({ deadline: until }: PendingQuery): void {
    this.#timer = setTimeout(() => this.#rejectOverdue(), Math.max(1, until - monotonicTime())).unref()
  }

  /** The server ends long statements itself. So an overdue query still waits for a connection, or its connection is dead. */
  #rejectOverdue(): void {
    this.#timer = null
    const now = monotonicTime()
    let first = this.#pending.first
    while (first !== null && first.deadline <= now) {
      this.#abandon(first, readTimedOut(this.#pool.time))
      first = this.#pending.first
    }
    if (first !== null) this.#startTimer(first)
  }

  #abandon(query: PendingQuery, readError: ApiError): void {
    this.#settle(query)
    query.reject(readError)
    query.connection?.abort()
  }

  #logFailure(error: unknown, sql: string): void {
    const { code, message } = error as { code?: string; message?: string }
    if (isUnavailable(error)) this.#logUnreachable(error)
    else if (code === '57014')
      this.#log.warn({ 'db.query.text': sql, timeout_seconds: this.#pool.time }, 'query timed out')
    else this.#log.warn({ 'db.query.text': sql, 'error.type': code, 'exception.message': message }, 'query failed')
  }

  #logUnreachable(error: unknown): void {
    const { code, message } = error as { code?: string; message?: string }
    if (this.#isReachable)
      this.#log.warn(
        { 'error.type': code, 'exception.message': message, database: describeAddress(this.#address) },
        'database unreachable',
      )
    this.#isReachable = false
  }
}

/** Whether it is a long read that waits for its turn. */
function isWaiting({ longState }: PendingQuery): boolean {
  return typeof longState === 'object' && longState !== null
}

function poolClosed(): ApiError {
  return new ApiError('UNAVAILABLE', 'The connections to the database are closed.', { headers: { 'retry-after': '1' } })
}

function tooManyPendingQueries(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many statements wait for the database already.', {
    headers: { 'retry-after': '1' },
  })
}
