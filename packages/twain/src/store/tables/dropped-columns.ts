// Tables and columns that earlier schemas have left behind (`refuse-breaking.ts`, 2). Only `twain migrate --drop` drops them.
// After that, an earlier schema can no longer come back to its data.

import type { CreatedObjects } from './foreign-objects.ts'
import type { StorageNames } from './storage-names.ts'
import { keptReferences } from './stored-references.ts'
import { keyColumn } from './text-keys.ts'

export interface DroppedColumns {
  dropped: CreatedObjects
  /** The storage names without them. */
  names: StorageNames
}

/** Link tables come before the tables that they refer to. */
export function planDroppedColumns(previous: StorageNames): DroppedColumns {
  const names = structuredClone(previous)
  const tables: string[] = []
  const dropped: CreatedObjects = { tables, columns: {} }
  for (const [key, { name: table }] of Object.entries(names.links)) {
    if (!isRetired(key)) continue
    tables.push(table)
    delete names.links[key]
  }
  for (const [type, { name: table, columns }] of Object.entries(names.tables)) {
    if (isRetired(type)) continue
    for (const [key, column] of Object.entries(columns)) {
      const keys = column.keyed === undefined ? [] : [keyColumn(column.name)]
      const own = column.type === null ? [column.name] : [column.name, column.type]
      const some = isRetired(key) ? [...keys, ...own] : column.keyed === 0 ? keys : []
      if (some.length > 0) dropped.columns[table] = [...(dropped.columns[table] ?? []), ...some]
      if (isRetired(key)) delete columns[key]
      else if (column.keyed === 0) delete column.keyed
    }
  }
  for (const [key, { name: table }] of Object.entries(names.tables)) {
    if (!isRetired(key)) continue
    tables.push(table)
    delete names.tables[key]
  }
  if (names.references !== undefined) names.references = keptReferences(names.references, names)
  return { dropped, names }
}

function isRetired(key: string): boolean {
  return key.startsWith('-')
}
