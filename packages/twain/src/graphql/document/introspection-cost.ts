// The limits of introspection, which is exempt from depth and cost: one `__schema`, few `__type`, few levels, and a cost of its
// own, where a field costs 1 and a list multiplies by 10.

import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { ApiError } from '#base'
import { weights } from '#model'
import { fieldType } from './selection.ts'

interface IntrospectionMeasure {
  /** The number of `__schema` fields. */
  schemas: number
  /** The number of `__type` fields. */
  types: number
  /** Nested selection sets below them. */
  depth: number
  cost: number
}

export const noIntrospection: IntrospectionMeasure = { schemas: 0, types: 0, depth: 0, cost: 0 }

/** The most expensive of the usual queries, that of graphql-js with all options, costs 53,411. The limit is four times that. */
const maxIntrospection: IntrospectionMeasure = { schemas: 1, types: 10, depth: 15, cost: 220_000 }

export function addIntrospection(a: IntrospectionMeasure, b: IntrospectionMeasure): IntrospectionMeasure {
  if (b === noIntrospection) return a
  return {
    schemas: a.schemas + b.schemas,
    types: a.types + b.types,
    depth: Math.max(a.depth, b.depth),
    cost: a.cost + b.cost,
  }
}

/** Null if the document is within the limits. */
export function introspectionLimitError({ schemas, types, depth, cost }: IntrospectionMeasure): ApiError | null {
  if (depth > maxIntrospection.depth) {
    return new ApiError(
      'QUERY_TOO_DEEP',
      `The introspection is ${depth} levels deep; at most ${maxIntrospection.depth} are allowed.`,
    )
  }
  if (schemas > maxIntrospection.schemas || types > maxIntrospection.types) {
    const counts = `The document has "__schema" ${schemas} times and "__type" ${types} times`
    return new ApiError(
      'QUERY_TOO_COSTLY',
      `${counts}; at most ${maxIntrospection.schemas} and ${maxIntrospection.types} are allowed.`,
    )
  }
  if (cost > maxIntrospection.cost) {
    return new ApiError(
      'QUERY_TOO_COSTLY',
      `The introspection costs ${cost}; at most ${maxIntrospection.cost} is allowed.`,
      {
        hint: `A field costs 1, and a list multiplies all below it by ${weights.list}. The introspection query of common tools is well below.`,
      },
    )
  }
  return null
}

/** Measures each fragment once. */
export class IntrospectionMeter {
  readonly #schema: GraphQLSchema
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #costs = new Map<string, number>()
  readonly #levels = new Map<string, number>()

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#schema = schema
    this.#fragments = fragments
  }

  measure({ selectionSet }: FieldNode, name: '__schema' | '__type'): IntrospectionMeasure {
    const isSchema = name === '__schema'
    return {
      schemas: isSchema ? 1 : 0,
      types: isSchema ? 0 : 1,
      depth: this.#levelsOf(selectionSet),
      cost: 1 + this.#costOf(selectionSet, this.#schema.getType(isSchema ? '__Schema' : '__Type')),
    }
  }

  #costOf(set: SelectionSetNode | undefined, parent: GraphQLNamedType | undefined): number {
    let cost = 0
    for (const selection of set?.selections ?? []) {
      switch (selection.kind) {
        case Kind.FIELD: {
          const type = fieldType(parent, selection.name.value)
          const below = this.#costOf(selection.selectionSet, type && getNamedType(type))
          cost += (1 + below) * (type && isListType(getNullableType(type)) ? weights.list : 1)
          break
        }
        case Kind.INLINE_FRAGMENT: {
          const name = selection.typeCondition?.name.value
          cost += this.#costOf(selection.selectionSet, name === undefined ? parent : this.#schema.getType(name))
          break
        }
        case Kind.FRAGMENT_SPREAD:
          cost += this.#costOfFragment(selection.name.value)
          break
      }
    }
    return cost
  }

  #costOfFragment(name: string): number {
    const cached = this.#costs.get(name)
    if (cached !== undefined) return cached
    this.#costs.set(name, 0) // a cycle adds nothing; validation rejects it
    const fragment = this.#fragments.get(name)
    const type = this.#schema.getType(fragment?.typeCondition.name.value ?? '')
    const found = this.#costOf(fragment?.selectionSet, type)
    this.#costs.set(name, found)
    return found
  }

  #levelsOf(set: SelectionSetNode | undefined): number {
    if (set === undefined) return 0
    let deepest = 0
    for (const selection of set.selections) {
      switch (selection.kind) {
        case Kind.FIELD:
          deepest = Math.max(deepest, this.#levelsOf(selection.selectionSet))
          break
        case Kind.INLINE_FRAGMENT:
          deepest = Math.max(deepest, this.#levelsOf(selection.selectionSet) - 1)
          break
        case Kind.FRAGMENT_SPREAD:
          deepest = Math.max(deepest, this.#levelsOfFragment(selection.name.value) - 1)
          break
      }
    }
    return deepest + 1
  }

  #levelsOfFragment(name: string): number {
    const cached = this.#levels.get(name)
    if (cached !== undefined) return cached
    this.#levels.set(name, 0)
    const found = this.#levelsOf(this.#fragments.get(name)?.selectionSet)
    this.#levels.set(name, found)
    return found
  }
}
