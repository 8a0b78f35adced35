// A reference is null to a viewer who can't read the row that it leads to.

import type { ReferenceField } from '#model'
import type { Whether } from './ask.ts'
import type { StoredRow } from './table-access.ts'
import type { Writing } from './writing.ts'

/** Whether the viewer sees where the reference leads; there is nothing unseen about one that is null. */
export function isSeen(field: ReferenceField, row: StoredRow, { context, rules }: Writing): Whether {
  const target = context.table(field.owner).target(field, row)
  return target === null || rules.canRefer(target.type, target.id)
}
