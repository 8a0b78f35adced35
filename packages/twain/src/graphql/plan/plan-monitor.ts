// The root fields about the running service: `serviceNodes`, `serviceLoad`, `serviceSlowQueries`, `serviceStatements` and `serviceLog`. `execute/` runs them.

import { monitorFields, monitorTypes } from '#model/names'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { type ObjectMembers, type ObjectShape, planObjectShape } from './object-shape.ts'
import { type FieldArguments, type PlanContext, rootArguments } from './plan-context.ts'

export interface PlannedMonitorField {
  kind: 'monitor'
  shows: keyof typeof monitorFields
  key: string
  shape: ObjectShape
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

const { node, load, point, series, cache, slowQuery, statement, log, entry } = monitorTypes

const objects: ObjectMembers = {
  [load]: { points: point, routes: series, operations: series, caches: cache },
  [log]: { entries: entry },
}

const types = { nodes: node, load, slowQueries: slowQuery, statements: statement, log } as const

/** Null: the field is another one. */
export function planMonitor(field: SelectedField, context: PlanContext): PlannedMonitorField | null {
  const shows = (Object.keys(types) as (keyof typeof types)[]).find((one) => monitorFields[one] === field.name)
  if (shows === undefined) return null
  return {
    kind: 'monitor',
    shows,
    key: field.key,
    shape: planObjectShape(types[shows], subselections(field), objects, context),
    bindArguments: rootArguments(field, context.schema.getQueryType()),
  }
}
