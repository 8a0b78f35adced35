// Depth and cost of a document, measured after parsing and before validation (docs/reference/graphql.md#limits). One linear
// pass: each fragment is measured once and counted at each spread. So the result is that of the full expansion, but the time
// grows only with the length of the text.
//
// 1. Depth counts nested selection sets. The braces of the operation, leaves, `edges`, `node` and `pageInfo` do not count.
// 2. A scalar costs 1, an object 2, or the value of `@cost`. A list multiplies the cost of its field and all below by its page
//    size, at most by 10. A page size in a variable counts as its value, where the caller knows it. An aggregate, and a list with
//    `distinct`, costs what the store reads; only its plan knows whether that is more than an index has (`RootScans`).
// 3. Introspection has its own limits (introspection-cost.ts).
// 4. Unknown fields cost as much as known ones: validation rejects them next, and its time grows with their number.
// 5. `@include` and `@skip` change nothing.

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
  type ValueNode,
} from 'graphql'
import { listFactor, weights } from '#model'
import type { PlanMeasure } from '#plan'
import { type FieldWeights, noWeights, type PageArgument } from '../schema/field-costs.ts'
import { addIntrospection, IntrospectionMeter, noIntrospection } from './introspection-cost.ts'
import { fieldType } from './selection.ts'

interface SelectionMeasure extends PlanMeasure {
  introspection: typeof noIntrospection
}

/** A field with everything below it. */
interface FieldMeasure extends PlanMeasure {
  /** Of a list of rows, or of the `edges` of a connection: its multiplier, and the argument that sets it. */
  page?: { factor: number; argument: PageArgument }
}

/** The page sizes in variables: their values; or `most`, the largest that counts, or `least`. */
export type PageVariables = Readonly<Record<string, unknown>> | 'most' | 'least'

/** What root fields cost more because the store reads all rows for them (`plan/limit/aggregate-scan.ts`). */
export type RootScans = ReadonlyMap<FieldNode, { cost: number; hint: string }>

export const noScans: RootScans = new Map()

export interface DocumentMeasure {
  operations: ReadonlyMap<OperationDefinitionNode, PlanMeasure>
  fields: ReadonlyMap<FieldNode, FieldMeasure>
  /** Whether a page size is a variable. */
  hasVariablePages: boolean
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Of the whole document. */
  introspection: typeof noIntrospection
}

