// Tables and columns that earlier schemas have left behind (`refuse-breaking.ts`, 2). Only `twain migrate --drop` drops them.
// After that, an earlier schema can no longer come back to its data.

import { quoteName } from './quote.ts'
import type { StorageNames } from './storage-names.ts'
import { keptReferences } from './stored-references.ts'
import { keyColumn } from './text-keys.ts'

export interface DroppedColumns {
  statements: string[]
  /** The storage names without them. */
  names: StorageNames
}

/** `first`: what must run before a column is dropped. */
export function planDroppedColumns(
  previous: StorageNames,
  first: (table: string, column: string) => string[] = () => [],
): DroppedColumns {
  const names = structuredClone(previous)
  const statements: string[] = []
  const drop = (table: string) => statements.push(`DROP TABLE ${quoteName(table)}`)
  for (const [key, { name: table }] of Object.entries(names.links)) {
    if (!isRetired(key)) continue
    drop(table)
    delete names.links[key]
  }
  for (const [type, { name: table, columns }] of Object.entries(names.tables)) {
    if (isRetired(type)) continue
    for (const [key, column] of Object.entries(columns)) {
      const keys = column.keyed === undefined ? [] : [keyColumn(column.name)]
      const own = column.type === null ? [column.name] : [column.name, column.type]
      const dropped = isRetired(key) ? [...keys, ...own] : column.keyed === 0 ? keys : []
      for (const one of dropped) {
        statements.push(...first(table, one), `ALTER TABLE ${quoteName(table)} DROP COLUMN ${quoteName(one)}`)
      }
      if (isRetired(key)) delete columns[key]
      else if (column.keyed === 0) delete column.keyed
    }
  }
  for (const [key, { name: table }] of Object.entries(names.tables)) {
    if (!isRetired(key)) continue
    drop(table)
    delete names.tables[key]
  }
  if (names.references !== undefined) names.references = keptReferences(names.references, names)
  return { statements, names }
}

function isRetired(key: string): boolean {
  return key.startsWith('-')
}
