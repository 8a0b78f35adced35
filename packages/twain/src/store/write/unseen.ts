// References that are null to the viewer, because the row that they lead to is one that the viewer can't read.

import type { ReferenceField } from '#model'
import type { StoredRow } from './table-access.ts'
import type { Writing } from './writing.ts'

export function isUnseen(field: ReferenceField, row: StoredRow, { context, rules }: Writing): boolean {
  const column = context.table(field.owner).columns.get(field)!
  const id = row.values.get(column.name) ?? null
  if (id === null) return false
  const type = column.type === null ? field.to.name : String(row.values.get(column.type))
  return !rules.canRefer(type, String(id))
}
