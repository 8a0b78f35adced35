// The schema of the GraphQL API as the viewer may see it, from introspection.

export interface TypeRef {
  kind: string
  name: string | null
  ofType: TypeRef | null
}

export interface InputDefinition {
  name: string
  description: string | null
  type: TypeRef
  defaultValue: string | null
  isDeprecated?: boolean
  deprecationReason?: string | null
}

export interface FieldDefinition {
  name: string
  description: string | null
  args: readonly InputDefinition[]
  type: TypeRef
  isDeprecated: boolean
  deprecationReason: string | null
}

interface EnumValueDefinition {
  name: string
  description: string | null
  isDeprecated: boolean
  deprecationReason: string | null
}

export interface TypeDefinition {
  kind: 'OBJECT' | 'INTERFACE' | 'UNION' | 'INPUT_OBJECT' | 'ENUM' | 'SCALAR'
  name: string
  description: string | null
  isOneOf?: boolean
  fields: readonly FieldDefinition[] | null
  inputFields: readonly InputDefinition[] | null
  enumValues: readonly EnumValueDefinition[] | null
  possibleTypes: readonly TypeRef[] | null
}

export interface DirectiveDefinition {
  name: string
  description: string | null
  locations: readonly string[]
  args: readonly InputDefinition[]
}

export type OperationKind = 'query' | 'mutation' | 'subscription'

export interface GraphqlSchema {
  types: ReadonlyMap<string, TypeDefinition>
  directives: readonly DirectiveDefinition[]
  roots: Readonly<Record<OperationKind, TypeDefinition | undefined>>
}

/** The answer to the introspection query. */
export interface IntrospectedSchema {
  queryType: { name: string }
  mutationType: { name: string } | null
  subscriptionType: { name: string } | null
  types: readonly TypeDefinition[]
  directives: readonly DirectiveDefinition[]
}

export function schemaOf(introspected: IntrospectedSchema): GraphqlSchema {
  const types = new Map(introspected.types.map((type) => [type.name, type]))
  const root = (of: { name: string } | null) => (of === null ? undefined : types.get(of.name))
  return {
    types,
    directives: introspected.directives,
    roots: {
      query: root(introspected.queryType),
      mutation: root(introspected.mutationType),
      subscription: root(introspected.subscriptionType),
    },
  }
}

/** `[Post!]!`. */
export function printType(type: TypeRef): string {
  if (type.kind === 'NON_NULL') return `${printType(type.ofType!)}!`
  return type.kind === 'LIST' ? `[${printType(type.ofType!)}]` : type.name!
}

/** The name without lists and `!`. */
export function namedType(type: TypeRef): string {
  return type.ofType === null || type.ofType === undefined ? type.name! : namedType(type.ofType)
}

export function isNonNull(type: TypeRef): boolean {
  return type.kind === 'NON_NULL'
}

export function withoutNonNull(type: TypeRef): TypeRef {
  return isNonNull(type) ? type.ofType! : type
}

/** Whether a value has to be given. */
export function isRequired({ type, defaultValue }: InputDefinition): boolean {
  return isNonNull(type) && defaultValue === null
}

export function isComposite(type: TypeDefinition | undefined): boolean {
  return type?.kind === 'OBJECT' || type?.kind === 'INTERFACE' || type?.kind === 'UNION'
}
