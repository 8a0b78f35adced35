// Depth and cost of a document, before anything else is done with it (product.md, section 7). One linear pass: each
// fragment is measured once and counted at each spread, so the figures are those of the full expansion and the time is
// that of the text.
//
// 1. Depth counts nested selection sets; the operation's own braces, leaves, `edges`, `node` and `pageInfo` add nothing.
// 2. A scalar costs 1, an object 2, and a list multiplies its field and all below by 10.
// 3. Introspection is exempt from both, and bounded in its own way: one `__schema`, few `__type`, few levels, and a cost
//    of its own, where each field is 1 and a list multiplies by 10.
// 4. What the schema does not know costs as if it did: validation refuses it next, and is quadratic in what it compares.

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { Fault } from '#base'
import { type Limits, weights } from '#plan'

interface DocumentMeasure {
  depth: number
  cost: number
  /** How often `__schema` and `__type` are asked for. */
  schemas: number
  types: number
  /** Nested selection sets below them. */
  introspectionDepth: number
  introspectionCost: number
}

/** The dearest of the usual queries, graphql-js's own with all its options, costs 53,411: there is room for four times that. */
const introspectionLimits = { schemas: 1, types: 10, depth: 15, cost: 220_000 }

/** Throws a Fault when the document is over a limit. */
export function limitDocument(document: DocumentNode, schema: GraphQLSchema, limits: Limits): void {
  const { depth, cost, schemas, types, introspectionDepth, introspectionCost } = measureDocument(document, schema)
  if (limits.depth > 0 && depth > limits.depth) {
    throw new Fault('QUERY_TOO_DEEP', `The query is ${depth} levels deep; at most ${limits.depth} are allowed.`)
  }
  if (introspectionDepth > introspectionLimits.depth) {
    const text = `The introspection is ${introspectionDepth} levels deep; at most ${introspectionLimits.depth} are allowed.`
    throw new Fault('QUERY_TOO_DEEP', text)
  }
  if (limits.cost > 0 && cost > limits.cost) {
    throw new Fault('QUERY_TOO_COSTLY', `The query costs ${cost}; at most ${limits.cost} is allowed.`, {
      hint: `A scalar costs ${weights.scalar}, an object ${weights.object}, and a list multiplies all below it by ${weights.list}, whatever page size is asked for. The setting limits.cost says how much is allowed.`,
    })
  }
  if (schemas > introspectionLimits.schemas || types > introspectionLimits.types) {
    const text = `The document asks for "__schema" ${schemas} times and for "__type" ${types} times; at most ${introspectionLimits.schemas} and ${introspectionLimits.types} are allowed.`
    throw new Fault('QUERY_TOO_COSTLY', text)
  }
  if (introspectionCost > introspectionLimits.cost) {
    const text = `The introspection costs ${introspectionCost}; at most ${introspectionLimits.cost} is allowed.`
    const hint = `A field costs 1, and a list multiplies all below it by ${weights.list}. The query that tools send is well below.`
    throw new Fault('QUERY_TOO_COSTLY', text, { hint })
  }
}

