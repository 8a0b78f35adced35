// The columns of views on SQLite: how their SELECT sees stored values, and how its values become columns of a row.

import type { ScalarName, StoredField } from '#model'
import type { ViewSql } from '../views/view-source.ts'
import { storageClass } from './scalar-columns.ts'

/** An exact number as SQLite computes and compares with it: an integer, or else a double. Sums of them are exact
 *  (`aggregates/view-sums.ts`). */
const shownExact = (column: string) => `CAST(substr(${column}, instr(${column}, ' ') + 1) AS NUMERIC)`

/** Makes an exact number of what a SELECT returns (`connect/connect.ts`). */
export const exactFunction = 'twain_exact'

const asStored: Partial<Record<ScalarName, (column: string) => string>> = {
  DateTime: (column) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column})`,
  Date: (column) => `date(${column})`,
  Decimal: (column) => `${exactFunction}(${column})`,
  BigInt: (column) => `${exactFunction}(${column})`,
}

export const sqliteViews: ViewSql = {
  store: 'sqlite',
  table: (name) => `main.${name}`,
  shown: ({ type }, column) => (isExact(type) ? shownExact(column) : column),
  stored({ type }: StoredField, column) {
    const convert = type.kind === 'scalar' ? asStored[type.name] : undefined
    return convert === undefined ? `CAST(${column} AS ${storageClass(type)})` : convert(column)
  },
  text: (column) => `CAST(${column} AS TEXT)`,
}

function isExact(type: StoredField['type']): boolean {
  return type.kind === 'scalar' && (type.name === 'Decimal' || type.name === 'BigInt')
}
