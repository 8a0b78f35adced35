// Answers that no plan makes: objects of ours, given in the shape that a request asks for.

import type { FieldNode } from 'graphql'
import { below, type Selections } from '../document/selection.ts'
import type { PlanContext } from '../plan/plan-context.ts'

/** What is asked of an object, by the key of the answer. */
export interface Shape {
  type: string
  members: { key: string; name: string; node: FieldNode; inner: Shape | null }[]
}

/** By type: the members that are objects, or lists of them, with their types. */
export type ObjectMembers = Readonly<Record<string, Readonly<Record<string, string>>>>

export function shapeOf(type: string, selections: Selections, objects: ObjectMembers, context: PlanContext): Shape {
  const members = context
    .collect(selections, (name) => name === type)
    .map((field) => {
      const object = objects[type]?.[field.name]
      const inner = object === undefined ? null : shapeOf(object, below(field), objects, context)
      return { key: field.key, name: field.name, node: field.node, inner }
    })
  return { type, members }
}

export function shaped(value: unknown, shape: Shape): unknown {
  if (Array.isArray(value)) return value.map((item) => shaped(item, shape))
  const values = value as Record<string, unknown>
  return Object.fromEntries(
    shape.members.map(({ key, name, inner }) => {
      if (name === '__typename') return [key, shape.type]
      return [key, inner === null ? values[name] : shaped(values[name], inner)]
    }),
  )
}
