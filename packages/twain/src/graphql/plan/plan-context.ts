// What the planning of one root field needs: the schema, the fragments, the variables and the plan builder.

import type {
  FieldNode,
  FragmentDefinitionNode,
  GraphQLArgument,
  GraphQLInputType,
  GraphQLObjectType,
  GraphQLSchema,
} from 'graphql'
import { isInterfaceType, isObjectType } from 'graphql'
import type { PlanBuilder } from '#plan/build'
import { collectFields, type SelectedField, type SelectionSets } from '../document/selection.ts'
import { evaluateLiteral, leafOf, treeOf, type VariableValues, variablesIn } from '../input/argument-values.ts'
import type { NodeTypes } from '../schema/node-types.ts'

export class PlanContext {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: VariableValues
  readonly builder: PlanBuilder
  /** The types of `node`; null if there is no such field. */
  readonly nodes: NodeTypes | null

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    variables: VariableValues,
    builder: PlanBuilder,
    nodes: NodeTypes | null,
  ) {
    this.schema = schema
    this.fragments = fragments
    this.variables = variables
    this.builder = builder
    this.nodes = nodes
  }

  collect(selections: SelectionSets, isOf: (type: string) => boolean): SelectedField[] {
    return collectFields(selections, isOf, this.fragments, this.variables)
  }

  /** The same for another request. */
  withVariables(variables: VariableValues): PlanContext {
    return new PlanContext(this.schema, this.fragments, variables, this.builder, this.nodes)
  }

  /** The arguments of a field of the named type. */
  argumentsOf(node: FieldNode, parent: string): FieldArguments {
    const type = this.schema.getType(parent)
    const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {}
    return new FieldArguments(node, fields[node.name.value]?.args ?? [], this.variables)
  }
}

/** The arguments of one field. Each use reads them as a leaf, as a tree or as a plain value. */
export class FieldArguments {
  readonly #node: FieldNode
  readonly #definitions: readonly GraphQLArgument[]
  readonly #variables: VariableValues

  constructor(node: FieldNode, definitions: readonly GraphQLArgument[], variables: VariableValues) {
    this.#node = node
    this.#definitions = definitions
    this.#variables = variables
  }

  /** One value: a RequestValue if it depends on a variable; undefined if the argument is absent. */
  leaf(name: string): unknown {
    return this.#read(name, leafOf)
  }

  /** A filter whose leaves are such values. */
  tree(name: string): unknown {
    return this.#read(name, treeOf)
  }

  /** The value in this request. */
  value(name: string): unknown {
    return this.#read(name, evaluateLiteral)
  }

  /** The variables inside an argument that have no value in this request. */
  missingVariables(name: string): string[] {
    const argument = this.#node.arguments?.find((one) => one.name.value === name)
    return argument === undefined ? [] : variablesIn(argument.value).filter((one) => this.#variables[one] === undefined)
  }

  /** The type of an argument; undefined if it is absent. */
  typeOf(name: string): GraphQLInputType | undefined {
    return this.names().includes(name) ? this.#definitions.find((argument) => argument.name === name)?.type : undefined
  }

  /** The names of the arguments that are present. */
  names(): string[] {
    return (this.#node.arguments ?? []).map((argument) => argument.name.value)
  }

  #read(name: string, read: typeof leafOf): unknown {
    const argument = this.#node.arguments?.find((one) => one.name.value === name)
    const definition = this.#definitions.find((argument) => argument.name === name)
    if (argument === undefined || definition === undefined) return undefined
    return read(argument.value, definition.type, this.#variables)
  }
}

/** Binds the arguments of a root field to the variables of a request. */
export function rootArguments(
  field: SelectedField,
  root: GraphQLObjectType | null | undefined,
): (variables: VariableValues) => FieldArguments {
  const definitions = root?.getFields()[field.name]?.args ?? []
  return (variables) => new FieldArguments(field.node, definitions, variables)
}
