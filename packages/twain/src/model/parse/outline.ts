// The declarations of the schema before anything is resolved: each type with its extensions merged in and its directives
// checked. Later stages read this outline and not the document.

import type {
  ConstDirectiveNode,
  DefinitionNode,
  DocumentNode,
  EnumValueDefinitionNode,
  FieldDefinitionNode,
  InputValueDefinitionNode,
  NamedTypeNode,
  NameNode,
  SchemaDefinitionNode,
  SchemaExtensionNode,
  StringValueNode,
  TypeDefinitionNode,
  TypeExtensionNode,
} from 'graphql/language'
import { Kind } from 'graphql/language'
import { didYouMean } from '#base'
import { declaredTwice, type MistakeReport } from '../mistakes.ts'
import { isScalarName } from '../values/scalars.ts'
import {
  type DirectivePlace,
  type DirectiveUse,
  isKnownDirective,
  readDirectives,
  vocabularyTypes,
} from './read-directives.ts'
import { type TypeShape, typeShape } from './type-shape.ts'

export interface SchemaOutline {
  /** The directives of the schema itself. */
  schema: DirectiveUse[]
  types: ReadonlyMap<string, DeclaredType>
}

export interface DeclaredType {
  kind: 'object' | 'interface' | 'union' | 'enum' | 'scalar' | 'input'
  name: string
  node: NameNode
  description: string | null
  uses: DirectiveUse[]
  fields: Map<string, DeclaredField>
  /** The interfaces that it implements. */
  interfaces: NamedTypeNode[]
  /** The types of a union. */
  members: NamedTypeNode[]
  /** The values of an enum. */
  values: Map<string, DeclaredValue>
}

export interface DeclaredField {
  name: string
  node: FieldDefinitionNode | InputValueDefinitionNode
  description: string | null
  shape: TypeShape
  args: readonly InputValueDefinitionNode[]
  uses: DirectiveUse[]
  /** The file does not have it: the id of a view. */
  isImplied?: true
}

export interface DeclaredValue {
  name: string
  node: NameNode
  description: string | null
  uses: DirectiveUse[]
}

/** `reserved`: names of types of the server itself, which a schema can't extend. */
export function outlineDocument(
  document: DocumentNode,
  report: MistakeReport,
  reserved: readonly string[] = [],
): SchemaOutline {
  const types = new Map<string, DeclaredType>()
  const schema: DirectiveUse[] = []
  let schemaDefinition: SchemaDefinitionNode | null = null
  for (const node of document.definitions) if (isTypeDefinition(node)) declareType(node, types, report)
  for (const node of document.definitions) {
    if (isTypeDefinition(node)) continue
    if (isTypeExtension(node)) extendType(node, types, reserved, report)
    else if (isSchema(node)) {
      if (node.kind === Kind.SCHEMA_DEFINITION) {
        if (schemaDefinition !== null) reportSecondSchema(schemaDefinition, node, report)
        schemaDefinition ??= node
      }
      schema.push(...readSchema(node, schema, report))
    } else if (node.kind === Kind.DIRECTIVE_DEFINITION) checkDirectiveDefinition(node.name, report)
    else
      report.at(node, 'This is not a definition of a schema.', 'Only types and their extensions belong in this file.')
  }
  for (const type of types.values()) {
    if (type.kind === 'object') addViewId(type)
    checkNotEmpty(type, report)
    checkNotTooWide(type, report)
  }
  return { schema, types }
}

/** Rows of a view have an id too: the key as one text. */
function addViewId(type: DeclaredType): void {
  if (type.fields.has('id') || !type.uses.some(({ name }) => name === 'view')) return
  const name = { kind: Kind.NAME, value: 'id' } as const
  const id = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'ID' } } as const
  const node: FieldDefinitionNode = {
    kind: Kind.FIELD_DEFINITION,
    name: { ...name, ...(type.node.loc && { loc: type.node.loc }) },
    type: { kind: Kind.NON_NULL_TYPE, type: id },
  }
  const field: DeclaredField = {
    name: 'id',
    node,
    description: 'The key of the row, as one text.',
    shape: typeShape(node.type),
    args: [],
    uses: [],
    isImplied: true,
  }
  const others = [...type.fields]
  type.fields.clear()
  for (const [key, one] of [['id', field] as const, ...others]) type.fields.set(key, one)
}

const kinds = {
  ObjectTypeDefinition: 'object',
  ObjectTypeExtension: 'object',
  InterfaceTypeDefinition: 'interface',
  InterfaceTypeExtension: 'interface',
  UnionTypeDefinition: 'union',
  UnionTypeExtension: 'union',
  EnumTypeDefinition: 'enum',
  EnumTypeExtension: 'enum',
  ScalarTypeDefinition: 'scalar',
  ScalarTypeExtension: 'scalar',
  InputObjectTypeDefinition: 'input',
  InputObjectTypeExtension: 'input',
} as const

