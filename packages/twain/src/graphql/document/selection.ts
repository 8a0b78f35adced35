// The fields of a selection set, merged by their response key, in the order of the request (specification, section 6.3.2 "Field
// Collection").

import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { validationError } from '#base'
import type { VariableValues } from '../input/argument-values.ts'

/** The selection sets of one field: one for each time that the document names it. */
export type SelectionSets = readonly SelectionSetNode[]

/** One field of the response. */
export interface SelectedField {
  key: string
  name: string
  /** The first of the merged nodes; all of them have the same arguments. */
  node: FieldNode
  nodes: FieldNode[]
}

/** `isOf` says whether the object is of the named type. */
export function collectFields(
  selections: SelectionSets,
  isOf: (type: string) => boolean,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: VariableValues,
): SelectedField[] {
  const selected = new Map<string, SelectedField>()
  const seen = new Set<string>()
  for (const selectionSet of selections) collect(selectionSet)
  return [...selected.values()]

  function collect(selectionSet: SelectionSetNode): void {
    for (const selection of selectionSet.selections) {
      if (!isIncluded(selection.directives, variables)) continue
      switch (selection.kind) {
        case Kind.FIELD:
          add(selection)
          break
        case Kind.INLINE_FRAGMENT:
          if (selection.typeCondition === undefined || isOf(selection.typeCondition.name.value)) {
            collect(selection.selectionSet)
          }
          break
        case Kind.FRAGMENT_SPREAD: {
          const name = selection.name.value
          const fragment = fragments.get(name)
          if (fragment === undefined || seen.has(name)) break
          seen.add(name)
          if (isOf(fragment.typeCondition.name.value)) collect(fragment.selectionSet)
          break
        }
      }
    }
  }

  function add(node: FieldNode): void {
    const name = node.name.value
    const key = node.alias?.value ?? name
    const merged = selected.get(key)
    if (merged === undefined) selected.set(key, { key, name, node, nodes: [node] })
    else merged.nodes.push(node)
  }
}

/** The selection sets below a selected field. */
export function subselections({ nodes }: SelectedField): SelectionSets {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
}

function isIncluded(directives: readonly DirectiveNode[] | undefined, variables: VariableValues): boolean {
  for (const { name, arguments: args } of directives ?? []) {
    if (name.value !== 'skip' && name.value !== 'include') continue
    const value = args?.[0]?.value
    const flag =
      value?.kind === Kind.VARIABLE ? variables[value.name.value] : value?.kind === Kind.BOOLEAN && value.value
    if (typeof flag !== 'boolean') {
      // Validation allows a nullable variable with a default here (specification, section 5.8.5).
      throw validationError([{ path: `@${name.value}.if`, code: 'REQUIRED', message: 'must not be null.' }])
    }
    if (flag !== (name.value === 'include')) return false
  }
  return true
}

/** The type of a field; undefined if the parent has no such field. */
export function fieldType(parent: GraphQLNamedType | undefined, name: string): GraphQLOutputType | undefined {
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name]?.type : undefined
}
