// How a document uses its variables: this decides how each is checked and which part of it is part of the plan's cache key.

import { type DocumentNode, Kind, type SelectionSetNode, type ValueNode } from 'graphql'
import { keyArgument } from '../schema/key-types.ts'
import { nodeIdField } from '../schema/node-types.ts'
import type { MutationRootField, RootFields } from '../schema/root-fields.ts'

/** `written`: only in the input of a write, which checks it with the same messages as in REST.
 *  `shaping`: an `after` or a `search`, whose shape is part of the plan.
 *  `node`: a global id, whose type is part of the plan; `shapingNode`: both. */
export type VariableUse = 'value' | 'shaping' | 'node' | 'shapingNode' | 'written'

const shapingArguments: ReadonlySet<string> = new Set(['after', 'search'])

const nodeArguments: ReadonlySet<string> = new Set([nodeIdField, `${nodeIdField}s`])

/** Whether the argument is input of the write, as REST has it in a body. The others say which rows are written, and how. */
function isInput(argument: string, { kind, by }: MutationRootField): boolean {
  if (argument === 'input' || argument === 'inputs') return true
  if (kind === 'revert') return argument === 'version'
  if (kind === 'upsert') return argument === 'create' || argument === 'update'
  // The fields of an update are arguments too.
  return kind === 'update' && argument !== 'ifVersion' && argument !== (by === 'key' ? keyArgument : 'id')
}

function strictest(...uses: readonly VariableUse[]): VariableUse {
  const isNode = uses.includes('node') || uses.includes('shapingNode')
  const isShaping = uses.includes('shaping') || uses.includes('shapingNode')
  if (isNode) return isShaping ? 'shapingNode' : 'node'
  return isShaping ? 'shaping' : 'value'
}

export function variableUses(document: DocumentNode, roots: RootFields): ReadonlyMap<string, VariableUse> {
  const uses = new Map<string, VariableUse>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      inSelections(definition.selectionSet, definition.operation === 'mutation')
    } else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      inSelections(definition.selectionSet, definition.typeCondition.name.value === 'Mutation')
    }
  }
  return uses

  function inSelections({ selections }: SelectionSetNode, atRoot: boolean): void {
    for (const selection of selections) {
      for (const directive of selection.directives ?? []) {
        for (const argument of directive.arguments ?? []) inValue(argument.value, 'value')
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) inSelections(selection.selectionSet, atRoot)
      if (selection.kind !== Kind.FIELD) continue
      const root = selection.name.value
      for (const { name, value } of selection.arguments ?? []) inValue(value, useOf(name.value, atRoot ? root : null))
      if (selection.selectionSet !== undefined) inSelections(selection.selectionSet, false)
    }
  }

  /** `root` is the name of the mutation's root field; null below it and in other operations. */
  function useOf(argument: string, root: string | null): VariableUse {
    const write = root === null ? undefined : roots.mutation.get(root)
    if (write !== undefined) return isInput(argument, write) ? 'written' : 'value'
    const takesInput = root !== null && [roots.signIn, roots.link, roots.code, roots.verify].includes(root)
    if (takesInput && argument === 'input') return 'written'
    if (nodeArguments.has(argument)) return 'node'
    return shapingArguments.has(argument) ? 'shaping' : 'value'
  }

  function inValue(value: ValueNode, use: VariableUse): void {
    if (value.kind === Kind.VARIABLE) add(value.name.value, use)
    else if (value.kind === Kind.LIST) for (const item of value.values) inValue(item, use)
    else if (value.kind === Kind.OBJECT) for (const field of value.fields) inValue(field.value, use)
  }

  /** Of several uses the stricter one wins. */
  function add(name: string, use: VariableUse): void {
    const known = uses.get(name)
    uses.set(name, known === undefined || known === use ? use : strictest(known, use))
  }
}
