// How the logic of a write asks its database, whichever that is. A step is a generator: it yields a list of queries, and is
// resumed with the rows of each. SQLite drives it in a plain loop (`sqlite/write/drive.ts`); a database behind a socket
// sends the list in one round trip and awaits the rows.
//
// 1. The queries of a list run in its order, and each sees what those before it wrote.
// 2. What a query fails with is thrown at the yield that asked. A step that does not catch it ends the write.
// 3. No step changes its job: when everything is undone, the same job may be driven once more.

import type { Query, QueryRows } from '../../sql/query.ts'

/** A step, or a whole write, that ends with a `T`. No list is empty. */
export type Step<T> = Generator<readonly Query[], T, readonly QueryRows[]>

/** What one list asks, and what its rows mean. Looks that do not depend on each other become one (`all`). */
export interface QueryBatch<T> {
  queries: readonly Query[]
  read(rows: readonly QueryRows[]): T
}

/** Something that holds or not: known already, or it holds when the query gives a row. */
export type Check = boolean | Query

const none: readonly never[] = []

/** A step that takes this look. */
export function* runBatch<T>(batch: QueryBatch<T>): Step<T> {
  return batch.read(batch.queries.length === 0 ? none : yield batch.queries)
}

type BatchResults<Looks extends readonly QueryBatch<unknown>[]> = {
  -readonly [Index in keyof Looks]: Looks[Index] extends QueryBatch<infer T> ? T : never
}

/** A step that ends with a last look, and takes that too. */
export function* runToEnd<T>(step: Step<QueryBatch<T>>): Step<T> {
  return yield* runBatch(yield* step)
}

/** All at once. They are read in their order, so that of those that throw the first is heard. */
export function all<const Looks extends readonly QueryBatch<unknown>[]>(
  batches: Looks,
): QueryBatch<BatchResults<Looks>> {
  const queries: Query[] = []
  for (const look of batches) queries.push(...look.queries)
  return {
    queries,
    read(rows) {
      let at = 0
      return batches.map(({ queries: own, read }) => {
        const from = at
        at += own.length
        return read(own.length === rows.length ? rows : rows.slice(from, at))
      })
    },
  } as QueryBatch<BatchResults<Looks>>
}

export function map<From, To>({ queries, read }: QueryBatch<From>, convert: (seen: From) => To): QueryBatch<To> {
  return { queries, read: (rows) => convert(read(rows)) }
}

/** Asks nothing. */
export function constant<T>(value: T): QueryBatch<T> {
  return { queries: none, read: () => value }
}

/** A requirement that holds, or a search that finds nothing. */
export const ok: QueryBatch<void> = constant(undefined)

export function queryRows(queries: readonly Query[]): QueryBatch<readonly QueryRows[]> {
  return { queries, read: (rows) => rows }
}

/** Whether each of these holds, in their order. */
export function evaluateChecks(checks: readonly Check[]): QueryBatch<boolean[]> {
  const queries = checks.filter((boundPlan) => typeof boundPlan !== 'boolean')
  if (queries.length === 0) return constant(checks as boolean[])
  return {
    queries,
    read(rows) {
      let at = 0
      return checks.map((boundPlan) => (typeof boundPlan === 'boolean' ? boundPlan : rows[at++]!.length > 0))
    },
  }
}

/** How many rows are worked on at once, so that neither a list nor what it gives grows with the work. */
const maxChunkItems = 100

export function* inChunks<Item>(items: readonly Item[]): Generator<Item[], void> {
  for (let at = 0; at < items.length; at += maxChunkItems) yield items.slice(at, at + maxChunkItems)
}
