// Rows on their way from one end of a copy to the other: a list of values for each, as SQLite stores them (`sql/encode.ts`).

export type Cell = string | number | null
export type RowBatch = Cell[][]

/** Small enough that most batches are collected while they are young. */
export const rowsInBatch = 200
