// Runs one write, or a few statements on system tables, as one transaction on one connection. BEGIN goes with the first list
// of queries and COMMIT with the last, so that a write without lookups takes one round trip.
//
// 1. A query that fails ends the transaction: the server skips the queries behind it, and the session rolls back.
// 2. If the connection is lost before COMMIT was sent, nothing has happened. If it is lost later, the transaction id tells
//    the outcome (`UnknownOutcome`): the server sends the id before it sees COMMIT. The id may be lost too, if the whole write
//    is one round trip.
// 3. A service with custom code writes in SERIALIZABLE transactions, because the database checks only such transactions against each
//    other: what a hook has read is still true at its commit. Other services write in READ COMMITTED ones.

import type { Query, QueryRows } from '../../sql/query.ts'
import { constant, type QueryBatch, type Step } from '../../write/steps/query-step.ts'
import { errorCode } from '../connect/database-errors.ts'
import type { HeldLocks } from './held-locks.ts'
import type { TransactionSession } from './observed-session.ts'
import { connectionLost, type ServerProcess } from './write-session.ts'

export type Isolation = 'READ COMMITTED' | 'SERIALIZABLE'

function begin(isolation: Isolation): readonly Query[] {
  return [
    { sql: `BEGIN ISOLATION LEVEL ${isolation}`, parameters: [] },
    { sql: 'SELECT pg_current_xact_id()::text', parameters: [] },
  ]
}

const opening: Readonly<Record<Isolation, readonly Query[]>> = {
  'READ COMMITTED': begin('READ COMMITTED'),
  SERIALIZABLE: begin('SERIALIZABLE'),
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

/** Throws an ApiError of the step, an error of the server, or UnknownOutcome. */
export async function runInTransaction<T>(
  step: Step<QueryBatch<T>>,
  session: TransactionSession,
  isolation: Isolation,
): Promise<T> {
  let isOpen = false
  let number: string | null = null
  let turn = step.next()
  try {
    while (turn.done !== true) {
      const received: QueryRows[] = []
      const before = isOpen ? [] : opening[isolation]
      isOpen = true
      await session.query([...before, ...turn.value], received)
      number ??= String(received[1]![0]![0])
      turn = step.next(received.slice(before.length))
    }
  } catch (error) {
    if (isOpen) session.rollBack()
    throw error
  }
  const { queries, read } = turn.value
  if (queries.length === 0 && !isOpen) return read([])
  const before = isOpen ? [] : opening[isolation]
  const received: QueryRows[] = []
  try {
    await session.query([...before, ...queries, commit], received)
  } catch (error) {
    if (errorCode(error) !== connectionLost) throw error
    if (!isOpen) number = (received[1]?.[0]?.[0] as string | undefined) ?? null
    const facts = { process: session.process, batch: turn.value, received: rowsOf(received) }
    throw new UnknownOutcome({ transactionId: number, ...facts }, error)
  }
  return read(rowsOf(received))

  function rowsOf(all: QueryRows[]): QueryRows[] {
    return all.slice(before.length, before.length + queries.length)
  }
}

/** Each list sees what those before it wrote. */
export type RunQueries = (queries: readonly Query[]) => Promise<QueryRows[]>

/** What the work of an open transaction may do. */
export interface OpenSession {
  /** Waits for a connection, for the first query. */
  connect(): Promise<void>
  run: RunQueries
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
  isolation: Isolation,
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
  const open: OpenSession = {
    connect: () =>
      attempt(async () => {
        session ??= await connect()
      }),
    run: (queries) =>
      attempt(async () => {
        expectOpen()
        session ??= await connect()
        expectOpen()
        const isFirst = !hasBegun
        hasBegun = true
        const before = isFirst ? [...opening[isolation], ...pending] : pending
        pending = []
        const received: QueryRows[] = []
        await session.query(before.length === 0 ? queries : [...before, ...queries], received)
        if (isFirst) number = String(received[1]![0]![0])
        return received.slice(before.length)
      }),
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
