// Coerces the variables of a request to the types of the operation. It reports all problems at once, and returns the shape that
// selects the cached plan.

import type { OperationDefinitionNode, VariableDefinitionNode } from 'graphql'
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getLocation,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  typeFromAST,
} from 'graphql'
import { type Problem, validationError } from '#base'
import { cursorShape, searchShape } from '#plan/build'
import { evaluateLiteral, type VariableValues } from '../input/argument-values.ts'
import { type CoerceValue, type CoercionState, type InputCoercers, missingValue } from '../input/coerce-input.ts'
import type { NodeTypes } from '../schema/node-types.ts'
import { formatApiError, RequestErrors } from './response-errors.ts'
import type { VariableUse } from './variable-uses.ts'

/** One `$name: Type = default` of an operation. */
export interface OperationVariable {
  name: string
  isRequired: boolean
  defaultValue: unknown
  use: VariableUse
  /** The part of the value that the plan depends on; null: there is none. */
  shape: ((value: unknown) => string) | null
  coerce: CoerceValue
  node: VariableDefinitionNode
}

/** Reads the definitions of a validated operation. */
export function variablesOf(
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  uses: ReadonlyMap<string, VariableUse>,
  coercers: InputCoercers,
  nodes: NodeTypes | null,
): OperationVariable[] {
  return (operation.variableDefinitions ?? []).map((node) => {
    const { variable, type: typeNode, defaultValue } = node
    const name = variable.name.value
    const type = typeFromAST(schema, typeNode) as GraphQLInputType
    const use = uses.get(name) ?? 'value'
    return {
      name,
      isRequired: typeNode.kind === Kind.NON_NULL_TYPE,
      defaultValue: defaultValue === undefined ? undefined : evaluateLiteral(defaultValue, type, {}),
      use,
      shape: shapeOf(use, nodes),
      coerce: use === 'written' ? coercerForWriteInput(type, coercers) : coercers.coercerFor(type),
      node,
    }
  })
}

function shapeOf(use: VariableUse, nodes: NodeTypes | null): OperationVariable['shape'] {
  const shaping = (value: unknown) => `${cursorShape(value)}${searchShape(value)}`
  const types = (value: unknown) => `(${nodes?.typesOf(value).map(({ name }) => name)})`
  switch (use) {
    case 'shaping':
      return shaping
    case 'node':
      return types
    case 'shapingNode':
      return (value) => shaping(value) + types(value)
    default:
      return null
  }
}

/** The write itself checks its input, with the same messages as in REST. Here the input is only compared with its type, and a
 *  single value in the place of a list becomes a list, at every level (specification, section 3.11). */
function coercerForWriteInput(type: GraphQLInputType, coercers: InputCoercers): CoerceValue {
  return (value, _path, state) => withLists(value, type, state)

  function withLists(value: unknown, type: GraphQLInputType, state: CoercionState): unknown {
    const nullable = getNullableType(type)
    if (value === null || value === undefined) {
      if (nullable !== type) state.hasMistypedInput = true
      return value
    }
    if (isListType(nullable)) {
      const list = Array.isArray(value) ? value : [value]
      return list.map((item) => withLists(item, nullable.ofType, state))
    }
    if (isInputObjectType(nullable) && typeof value === 'object' && !Array.isArray(value)) {
      return withMembers(value, nullable, state)
    }
    if (isInputObjectType(nullable) || !coercers.isOfType(nullable, value)) state.hasMistypedInput = true
    return value
  }

  function withMembers(value: object, type: GraphQLInputObjectType, state: CoercionState): object {
    const fields = type.getFields()
    for (const name of coercers.requiredFields(type)) if (!Object.hasOwn(value, name)) state.hasMistypedInput = true
    const members = value as Record<string, unknown>
    let copy: Record<string, unknown> | null = null
    for (const name of Object.keys(members)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field === undefined) {
        state.hasMistypedInput = true
        continue
      }
      const coerced = withLists(members[name], field.type, state)
      if (coerced === members[name]) continue
      copy ??= Object.fromEntries(Object.entries(members))
      copy[name] = coerced
    }
    return copy ?? value
  }
}

/** `hasMistypedInput`: the input of a write has a value that is not of its type.
 *  Values without a variable are ignored (specification, section 6.1.2): tools send the variables of all operations. */
export function coerceVariables(
  variables: readonly OperationVariable[],
  rawValues: Readonly<Record<string, unknown>>,
): { values: VariableValues; shape: string; hasMistypedInput: boolean } {
  const state: CoercionState = { problems: [], filterFieldCount: 0, shape: '', hasMistypedInput: false }
  const values: Record<string, unknown> = Object.create(null) // a variable may have the name `toString`
  for (const variable of variables) {
    const { name } = variable
    const value =
      Object.hasOwn(rawValues, name) && rawValues[name] !== undefined ? rawValues[name] : variable.defaultValue
    state.shape += ';'
    if (value === undefined && !variable.isRequired) continue
    if (variable.isRequired && (value === undefined || value === null)) {
      state.problems.push(missingValue(`variables.${name}`))
      continue
    }
    values[name] = variable.coerce(value, `variables.${name}`, state, 0)
    if (variable.shape !== null) state.shape += variable.shape(value)
  }
  if (state.problems.length > 0) throw variableErrors(state.problems, variables)
  return { values, shape: state.shape, hasMistypedInput: state.hasMistypedInput === true }
}

/** With the locations of the definitions, as in graphql-js. */
function variableErrors(problems: Problem[], variables: readonly OperationVariable[]): RequestErrors {
  const wrong = new Set(problems.map(({ path }) => path.split('.')[1]))
  const nodes = variables.filter(({ name }) => wrong.has(name)).flatMap(({ node }) => node.loc ?? [])
  const locations = nodes.map(({ source, start }) => getLocation(source, start))
  return new RequestErrors([{ ...formatApiError(validationError(problems)), locations }])
}
