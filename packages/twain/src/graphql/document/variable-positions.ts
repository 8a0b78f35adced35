// All Variable Usages Are Allowed (specification, section 5.8.5), with one difference: a variable of the type String may stand where
// an ID is expected, also in lists. Clients whose ids are strings need not know which arguments are ids. Introspection and all
// other positions are as the specification says.

import {
  type ConstValueNode,
  GraphQLError,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isNullableType,
  isTypeSubTypeOf,
  Kind,
  typeFromAST,
  type ValidationRule,
  type VariableDefinitionNode,
} from 'graphql'

export const VariablePositionsRule: ValidationRule = (context) => ({
  OperationDefinition: {
    leave(operation) {
      const schema = context.getSchema()
      const definitions = new Map<string, VariableDefinitionNode>()
      for (const definition of operation.variableDefinitions ?? [])
        definitions.set(definition.variable.name.value, definition)
      for (const { node, type, parentType, defaultValue } of context.getRecursiveVariableUsages(operation)) {
        const name = node.name.value
        const definition = definitions.get(name)
        const declared = definition && (typeFromAST(schema, definition.type) as GraphQLInputType | undefined)
        if (definition === undefined || declared === undefined || !type) continue
        const nodes = [definition, node]
        const actual = readAsId(declared, type)
        if (!isAllowed(schema, actual, definition.defaultValue, type, defaultValue !== undefined)) {
          const message = `Variable "$${name}" of type "${declared}" used in position expecting type "${type}".`
          context.reportError(new GraphQLError(message, { nodes }))
        }
        const object = isMember(type, parentType) ? getNamedType(parentType) : undefined
        if (isInputObjectType(object) && object.isOneOf && isNullableType(declared)) {
          const message = `Variable "$${name}" is of type "${declared}" but must be non-nullable to be used for OneOf Input Object "${object}".`
          context.reportError(new GraphQLError(message, { nodes }))
        }
      }
    },
  },
})

/** The type of the variable, with ID in the place of String where the position takes ids. */
function readAsId(declared: GraphQLInputType, position: GraphQLInputType): GraphQLInputType {
  const id = getNamedType(position)
  if (getNamedType(declared).name !== 'String' || id.name !== 'ID') return declared
  const renamed = (type: GraphQLInputType): GraphQLInputType => {
    if (isNonNullType(type)) return new GraphQLNonNull(renamed(type.ofType) as never)
    return isListType(type) ? new GraphQLList(renamed(type.ofType)) : id
  }
  return renamed(declared)
}

/** Whether the position is a member of an object: else it is an item of a list, or an argument. graphql-js 17.1 sees no object
 *  behind a `Key!`, and none where a single object stands for a list. */
function isMember(position: GraphQLInputType, parent: GraphQLInputType | null | undefined): parent is GraphQLInputType {
  if (!parent) return false
  const nullable = getNullableType(parent)
  return !isListType(nullable) || nullable.ofType !== position
}

/** IsVariableUsageAllowed. */
function isAllowed(
  schema: GraphQLSchema,
  declared: GraphQLInputType,
  defaultValue: ConstValueNode | undefined,
  position: GraphQLInputType,
  hasPositionDefault: boolean,
): boolean {
  if (!isNonNullType(position) || isNonNullType(declared)) return isTypeSubTypeOf(schema, declared, position)
  const hasDefault = defaultValue !== undefined && defaultValue.kind !== Kind.NULL
  return (hasDefault || hasPositionDefault) && isTypeSubTypeOf(schema, declared, position.ofType)
}
