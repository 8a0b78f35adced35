// The root field `rowAccess`: finds the row as the viewer may read it. The module auth decides; this file shapes the result as the
// request selects it.

import { admitAccess, rowAccess } from '#auth'
import { type Problem, validationError } from '#base'
import { resourceByPath } from '#events'
import { applyShape } from '../plan/object-shape.ts'
import type { PlannedAccess } from '../plan/plan-access.ts'
import type { ExecutionContext } from './execution-context.ts'
import { expectRow } from './row-of-field.ts'

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
  await expectRow(of, { id, place: `${key}.id` }, visibility, context)
  const as = args.value('as') ?? null
  const place = `${key}.as`
  const access = await rowAccess({ of, id }, { text: as === null ? null : String(as), place }, viewer, {
    engine,
    tokens,
  })
  return JSON.stringify(applyShape(access, shape))
}
