// Several whole transactions as one: the first BEGIN, the limits of time, one check of all rows that they refer to, the other queries of
// each, the creates that are one statement, and one COMMIT.

import type { SqlValue } from '../../sql/encode.ts'
import type { Query, QueryRows, SeveralRows } from '../../sql/query.ts'
import { queryKey } from '../../write/steps/query-step.ts'
import { type AssertionTexts, selectTransactionId } from './assumptions.ts'

/** A transaction from BEGIN to COMMIT. */
interface WholeQueries {
  queries: readonly Query[]
}

/** How long a statement may take that keeps other writes waiting; how long all writes of a transaction may wait for locks, and how long
 *  each may at least. */
export const togetherMs = { statement: 250, locks: 50, lock: 5 }

const setLimits = `SELECT set_config('statement_timeout', '${togetherMs.statement}', true), set_config('lock_timeout', $1, true)`

/** What is sent for several transactions. */
export interface JoinedTransactions {
  queries: Query[]
  /** Where the rows of each query arrive, for each transaction, without BEGIN and COMMIT. */
  places: ResultPlace[][]
}

interface ResultPlace {
  /** The index of the query. */
  at: number
  /** The rows end with this id; null: all rows are its own. */
  id: SqlValue
}

/** A create that can be one with others, and the place of its result. */
interface JoinedCreate {
  query: Query
  place: ResultPlace
}

export function joinTransactions(
  transactions: readonly WholeQueries[],
  assertions: AssertionTexts,
): JoinedTransactions {
  const lockMs = Math.max(togetherMs.lock, Math.floor(togetherMs.locks / transactions.length))
  const limits = { sql: setLimits, parameters: [String(lockMs)] }
  const all = [transactions[0]!.queries[0]!, limits, assertions.assertionOfIds(referredIds(transactions))]
  const own = transactions.map(({ queries }) => queries.slice(1, -1).map((query) => withoutIds(query, assertions)))
  const looks = new Set<(table: string) => boolean>()
  for (const queries of own) for (const query of queries) if (query?.looksAt !== undefined) looks.add(query.looksAt)
  const mayWait = ({ table }: SeveralRows) => !looks.values().some((looksAt) => looksAt(table))
  const creates = new Map<SeveralRows, JoinedCreate[]>()
  const sendCreates = () => {
    for (const [several, some] of creates) {
      for (const part of inPowersOfTwo(some)) {
        const at = all.push(part.length === 1 ? part[0]!.query : createdTogether(several, part)) - 1
        for (const { query, place } of part) {
          place.at = at
          if (part.length > 1) place.id = query.parameters[0]!
        }
      }
    }
    creates.clear()
  }
  const locked = new Map<string, number>()
  const places = own.map((queries) =>
    queries.map((query, index): ResultPlace => {
      if (query === null) return { at: idsAt, id: null }
      if (query.expects === 'lock') {
        const key = queryKey(query)
        const at = locked.get(key) ?? all.push(query) - 1
        locked.set(key, at)
        return { at, id: null }
      }
      const { several } = query
      if (several === undefined || index < queries.length - 1) return { at: all.push(query) - 1, id: null }
      // Nothing may come behind it that looks at it, and what was judged without it comes first in the change log.
      if (!mayWait(several)) {
        sendCreates()
        return { at: all.push(query) - 1, id: null }
      }
      const place: ResultPlace = { at: 0, id: null }
      const known = creates.get(several)
      if (known === undefined) creates.set(several, [{ query, place }])
      else known.push({ query, place })
      return place
    }),
  )
  sendCreates()
  all.push(transactions[0]!.queries.at(-1)!)
  return { queries: all, places }
}

/** Where the rows of the statement arrive that checks the ids of all, and returns the id of the transaction. */
const idsAt = 2

/** What a query does beyond that statement; null: nothing. */
function withoutIds(query: Query, assertions: AssertionTexts): Query | null {
  if (query === selectTransactionId) return null
  const { checks } = query
  if (checks === undefined || !checks.some(isOfId)) return query
  const others = checks.filter((check) => !isOfId(check))
  return others.length === 0 ? null : assertions.assertionOf(others)
}

/** Whether it is a check that one statement can make for many ids. */
function isOfId({ ofEachId, expects }: Query): boolean {
  return ofEachId !== undefined && expects === 'row'
}

/** The ids that must be there, by `Query.ofEachId`. */
function referredIds(transactions: readonly WholeQueries[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>()
  for (const { queries } of transactions) {
    for (const { checks } of queries) {
      for (const check of checks ?? []) {
        if (!isOfId(check)) continue
        const id = check.parameters[0] as string
        const known = ids.get(check.ofEachId!)
        if (known === undefined) ids.set(check.ofEachId!, new Set([id]))
        else known.add(id)
      }
    }
  }
  return ids
}

function createdTogether({ text }: SeveralRows, creates: readonly JoinedCreate[]): Query {
  const parameters: SqlValue[] = []
  for (const { query } of creates) for (const value of query.parameters) parameters.push(value)
  return { sql: text(creates.length), parameters }
}

/** Parts whose sizes are few, so that few statements are prepared. */
function* inPowersOfTwo<Item>(items: readonly Item[]): Generator<Item[], void> {
  for (let from = 0; from < items.length; ) {
    const size = 2 ** Math.floor(Math.log2(items.length - from))
    yield items.slice(from, from + size)
    from += size
  }
}

/** Gives each the rows that have arrived. */
export function divideRows(
  received: readonly QueryRows[],
  transactions: readonly { received: QueryRows[] }[],
  { places }: JoinedTransactions,
): void {
  const byId = new Map<number, Map<SqlValue, QueryRows>>()
  const rowsOf = (at: number, id: SqlValue): QueryRows => {
    let rows = byId.get(at)
    if (rows === undefined) {
      rows = Map.groupBy(received[at]!, (row) => row.at(-1)!)
      byId.set(at, rows)
    }
    return rows.get(id) ?? []
  }
  for (const [index, { received: own }] of transactions.entries()) {
    own[0] = []
    for (const [inside, { at, id }] of places[index]!.entries()) {
      if (received[at] !== undefined) own[inside + 1] = id === null ? received[at] : rowsOf(at, id)
    }
  }
}
