// The keys of texts: a column beside each text that has the order for people, with the key that it is sorted by (`textKey`). The order
// is (key, text). A key is NULL where its text is NULL.
//
// 1. The statement that writes a text writes its key.
// 2. The storage names say which version of the folding table the keys of a column are made for (`TableColumn.keyed`). A start fills
//    the keys of columns that have none, or those of another version.
// 3. A column keeps its keys when its field gets `@collation(name: BINARY)`; they are no longer written, and marked with version 0.

import { foldingVersion } from '#base'
import { isFolded, type ReferenceField, type StoredField } from '#model'
import { shortName } from './quote.ts'
import type { TableColumn } from './storage-names.ts'

/** A column of texts, and the column of their keys. */
export interface KeyColumn {
  table: string
  column: string
  key: string
}

const prefix = 'key of '

/** No field has such a name. */
export function keyColumn(column: string): string {
  return shortName(prefix + column)
}

export function isKeyColumn(name: string): boolean {
  return name.startsWith(prefix)
}

/** A table of PostgreSQL has at most 1,600 columns. Texts beyond this number have no stored keys: a sort computes them. */
const maxKeyColumns = 400

interface KeyedColumn {
  field: StoredField
  column: string
  /** Whether all rows have their keys. */
  isFilled: boolean
}

/** The columns with keys. Marks the version of the keys in the storage names. `isNew` are columns that are about to be created. */
export function keyedColumns(
  columns: ReadonlyMap<StoredField | ReferenceField, TableColumn>,
  isNew: ReadonlySet<TableColumn>,
): KeyedColumn[] {
  const found: KeyedColumn[] = []
  for (const [field, column] of columns) {
    if (field.kind === 'stored' && isFolded(field) && (found.length < maxKeyColumns || column.keyed)) {
      found.push({ field, column: column.name, isFilled: isNew.has(column) || column.keyed === foldingVersion })
      column.keyed = foldingVersion
    } else if (column.keyed !== undefined) column.keyed = 0
  }
  return found
}
