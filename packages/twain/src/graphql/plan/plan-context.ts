// What the planning of one root field has at hand.

import type { FieldNode, FragmentDefinitionNode, GraphQLArgument, GraphQLInputType, GraphQLSchema } from 'graphql'
import { isInterfaceType, isObjectType } from 'graphql'
import type { PlanBuilder } from '#plan/build'
import { collectFields, type SelectedField, type SelectionSets } from '../document/selection.ts'
import { evaluateLiteral, leafOf, treeOf, type VariableValues } from '../input/argument-values.ts'

export class PlanContext {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: VariableValues
  readonly builder: PlanBuilder

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    variables: VariableValues,
    builder: PlanBuilder,
  ) {
    this.schema = schema
    this.fragments = fragments
    this.variables = variables
    this.builder = builder
  }

  collect(selections: SelectionSets, isOf: (type: string) => boolean): SelectedField[] {
    return collectFields(selections, isOf, this.fragments, this.variables)
  }

  /** The arguments of a field of the named type. */
  argumentsOf(node: FieldNode, parent: string): FieldArguments {
    const type = this.schema.getType(parent)
    const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {}
    return new FieldArguments(node, fields[node.name.value]?.args ?? [], this.variables)
  }
}

/** The arguments of one field, each read in the way that its use wants. */
export class FieldArguments {
  readonly #node: FieldNode
  readonly #definitions: readonly GraphQLArgument[]
  readonly #variables: VariableValues

  constructor(node: FieldNode, definitions: readonly GraphQLArgument[], variables: VariableValues) {
    this.#node = node
    this.#definitions = definitions
    this.#variables = variables
  }

  /** One value, Sourced where it comes from a variable; undefined when it is not given. */
  leaf(name: string): unknown {
    return this.#read(name, leafOf)
  }

  /** A filter with such values as leaves. */
  tree(name: string): unknown {
    return this.#read(name, treeOf)
  }

  /** The value of this request only. */
  value(name: string): unknown {
    return this.#read(name, evaluateLiteral)
  }

  /** Of an argument that the field is given. */
  typeOf(name: string): GraphQLInputType | undefined {
    return this.names().includes(name) ? this.#definitions.find((argument) => argument.name === name)?.type : undefined
  }

  /** The names that the field is given. */
  names(): string[] {
    return (this.#node.arguments ?? []).map((argument) => argument.name.value)
  }

  #read(name: string, read: typeof leafOf): unknown {
    const given = this.#node.arguments?.find((argument) => argument.name.value === name)
    const definition = this.#definitions.find((argument) => argument.name === name)
    if (given === undefined || definition === undefined) return undefined
    return read(given.value, definition.type, this.#variables)
  }
}
