// The row that a root field names by its id, as the viewer may read it.

import { ApiError } from '#base'
import type { Resource } from '#model'
import { PlanBuilder, type Visibility } from '#plan/build'
import { type ExecutionContext, recordUsage } from './execution-context.ts'

/** Rejects with NOT_FOUND if there is no such row that the viewer may read. `place` is the argument. */
export async function expectRow(
  of: Resource,
  { id, place }: { id: string; place: string },
  visibility: Visibility,
  context: ExecutionContext,
): Promise<void> {
  const builder = new PlanBuilder(visibility)
  const parameter = builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, place)
  const read = builder.bind({ kind: 'one', of, id: parameter, selections: [] })
  recordUsage(read, context)
  const found = await context.engine.execute(read, context.viewer, context.readOptions)
  if (found.kind !== 'one' || found.text === null)
    throw new ApiError('NOT_FOUND', `There is no ${of.name} with the id "${id}".`)
}