const directivePlaces: Readonly<Record<DeclaredType['kind'], DirectivePlace>> = {
  object: 'OBJECT',
  interface: 'INTERFACE',
  union: 'UNION',
  enum: 'ENUM',
  scalar: 'SCALAR',
  input: 'INPUT_OBJECT',
}

function declareType(node: TypeDefinitionNode, types: Map<string, DeclaredType>, report: MistakeReport): void {
  // A file may repeat the types that Twain's directives use, for editors that need every name defined.
  if (vocabularyTypes.has(node.name.value)) return
  const kind = kinds[node.kind]
  const name = node.name.value
  const before = types.get(name)
  if (before) {
    report.at(
      node.name,
      declaredTwice(name, before.node, node.name),
      `Give one of them another name, or write: extend ${keyword[kind]} ${name}.`,
    )
    return
  }
  const description = textOf(node.description)
  const empty = { fields: new Map(), interfaces: [], members: [], values: new Map() }
  const type: DeclaredType = { kind, name, node: node.name, description, uses: [], ...empty }
  types.set(name, type)
  readBody(node, type, report)
}

const keyword: Readonly<Record<DeclaredType['kind'], string>> = {
  object: 'type',
  interface: 'interface',
  union: 'union',
  enum: 'enum',
  scalar: 'scalar',
  input: 'input',
}

function extendType(
  node: TypeExtensionNode,
  types: Map<string, DeclaredType>,
  reserved: readonly string[],
  report: MistakeReport,
): void {
  const kind = kinds[node.kind]
  const name = node.name.value
  const type = types.get(name)
  if (type?.kind === kind) {
    readBody(node, type, report)
    return
  }
  if (type) {
    report.at(node.name, `${name} is ${article(type.kind)}.`, `Write: extend ${keyword[type.kind]} ${name}.`)
    return
  }
  if (kind === 'object' && isRoot(name)) {
    // The root types exist without a declaration, so a file can extend them directly.
    const empty = { fields: new Map(), interfaces: [], members: [], values: new Map() }
    const root: DeclaredType = { kind, name, node: node.name, description: null, uses: [], ...empty }
    types.set(name, root)
    readBody(node, root, report)
    return
  }
  if (reserved.includes(name) || vocabularyTypes.has(name) || isScalarName(name)) {
    const hint = 'Remove the extension, and put its fields into a type of your own.'
    report.at(node.name, `${name} belongs to the server itself and can't be extended.`, hint)
    return
  }
  const near = didYouMean(name, [...types.values()].filter((candidate) => candidate.kind === kind).map(nameOf)).trim()
  report.at(node.name, `There is no ${keyword[kind]} ${name} to extend.`, near || `Write: ${examples[kind](name)}.`)
}

/** How a definition of each kind is written. */
const examples: Readonly<Record<DeclaredType['kind'], (name: string) => string>> = {
  object: (name) => `type ${name} { id: ID! … }`,
  interface: (name) => `interface ${name} { id: ID! … }`,
  union: (name) => `union ${name} = First | Second`,
  enum: (name) => `enum ${name} { FIRST SECOND }`,
  scalar: (name) => `scalar ${name}`,
  input: (name) => `input ${name} { … }`,
}

export function isRoot(name: string): boolean {
  return name === 'Query' || name === 'Mutation' || name === 'Subscription'
}

/** The parts that definitions and extensions share; the parser fills those that each kind has. */
interface DeclaredBody {
  readonly directives?: readonly ConstDirectiveNode[] | undefined
  readonly interfaces?: readonly NamedTypeNode[] | undefined
  readonly types?: readonly NamedTypeNode[] | undefined
  readonly fields?: readonly (FieldDefinitionNode | InputValueDefinitionNode)[] | undefined
  readonly values?: readonly EnumValueDefinitionNode[] | undefined
}

function readBody(body: DeclaredBody, type: DeclaredType, report: MistakeReport): void {
  type.uses.push(...readDirectives(body.directives, directivePlaces[type.kind], report, type.uses))
  addNames(body.interfaces, type.interfaces, `${type.name} already implements`, report)
  addNames(body.types, type.members, `${type.name} already has`, report)
  for (const node of body.fields ?? []) addField(node, type, report)
  for (const node of body.values ?? []) addValue(node, type, report)
}

