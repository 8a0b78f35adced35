// Shapes an object that no plan reads, such as a page of the change feed, as the request selects it.

import type { FieldNode } from 'graphql'
import { type SelectionSets, subselections } from '../document/selection.ts'
import type { PlanContext } from './plan-context.ts'

/** The selected fields of an object, by response key. */
export interface ObjectShape {
  type: string
  members: { key: string; name: string; node: FieldNode; inner: ObjectShape | null }[]
}

/** By type: the fields that are objects, or lists of objects, with their types. */
export type ObjectMembers = Readonly<Record<string, Readonly<Record<string, string>>>>

export function planObjectShape(
  type: string,
  selections: SelectionSets,
  objects: ObjectMembers,
  context: PlanContext,
): ObjectShape {
  const members = context
    .collect(selections, (name) => name === type)
    .map((field) => {
      const object = objects[type]?.[field.name]
      const inner = object === undefined ? null : planObjectShape(object, subselections(field), objects, context)
      return { key: field.key, name: field.name, node: field.node, inner }
    })
  return { type, members }
}

export function applyShape(value: unknown, shape: ObjectShape): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((item) => applyShape(item, shape))
  const values = value as Record<string, unknown>
  return Object.fromEntries(
    shape.members.map(({ key, name, inner }) => {
      if (name === '__typename') return [key, shape.type]
      return [key, inner === null ? values[name] : applyShape(values[name], inner)]
    }),
  )
}
