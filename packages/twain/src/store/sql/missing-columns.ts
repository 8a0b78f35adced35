// Reads on a database that a schema migration has not changed yet: they see the tables and columns that it lacks, filled as the
// migration would fill them.

import type { ReferenceField, StoredField } from '#model'
import { type Layout, type Table, withoutKeys } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import { type SqlValue, valueForExistingRows } from './encode.ts'

/** `literal` is the SQL of a value of a column; of the id without a field. */
export function withMissingColumns(
  layout: Layout,
  present: ReadonlyMap<string, ReadonlySet<string>>,
  literal: (value: SqlValue, field: StoredField | ReferenceField | null) => string,
): Layout {
  // It lacks keys of texts, too.
  const { tables: unkeyed } = withoutKeys(layout)
  const tables = new Map(unkeyed)
  for (const [resource, table] of unkeyed) {
    const source = sourceOf(table)
    if (source !== null) tables.set(resource, { ...table, source })
  }
  return { ...layout, tables }

  /** Null: the table has all columns. */
  function sourceOf({ name, columns }: Table): string | null {
    const there = present.get(name)
    const missing: string[] = []
    for (const [field, column] of columns) {
      if (there?.has(column.name)) continue
      const value = field.kind === 'stored' ? valueForExistingRows(field, layout) : null
      missing.push(`${literal(value, field)} AS ${quoteName(column.name)}`)
      if (column.type !== null) missing.push(`${literal(null, null)} AS ${quoteName(column.type)}`)
    }
    if (there === undefined) {
      const own = [`${literal('', null)} AS id`, '0 AS _n', '0 AS _version']
      return `(SELECT ${[...own, ...missing].join(', ')} WHERE 1 = 0)`
    }
    return missing.length === 0 ? null : `(SELECT t.*, ${missing.join(', ')} FROM ${quoteName(name)} AS t)`
  }
}
