// Prints a tree that has no text: on one line, with `__typename` in every selection below the root.

import type {
  ArgumentNode,
  DefinitionNode,
  DirectiveNode,
  DocumentNode,
  SelectionNode,
  SelectionSetNode,
  TypeNode,
  ValueNode,
} from './ast.ts'
import { isTypename } from './parse.ts'

export const print = (document: DocumentNode): string => document.definitions.map(printDefinition).join(' ')

function printDefinition(node: DefinitionNode): string {
  const rest = `${printDirectives(node.directives)} ${printSet(node.selectionSet)}`
  if (node.kind === 'FragmentDefinition')
    return `fragment ${node.name.value} on ${node.typeCondition.name.value}${rest}`
  const variables = (node.variableDefinitions ?? []).map(
    ({ variable, type, defaultValue }) =>
      `$${variable.name.value}: ${printType(type)}${defaultValue ? ` = ${printValue(defaultValue)}` : ''}`,
  )
  return `${node.operation} ${node.name?.value ?? ''}${inside('(', variables, ')')}${rest}`
}

const printSet = ({ selections }: SelectionSetNode, more = ''): string =>
  `{${selections.map(printSelection).join(' ')}${more}}`

function printSelection(node: SelectionNode): string {
  const on = printDirectives(node.directives)
  if (node.kind === 'FragmentSpread') return `...${node.name.value}${on}`
  if (node.kind === 'InlineFragment') {
    const condition = node.typeCondition ? ` on ${node.typeCondition.name.value}` : ''
    return `...${condition}${on} ${printSet(node.selectionSet)}`
  }
  const alias = node.alias ? `${node.alias.value}: ` : ''
  const set = node.selectionSet
  const below = set ? ` ${printSet(set, set.selections.some(isTypename) ? '' : ' __typename')}` : ''
  return `${alias}${node.name.value}${printArguments(node.arguments)}${on}${below}`
}

const printDirectives = (nodes: readonly DirectiveNode[] = []): string =>
  nodes.map((node) => ` @${node.name.value}${printArguments(node.arguments)}`).join('')

const printArguments = (nodes: readonly ArgumentNode[] = []): string => inside('(', nodes.map(printArgument), ')')

const printArgument = ({ name, value }: ArgumentNode): string => `${name.value}: ${printValue(value)}`

const inside = (open: string, parts: string[], close: string): string =>
  parts.length > 0 ? `${open}${parts.join(', ')}${close}` : ''

function printType(node: TypeNode): string {
  if (node.kind === 'NamedType') return node.name.value
  return node.kind === 'ListType' ? `[${printType(node.type)}]` : `${printType(node.type)}!`
}

function printValue(node: ValueNode): string {
  switch (node.kind) {
    case 'Variable':
      return `$${node.name.value}`
    case 'StringValue':
      return JSON.stringify(node.value)
    case 'NullValue':
      return 'null'
    case 'ListValue':
      return `[${node.values.map(printValue).join(', ')}]`
    case 'ObjectValue':
      return `{${node.fields.map(printArgument).join(', ')}}`
    default:
      return String(node.value)
  }
}
