// The list and non-null wrappers of a type, from the outside in: `[[Int!]]!` is a required list of lists of required Ints.

import { Kind, type NamedTypeNode, type TypeNode } from 'graphql/language'

export interface TypeShape {
  named: NamedTypeNode
  /** Whether the whole type is non-null. */
  required: boolean
  /** One entry for each list around the name, the outermost first. */
  lists: { itemRequired: boolean }[]
}

export function typeShape(node: TypeNode): TypeShape {
  const required = node.kind === Kind.NON_NULL_TYPE
  const inner = node.kind === Kind.NON_NULL_TYPE ? node.type : node
  if (inner.kind === Kind.NAMED_TYPE) return { named: inner, required, lists: [] }
  const item = typeShape(inner.type)
  return { named: item.named, required, lists: [{ itemRequired: item.required }, ...item.lists] }
}
