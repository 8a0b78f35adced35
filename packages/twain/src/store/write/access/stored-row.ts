// Compiled statements, filled with what is known inside the write alone. They are copied: the same one may be asked of
// several rows at once, and the job must stay as it was.

import type { BoundRead } from '../../sql/bind.ts'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'

/** A row as the table keeps it: its version, and each column's value by the column's name. */
export interface StoredRow {
  id: string
  version: number
  values: Map<string, SqlValue>
}

/** A row that is referred or linked to. */
export interface RowReference {
  type: string
  id: string
}

/** For the row with this id. */
export function fillId({ sql, parameters, idAt }: BoundRead, id: string): Query {
  const filled = parameters.slice()
  for (const at of idAt) filled[at] = id
  return { sql, parameters: filled }
}

/** For the row that is not written yet. */
export function fillRow({ sql, parameters, columnsAt }: BoundRead, row: StoredRow): Query {
  const filled = parameters.slice()
  for (const { at, column } of columnsAt) {
    filled[at] = column === 'id' ? row.id : column === '_version' ? row.version : (row.values.get(column) ?? null)
  }
  return { sql, parameters: filled }
}
