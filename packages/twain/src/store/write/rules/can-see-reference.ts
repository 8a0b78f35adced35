// A reference is null to a viewer who can't read the row that it leads to.

import type { ReferenceField } from '#model'
import type { StoredRow } from '../rows/table-access.ts'
import type { Whether } from '../steps/query-step.ts'
import type { Writing } from '../steps/write-state.ts'

/** Whether the viewer sees where the reference leads; there is nothing unseen about one that is null. */
export function isSeen(field: ReferenceField, row: StoredRow, { context, rules }: Writing): Whether {
  const target = context.table(field.owner).target(field, row)
  return target === null || rules.canRefer(target.type, target.id)
}
