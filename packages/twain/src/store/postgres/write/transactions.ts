// Transactions on PostgreSQL, beside those of other nodes. Each is repeated until it commits or is refused.
//
// 1. Two concurrent writes may both pass their lookups and then conflict (a unique value, a reference to a deleted row). The
//    database reports it. The write is rolled back and repeated: now it sees the other write and reports the conflict as
//    usual. Deadlocks are repeated too.
// 2. An unknown outcome is looked up. Only if that fails it is reported as unknown.
// 3. While another server takes over, a write waits: its first attempt may fail because the connection is lost, the server
//    stops, or is read-only. It is repeated for `outageWaitSeconds`, or until the time of the request is nearly over; not after its client
//    has gone.
// 4. A crashed server may reuse the id of a transaction that left nothing on disk. So `aborted` always means this transaction,
//    and so does an id that was not assigned yet. `committed` means it only with a change log entry that nobody else wrote.
// 5. If the id was lost too, the process that ran the transaction must have ended; it may still read what was sent to it. Then
//    a write without its entry was not committed, and a row with its entry was created. Another write may have updated the same
//    row in the same millisecond, so an entry of an update proves nothing.
// 6. A transaction that holds rows waits for others only shortly, and then runs again: if it waits for one that waits for it, the database
//    would find that after a second (`deadlock_timeout`).
// 7. A write that conflicts again and again, or gave up a wait, takes a lock before its next attempts: such writes run one after another, and
//    compete only with new ones, which wait less than they do. With the lock it tries again almost at once, until its time is over.
// 8. While writes of this node run one after another, an open transaction that conflicts, or has waited for its first row, joins them: it
//    would hold that row while its code runs, and then give up.

import { ApiError, type Log } from '#base'
import { monotonicTime, randomFraction, sleep } from '#base/time'
import { type StatementObserver, unobserved } from '../../observe/statement-observer.ts'
import { StorageFailures } from '../../observe/storage-failures.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import { referredByUnknown, takenForUnknown } from '../../write/rows/unknown-referrers.ts'
import type { QueryBatch, Step } from '../../write/steps/query-step.ts'
import { systemSubject } from '../../write/steps/write-job.ts'
import type { ServerHistory } from '../changes/server-history.ts'
import { describeAddress, type PoolOptions } from '../connect/connect.ts'
import { errorCode, isSwitching, isUnavailable, isUnwritable, toWriteError } from '../connect/database-errors.ts'
import { AssertionTexts } from './assumptions.ts'
import { AttemptSession } from './attempt-session.ts'
import { HeldLocks } from './held-locks.ts'
import { observedSession } from './observed-session.ts'
import {
  type Isolation,
  LockNeeded,
  type OpenSession,
  runInOpenTransaction,
  runInTransaction,
  type TransactionTerms,
  UnknownOutcome,
} from './run-step.ts'
import { ClientGone, SessionPool } from './session-pool.ts'
import { SharedCommits } from './shared-commits.ts'
import { connectionLost, outdatedStatement, type WriteSession } from './write-session.ts'

/** How long the lookup of an outcome may take at least. */
const outcomeTimeoutMs = 5000

/** What is left of the time of a request when a write gives up, so that its answer says why. */
const reservedMs = 1000

/** The delay before the next attempt, while no server takes writes. */
const reconnectDelayMs = 100

/** How often a write that conflicts with others is tried before it takes a lock. */
const maxAttemptsWithoutLock = 4

/** How often it is tried in all, and how long if there is no time limit. */
const maxAttempts = 20
const maxRetrySeconds = 30

/** The lock of writes that conflict again and again. */
const conflictLock = 'conflict'

/** unique_violation, foreign_key_violation, serialization_failure, deadlock_detected, lock_not_available; or the tables have changed. */
const conflictCodes = new Set(['23505', '23503', '40001', '40P01', '55P03', outdatedStatement])

/** Transactions that waited for each other, or seemed to. */
const blockedCodes = new Set(['40P01', '55P03'])

/** How long a transaction that holds rows waits for others, on average; and with the lock of writes that conflict: then others give up
 *  first. */
const lockWaitMs = { first: 50, last: 1000 }