export function measureDocument(
  document: DocumentNode,
  schema: GraphQLSchema,
  { costs, pages, aggregates }: FieldWeights = noWeights,
  variables: PageVariables = 'most',
  scans: RootScans = noScans,
): DocumentMeasure {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const measured = new Map<string, SelectionMeasure>()
  const fields = new Map<FieldNode, FieldMeasure>()
  let hasVariablePages = false
  const meter = new IntrospectionMeter(schema, fragments)

  const operations = new Map<OperationDefinitionNode, PlanMeasure>()
  let introspection = noIntrospection
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const whole = ofSelections(definition.selectionSet, schema.getRootType(definition.operation) ?? undefined)
    operations.set(definition, whole)
    introspection = addIntrospection(introspection, whole.introspection)
  }
  return { operations, fields, hasVariablePages, fragments, introspection }

  /** `edges`: the page of the connection that the selections are of. */
  function ofSelections(
    { selections }: SelectionSetNode,
    parent: GraphQLNamedType | undefined,
    edges?: FieldMeasure['page'],
  ): SelectionMeasure {
    let total = emptyMeasure
    for (const selection of selections) {
      switch (selection.kind) {
        case Kind.FIELD: {
          total = sum(total, ofField(selection, parent, edges))
          break
        }
        case Kind.INLINE_FRAGMENT: {
          const name = selection.typeCondition?.name.value
          const type = name === undefined ? parent : schema.getType(name)
          total = sum(total, ofSelections(selection.selectionSet, type, edges))
          break
        }
        case Kind.FRAGMENT_SPREAD:
          total = sum(total, ofFragment(selection.name.value, edges))
          break
      }
    }
    return total
  }

  function ofFragment(name: string, edges: FieldMeasure['page']): SelectionMeasure {
    const key = edges === undefined ? name : `${name} ${edges.factor}` // ten factors at most
    const cached = measured.get(key)
    if (cached !== undefined) return cached
    const fragment = fragments.get(name)
    if (fragment === undefined) return emptyMeasure
    measured.set(key, emptyMeasure) // a cycle adds nothing; validation rejects it
    const measure = ofSelections(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), edges)
    measured.set(key, measure)
    return measure
  }

  function ofField(
    field: FieldNode,
    parent: GraphQLNamedType | undefined,
    edges: FieldMeasure['page'],
  ): SelectionMeasure {
    const measure = measureField(field, parent, edges)
    const known = fields.get(field) // that of a fragment which several connections spread: the most expensive counts
    if (known === undefined || known.cost < measure.cost) fields.set(field, measure)
    return measure
  }

  function measureField(
    field: FieldNode,
    parent: GraphQLNamedType | undefined,
    edges: FieldMeasure['page'],
  ): SelectionMeasure & FieldMeasure {
    const name = field.name.value
    if (name === '__typename') return { ...emptyMeasure, cost: weights.scalar }
    if (parent !== undefined && parent === schema.getQueryType() && (name === '__schema' || name === '__type')) {
      return { ...emptyMeasure, introspection: meter.measure(field, name) }
    }
    const type = fieldType(parent, name)
    if (type === undefined) return ofUnknown(field)
    const page = pageOf(field, parent!)
    const isList = isListType(getNullableType(type))
    const below =
      field.selectionSet === undefined
        ? emptyMeasure
        : ofSelections(field.selectionSet, getNamedType(type), isList ? undefined : page)
    const defaultCost = isLeafType(getNamedType(type)) ? weights.scalar : weights.object
    const own = costs.get(parent!.name)?.get(name) ?? defaultCost
    const isConnectionPart = isConnectionField(parent?.name ?? '', name)
    const ownPage = isList ? (isConnectionPart ? edges : page) : undefined
    const factor = isList ? (ownPage?.factor ?? weights.list) : 1
    const level = field.selectionSet === undefined || isConnectionPart ? 0 : 1
    const isAggregate = aggregates.get(parent!.name)?.has(name) === true || (page !== undefined && hasDistinct(field))
    const scan = (isAggregate ? weights.aggregate : 0) + (scans.get(field)?.cost ?? 0)
    const measure = { ...below, cost: (own + below.cost) * factor + scan, depth: below.depth + level }
    return ownPage === undefined ? measure : { ...measure, page: ownPage }
  }

  /** Undefined: the field has no page size. */
  function pageOf({ name, arguments: given }: FieldNode, parent: GraphQLNamedType): FieldMeasure['page'] {
    const argument = pages.get(parent.name)?.get(name.value)
    if (argument === undefined) return undefined
    const value = given?.find((one) => one.name.value === argument)?.value
    return { argument, factor: listFactor(value === undefined ? null : sizeOf(value)) }
  }

  function sizeOf(value: ValueNode): unknown {
    if (value.kind === Kind.INT) return Number(value.value)
    if (value.kind !== Kind.VARIABLE) return null
    hasVariablePages = true
    if (variables === 'least') return 1
    return variables === 'most' ? null : variables[value.name.value]
  }

  function ofUnknown({ selectionSet }: FieldNode): SelectionMeasure & FieldMeasure {
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

/** A list in a variable counts, whatever it holds. */
function hasDistinct({ arguments: given }: FieldNode): boolean {
  const value = given?.find(({ name }) => name.value === 'distinct')?.value
  if (value?.kind === Kind.LIST) return value.values.length > 0
  return value !== undefined && value.kind !== Kind.NULL
}

const emptyMeasure: SelectionMeasure = { depth: 0, cost: 0, introspection: noIntrospection }

function sum(a: SelectionMeasure, b: SelectionMeasure): SelectionMeasure {
  return {
    depth: Math.max(a.depth, b.depth),
    cost: a.cost + b.cost,
    introspection: addIntrospection(a.introspection, b.introspection),
  }
}
