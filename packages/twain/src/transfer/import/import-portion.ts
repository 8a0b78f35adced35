// What the command sends to the service, and what it gets back. It is plain data: the service may be another process.

import type { InputRow, RowFailure, RowProblem } from '#records'
import type { ImportPosition, ImportStep } from '#store'

/** Rows that are written in one transaction, all of them or none. */
export interface ImportPortion {
  type: string
  rows: readonly InputRow[]
  /** 1 creates the rows. 2 sets the fields `waiting` of rows that exist. */
  pass: 1 | 2
  waiting: readonly string[]
  /** The fields of the unique key by which a row that is there is changed instead. Absent: rows are only created. */
  onConflict?: readonly string[]
  /** Null: a dry run. The service adds the number of rows and the fields that wait. */
  step: (Omit<ImportStep, 'to'> & { to: Omit<ImportPosition, 'waiting'> }) | null
}

export interface ImportOutcome {
  /** How many rows were written; 0 if one of them is bad. */
  written: number
  failures: RowFailure[]
  /** Fields of rows that were left out: they refer to rows that don't exist yet. */
  waiting: RowProblem[]
}
