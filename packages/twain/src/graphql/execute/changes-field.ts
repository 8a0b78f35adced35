// The root field `changes`. The events module decides what the viewer may see; this file shapes the result as the request selects
// it.

import { type Problem, validationError } from '#base'
import type { Viewer } from '#base/http'
import type { Engine } from '#engine'
import { type Events, type FeedPage, type LogPoint, resourceByPath } from '#events'
import { checkPageSize, defaultPageSize } from '#plan/build'
import type { VariableValues } from '../input/argument-values.ts'
import { applyShape } from '../plan/object-shape.ts'
import type { PlannedChangesField } from '../plan/plan-system-fields.ts'

/** The change feed as a connection, with the same events as `/changes` in REST. The JSON text of the root field. */
export async function changesText(
  { key, shape, bindArguments }: PlannedChangesField,
  variables: VariableValues,
  viewer: Viewer,
  engine: Engine,
  events: Events,
): Promise<string> {
  const args = bindArguments(variables)
  const problems: Problem[] = []
  const first = checkPageSize(args.value('first') ?? defaultPageSize, engine.limits, `${key}.first`, problems)
  const path = args.value('resource') ?? null
  const of = path === null ? null : resourceByPath(String(path), engine.model, `${key}.resource`, problems)
  if (problems.length > 0) throw validationError(problems)
  const after = args.value('after') ?? null
  const interests = events.interests(viewer, of)
  const pageAfter = (point: LogPoint) => events.page(interests, viewer, point, first)
  const page = await (after === null
    ? events.fromOldest(pageAfter)
    : events.point(String(after), `${key}.after`).then(pageAfter))
  return JSON.stringify(applyShape(toConnection(page, after !== null), shape))
}

function toConnection({ events, endCursor, hasNextPage }: FeedPage, hasPreviousPage: boolean): Record<string, unknown> {
  return {
    edges: events.map(({ text, cursor }) => ({ node: { by: null, via: null, ...JSON.parse(text) }, cursor })),
    pageInfo: { hasNextPage, endCursor, hasPreviousPage, startCursor: events[0]?.cursor ?? null },
  }
}