/** What the statements of an open transaction belong to, in the slow-query log. */
const openSubject = 'transaction of custom code'

/** unique_violation and foreign_key_violation. */
const stillTaken = '23505'
const stillReferred = '23503'

/** The error of `pg_xact_status` for an id beyond all assigned ones (invalid_parameter_value). */
const notAssignedYet = '22023'

/** How to find out whether a write was committed. */
export interface CommitTrace {
  /** What the result needs: the row of the last query, which may be read again; or nothing. */
  needed: 'last' | 'none'
  /** The time of its change log entries. */
  time(): string
}

/** How many entries may have got positions while the outcome was unknown. */
const maxRecentChanges = 100_000

/** Whether the transaction `$1` wrote an entry at the time `$2`. */
const selectOwnChange = `
  SELECT 1 FROM twain_change WHERE seq IS NULL AND tx = $1::text::xid8 AND time = $2
  UNION ALL
  SELECT 1 FROM twain_change
  WHERE seq > (SELECT last - ${maxRecentChanges} FROM twain_log) AND tx = $1::text::xid8 AND time = $2
  LIMIT 1`

/** Whether the process `$1` of the server that was started at `$2` has ended. A standby may lack commits, and does not know. */
const selectHasEnded = `
  SELECT 1 WHERE NOT pg_is_in_recovery() AND (
    pg_postmaster_start_time()::text <> $2 OR NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1::text::int))`

/** Whether anybody wrote an entry at the time `$1` about the row `$2`, `$3` of the kind `$4`. */
const selectChangeOfRow = `
  SELECT 1 FROM twain_change
  WHERE (seq IS NULL OR seq > (SELECT last - ${maxRecentChanges} FROM twain_log))
    AND time = $1 AND resource = $2 AND id = $3 AND kind = $4
  LIMIT 1`

export interface TransactionPoolOptions extends PoolOptions {
  /** The number of connections for locks. */
  lockSize: number
  /** The isolation of writes to the rows of resources. */
  isolation: Isolation
}

export class Transactions {
  readonly #sessions: SessionPool
  readonly #lockSessions: SessionPool
  readonly #shared: SharedCommits
  readonly #isolation: Isolation
  readonly #time: number
  readonly #outageWaitMs: number
  readonly #log: Log
  readonly #observer: StatementObserver
  readonly #failures: StorageFailures
  readonly #assertions = new AssertionTexts()
  #isClosed = false
  /** How many writes run one after another: see 7. */
  #queued = 0
  /** Whether the database could not take the last write. */
  #isFailing = false
  #isProbing = false

  constructor(address: string, pool: TransactionPoolOptions, history: ServerHistory, log: Log) {
    this.#sessions = new SessionPool(address, pool, history)
    this.#lockSessions = new SessionPool(address, { ...pool, size: pool.lockSize }, history)
    this.#shared = new SharedCommits(this.#sessions, this.#assertions)
    this.#isolation = pool.isolation
    this.#time = pool.time
    this.#outageWaitMs = (pool.outageWaitSeconds ?? 0) * 1000
    this.#log = log
    this.#observer = pool.observer ?? unobserved
    this.#failures = pool.failures ?? new StorageFailures({ database: describeAddress(address) }, log)
  }

  /** Whether the database checks writes against what they have read. */
  get isSerializable(): boolean {
    return this.#isolation === 'SERIALIZABLE'
  }

  /** Versions that writes assign are greater (`changes/epochs.ts`). */
  get versionFloor(): number {
    return this.#sessions.versionFloor
  }

