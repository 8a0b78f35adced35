// What a GraphQL schema that a server tells of itself loses against the one that a file gives: all that can be found out about a
// server which does not give its file. Paths, rules, constraints and rows are not in it.

import {
  BreakingChangeType,
  buildSchema,
  DangerousChangeType,
  findSchemaChanges,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  SafeChangeType,
  type SchemaChange,
} from 'graphql'
import { printSchema } from '#graphql'
import type { Difference, Model } from '#model'

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
        cure: breaks ? 'Put it back; what is to go is served as @deprecated first.' : '',
        rows: 'stay',
      },
    ]
  })
}

function kindOf(change: SchemaChange, before: GraphQLSchema): Difference['kind'] {
  if (change.type === BreakingChangeType.TYPE_REMOVED && isTaken(pathOf(change), before)) return 'additive'
  if (isOneOf(BreakingChangeType, change.type)) {
    const wasTold = (path: string) => wasDeprecated(path, before)
    return isGone(change) && [pathOf(change), madeFor(pathOf(change))].some(wasTold) ? 'additive' : 'breaking'
  }
  const isAddition = change.type === 'OPTIONAL_INPUT_FIELD_ADDED' || change.type === 'OPTIONAL_ARG_ADDED'
  return isOneOf(DangerousChangeType, change.type) && !isAddition ? 'warning' : 'additive'
}

/** A type of inputs: what took it is a difference of its own. */
function isTaken(name: string, schema: GraphQLSchema): boolean {
  return isInputObjectType(schema.getType(name))
}

function isOneOf(types: Readonly<Record<string, string>>, type: string): boolean {
  return Object.values(types).includes(type)
}

const gone: readonly string[] = [
  BreakingChangeType.FIELD_REMOVED,
  BreakingChangeType.VALUE_REMOVED_FROM_ENUM,
  BreakingChangeType.ARG_REMOVED,
]

function isGone({ type }: SchemaChange): boolean {
  return gone.includes(type)
}

/** The first word of a description that is a name of the schema: `Post.title was removed.`, `Argument Query.posts(a:) …`. */
function pathOf({ description }: SchemaChange): string {
  return /\b[A-Za-z_]\w*\.\w+(?:\(\w+:\))?/.exec(description)?.[0] ?? /\b([A-Z_]\w*)\b/.exec(description)?.[0] ?? ''
}

/** The field that a member of a generated input, filter or order, or an argument of an update, was made for. */
function madeFor(path: string): string {
  const argument = /^Mutation\.update(\w+)\((\w+):\)$/.exec(path)
  if (argument !== null) return `${argument[1]}.${argument[2]}`
  return path.replace(/^(?:Create|Update)?(\w+?)(?:Input|Where|Order)\./, '$1.')
}

function wasDeprecated(path: string, schema: GraphQLSchema): boolean {
  const [, typeName = '', name = '', argument] = /^(\w+)\.(\w+)(?:\((\w+):\))?$/.exec(path) ?? []
  const type = schema.getType(typeName)
  if (isEnumType(type)) return isTold(type.getValue(name))
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return false
  const field = type.getFields()[name]
  if (argument === undefined || field === undefined || !('args' in field)) return isTold(field)
  return isTold(field.args.find((arg) => arg.name === argument))
}

function isTold(element: { deprecationReason?: string | null | undefined } | null | undefined): boolean {
  return (element?.deprecationReason ?? null) !== null
}
