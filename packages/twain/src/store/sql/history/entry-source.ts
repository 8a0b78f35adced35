// The entries of the history of rows: those of the change log, and of a type with `@history` those that were kept when the log was
// pruned (`system/kept-history.ts`). An entry is in one of the two tables.

import type { Resource } from '#model'

/** A row source in brackets. */
export function entriesOf({ history }: Resource, columns: string, condition: string): string {
  const tables = history === undefined ? ['twain_change'] : ['twain_change', 'twain_history']
  return `(${tables.map((table) => `SELECT ${columns} FROM ${table} WHERE ${condition}`).join(' UNION ALL ')})`
}