  /** Runs statements on system tables: all of them or none. */
  run(...statements: Query[]): Promise<QueryRows[]> {
    const look: QueryBatch<QueryRows[]> = { queries: statements, read: (rows) => [...rows] }
    return this.#untilDone(
      (_, waitMs) => this.#runAttempt(() => onlyBatch(look), { isolation: 'READ COMMITTED', waitMs }, systemSubject),
      null,
    )
  }

  /** Writes that wait for a server fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#shared.close()
    await this.#sessions.close()
    await this.#lockSessions.close()
  }

  /** Throws an ApiError, or an error of the database. Without a trace an unknown outcome is resolved only if nothing has
   *  happened. */
  runStep<T>(
    start: () => Step<QueryBatch<T>>,
    subject: string,
    trace: CommitTrace | null,
    isWanted = always,
  ): Promise<T> {
    const { begin, mayBegin } = whileWanted(isWanted)
    const attempt: Attempt<T> =
      this.#isolation === 'SERIALIZABLE'
        ? (_, waitMs) => this.#runAttempt(start, { isolation: this.#isolation, waitMs }, subject, begin)
        : (_, waitMs) => this.#runShared(start, waitMs, subject, begin)
    return this.#untilDone(attempt, trace, mayBegin)
  }

  /** The same for a transaction that stays open while `work` runs. */
  runOpen<T>(
    work: (open: OpenSession) => Promise<T>,
    trace: CommitTrace,
    isolation: Isolation = this.#isolation,
    isWanted = always,
  ): Promise<T> {
    const { begin, mayBegin } = whileWanted(isWanted)
    const attempt: Attempt<T> = (locks, waitMs) => {
      const waited = (milliseconds: number) => {
        const isCrowded = milliseconds > lockWaitMs.first && this.#queued > 0
        if (isCrowded && !locks.has(conflictLock)) throw new LockNeeded(conflictLock) // see 8
      }
      return this.#runOpenAttempt(work, { isolation, waitMs, waited }, locks, begin)
    }
    return this.#untilDone(attempt, trace, mayBegin, true)
  }

  /** Whether the last write could be made. If not, it tries to write again for the next call: a server that reports "not ready"
   *  may get no other writes. */
  get isWritable(): boolean {
    if (this.#isFailing && !this.#isProbing && !this.#isClosed) {
      this.#isProbing = true
      const probed = () => {
        this.#isProbing = false
      }
      this.run({ sql: 'UPDATE twain_epoch SET n = n WHERE n = 1', parameters: [] }).then(probed, probed)
    }
    return !this.#isFailing
  }

  async #untilDone<T>(attempt: Attempt<T>, trace: CommitTrace | null, isWanted = always, isOpen = false): Promise<T> {
    const locks = new HeldLocks(this.#lockSessions)
    try {
      const done = await this.#repeat(attempt, locks, trace, isWanted, isOpen)
      this.#isFailing = false
      return done
    } catch (error) {
      this.#isFailing = isUnwritable(error instanceof ApiError ? error.cause : error)
      throw error
    } finally {
      if (locks.wants(conflictLock)) this.#queued--
      locks.release()
    }
  }

  async #repeat<T>(
    attempt: Attempt<T>,
    locks: HeldLocks,
    trace: CommitTrace | null,
    isWanted: () => boolean,
    isOpen: boolean,
  ): Promise<T> {
    const want = (lock: string) => {
      if (lock === conflictLock && !locks.wants(lock)) this.#queued++
      locks.want(lock)
    }
    const until = monotonicTime() + (this.#time || maxRetrySeconds) * 1000
    const deadline = this.#deadline()
    const outageEnd = Math.min(deadline, monotonicTime() + this.#outageWaitMs)
    for (let tries = 1; ; tries++) {
      try {
        if (tries > maxAttemptsWithoutLock) want(conflictLock)
        if (locks.isMissing) await locks.take()
        return await attempt(locks, locks.has(conflictLock) ? lockWaitMs.last : lockWait())
      } catch (error) {
        if (error instanceof LockNeeded) {
          want(error.lockName)
          continue
        }
        if (error instanceof UnknownOutcome) {
          const status = await this.#statusOf(error, trace, deadline)
          if (status === 'unknown') throw outcomeUnknown(error)
          if (status === 'committed') return await this.#recall(error as UnknownOutcome<T>, trace!)
        } else if (error instanceof ApiError) throw error
        else if (isTakeover(error)) {
          if (this.#isClosed || monotonicTime() > outageEnd) throw this.#toApiError(error)
          locks.release() // they were those of the former server
          tries = 0
          await sleep(reconnectDelayMs)
          if (!isWanted()) throw new ClientGone()
          continue
        } else if (!conflictCodes.has(errorCode(error))) throw this.#toApiError(error)
        if (blockedCodes.has(errorCode(error)) || (isOpen && this.#queued > 0)) want(conflictLock)
        if (tries > maxAttemptsWithoutLock) refuseRepeated(error)
        if (tries >= maxAttempts && monotonicTime() > until) throw tooManyConflicts(error)
      }
      await sleep(randomFraction() * (locks.has(conflictLock) ? 4 : 2 ** tries))
    }
  }

  #runAttempt<T>(
    start: () => Step<QueryBatch<T>>,
    terms: TransactionTerms,
    subject: string,
    begin: () => void = always,
  ): Promise<T> {
    return this.#withSession((session) => {
      begin()
      return runInTransaction(start, observedSession(session, this.#observer, subject), terms, this.#assertions)
    })
  }

  /** The transaction may share its commit with others. Not where their isolation is SERIALIZABLE: each would be checked against the
   *  reads of all. */
  async #runShared<T>(
    start: () => Step<QueryBatch<T>>,
    waitMs: number,
    subject: string,
    begin: () => void,
  ): Promise<T> {
    const session = new AttemptSession(this.#sessions, this.#shared, this.#observer, subject, begin)
    try {
      return await runInTransaction(start, session, { isolation: 'READ COMMITTED', waitMs }, this.#assertions)
    } finally {
      session.release()
    }
  }

  /** The connection is taken for the first query: a lock that is taken before it must not wait while it holds a connection. */
  async #runOpenAttempt<T>(
    work: (open: OpenSession) => Promise<T>,
    terms: TransactionTerms,
    locks: HeldLocks,
    begin: () => void,
  ): Promise<T> {
    let connecting: Promise<WriteSession> | null = null
    const connect = () => (connecting ??= this.#sessions.acquire())
    try {
      const observed = async () => {
        const session = await connect()
        begin()
        return observedSession(session, this.#observer, openSubject)
      }
      return await runInOpenTransaction(work, observed, terms, locks)
    } finally {
      // Also one that comes after the end of the transaction.
      ;(connecting as Promise<WriteSession> | null)?.then((session) => this.#sessions.release(session)).catch(() => {})
    }
  }

  /** When a write that waits for a server gives up. */
  #deadline(): number {
    const time = this.#time * 1000
    return monotonicTime() + (time === 0 ? outcomeTimeoutMs : Math.max(time / 2, time - reservedMs))
  }

  async #withSession<T>(use: (session: WriteSession) => Promise<T>): Promise<T> {
    const session = await this.#sessions.acquire()
    try {
      return await use(session)
    } finally {
      this.#sessions.release(session)
    }
  }

  /** Looks the outcome up as soon as the database answers. The server ends a transaction whose connection is lost. */
  async #statusOf(
    unsure: UnknownOutcome<unknown>,
    trace: CommitTrace | null,
    deadline: number,
  ): Promise<'committed' | 'aborted' | 'unknown'> {
    const until = Math.max(deadline, monotonicTime() + outcomeTimeoutMs)
    while (monotonicTime() < until) {
      try {
        const status = await (unsure.transactionId === null
          ? this.#statusByChange(unsure, trace)
          : this.#statusById(unsure.transactionId, trace))
        if (status !== 'in progress') return status
      } catch (error) {
        if (errorCode(error) === notAssignedYet) return 'aborted' // see 4
      }
      await sleep(100)
    }
    return 'unknown'
  }

  /** See 4. */
  async #statusById(id: string, trace: CommitTrace | null): Promise<TransactionStatus> {
    const [[status] = []] = await this.#queryAlone('SELECT pg_xact_status($1::text::xid8)', id)
    if (status === 'aborted' || status === 'in progress') return status
    if (status !== 'committed' || trace === null) return 'unknown'
    return (await this.#queryAlone(selectOwnChange, id, trace.time())).length > 0 ? 'committed' : 'unknown'
  }

  /** See 5. */
  async #statusByChange(
    { process, batch }: UnknownOutcome<unknown>,
    trace: CommitTrace | null,
  ): Promise<TransactionStatus> {
    const own = batch.queries.find(({ change }) => change !== undefined)?.change
    if (process === null || trace === null || own === undefined) return 'unknown'
    const hasEnded = (await this.#queryAlone(selectHasEnded, process.id, process.serverStart)).length > 0
    if (!hasEnded) return 'in progress'
    const found = await this.#queryAlone(selectChangeOfRow, trace.time(), own.type, own.id, own.kind)
    if (found.length === 0) return 'aborted'
    return own.kind === 'created' ? 'committed' : 'unknown'
  }

  /** The result of a transaction that committed without confirmation. */
  async #recall<T>(unsure: UnknownOutcome<T>, { needed }: CommitTrace): Promise<T> {
    const { batch: look, received } = unsure
    const { queries } = look
    if (needed === 'none' || Object.keys(received).length === queries.length) return look.read(received)
    const written = queries.at(-1)!
    const last = await this.#readBack(written.readBack ?? written)
    if (last.length === 0) throw new ApiError('NOT_FOUND', 'It was written, and deleted meanwhile.')
    return look.read(queries.map((_, index) => (index === queries.length - 1 ? last : [])))
  }

  /** Tries again while the database is away: its error would tell the client that nothing was written. */
  async #readBack(query: Query): Promise<QueryRows> {
    const until = monotonicTime() + outcomeTimeoutMs
    for (;;) {
      try {
        return await this.#queryAlone(query.sql, ...query.parameters)
      } catch (error) {
        if (monotonicTime() >= until) throw writtenButUnread(error)
      }
      await sleep(100)
    }
  }

  #queryAlone(sql: string, ...parameters: Query['parameters']): Promise<QueryRows> {
    return this.#withSession(async (session) => {
      const received: QueryRows[] = []
      await session.query([{ sql, parameters }], received)
      return received[0]!
    })
  }

  #toApiError(error: unknown): unknown {
    const failure = this.#failures.explain(error)
    if (failure !== error) return failure
    const apiError = toWriteError(error, this.#time)
    if (apiError !== error)
      this.#log.warn({ 'error.type': errorCode(error), 'exception.message': String(error) }, 'database write failed')
    return apiError
  }
}

