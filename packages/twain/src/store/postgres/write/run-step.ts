// One write, or a few statements of our own, as one transaction on one connection: BEGIN goes with the first list of queries
// and COMMIT with the last, so that a write that needs no look at anything is one round trip.
//
// 1. A query that fails ends the transaction on the server: what stands behind it in its list fails too, and COMMIT undoes.
// 2. When the connection is lost before COMMIT was sent, nothing has happened. When it is lost later, whether it has is asked
//    by the transaction's number (`Unsure`): the server tells it before it looks at COMMIT.

import type { Query, QueryRows } from '../../sql/query.ts'
import { constant, type QueryBatch, type Step } from '../../write/steps/query-step.ts'
import { errorCode } from '../connect/database-errors.ts'
import { connectionLost, type WriteSession } from './write-session.ts'

const opening: readonly Query[] = [
  { sql: 'BEGIN ISOLATION LEVEL READ COMMITTED', parameters: [] },
  { sql: 'SELECT pg_current_xact_id()::text', parameters: [] },
]
const commit: Query = { sql: 'COMMIT', parameters: [] }

/** The connection was lost while COMMIT was under way. */
export class UnknownOutcome<T> extends Error {
  /** Of the transaction; null when it was not heard. */
  readonly transactionId: string | null
  readonly batch: QueryBatch<T>
  /** The rows of the look's queries; of some there may be none. */
  readonly received: QueryRows[]

  constructor(number: string | null, look: QueryBatch<T>, heard: QueryRows[], cause: unknown) {
    super('whether the transaction was committed is not known', { cause })
    this.transactionId = number
    this.batch = look
    this.received = heard
  }
}

/** Throws a Fault of the step, what the server says, or Unsure. */
export async function runInTransaction<T>(step: Step<QueryBatch<T>>, session: WriteSession): Promise<T> {
  let isOpen = false
  let number: string | null = null
  let turn = step.next()
  try {
    while (turn.done !== true) {
      const heard: QueryRows[] = []
      const before = isOpen ? [] : opening
      isOpen = true
      await session.query([...before, ...turn.value], heard)
      number ??= String(heard[1]![0]![0])
      turn = step.next(heard.slice(before.length))
    }
  } catch (error) {
    if (isOpen) session.rollBack()
    throw error
  }
  const { queries, read } = turn.value
  if (queries.length === 0 && !isOpen) return read([])
  const before = isOpen ? [] : opening
  const heard: QueryRows[] = []
  try {
    await session.query([...before, ...queries, commit], heard)
  } catch (error) {
    if (errorCode(error) !== connectionLost) throw error
    if (!isOpen) number = (heard[1]?.[0]?.[0] as string | undefined) ?? null
    throw new UnknownOutcome(number, turn.value, rowsOf(heard), error)
  }
  return read(rowsOf(heard))

  function rowsOf(all: QueryRows[]): QueryRows[] {
    return all.slice(before.length, before.length + queries.length)
  }
}

/** Each list sees what those before it wrote. */
export type RunQueries = (queries: readonly Query[]) => Promise<QueryRows[]>

/** One that stays open while something else decides what is asked next. A query that fails undoes all of it, whatever `work`
 *  makes of that. */
export async function runInOpenTransaction<T>(
  work: (ask: RunQueries) => Promise<T>,
  session: WriteSession,
): Promise<T> {
  const begun: QueryRows[] = []
  let failed: { error: unknown } | null = null
  let made: T
  try {
    await session.query(opening, begun)
    made = await work(async (queries) => {
      const heard: QueryRows[] = []
      try {
        await session.query(queries, heard)
      } catch (error) {
        failed = { error }
        throw error
      }
      return heard
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

/** A step, inside of one that is open. */
export async function runStep<T>(step: Step<T>, ask: RunQueries): Promise<T> {
  let turn = step.next()
  while (turn.done !== true) turn = step.next(await ask(turn.value))
  return turn.value
}
