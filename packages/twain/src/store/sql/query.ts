// A statement with its values, and the rows that it returns.

import type { SqlValue } from './encode.ts'

export interface Query {
  sql: string
  parameters: SqlValue[]
  /** What it returns if the write may go on. A store may assume it and send the next queries along (`postgres/write/assumptions.ts`). */
  expects?: 'row' | 'none'
  /** The change of which the statement adds an entry to the change log. */
  change?: LoggedChangeKey
  /** The same for a statement that adds several entries. */
  changes?: readonly LoggedChangeKey[]
}

/** A changed row: the storage name of its type, its id, and what became of it. */
export interface LoggedChangeKey {
  type: string
  id: string
  kind: 'created' | 'updated' | 'deleted'
}

/** Each row is the array of its columns. A statement that returns nothing has no rows. */
export type QueryRows = SqlValue[][]
