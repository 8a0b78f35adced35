// The root field `rowAccess`: finds the row as the viewer may read it. The module auth decides; this file shapes the result as the
// request selects it.

import { admitAccess, rowAccess } from '#auth'
import { ApiError, type Problem, validationError } from '#base'
import { resourceByPath } from '#events'
import { PlanBuilder } from '#plan/build'
import { applyShape } from '../plan/object-shape.ts'
import type { PlannedAccess } from '../plan/plan-access.ts'
import { type ExecutionContext, recordUsage } from './execution-context.ts'

/** The JSON text of the root field. */
export async function accessText(
  { key, visibility, shape, bindArguments }: PlannedAccess,
  context: ExecutionContext,
): Promise<string> {
  const { engine, tokens, variables, viewer } = context
  admitAccess(viewer, engine.model)
  const args = bindArguments(variables)
  const problems: Problem[] = []
  const of = resourceByPath(String(args.value('resource')), engine.model, `${key}.resource`, problems)
  if (of === null) throw validationError(problems)
  const id = String(args.value('id'))
  const builder = new PlanBuilder(visibility)
  const parameter = builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, `${key}.id`)
  const read = builder.bind({ kind: 'one', of, id: parameter, selections: [] })
  recordUsage(read, context)
  const found = await engine.execute(read, viewer, context.readOptions)
  if (found.kind !== 'one' || found.text === null)
    throw new ApiError('NOT_FOUND', `There is no ${of.name} with the id "${id}".`)
  const as = args.value('as') ?? null
  const place = `${key}.as`
  const access = await rowAccess({ of, id }, { text: as === null ? null : String(as), place }, viewer, {
    engine,
    tokens,
  })
  return JSON.stringify(applyShape(access, shape))
}
