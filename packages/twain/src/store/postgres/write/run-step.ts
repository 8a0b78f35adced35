// Runs one write, or a few statements on system tables, as one transaction on one connection. BEGIN goes with the first list
// of queries and COMMIT with the last. Checks that the write expects to pass go along with what follows them. So a create is one
// round trip.
//
// 1. A query that fails ends the transaction: the server skips the queries behind it, and the session rolls back.
// 2. If the connection is lost before COMMIT was sent, nothing has happened. If it is lost later, the transaction id tells
//    the outcome (`UnknownOutcome`): the server sends the id before it sees COMMIT. The id may be lost too, if the whole write
//    is one round trip.
// 3. A service with custom code writes in SERIALIZABLE transactions, because the database checks only such transactions against each
//    other: what a hook has read is still true at its commit. Other services write in READ COMMITTED ones.

import { monotonicTime } from '#base/time'
import type { Query, QueryRows } from '../../sql/query.ts'
import { constant, type QueryBatch, type Step } from '../../write/steps/query-step.ts'
import { errorCode } from '../connect/database-errors.ts'
import { type AssertionTexts, Assumptions, assumptionFailed, selectTransactionId } from './assumptions.ts'
import type { HeldLocks } from './held-locks.ts'
import type { TransactionSession } from './observed-session.ts'
import { connectionLost, type ServerProcess } from './write-session.ts'

export type Isolation = 'READ COMMITTED' | 'SERIALIZABLE'

const begin: Readonly<Record<Isolation, Query>> = {
  'READ COMMITTED': { sql: 'BEGIN ISOLATION LEVEL READ COMMITTED', parameters: [] },
  SERIALIZABLE: { sql: 'BEGIN ISOLATION LEVEL SERIALIZABLE', parameters: [] },
}
const commit: Query = { sql: 'COMMIT', parameters: [] }

/** The connection was lost during COMMIT. */
export class UnknownOutcome<T> extends Error {
  /** The id of the transaction; null if it was not received. */
  readonly transactionId: string | null
  /** The process that ran the transaction. */
  readonly process: ServerProcess | null
  readonly batch: QueryBatch<T>
  /** The received rows of the last batch; some may be missing. */
  readonly received: QueryRows[]

  constructor(facts: Pick<UnknownOutcome<T>, 'transactionId' | 'process' | 'batch' | 'received'>, cause: unknown) {
    super('whether the transaction was committed is not known', { cause })
    this.transactionId = facts.transactionId
    this.process = facts.process
    this.batch = facts.batch
    this.received = facts.received
  }
}

/** How long a transaction that holds rows may wait for others, from its next queries on. Two transactions that wait for each other both
 *  hold rows; one that waits in a queue for its first row holds none. */
function limitWaits(milliseconds: number): Query {
  return { sql: `SELECT set_config('lock_timeout', $1, true)`, parameters: [String(milliseconds)] }
}

/** Throws an ApiError of the step, an error of the server, or UnknownOutcome. `start` is called again if an assumption was wrong. */
export async function runInTransaction<T>(
  start: () => Step<QueryBatch<T>>,
  session: TransactionSession,
  { isolation, waitMs }: TransactionTerms,
  texts: AssertionTexts,
): Promise<T> {
  const assumptions = new Assumptions(texts)
  const terms = { isolation, waitMs }
  try {
    return await runOnce(start(), session, terms, assumptions)
  } catch (error) {
    // A refusal may come from what was assumed.
    const mayBeWrong = error instanceof Refused || errorCode(error) === assumptionFailed
    if (!mayBeWrong || !assumptions.wereMade) throw error instanceof Refused ? error.cause : error
  }
  try {
    return await runOnce(start(), session, terms, null)
  } catch (error) {
    throw error instanceof Refused ? error.cause : error
  }
}

/** The step threw `cause` before it ended: nothing was written. */
class Refused extends Error {
  constructor(cause: unknown) {
    super('the write was refused', { cause })
  }
}

/** With assumptions, checks are asserted together with the queries behind them. */
async function runOnce<T>(
  step: Step<QueryBatch<T>>,
  session: TransactionSession,
  { isolation, waitMs }: TransactionTerms,
  assumptions: Assumptions | null,
): Promise<T> {
  let isOpen = false
  let isLimited = false
  let number: string | null = null
  const next = (rows?: readonly QueryRows[]) => {
    try {
      return rows === undefined ? step.next() : step.next(rows)
    } catch (error) {
      throw new Refused(error)
    }
  }
  /** Goes in front of the next queries. The last of these queries returns the id of the transaction. */
  const opening = (): readonly Query[] => {
    if (isOpen) return assumptions?.arePending === true ? assumptions.takeAssertion() : []
    return [begin[isolation], ...(assumptions === null ? [selectTransactionId] : assumptions.takeAssertion())]
  }
  let turn: IteratorResult<readonly Query[], QueryBatch<T>>
  try {
    turn = next()
    while (turn.done !== true) {
      const assumed = assumptions?.assume(turn.value) ?? null
      if (assumed !== null) {
        turn = next(assumed)
        continue
      }
      const received: QueryRows[] = []
      const before = [...opening()]
      // The last list of a write only writes what those before it have locked.
      if (isOpen && !isLimited) {
        before.unshift(limitWaits(waitMs))
        isLimited = true
      }
      isOpen = true
      await session.query([...before, ...turn.value], received)
      number ??= String(received[before.length - 1]![0]![0])
      turn = next(received.slice(before.length))
    }
  } catch (error) {
    if (isOpen) session.rollBack()
    throw error
  }
  const { queries, read } = turn.value
  if (queries.length === 0 && !isOpen && assumptions?.arePending !== true) return read([])
  const before = opening()
  const received: QueryRows[] = []
  try {
    await session.query([...before, ...queries, commit], received, !isOpen)
  } catch (error) {
    if (errorCode(error) !== connectionLost) throw error
    if (!isOpen) number = (received[before.length - 1]?.[0]?.[0] as string | undefined) ?? null
    const facts = { process: session.process, batch: turn.value, received: rowsOf(received) }
    throw new UnknownOutcome({ transactionId: number, ...facts }, error)
  }
  return read(rowsOf(received))

  function rowsOf(all: QueryRows[]): QueryRows[] {
    return all.slice(before.length, before.length + queries.length)
  }
}

