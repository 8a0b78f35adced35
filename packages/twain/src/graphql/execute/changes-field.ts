// `changes`: the feed as a connection, the same events as at `/changes` in REST.

import { type Problem, type Viewer, validationError } from '#base'
import type { Engine } from '#engine'
import { type Events, type FeedPage, resourceAt } from '#events'
import { checkPageSize, defaultPageSize } from '#plan/build'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { applyShape, type ObjectMembers, type ObjectShape, planObjectShape } from '../plan/object-shape.ts'
import { FieldArguments, type PlanContext } from '../plan/plan-context.ts'

export interface PlannedChangesField {
  kind: 'changes'
  key: string
  shape: ObjectShape
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

const objects: ObjectMembers = {
  ChangeConnection: { edges: 'ChangeEdge', pageInfo: 'PageInfo' },
  ChangeEdge: { node: 'Change' },
}

export function planChanges(field: SelectedField, context: PlanContext): PlannedChangesField {
  const definitions = context.schema.getQueryType()?.getFields().changes?.args ?? []
  return {
    kind: 'changes',
    key: field.key,
    shape: planObjectShape('ChangeConnection', subselections(field), objects, context),
    bindArguments: (variables) => new FieldArguments(field.node, definitions, variables),
  }
}

/** The JSON text of the root field. */
export async function changesText(
  { key, shape, bindArguments: given }: PlannedChangesField,
  variables: VariableValues,
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
  return JSON.stringify(applyShape(toConnection(page, after !== null), shape))
}

function toConnection({ events, endCursor, hasNextPage }: FeedPage, hasPreviousPage: boolean): Record<string, unknown> {
  return {
    edges: events.map(({ text, cursor }) => ({ node: JSON.parse(text), cursor })),
    pageInfo: { hasNextPage, endCursor, hasPreviousPage, startCursor: events[0]?.cursor ?? null },
  }
}
