// The input of one row from a file or a body, or why there is none.

import type { DetailCode } from '#base'

export interface InputRow {
  /** Where the row begins in its file or body. */
  line: number
  input: Readonly<Record<string, unknown>>
}

/** Why a row is bad. */
export interface RowFailure {
  line: number
  problems: RowProblem[]
}

export interface RowProblem {
  line: number
  /** The field; empty for the row as a whole. */
  path: string
  code: DetailCode
  message: string
}

export function isBadRow(row: InputRow | RowFailure): row is RowFailure {
  return 'problems' in row
}
