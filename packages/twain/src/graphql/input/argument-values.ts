// The value of an argument: its literal with the variables of the request. `evaluateLiteral` returns the plain value. `treeOf`
// returns a filter whose leaves can be read again from the variables of the next request of the same shape.

import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type ValueNode,
} from 'graphql'
import { isScalarName, scalarOf } from '#model'
import { RequestValue } from '#plan/build'

/** Coerced variables by name. A variable without a value and without a default is absent. */
export type VariableValues = Readonly<Record<string, unknown>>

/** Undefined: an absent variable. `type` is undefined inside a JSON scalar. */
export function evaluateLiteral(
  node: ValueNode,
  type: GraphQLInputType | undefined,
  variables: VariableValues,
): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value]
  if (node.kind === Kind.NULL) return null
  const nullable = type === undefined ? undefined : getNullableType(type)
  if (isListType(nullable)) {
    const items = node.kind === Kind.LIST ? node.values : [node] // a single value is a list of one
    return items.map((item) => evaluateLiteral(item, nullable.ofType, variables) ?? null)
  }
  switch (node.kind) {
    case Kind.OBJECT: {
      const types = isInputObjectType(nullable) ? nullable.getFields() : {}
      const members = node.fields.map(
        ({ name, value }) => [name.value, evaluateLiteral(value, types[name.value]?.type, variables)] as const,
      )
      return Object.fromEntries(members.filter(([, value]) => value !== undefined))
    }
    case Kind.LIST:
      return node.values.map((item) => evaluateLiteral(item, undefined, variables) ?? null)
    case Kind.INT:
    case Kind.FLOAT:
      return keepsDigits(nullable) ? node.value : Number(node.value)
    default:
      return node.value
  }
}

/** Numbers of these types stay text: a double would lose digits. */
function keepsDigits(type: GraphQLInputType | undefined): boolean {
  const name = type === undefined ? '' : getNamedType(type).name
  return isScalarName(name) && scalarOf(name).keepsDigits
}

/** Keeps objects and lists of objects. Each value in them is a constant or a RequestValue. */
export function treeOf(node: ValueNode, type: GraphQLInputType, variables: VariableValues): unknown {
  const nullable = getNullableType(type)
  if (isInputObjectType(getNamedType(nullable)) && node.kind !== Kind.NULL) {
    if (node.kind === Kind.VARIABLE) return treeOfVariable(variables[node.name.value], nullable, [node.name.value])
    if (isListType(nullable)) {
      const items = node.kind === Kind.LIST ? node.values : [node]
      return items.map((item) => treeOf(item, nullable.ofType, variables))
    }
    if (isInputObjectType(nullable) && node.kind === Kind.OBJECT) {
      const types = nullable.getFields()
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, treeOf(value, types[name.value]!.type, variables)]),
      )
    }
  }
  return leafOf(node, type, variables)
}

function treeOfVariable(value: unknown, type: GraphQLInputType, path: readonly (string | number)[]): unknown {
  const nullable = getNullableType(type)
  if (value === undefined || value === null) return value
  if (isInputObjectType(nullable)) {
    const types = nullable.getFields()
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, treeOfVariable(member, types[name]!.type, [...path, name])]),
    )
  }
  if (isListType(nullable) && isInputObjectType(getNamedType(nullable))) {
    return (value as unknown[]).map((item, index) => treeOfVariable(item, nullable.ofType, [...path, index]))
  }
  return new RequestValue(value, (variables: VariableValues) => valueAtPath(variables, path))
}

function valueAtPath(variables: VariableValues, path: readonly (string | number)[]): unknown {
  let value: unknown = variables
  for (const step of path) value = (value as Record<string | number, unknown>)[step]
  return value
}

/** One value: a constant, or a RequestValue if it contains a variable. */
export function leafOf(node: ValueNode, type: GraphQLInputType, variables: VariableValues): unknown {
  const value = evaluateLiteral(node, type, variables)
  if (value === undefined || !hasVariable(node)) return value
  if (node.kind !== Kind.VARIABLE)
    return new RequestValue(value, (next: VariableValues) => evaluateLiteral(node, type, next))
  const name = node.name.value
  return new RequestValue(value, (next: VariableValues) => next[name])
}

export function variablesIn(node: ValueNode): string[] {
  if (node.kind === Kind.VARIABLE) return [node.name.value]
  if (node.kind === Kind.LIST) return node.values.flatMap(variablesIn)
  return node.kind === Kind.OBJECT ? node.fields.flatMap(({ value }) => variablesIn(value)) : []
}

function hasVariable(node: ValueNode): boolean {
  if (node.kind === Kind.VARIABLE) return true
  if (node.kind === Kind.LIST) return node.values.some(hasVariable)
  return node.kind === Kind.OBJECT && node.fields.some(({ value }) => hasVariable(value))
}
