// The part of GraphQL's syntax tree that an executable document has, with graphql-js's names, so that what `gql`, codegen and
// gql.tada make and what our own parser makes is one thing.

export interface DocumentNode {
  readonly kind: 'Document'
  readonly definitions: readonly DefinitionNode[]
}

export type DefinitionNode = OperationNode | FragmentNode

export interface NameNode {
  readonly value: string
}

export interface OperationNode {
  readonly kind: 'OperationDefinition'
  readonly operation: OperationKind
  readonly name?: NameNode | undefined
  readonly variableDefinitions?: readonly VariableDefinitionNode[] | undefined
  readonly directives?: readonly DirectiveNode[] | undefined
  readonly selectionSet: SelectionSetNode
}

export type OperationKind = 'query' | 'mutation' | 'subscription'

export interface FragmentNode {
  readonly kind: 'FragmentDefinition'
  readonly name: NameNode
  readonly typeCondition: { readonly name: NameNode }
  readonly directives?: readonly DirectiveNode[] | undefined
  readonly selectionSet: SelectionSetNode
}

export interface VariableDefinitionNode {
  readonly variable: { readonly name: NameNode }
  readonly type: TypeNode
  readonly defaultValue?: ValueNode | undefined
}

export type TypeNode =
  | { readonly kind: 'NamedType'; readonly name: NameNode }
  | { readonly kind: 'ListType'; readonly type: TypeNode }
  | { readonly kind: 'NonNullType'; readonly type: TypeNode }

export interface SelectionSetNode {
  readonly selections: readonly SelectionNode[]
}

export type SelectionNode = FieldNode | InlineFragmentNode | FragmentSpreadNode

export interface FieldNode {
  readonly kind: 'Field'
  readonly alias?: NameNode | undefined
  readonly name: NameNode
  readonly arguments?: readonly ArgumentNode[] | undefined
  readonly directives?: readonly DirectiveNode[] | undefined
  readonly selectionSet?: SelectionSetNode | undefined
}

interface InlineFragmentNode {
  readonly kind: 'InlineFragment'
  readonly typeCondition?: { readonly name: NameNode } | undefined
  readonly directives?: readonly DirectiveNode[] | undefined
  readonly selectionSet: SelectionSetNode
}

interface FragmentSpreadNode {
  readonly kind: 'FragmentSpread'
  readonly name: NameNode
  readonly directives?: readonly DirectiveNode[] | undefined
}

export interface DirectiveNode {
  readonly name: NameNode
  readonly arguments?: readonly ArgumentNode[] | undefined
}

export interface ArgumentNode {
  readonly name: NameNode
  readonly value: ValueNode
}

export type ValueNode =
  | { readonly kind: 'Variable'; readonly name: NameNode }
  | { readonly kind: 'IntValue' | 'FloatValue' | 'EnumValue'; readonly value: string }
  | { readonly kind: 'StringValue'; readonly value: string }
  | { readonly kind: 'BooleanValue'; readonly value: boolean }
  | { readonly kind: 'NullValue' }
  | { readonly kind: 'ListValue'; readonly values: readonly ValueNode[] }
  | { readonly kind: 'ObjectValue'; readonly fields: readonly ArgumentNode[] }
