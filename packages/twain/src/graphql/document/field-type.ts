// The type of a field by its name, where the parent has such a field.

import { type GraphQLNamedType, type GraphQLOutputType, isInterfaceType, isObjectType } from 'graphql'

export function fieldType(parent: GraphQLNamedType | undefined, name: string): GraphQLOutputType | undefined {
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name]?.type : undefined
}
