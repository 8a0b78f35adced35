// A statement with its values, and the rows that it returns.

import type { SqlValue } from './encode.ts'

/** The id that `Query.ofEachId` checks. */
export const checkedId = 'twain_checked.id'

export interface Query {
  sql: string
  parameters: SqlValue[]
  /** What it returns if the write may go on; `lock`: that does not matter, it locks what the queries behind it read. A store may assume it and send the next queries along (`postgres/write/assumptions.ts`). */
  expects?: 'row' | 'none' | 'lock'
  /** Of the check of a rule: the statements that lock what it reads, to run before it. */
  locks?: readonly Query[]
  /** Of a lock: its place among those of the check, as rows are locked after those that they are found from. Below 0: before those of any
   *  check. Default: 0. */
  rank?: number
  /** Of a check that there is a row with the id that is its parameter: the same with `checkedId` instead of the parameter. One
   *  statement can check many ids then. */
  ofEachId?: string
  /** Of a statement that asserts checks: those checks. */
  checks?: readonly Query[]
  /** Of a statement that creates a row and reads it: what reads the row by itself. */
  readBack?: Query
  /** Of the same, if all such statements can be one: the text of it for so many rows. It has the parameters of each, one after the other, and
   *  each row that it returns ends with its id, the first parameter. The same object makes the same statements. */
  several?: SeveralRows
  /** Of the checks of a write: whether a rule or a reference among them looks at this table (its quoted name), and no index decides in its place. */
  looksAt?: (table: string) => boolean
  /** The change of which the statement adds an entry to the change log. */
  change?: LoggedChangeKey
  /** The same for a statement that adds several entries. */
  changes?: readonly LoggedChangeKey[]
}

export interface SeveralRows {
  /** Its quoted name. */
  table: string
  text(count: number): string
}

/** A changed row: the storage name of its type, its id, and what became of it. */
export interface LoggedChangeKey {
  type: string
  id: string
  kind: 'created' | 'updated' | 'deleted'
}

/** Each row is the array of its columns. A statement that returns nothing has no rows. */
export type QueryRows = SqlValue[][]
