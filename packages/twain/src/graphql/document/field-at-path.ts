// Which field of a document stands at a place of the answer: for errors that name the place.

import { type FieldNode, getLocation, Kind, type SelectionSetNode } from 'graphql'
import type { GraphqlOperation } from './document-cache.ts'
import type { ResponseError } from './response-errors.ts'

export function locationsOf(node: FieldNode | undefined): Pick<ResponseError, 'locations'> {
  if (node?.loc === undefined) return {}
  const { line: socket, column } = getLocation(node.loc.source, node.loc.start)
  return { locations: [{ line: socket, column }] }
}

/** The first field of the document that these keys of the answer lead to. */
export function fieldAt(
  keys: readonly string[],
  top: SelectionSetNode,
  fragments: GraphqlOperation['fragments'],
): FieldNode | undefined {
  let sets: readonly SelectionSetNode[] = [top]
  let found: FieldNode[] = []
  for (const key of keys) {
    found = sets.flatMap((set) => fieldsOf(set)).filter(({ alias, name }) => (alias ?? name).value === key)
    sets = found.flatMap(({ selectionSet }) => selectionSet ?? [])
  }
  return found[0]

  function fieldsOf({ selections }: SelectionSetNode): FieldNode[] {
    return selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection]
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
      return inner === undefined ? [] : fieldsOf(inner.selectionSet)
    })
  }
}