function addNames(
  nodes: readonly NamedTypeNode[] | undefined,
  names: NamedTypeNode[],
  already: string,
  report: MistakeReport,
): void {
  for (const node of nodes ?? []) {
    const repeated = names.some(({ name }) => name.value === node.name.value)
    if (repeated) report.at(node, `${already} ${node.name.value}.`, 'Name it once.')
    else names.push(node)
  }
}

function addField(
  node: FieldDefinitionNode | InputValueDefinitionNode,
  type: DeclaredType,
  report: MistakeReport,
): void {
  const name = node.name.value
  const place = type.kind === 'input' ? 'INPUT_FIELD_DEFINITION' : 'FIELD_DEFINITION'
  const uses = readDirectives(node.directives, place, report)
  const args = node.kind === Kind.FIELD_DEFINITION ? (node.arguments ?? []) : []
  for (const arg of args) readDirectives(arg.directives, 'ARGUMENT_DEFINITION', report)
  const before = type.fields.get(name)
  if (before) {
    const message = declaredTwice(`${type.name}.${name}`, before.node.name, node.name)
    report.at(node.name, message, 'Remove or rename one of them.')
    return
  }
  const description = textOf(node.description)
  type.fields.set(name, { name, node, description, shape: typeShape(node.type), args, uses })
}

function addValue(node: EnumValueDefinitionNode, type: DeclaredType, report: MistakeReport): void {
  const name = node.name.value
  const uses = readDirectives(node.directives, 'ENUM_VALUE', report)
  const before = type.values.get(name)
  if (before) report.at(node.name, declaredTwice(`${type.name}.${name}`, before.node, node.name), 'Remove one of them.')
  else type.values.set(name, { name, node: node.name, description: textOf(node.description), uses })
}

function reportSecondSchema(first: SchemaDefinitionNode, second: SchemaDefinitionNode, report: MistakeReport): void {
  report.at(second, declaredTwice('The schema', first, second), 'Write: extend schema, and what this definition adds.')
}

function readSchema(
  node: SchemaDefinitionNode | SchemaExtensionNode,
  earlier: readonly DirectiveUse[],
  report: MistakeReport,
): DirectiveUse[] {
  for (const { operation, type } of node.operationTypes ?? []) {
    const standard = operation.charAt(0).toUpperCase() + operation.slice(1)
    if (type.name.value === standard) continue
    report.at(
      type,
      `The type of ${operation} operations is always ${standard} here.`,
      `Write: ${operation}: ${standard}.`,
    )
  }
  return readDirectives(node.directives, 'SCHEMA', report, earlier)
}

function checkDirectiveDefinition(name: NameNode, report: MistakeReport): void {
  // Definitions of Twain's own directives help editors. Other directive definitions would have no effect.
  if (isKnownDirective(name.value)) return
  report.at(
    name,
    `@${name.value} has no effect here: a service can't define its own directives.`,
    'Remove the definition and its uses.',
  )
}

/** A row is one row of one table, and databases limit the width of tables (SQLite: 2,000 columns, some of them internal). */
const maxFields = 1_500

function checkNotTooWide({ kind, name, node, fields }: DeclaredType, report: MistakeReport): void {
  if (fields.size <= maxFields) return
  const message = `The ${keyword[kind]} ${name} has ${fields.size} fields; at most ${maxFields} are allowed.`
  report.at(node, message, 'Put some of them into a type of their own, and refer to it.')
}

function checkNotEmpty(type: DeclaredType, report: MistakeReport): void {
  const { kind, name, node } = type
  if (kind === 'scalar') return
  const hint = `Write: ${examples[kind](name)}.`
  if (kind === 'enum') {
    if (type.values.size === 0) report.at(node, `The enum ${name} has no values.`, hint)
  } else if (kind === 'union') {
    if (type.members.length === 0) report.at(node, `The union ${name} has no types.`, hint)
  } else if (type.fields.size === 0) report.at(node, `The ${keyword[kind]} ${name} has no fields.`, hint)
}

function isTypeDefinition(node: DefinitionNode): node is TypeDefinitionNode {
  return node.kind in kinds && node.kind.endsWith('Definition')
}

function isTypeExtension(node: DefinitionNode): node is TypeExtensionNode {
  return node.kind in kinds && node.kind.endsWith('Extension')
}

function isSchema(node: DefinitionNode): node is SchemaDefinitionNode | SchemaExtensionNode {
  return node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION
}

function article(kind: DeclaredType['kind']): string {
  return /^[aeiou]/.test(keyword[kind]) ? `an ${keyword[kind]}` : `a ${keyword[kind]}`
}

function nameOf({ name }: DeclaredType): string {
  return name
}

function textOf(node: StringValueNode | undefined): string | null {
  return node ? node.value : null
}
