// The export of an account, as a connection. The module auth decides who gets which rows; this file shapes the page as the request
// selects it.

import type { AccountExport, AccountExportPage } from '#auth'
import { type Problem, validationError } from '#base'
import { checkPageSize, defaultPageSize } from '#plan/build'
import { applyShape } from '../plan/object-shape.ts'
import type { PlannedExport } from '../plan/plan-system-fields.ts'
import { type ExecutionContext, recordUsage } from './execution-context.ts'

/** The JSON text of the root field, with the same rows as `/users/{id}/export` in REST. */
export async function exportText(
  { key, shape, bindArguments }: PlannedExport,
  context: ExecutionContext,
  exported: AccountExport,
): Promise<string> {
  const { variables, viewer, caller, engine } = context
  const args = bindArguments(variables)
  const problems: Problem[] = []
  const first = checkPageSize(args.value('first') ?? defaultPageSize, engine.limits, `${key}.first`, problems)
  if (problems.length > 0) throw validationError(problems)
  const after = args.value('after') ?? null
  const deleted = args.names().includes('deleted') ? (args.value('deleted') ?? null) : null
  const page = await exported.page({
    id: String(args.value('id')),
    first,
    after: after === null ? null : String(after),
    place: `${key}.after`,
    deleted: deleted === null ? null : deleted === 'ONLY' ? 'only' : 'with',
    viewer,
    caller,
    onPlan: (boundPlan) => recordUsage(boundPlan, context, true),
  })
  return JSON.stringify(applyShape(toConnection(page, after !== null), shape))
}

function toConnection({ rows, hasNextPage }: AccountExportPage, hasPreviousPage: boolean): Record<string, unknown> {
  const [startCursor = null, endCursor = null] = [rows[0]?.cursor, rows.at(-1)?.cursor]
  return {
    edges: rows.map(({ row, cursor }) => ({ node: row, cursor })),
    pageInfo: { hasNextPage, endCursor, hasPreviousPage, startCursor },
  }
}
