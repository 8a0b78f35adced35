// Random documents for a schema: fields, aliases, arguments, variables with and without defaults, fragments with and
// without names, on object types and interfaces, `@include` and `@skip`. Some of them are invalid.

import {
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import type { Draw } from '../generate/draw.ts'
import type { Rows } from './rows.ts'

/** Cursors, viewers, changes, mails, and what the server says of itself: the oracle has none of them. */
const leftOut = new Set([
  'cursor',
  'endCursor',
  'startCursor',
  'token',
  'tokens',
  'tokensConnection',
  'changes',
  'webhook',
  'webhooks',
  'webhooksConnection',
  'webhookDelivery',
  'webhookDeliveries',
  'webhookDeliveriesConnection',
  'backgroundJob',
  'backgroundJobs',
  'backgroundJobsConnection',
  'apiKey',
  'apiKeys',
  'apiKeysConnection',
  '_changes',
  'mails',
  'accessMatrix',
  'webhookMessage',
  'servedSchema',
  'schemaChanges',
  'serviceLoad',
  'serviceLog',
  'serviceNodes',
  'serviceSlowQueries',
  'serviceStatements',
])

/** Aggregates have an oracle of their own (conformance/stores). */
function isDrawn(name: string): boolean {
  return !leftOut.has(name) && !/(?:Aggregate|GroupBy)$/.test(name)
}

interface Drawn {
  text: string
  variables: Record<string, unknown>
}

export function drawDocument(draw: Draw, schema: GraphQLSchema, rows: Rows): Drawn {
  const definitions = new Map<string, string>()
  const variables: Record<string, unknown> = {}
  const fragments: string[] = []
  const selection = drawRoots()
  const head = definitions.size === 0 ? '' : `(${[...definitions.values()].join(', ')})`
  return { text: [`query${head} ${selection}`, ...fragments].join('\n'), variables }

  function drawRoots(): string {
    const names = Object.keys(schema.getQueryType()!.getFields()).filter(isDrawn)
    const parts = draw.many(1, 3, (index) => {
      const name = draw.one(names)
      const alias = draw.between(0, 3) === 0 ? '' : `r${index}: `
      return `${alias}${drawField(schema.getQueryType()!, name, 3, true)}`
    })
    return `{ ${parts.join(' ')} }`
  }

  function drawSet(type: GraphQLNamedType, depth: number): string {
    return `{ ${draw.many(1, 4, () => drawPart(type, depth)).join(' ')} }`
  }

  function drawPart(type: GraphQLNamedType, depth: number): string {
    const choice = draw.between(0, 11)
    if (choice <= 1 && depth > 0) return drawInline(type, depth)
    if (choice === 2 && depth > 0) return `...${drawNamed(type, depth)}${drawDirective()}`
    if (choice === 3 || !('getFields' in type)) return `${drawAlias()}__typename`
    const names = Object.keys((type as { getFields(): object }).getFields()).filter(isDrawn)
    return `${drawAlias()}${drawField(type, draw.one(names), depth, false)}`
  }

  function drawInline(type: GraphQLNamedType, depth: number): string {
    const on = drawType(type)
    const condition = on === type && draw.flip() ? '' : ` on ${on.name}`
    return `...${condition}${drawDirective()} ${drawSet(on, depth - 1)}`
  }

  function drawField(type: GraphQLNamedType, name: string, depth: number, isRoot: boolean): string {
    const field = (isObjectType(type) || isInterfaceType(type)) && type.getFields()[name]
    if (!field) return '__typename'
    const inner = getNamedType(field.type)
    if (isCompositeType(inner) && depth === 0) return '__typename'
    const argumentTexts = field.args.flatMap(({ name: arg }) => drawArgument(arg, name, isRoot))
    const args = argumentTexts.length === 0 ? '' : `(${argumentTexts.join(', ')})`
    return `${name}${args}${drawDirective()}${isCompositeType(inner) ? ` ${drawSet(inner, depth - 1)}` : ''}`
  }

  /** Root fields sometimes have invalid page arguments. */
  function drawArgument(arg: string, field: string, isRoot: boolean): string[] {
    if (arg === 'id') {
      const known = rows.of(`${field.charAt(0).toUpperCase()}${field.slice(1)}`)
      const id = draw.between(0, 5) === 0 || known.length === 0 ? 'nothing' : draw.one(known).id
      return [`id: ${draw.flip() ? JSON.stringify(id) : drawVariable('ID!', id, null)}`]
    }
    if (arg === '_nodeId') {
      const id = drawNodeId()
      return [`${arg}: ${draw.flip() ? JSON.stringify(id) : drawVariable('ID!', id, null)}`]
    }
    if (arg === '_nodeIds') {
      const ids = draw.many(0, 4, drawNodeId)
      return [`${arg}: ${draw.flip() ? JSON.stringify(ids) : drawVariable('[ID!]!', ids, null)}`]
    }
    if (arg !== 'limit' && arg !== 'first' && arg !== 'offset') return []
    if (draw.flip()) return []
    const wrong = isRoot && draw.between(0, 14) === 0
    const value = wrong ? -1 : draw.between(0, 3)
    if (draw.flip()) return [`${arg}: ${value}`]
    const isGiven = draw.between(0, 3) > 0
    return [`${arg}: ${drawVariable('Int', isGiven ? value : undefined, draw.between(0, 3))}`]
  }

  function drawNodeId(): string {
    const type = draw.one(schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType)).name
    const known = rows.of(type)
    const id = draw.between(0, 5) === 0 || known.length === 0 ? 'nothing' : draw.one(known).id
    return `${Buffer.from(type).toString('base64url')}.${id}`
  }

  /** A variable with a default may be omitted; `null` for a required value is a field error. */
  function drawVariable(type: string, value: unknown, fallback: unknown): string {
    const name = `v${definitions.size}`
    definitions.set(name, `$${name}: ${type}${fallback === null ? '' : ` = ${JSON.stringify(fallback)}`}`)
    if (value !== undefined) variables[name] = draw.between(0, 60) === 0 ? { wrong: true } : value
    return `$${name}`
  }

  function drawDirective(): string {
    const choice = draw.between(0, 11)
    if (choice > 2) return ''
    const name = draw.one(['include', 'skip'])
    const flag = draw.flip()
    return ` @${name}(if: ${choice === 0 ? drawVariable('Boolean!', flag, null) : flag})`
  }

  function drawAlias(): string {
    return draw.between(0, 3) === 0 ? `${draw.one(['a', 'b', 'c', 'd', 'e'])}: ` : ''
  }

  function drawNamed(type: GraphQLNamedType, depth: number): string {
    const name = `f${fragments.length}`
    const at = fragments.push('') - 1
    const on = drawType(type)
    fragments[at] = `fragment ${name} on ${on.name} ${drawSet(on, depth - 1)}`
    return name
  }

  /** The type itself, or an overlapping one. */
  function drawType(type: GraphQLNamedType): GraphQLNamedType {
    const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : []
    const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType)
    const shared = abstract.filter((one) => possible.some((each) => schema.isSubType(one, each)))
    return draw.one([type, ...possible, ...shared])
  }
}
