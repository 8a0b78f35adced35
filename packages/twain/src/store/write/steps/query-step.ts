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
export interface Look<T> {
  queries: readonly Query[]
  read(rows: readonly QueryRows[]): T
}

/** Something that holds or not: known already, or it holds when the query gives a row. */
export type Whether = boolean | Query

const none: readonly never[] = []

/** A step that takes this look. */
export function* take<T>(look: Look<T>): Step<T> {
  return look.read(look.queries.length === 0 ? none : yield look.queries)
}

type Seen<Looks extends readonly Look<unknown>[]> = {
  -readonly [Index in keyof Looks]: Looks[Index] extends Look<infer T> ? T : never
}

/** A step that ends with a last look, and takes that too. */
export function* complete<T>(step: Step<Look<T>>): Step<T> {
  return yield* take(yield* step)
}

/** All at once. They are read in their order, so that of those that throw the first is heard. */
export function all<const Looks extends readonly Look<unknown>[]>(looks: Looks): Look<Seen<Looks>> {
  const queries: Query[] = []
  for (const look of looks) queries.push(...look.queries)
  return {
    queries,
    read(rows) {
      let at = 0
      return looks.map(({ queries: own, read }) => {
        const from = at
        at += own.length
        return read(own.length === rows.length ? rows : rows.slice(from, at))
      })
    },
  } as Look<Seen<Looks>>
}

export function map<From, To>({ queries, read }: Look<From>, turn: (seen: From) => To): Look<To> {
  return { queries, read: (rows) => turn(read(rows)) }
}

/** Asks nothing. */
export function known<T>(value: T): Look<T> {
  return { queries: none, read: () => value }
}

/** A requirement that holds, or a search that finds nothing. */
export const passed: Look<void> = known(undefined)

export function rowsOf(queries: readonly Query[]): Look<readonly QueryRows[]> {
  return { queries, read: (rows) => rows }
}

/** Whether each of these holds, in their order. */
export function settle(questions: readonly Whether[]): Look<boolean[]> {
  const queries = questions.filter((boundPlan) => typeof boundPlan !== 'boolean')
  if (queries.length === 0) return known(questions as boolean[])
  return {
    queries,
    read(rows) {
      let at = 0
      return questions.map((boundPlan) => (typeof boundPlan === 'boolean' ? boundPlan : rows[at++]!.length > 0))
    },
  }
}

/** How many rows are worked on at once, so that neither a list nor what it gives grows with the work. */
const portion = 100

export function* portions<Item>(items: readonly Item[]): Generator<Item[], void> {
  for (let at = 0; at < items.length; at += portion) yield items.slice(at, at + portion)
}
