// Compares the GraphQL schema from a server's introspection with that of a schema file, for servers whose schema file is not
// available. Introspection shows no paths, rules, constraints and rows.

import {
  BreakingChangeType,
  buildSchema,
  DangerousChangeType,
  findSchemaChanges,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  SafeChangeType,
  type SchemaChange,
} from 'graphql'
import { printSchema } from '#graphql'
import type { Model } from '#model'
import { type Difference, putBack } from '#model/compare'

export function compareSchemas(before: GraphQLSchema, after: Model): Difference[] {
  return findSchemaChanges(before, buildSchema(printSchema(after))).flatMap((change) => {
    if (change.type === SafeChangeType.DESCRIPTION_CHANGED || change.type.startsWith('DIRECTIVE_')) return []
    const kind = kindOf(change, before)
    const breaks = kind === 'breaking'
    return [
      {
        kind,
        path: pathOf(change),
        message: change.description.replace(/\.$/, ''),
        affects: kind === 'additive' ? 'nobody' : 'clients',
        hint: breaks ? putBack : '',
        rows: 'stay',
      },
    ]
  })
}

function kindOf(change: SchemaChange, before: GraphQLSchema): Difference['kind'] {
  if (change.type === BreakingChangeType.TYPE_REMOVED && !isAnswered(pathOf(change), before)) return 'additive'
  if (isOneOf(BreakingChangeType, change.type)) {
    const isAnnounced = (path: string) => wasDeprecated(path, before)
    return isRemoval(change) && [pathOf(change), sourceFieldOf(pathOf(change))].some(isAnnounced)
      ? 'additive'
      : 'breaking'
  }
  const isAddition = change.type === 'OPTIONAL_INPUT_FIELD_ADDED' || change.type === 'OPTIONAL_ARG_ADDED'
  return isOneOf(DangerousChangeType, change.type) && !isAddition ? 'warning' : 'additive'
}

/** Whether a field that is not deprecated has an object of this type. The removal of an input type or a scalar breaks nobody by
 *  itself: the argument or field that had it is a separate difference. */
function isAnswered(name: string, schema: GraphQLSchema): boolean {
  if (isInputObjectType(schema.getType(name)) || isScalarType(schema.getType(name))) return false
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type))
  const fields = types.flatMap((type) => Object.values(type.getFields()))
  return fields.some((field) => !isDeprecated(field) && getNamedType(field.type).name === name)
}

function isOneOf(types: Readonly<Record<string, string>>, type: string): boolean {
  return Object.values(types).includes(type)
}

const removals: readonly string[] = [
  BreakingChangeType.FIELD_REMOVED,
  BreakingChangeType.VALUE_REMOVED_FROM_ENUM,
  BreakingChangeType.ARG_REMOVED,
]

function isRemoval({ type }: SchemaChange): boolean {
  return removals.includes(type)
}

/** The first schema name in a description: `Post.title was removed.`, `Argument Query.posts(a:) …`. */
function pathOf({ description }: SchemaChange): string {
  return /\b[A-Za-z_]\w*\.\w+(?:\(\w+:\))?/.exec(description)?.[0] ?? /\b([A-Z_]\w*)\b/.exec(description)?.[0] ?? ''
}

/** The field from which a member of a generated input, filter or order, or an argument of an update, is derived. */
function sourceFieldOf(path: string): string {
  const argument = /^Mutation\.update(\w+)\((\w+):\)$/.exec(path)
  if (argument !== null) return `${argument[1]}.${argument[2]}`
  return path.replace(/^(?:Create|Update)?(\w+?)(?:Input|Where|Order)\./, '$1.')
}

function wasDeprecated(path: string, schema: GraphQLSchema): boolean {
  const [, typeName = '', name = '', argument] = /^(\w+)\.(\w+)(?:\((\w+):\))?$/.exec(path) ?? []
  const type = schema.getType(typeName)
  if (isEnumType(type)) return isDeprecated(type.getValue(name))
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return false
  const field = type.getFields()[name]
  if (argument === undefined || field === undefined || !('args' in field)) return isDeprecated(field)
  return isDeprecated(field.args.find((arg) => arg.name === argument))
}

function isDeprecated(element: { deprecationReason?: string | null | undefined } | null | undefined): boolean {
  return (element?.deprecationReason ?? null) !== null
}
