// A statement with its values, and the rows that it returns.

import type { SqlValue } from './encode.ts'

export interface Query {
  sql: string
  parameters: SqlValue[]
}

/** Each row is the array of its columns. A statement that returns nothing has no rows. */
export type QueryRows = SqlValue[][]
