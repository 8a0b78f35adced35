// Rows as tables store them, and compiled statements bound to them. Binding copies the parameters: one statement may run for
// several rows, and the job must not change.

import type { BoundRead } from '../../sql/bind.ts'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'

/** A row as its table stores it: the version, and each value by column name. */
export interface StoredRow {
  id: string
  version: number
  values: Map<string, SqlValue>
}

/** Whether the row is being deleted in the background (`rows/hide-row.ts`). */
export function isHidden({ version }: StoredRow): boolean {
  return version < 0
}

/** A row that is referenced or linked. */
export interface RowReference {
  type: string
  id: string
}

/** Binds the statement to the row with this id. */
export function fillId({ sql, parameters, idAt, locks }: BoundRead, id: string): Query {
  const filled = parameters.slice()
  for (const at of idAt) filled[at] = id
  return withLocks({ sql, parameters: filled }, locks, (lock) => fillId(lock, id))
}

/** Binds the statement to a row that is not written yet. */
export function fillRow({ sql, parameters, columnsAt, locks }: BoundRead, row: StoredRow): Query {
  const filled = parameters.slice()
  for (const { at, column } of columnsAt) {
    filled[at] = column === 'id' ? row.id : column === '_version' ? row.version : (row.values.get(column) ?? null)
  }
  return withLocks({ sql, parameters: filled }, locks, (lock) => fillRow(lock, row))
}

function withLocks(query: Query, locks: BoundRead['locks'], fill: (lock: BoundRead) => Query): Query {
  if (locks !== undefined) query.locks = locks.map((lock, rank) => ({ ...fill(lock), expects: 'lock', rank }))
  return query
}
