// The wrapping of a type, read from the outside in: `[[Int!]]!` is required, a list of lists of required Ints.

import { Kind, type NamedTypeNode, type TypeNode } from 'graphql/language'

export interface TypeShape {
  named: NamedTypeNode
  /** Non-null as a whole. */
  required: boolean
  /** One for each list around the name, the outermost first. */
  lists: { itemRequired: boolean }[]
}

export function typeShape(node: TypeNode): TypeShape {
  const required = node.kind === Kind.NON_NULL_TYPE
  const inner = node.kind === Kind.NON_NULL_TYPE ? node.type : node
  if (inner.kind === Kind.NAMED_TYPE) return { named: inner, required, lists: [] }
  const item = typeShape(inner.type)
  return { named: item.named, required, lists: [{ itemRequired: item.required }, ...item.lists] }
}
