// `changes`: the feed as a connection, the same events as at `/changes` in REST.

import { type Problem, type Viewer, validationError } from '#base'
import type { Engine } from '#engine'
import { type Events, type FeedPage, resourceAt } from '#events'
import { checkPageSize, defaultPageSize } from '#plan/build'
import type { Variables } from '../document/argument-values.ts'
import { below, type Selected } from '../document/selection.ts'
import { Arguments, type PlanContext } from '../plan/plan-context.ts'
import { type ObjectMembers, type Shape, shaped, shapeOf } from './shape-object.ts'

export interface ChangesRoot {
  kind: 'changes'
  key: string
  shape: Shape
  /** The field's arguments with the variables of a request. */
  given(variables: Variables): Arguments
}

const objects: ObjectMembers = {
  ChangeConnection: { edges: 'ChangeEdge', pageInfo: 'PageInfo' },
  ChangeEdge: { node: 'Change' },
}

export function planChanges(field: Selected, context: PlanContext): ChangesRoot {
  const definitions = context.schema.getQueryType()?.getFields().changes?.args ?? []
  return {
    kind: 'changes',
    key: field.key,
    shape: shapeOf('ChangeConnection', below(field), objects, context),
    given: (variables) => new Arguments(field.node, definitions, variables),
  }
}

/** The JSON text of the root field. */
export async function changesText(
  { key, shape, given }: ChangesRoot,
  variables: Variables,
  viewer: Viewer,
  engine: Engine,
  events: Events,
): Promise<string> {
  const args = given(variables)
  const problems: Problem[] = []
  const first = checkPageSize(args.value('first') ?? defaultPageSize, engine.limits, `${key}.first`, problems)
  const path = args.value('resource') ?? null
  const of = path === null ? null : resourceAt(String(path), engine.model, `${key}.resource`, problems)
  if (problems.length > 0) throw validationError(problems)
  const after = args.value('after') ?? null
  const position = after === null ? await events.oldest() : await events.position(String(after), `${key}.after`)
  const page = await events.page(events.interests(viewer, of), viewer, position, first)
  return JSON.stringify(shaped(toConnection(page, after !== null), shape))
}

function toConnection({ events, endCursor, hasNextPage }: FeedPage, hasPreviousPage: boolean): Record<string, unknown> {
  return {
    edges: events.map(({ text, cursor }) => ({ node: JSON.parse(text), cursor })),
    pageInfo: { hasNextPage, endCursor, hasPreviousPage, startCursor: events[0]?.cursor ?? null },
  }
}
