// The filter of the rows that groups are made of.

import type { GroupRead } from '#plan'
import { coveredInGroups } from '../index-order.ts'
import type { PageScope } from '../page-scope.ts'
import type { SqlRow } from '../sql-row.ts'
import { and, type StatementBuilder } from '../statement-builder.ts'
import { compileWhere, countMissFunction } from '../where.ts'

/** Null: all rows pass. In a statement that counts (`sqlite/read/read-cost.ts`), each visited row counts: all of them are measured
 *  or rejected, and none is left for later. What an index covers stands apart, so that the database still seeks by it. */
export function compileGroupFilter(
  { where }: GroupRead,
  row: SqlRow,
  scope: PageScope | null,
  statement: StatementBuilder,
): string | null {
  if (!statement.countsMisses) return where === null ? null : compileWhere(where, row, statement)
  const { covered, remaining } = coveredInGroups(where, row.resource, scope?.field ?? null)
  const parts = covered.map((part) => compileWhere(part, row, statement))
  const rest = remaining === null ? 'TRUE' : compileWhere(remaining, row, statement)
  return and([...parts, `CASE WHEN ${countMissFunction}() = 0 THEN ${rest} END`])
}
