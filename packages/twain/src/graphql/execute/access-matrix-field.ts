// The root field `accessMatrix`. The module auth decides; this file shapes the result as the request selects it.

import { type AccessFilters, readAccessMatrix } from '#auth'
import { applyShape } from '../plan/object-shape.ts'
import type { PlannedAccessMatrix } from '../plan/plan-access-matrix.ts'
import type { ExecutionContext } from './execution-context.ts'

/** The JSON text of the root field. */
export function accessMatrixText(
  { key, shape, bindArguments }: PlannedAccessMatrix,
  { engine, variables, viewer }: ExecutionContext,
): string {
  const args = bindArguments(variables)
  const filter = (name: keyof AccessFilters) => (args.value(name) ?? null) as string | null
  const filters = { type: filter('type'), as: filter('as'), action: filter('action') }
  const matrix = readAccessMatrix(filters, (name) => `${key}.${name}`, viewer, engine.model)
  return JSON.stringify(applyShape(matrix, shape))
}
