// A reference is null to a viewer who can't read the row that it leads to.

import type { ReferenceField } from '#model'
import type { Whether } from './ask.ts'
import type { StoredRow } from './table-access.ts'
import type { Writing } from './writing.ts'

/** Whether the viewer sees where the reference leads; there is nothing unseen about one that is null. */
export function isSeen(field: ReferenceField, row: StoredRow, { context, rules }: Writing): Whether {
  const column = context.table(field.owner).columns.get(field)!
  const id = row.values.get(column.name) ?? null
  if (id === null) return true
  const type = column.type === null ? field.to.name : String(row.values.get(column.type))
  return rules.canRefer(type, String(id))
}
