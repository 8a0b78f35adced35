// Runs one write, or a few statements on system tables, as one transaction on one connection. BEGIN goes with the first list
// of queries and COMMIT with the last, so that a write without lookups takes one round trip.
//
// 1. A query that fails ends the transaction on the server: the queries behind it fail too, and COMMIT rolls back.
// 2. If the connection is lost before COMMIT was sent, nothing has happened. If it is lost later, the transaction id tells
//    the outcome (`UnknownOutcome`): the server sends the id before it sees COMMIT.

import type { Query, QueryRows } from '../../sql/query.ts'
import { constant, type QueryBatch, type Step } from '../../write/steps/query-step.ts'
import { errorCode } from '../connect/database-errors.ts'
import { connectionLost, type WriteSession } from './write-session.ts'

const opening: readonly Query[] = [
  { sql: 'BEGIN ISOLATION LEVEL READ COMMITTED', parameters: [] },
  { sql: 'SELECT pg_current_xact_id()::text', parameters: [] },
]
const commit: Query = { sql: 'COMMIT', parameters: [] }

/** The connection was lost during COMMIT. */
export class UnknownOutcome<T> extends Error {
  /** The id of the transaction; null if it was not received. */
  readonly transactionId: string | null
  readonly batch: QueryBatch<T>
  /** The received rows of the last batch; some may be missing. */
  readonly received: QueryRows[]

  constructor(number: string | null, look: QueryBatch<T>, received: QueryRows[], cause: unknown) {
    super('whether the transaction was committed is not known', { cause })
    this.transactionId = number
    this.batch = look
    this.received = received
  }
}

/** Throws an ApiError of the step, an error of the server, or UnknownOutcome. */
export async function runInTransaction<T>(step: Step<QueryBatch<T>>, session: WriteSession): Promise<T> {
  let isOpen = false
  let number: string | null = null
  let turn = step.next()
  try {
    while (turn.done !== true) {
      const received: QueryRows[] = []
      const before = isOpen ? [] : opening
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
  const before = isOpen ? [] : opening
  const received: QueryRows[] = []
  try {
    await session.query([...before, ...queries, commit], received)
  } catch (error) {
    if (errorCode(error) !== connectionLost) throw error
    if (!isOpen) number = (received[1]?.[0]?.[0] as string | undefined) ?? null
    throw new UnknownOutcome(number, turn.value, rowsOf(received), error)
  }
  return read(rowsOf(received))

  function rowsOf(all: QueryRows[]): QueryRows[] {
    return all.slice(before.length, before.length + queries.length)
  }
}

/** Each list sees what those before it wrote. */
export type RunQueries = (queries: readonly Query[]) => Promise<QueryRows[]>

/** Keeps a transaction open while `work` decides what to run next. A failed query rolls back everything, whatever `work`
 *  does about it. */
export async function runInOpenTransaction<T>(
  work: (run: RunQueries) => Promise<T>,
  session: WriteSession,
): Promise<T> {
  const begun: QueryRows[] = []
  let failed: { error: unknown } | null = null
  let made: T
  try {
    await session.query(opening, begun)
    made = await work(async (queries) => {
      const received: QueryRows[] = []
      try {
        await session.query(queries, received)
      } catch (error) {
        failed = { error }
        throw error
      }
      return received
    })
    if (failed !== null) throw (failed as { error: unknown }).error
  } catch (error) {
    session.rollBack()
    throw failed === null ? error : (failed as { error: unknown }).error
  }
  try {
    await session.query([commit], [])
  } catch (error) {
    if (errorCode(error) !== connectionLost) throw error
    throw new UnknownOutcome(String(begun[1]![0]![0]), constant(made), [], error)
  }
  return made
}

/** Runs a step inside an open transaction. */
export async function runStep<T>(step: Step<T>, run: RunQueries): Promise<T> {
  let turn = step.next()
  while (turn.done !== true) turn = step.next(await run(turn.value))
  return turn.value
}