type TransactionStatus = 'committed' | 'aborted' | 'in progress' | 'unknown'

type Attempt<T> = (locks: HeldLocks, waitMs: number) => Promise<T>

/** Of two that wait for each other one gives up first. */
function lockWait(): number {
  return Math.ceil(lockWaitMs.first * (0.5 + randomFraction()))
}

// biome-ignore lint/correctness/useYield: it has no queries before
function* onlyBatch<T>(look: QueryBatch<T>): Step<QueryBatch<T>> {
  return look
}

/** Whether nothing has happened because no server takes the write just now: see 3. Refused credentials do not change. */
function isTakeover(error: unknown): boolean {
  const code = errorCode(error)
  return code === connectionLost || isSwitching(error) || (isUnavailable(error) && !code.startsWith('28'))
}

/** A violation that repeats is no race: it comes from an index or a table that only another version of the schema knows. */
function refuseRepeated(error: unknown): void {
  if (errorCode(error) === stillReferred) throw referredByUnknown('The row', undefined, error)
  if (errorCode(error) === stillTaken) throw takenForUnknown(error)
}

function tooManyConflicts(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many concurrent writes change the same rows; nothing was written.', {
    headers: { 'retry-after': '1' },
    cause,
  })
}

const always = () => true

/** Nobody learns of it. */
/** `begin` is called with the connection in hand, for which a write may have waited long. What has begun ends. */
function whileWanted(isWanted: () => boolean): { begin(): void; mayBegin(): boolean } {
  let hasBegun = false
  const mayBegin = () => hasBegun || isWanted()
  const begin = () => {
    if (!mayBegin()) throw new ClientGone()
    hasBegun = true
  }
  return { begin, mayBegin }
}

function outcomeUnknown(cause: unknown): ApiError {
  return new ApiError(
    'UNAVAILABLE',
    'The connection to the database was lost; whether the write was made is not known.',
    {
      hint: 'Read what it was about before you send it again.',
      headers: { 'retry-after': '1' },
      cause,
    },
  )
}

function writtenButUnread(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'The write was made; the database was lost before it could be read back.', {
    hint: 'Do not send it again: read it when the database is back.',
    headers: { 'retry-after': '1' },
    cause,
  })
}