/** What an attempt of a transaction begins with. */
export interface TransactionTerms {
  isolation: Isolation
  /** See `limitWaits`. */
  waitMs: number
  /** Called with the time that the first write of an open transaction took. May throw to end the attempt. */
  waited?: (milliseconds: number) => void
}

/** Each list sees what those before it wrote. */
export type RunQueries = (queries: readonly Query[]) => Promise<QueryRows[]>

/** What the work of an open transaction may do. */
export interface OpenSession {
  /** Waits for a connection, for the first query. */
  connect(): Promise<void>
  run: RunQueries
  /** The same for queries of a write. Once the transaction holds rows, it does not wait long for others. */
  write: RunQueries
  /** Sends a statement without rows along with the next queries. */
  runLater(sql: string): void
  /** Waits for a lock, and holds it until the transaction has ended. */
  lock(name: string): Promise<void>
}

/** The transaction needs this lock before it begins: it has read rows already, and would not see what the holder of the lock
 *  commits. */
export class LockNeeded extends Error {
  readonly lockName: string

  constructor(name: string) {
    super(`the transaction must hold the lock "${name}" before it begins`)
    this.lockName = name
  }
}

/** Keeps a transaction open while `work` decides what to run next. BEGIN goes with its first queries. A failed query rolls back
 *  everything, whatever `work` does about it. */
export async function runInOpenTransaction<T>(
  work: (open: OpenSession) => Promise<T>,
  connect: () => Promise<TransactionSession>,
  { isolation, waitMs, waited }: TransactionTerms,
  locks: HeldLocks,
): Promise<T> {
  let number: string | null = null
  let session: TransactionSession | null = null
  let hasBegun = false
  let failed: { error: unknown } | null = null
  let pending: Query[] = []
  // A write of several steps goes on after a timeout. Its next step must not run on the connection, which has no transaction then, or
  // that of somebody else.
  let isOver = false
  let holdsRows = false
  const expectOpen = () => {
    if (isOver) throw new Error('the transaction has ended')
  }
  const attempt = async <R>(use: () => Promise<R>): Promise<R> => {
    try {
      return await use()
    } catch (error) {
      failed ??= { error }
      throw error
    }
  }
  const run: RunQueries = (queries) =>
    attempt(async () => {
      expectOpen()
      session ??= await connect()
      expectOpen()
      const isFirst = !hasBegun
      hasBegun = true
      const before = isFirst ? [begin[isolation], selectTransactionId, ...pending] : pending
      pending = []
      const received: QueryRows[] = []
      await session.query(before.length === 0 ? queries : [...before, ...queries], received)
      if (isFirst) number = String(received[1]![0]![0])
      return received.slice(before.length)
    })
  const open: OpenSession = {
    connect: () =>
      attempt(async () => {
        session ??= await connect()
      }),
    run,
    async write(queries) {
      // Each time: a savepoint that is rolled back takes the limit along.
      if (holdsRows) {
        pending.push(limitWaits(waitMs))
        return run(queries)
      }
      const began = monotonicTime()
      const rows = await run(queries)
      holdsRows = true
      await attempt(async () => waited?.(monotonicTime() - began))
      return rows
    },
    runLater: (sql) => void pending.push({ sql, parameters: [] }),
    lock: (name) =>
      attempt(async () => {
        if (locks.has(name)) return
        if (session !== null) throw new LockNeeded(name) // also if it has a connection only: see `HeldLocks`
        locks.want(name)
        await locks.take()
      }),
  }
  let made: T
  try {
    made = await work(open)
    if (failed !== null) throw (failed as { error: unknown }).error
  } catch (error) {
    isOver = true
    if (hasBegun) (session as TransactionSession | null)?.rollBack()
    throw failed === null ? error : (failed as { error: unknown }).error
  }
  isOver = true
  if (!hasBegun) return made
  const { process } = session as unknown as TransactionSession
  try {
    await (session as unknown as TransactionSession).query([...pending, commit], [])
  } catch (error) {
    if (errorCode(error) !== connectionLost) throw error
    throw new UnknownOutcome({ transactionId: number, process, batch: constant(made), received: [] }, error)
  }
  return made
}

/** Runs a step inside an open transaction. */
export async function runStep<T>(step: Step<T>, run: RunQueries): Promise<T> {
  let turn = step.next()
  while (turn.done !== true) turn = step.next(await run(turn.value))
  return turn.value
}
