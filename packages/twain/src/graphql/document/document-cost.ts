// Depth and cost of a document, measured after parsing and before validation (docs/reference/graphql.md#limits). One linear
// pass: each fragment is measured once and counted at each spread. So the result is that of the full expansion, but the time
// grows only with the length of the text.
//
// 1. Depth counts nested selection sets. The braces of the operation, leaves, `edges`, `node` and `pageInfo` do not count.
// 2. A scalar costs 1, an object 2, or the value of `@cost`. A list multiplies the cost of its field and all below by 10.
// 3. Introspection has its own limits (introspection-cost.ts).
// 4. Unknown fields cost as much as known ones: validation rejects them next, and its time grows with their number.
// 5. `@include` and `@skip` change nothing: a document has one cost for all variables.

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { weights } from '#model'
import type { PlanMeasure } from '#plan'
import { type FieldCosts, noCosts } from '../schema/field-costs.ts'
import { addIntrospection, IntrospectionMeter, noIntrospection } from './introspection-cost.ts'
import { fieldType } from './selection.ts'

interface SelectionMeasure extends PlanMeasure {
  introspection: typeof noIntrospection
}

export interface DocumentMeasure {
  operations: ReadonlyMap<OperationDefinitionNode, PlanMeasure>
  /** Each field with everything below it. */
  fields: ReadonlyMap<FieldNode, PlanMeasure>
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Of the whole document. */
  introspection: typeof noIntrospection
}

export function measureDocument(
  document: DocumentNode,
  schema: GraphQLSchema,
  costs: FieldCosts = noCosts,
): DocumentMeasure {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const measured = new Map<string, SelectionMeasure>()
  const fields = new Map<FieldNode, PlanMeasure>()
  const meter = new IntrospectionMeter(schema, fragments)

  const operations = new Map<OperationDefinitionNode, PlanMeasure>()
  let introspection = noIntrospection
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const whole = ofSelections(definition.selectionSet, schema.getRootType(definition.operation) ?? undefined)
    operations.set(definition, whole)
    introspection = addIntrospection(introspection, whole.introspection)
  }
  return { operations, fields, fragments, introspection }

  function ofSelections({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): SelectionMeasure {
    let total = emptyMeasure
    for (const selection of selections) {
      switch (selection.kind) {
        case Kind.FIELD: {
          const own = ofField(selection, parent)
          fields.set(selection, own)
          total = sum(total, own)
          break
        }
        case Kind.INLINE_FRAGMENT: {
          const name = selection.typeCondition?.name.value
          total = sum(total, ofSelections(selection.selectionSet, name === undefined ? parent : schema.getType(name)))
          break
        }
        case Kind.FRAGMENT_SPREAD:
          total = sum(total, ofFragment(selection.name.value))
          break
      }
    }
    return total
  }

  function ofFragment(name: string): SelectionMeasure {
    const cached = measured.get(name)
    if (cached !== undefined) return cached
    const fragment = fragments.get(name)
    if (fragment === undefined) return emptyMeasure
    measured.set(name, emptyMeasure) // a cycle adds nothing; validation rejects it
    const measure = ofSelections(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value))
    measured.set(name, measure)
    return measure
  }

  function ofField(field: FieldNode, parent: GraphQLNamedType | undefined): SelectionMeasure {
    const name = field.name.value
    if (name === '__typename') return { ...emptyMeasure, cost: weights.scalar }
    if (parent !== undefined && parent === schema.getQueryType() && (name === '__schema' || name === '__type')) {
      return { ...emptyMeasure, introspection: meter.measure(field, name) }
    }
    const type = fieldType(parent, name)
    if (type === undefined) return ofUnknown(field)
    const below = field.selectionSet === undefined ? emptyMeasure : ofSelections(field.selectionSet, getNamedType(type))
    const defaultCost = isLeafType(getNamedType(type)) ? weights.scalar : weights.object
    const own = costs.get(parent!.name)?.get(name) ?? defaultCost
    const factor = isListType(getNullableType(type)) ? weights.list : 1
    const level = field.selectionSet === undefined || isConnectionField(parent?.name ?? '', name) ? 0 : 1
    return { ...below, cost: (own + below.cost) * factor, depth: below.depth + level }
  }

  function ofUnknown({ selectionSet }: FieldNode): SelectionMeasure {
    if (selectionSet === undefined) return { ...emptyMeasure, cost: weights.scalar }
    const below = ofSelections(selectionSet, undefined)
    return { ...below, cost: weights.object + below.cost, depth: below.depth + 1 }
  }

  /** `edges`, `node` and `pageInfo` of a connection. A field of the model with such a name counts. */
  function isConnectionField(parent: string, name: string): boolean {
    if (name === 'edges' || name === 'pageInfo') return isConnection(parent)
    return name === 'node' && parent.endsWith('Edge') && isConnection(parent.replace(/Edge$/, 'Connection'))
  }

  function isConnection(name: string): boolean {
    const pageInfo = fieldType(schema.getType(name), 'pageInfo')
    return pageInfo !== undefined && getNamedType(pageInfo).name === 'PageInfo' // a reserved name: no schema file can declare it
  }
}

const emptyMeasure: SelectionMeasure = { depth: 0, cost: 0, introspection: noIntrospection }

function sum(a: SelectionMeasure, b: SelectionMeasure): SelectionMeasure {
  return {
    depth: Math.max(a.depth, b.depth),
    cost: a.cost + b.cost,
    introspection: addIntrospection(a.introspection, b.introspection),
  }
}
