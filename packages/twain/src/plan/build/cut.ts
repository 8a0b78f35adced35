// `Prefer: cut=200`: long texts and JSON of a page arrive shortened. The planner marks what can be long, at any depth of the
// selections; the store shortens it, so that the rest never leaves the database.

import type { StoredType } from '#model'
import type { PageShape, Selection, TypeSelection } from '../plan.ts'
import type { PlanBuilder } from './plan-builder.ts'

/** The greatest length that a request can choose, in characters. */
export const maxCutLength = 1_000_000

/** `leaf`: the length. */
export function cutTypes(types: readonly TypeSelection[], leaf: unknown, builder: PlanBuilder): TypeSelection[] {
  return types.map((type) => ({ ...type, selections: type.selections.map((one) => cutSelection(one, leaf, builder)) }))
}

function cutSelection(selection: Selection, leaf: unknown, builder: PlanBuilder): Selection {
  switch (selection.kind) {
    case 'field': {
      if (!isCut(selection.field.type)) return selection
      return { ...selection, cut: builder.parameter({ kind: 'size', max: maxCutLength }, leaf, 'prefer') }
    }
    case 'one':
      return { ...selection, types: cutTypes(selection.types, leaf, builder) }
    case 'many':
      return { ...selection, read: { ...selection.read, shape: cutShape(selection.read.shape, leaf, builder) } }
    default:
      return selection // bounded, or a value with members of its own types
  }
}

/** In REST a list of a row is never a connection. */
function cutShape(shape: PageShape, leaf: unknown, builder: PlanBuilder): PageShape {
  return shape.kind === 'list' ? { ...shape, types: cutTypes(shape.types, leaf, builder) } : shape
}

/** Texts, and values that can be any JSON. A shortened list or value would not be one of its type. */
function isCut(type: StoredType): boolean {
  return type.kind === 'custom' || (type.kind === 'scalar' && (type.name === 'String' || type.name === 'JSON'))
}