/** Of several operations the dearest counts, since one of them is run; introspection counts for the document. */
export function measureDocument(document: DocumentNode, schema: GraphQLSchema): DocumentMeasure {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const measured = new Map<string, DocumentMeasure>()
  const levelsOf = new Map<string, number>()
  const introspected = new Map<string, number>()

  let whole = nothing
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const operation = ofSelections(definition.selectionSet, schema.getRootType(definition.operation) ?? undefined)
    whole = { ...sum(whole, operation), cost: Math.max(whole.cost, operation.cost) }
  }
  return whole

  function ofSelections({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): DocumentMeasure {
    let total = nothing
    for (const selection of selections) {
      switch (selection.kind) {
        case Kind.FIELD:
          total = sum(total, ofField(selection, parent))
          break
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

  function ofFragment(name: string): DocumentMeasure {
    const known = measured.get(name)
    if (known !== undefined) return known
    const fragment = fragments.get(name)
    if (fragment === undefined) return nothing
    measured.set(name, nothing) // a circle adds nothing; validation refuses it
    const measure = ofSelections(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value))
    measured.set(name, measure)
    return measure
  }

  function ofField(field: FieldNode, parent: GraphQLNamedType | undefined): DocumentMeasure {
    const name = field.name.value
    if (name === '__typename') return { ...nothing, cost: weights.scalar }
    if (parent !== undefined && parent === schema.getQueryType()) {
      if (name === '__schema') return { ...ofIntrospection(field, '__Schema'), schemas: 1 }
      if (name === '__type') return { ...ofIntrospection(field, '__Type'), types: 1 }
    }
    const type = fieldType(parent, name)
    if (type === undefined) return ofUnknown(field)
    const below = field.selectionSet === undefined ? nothing : ofSelections(field.selectionSet, getNamedType(type))
    const own = isLeafType(getNamedType(type)) ? weights.scalar : weights.object
    const factor = isListType(getNullableType(type)) ? weights.list : 1
    const level = field.selectionSet === undefined || isPlumbing(parent?.name ?? '', name) ? 0 : 1
    return { ...below, cost: (own + below.cost) * factor, depth: below.depth + level }
  }

  function ofUnknown({ selectionSet }: FieldNode): DocumentMeasure {
    if (selectionSet === undefined) return { ...nothing, cost: weights.scalar }
    const below = ofSelections(selectionSet, undefined)
    return { ...below, cost: weights.object + below.cost, depth: below.depth + 1 }
  }

  /** The parts of a connection that lead to the rows. A field of the contract that is merely called so counts. */
  function isPlumbing(parent: string, name: string): boolean {
    if (name === 'edges' || name === 'pageInfo') return isConnection(parent)
    return name === 'node' && parent.endsWith('Edge') && isConnection(parent.replace(/Edge$/, 'Connection'))
  }

  function isConnection(name: string): boolean {
    const pageInfo = fieldType(schema.getType(name), 'pageInfo')
    return pageInfo !== undefined && getNamedType(pageInfo).name === 'PageInfo' // no file can have a type of that name
  }

  function ofIntrospection({ selectionSet }: FieldNode, type: string): DocumentMeasure {
    const introspectionCost = 1 + introspectionOf(selectionSet, schema.getType(type))
    return { ...nothing, introspectionDepth: levels(selectionSet), introspectionCost }
  }

  function introspectionOf(set: SelectionSetNode | undefined, parent: GraphQLNamedType | undefined): number {
    let cost = 0
    for (const selection of set?.selections ?? []) {
      switch (selection.kind) {
        case Kind.FIELD: {
          const type = fieldType(parent, selection.name.value)
          const below = introspectionOf(selection.selectionSet, type && getNamedType(type))
          cost += (1 + below) * (type && isListType(getNullableType(type)) ? weights.list : 1)
          break
        }
        case Kind.INLINE_FRAGMENT: {
          const name = selection.typeCondition?.name.value
          cost += introspectionOf(selection.selectionSet, name === undefined ? parent : schema.getType(name))
          break
        }
        case Kind.FRAGMENT_SPREAD:
          cost += introspectionOfFragment(selection.name.value)
          break
      }
    }
    return cost
  }

  function introspectionOfFragment(name: string): number {
    const known = introspected.get(name)
    if (known !== undefined) return known
    introspected.set(name, 0)
    const fragment = fragments.get(name)
    const found = introspectionOf(fragment?.selectionSet, schema.getType(fragment?.typeCondition.name.value ?? ''))
    introspected.set(name, found)
    return found
  }

  function levels(selectionSet: SelectionSetNode | undefined): number {
    if (selectionSet === undefined) return 0
    let deepest = 0
    for (const selection of selectionSet.selections) {
      switch (selection.kind) {
        case Kind.FIELD:
          deepest = Math.max(deepest, levels(selection.selectionSet))
          break
        case Kind.INLINE_FRAGMENT:
          deepest = Math.max(deepest, levels(selection.selectionSet) - 1)
          break
        case Kind.FRAGMENT_SPREAD:
          deepest = Math.max(deepest, levelsOfFragment(selection.name.value) - 1)
          break
      }
    }
    return deepest + 1
  }

  function levelsOfFragment(name: string): number {
    const known = levelsOf.get(name)
    if (known !== undefined) return known
    levelsOf.set(name, 0)
    const found = levels(fragments.get(name)?.selectionSet)
    levelsOf.set(name, found)
    return found
  }
}

const nothing: DocumentMeasure = {
  depth: 0,
  cost: 0,
  schemas: 0,
  types: 0,
  introspectionDepth: 0,
  introspectionCost: 0,
}

function sum(a: DocumentMeasure, b: DocumentMeasure): DocumentMeasure {
  return {
    depth: Math.max(a.depth, b.depth),
    cost: a.cost + b.cost,
    schemas: a.schemas + b.schemas,
    types: a.types + b.types,
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
    introspectionCost: a.introspectionCost + b.introspectionCost,
  }
}

function fieldType(parent: GraphQLNamedType | undefined, name: string): GraphQLOutputType | undefined {
  if (!isObjectType(parent) && !isAbstractType(parent)) return undefined
  if (!('getFields' in parent)) return undefined // a union has no fields of its own
  return parent.getFields()[name]?.type
}
