// How the logic of a write queries its database, whichever that is. A step is a generator: it yields a list of queries and
// resumes with the rows of each. SQLite runs it in a plain loop (`sqlite/write/run-step.ts`). PostgreSQL sends the list in
// one round trip and awaits the rows (`postgres/write/run-step.ts`).
//
// 1. The queries of a list run in order, and each sees what those before it wrote.
// 2. An error of a query is thrown at the yield. A step that does not catch it ends the write.
// 3. No step changes its job: after a rollback the store may run the same job again.

import { ApiError, type PlacedFailure, placedError } from '#base'
import type { LoggedChangeKey, Query, QueryRows } from '../../sql/query.ts'

/** A step, or a whole write, that ends with a `T`. It never yields an empty list. */
export type Step<T> = Generator<readonly Query[], T, readonly QueryRows[]>

/** The queries of one list, and what their rows mean. `all` combines batches that do not depend on each other. */
export interface QueryBatch<T> {
  queries: readonly Query[]
  read(rows: readonly QueryRows[]): T
}

/** A condition: constant, or true if the query returns a row. */
export type Check = boolean | Query

const none: readonly never[] = []

/** Runs the batch. */
export function* runBatch<T>(batch: QueryBatch<T>): Step<T> {
  return batch.read(batch.queries.length === 0 ? none : yield batch.queries)
}

type BatchResults<Looks extends readonly QueryBatch<unknown>[]> = {
  -readonly [Index in keyof Looks]: Looks[Index] extends QueryBatch<infer T> ? T : never
}

/** Runs the step, and then the batch that it ends with. */
export function* runToEnd<T>(step: Step<QueryBatch<T>>): Step<T> {
  return yield* runBatch(yield* step)
}

/** Runs the step, and collects the changes that it logs, in their order. */
export function* withChanges<T>(step: Step<T>): Step<{ result: T; changes: LoggedChangeKey[] }> {
  const changes: LoggedChangeKey[] = []
  let turn = step.next()
  while (turn.done !== true) {
    let rows: readonly QueryRows[]
    try {
      rows = yield turn.value
    } catch (error) {
      turn = step.throw(error)
      continue
    }
    for (const { change, changes: several } of turn.value) {
      if (change !== undefined) changes.push(change)
      if (several !== undefined) changes.push(...several)
    }
    turn = step.next(rows)
  }
  return { result: turn.value, changes }
}

/** Combines batches into one. Their rows are read in order, so the first error wins. */
export function all<const Looks extends readonly QueryBatch<unknown>[]>(
  batches: Looks,
): QueryBatch<BatchResults<Looks>> {
  const queries: Query[] = []
  for (const look of batches) queries.push(...look.queries)
  return {
    queries,
    read(rows) {
      let at = 0
      return batches.map(({ queries: batchQueries, read }) => {
        const from = at
        at += batchQueries.length
        return read(batchQueries.length === rows.length ? rows : rows.slice(from, at))
      })
    },
  } as QueryBatch<BatchResults<Looks>>
}

export function map<From, To>({ queries, read }: QueryBatch<From>, convert: (seen: From) => To): QueryBatch<To> {
  return { queries, read: (rows) => convert(read(rows)) }
}

/** A batch without queries. */
export function constant<T>(value: T): QueryBatch<T> {
  return { queries: none, read: () => value }
}

/** A requirement that is met, or a search without a result. */
export const ok: QueryBatch<void> = constant(undefined)

export function queryRows(queries: readonly Query[]): QueryBatch<readonly QueryRows[]> {
  return { queries, read: (rows) => rows }
}

/** The same as `all` for batches that only read: a query that several of them have runs once, and locks run first. */
export function allDistinct<T>(batches: readonly QueryBatch<T>[]): QueryBatch<T[]> {
  const usedBy = batches.map((batch) => batch.queries.map(queryKey))
  const byKey = new Map<string, Query>()
  batches.forEach((batch, index) => {
    for (const [at, query] of batch.queries.entries()) {
      const key = usedBy[index]![at]!
      if (!byKey.has(key)) byKey.set(key, query)
    }
  })
  const isLock = ({ expects }: Query): boolean => expects === 'lock'
  const distinctQueries = [...byKey.values()]
  const queries = [...inLockOrder(distinctQueries.filter(isLock)), ...distinctQueries.filter((query) => !isLock(query))]
  const numbers = new Map(queries.map((query, number) => [queryKey(query), number]))
  return {
    queries,
    read: (rows) => batches.map(({ read }, index) => read(usedBy[index]!.map((key) => rows[numbers.get(key)!]!))),
  }
}

/** Locks of one moment of a write, each once, in an order that all writes have: by rank, statement and values. So two writes that lock the same
 *  rows never wait for each other. */
export function inLockOrder(locks: readonly Query[]): readonly Query[] {
  if (locks.length < 2) return locks
  const keyed = locks.map((lock) => ({ lock, rank: lock.rank ?? 0, key: queryKey(lock) }))
  keyed.sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1))
  return [...new Map(keyed.toReversed().map(({ key, lock }) => [key, lock])).values()].reverse()
}

export function queryKey({ sql, parameters }: Query): string {
  return `${sql}\0${parameters.join('\0')}`
}

/** Whether each check passes, in order. `expects`: what the queries return if the write may go on. */
export function evaluateChecks(checks: readonly Check[], expects?: Query['expects']): QueryBatch<boolean[]> {
  let queries = checks.filter((check) => typeof check !== 'boolean')
  if (queries.length === 0) return constant(checks as boolean[])
  const locks = inLockOrder(queries.flatMap((query) => query.locks ?? none))
  if (expects !== undefined) queries = queries.map((query) => ({ ...query, expects }))
  return {
    queries: locks.length === 0 ? queries : [...locks, ...queries],
    read(rows) {
      let at = locks.length
      return checks.map((check) => (typeof check === 'boolean' ? check : rows[at++]!.length > 0))
    },
  }
}

/** Bounds the queries of a list and the rows that they return. */
export const maxChunkItems = 100

export function* inChunks<Item>(items: readonly Item[], size = maxChunkItems): Generator<Item[], void> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/** Runs the same step for several items of one write and reports the errors of all of them at once, each at its own place. An
 *  item that fails does not stop the items after it. */
export function* collectErrors<Item extends { place: string }, Result>(
  items: readonly Item[],
  step: (item: Item, index: number) => Step<Result>,
): Step<Result[]> {
  const results: Result[] = []
  const failed: PlacedFailure[] = []
  for (const [index, item] of items.entries()) {
    try {
      results.push(yield* step(item, index))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      failed.push({ place: item.place, error })
    }
  }
  const [first, ...others] = failed
  if (first !== undefined) throw placedError([first, ...others])
  return results
}
