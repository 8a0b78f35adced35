// The GraphQL operation that does the same as a REST request of the page. Both APIs have the same plans behind them.

import {
  fieldNamed,
  innerType,
  isListType,
  model,
  type OperationModel,
  type TypeModel,
  typeAt,
  typeNamed,
} from '../api/model.ts'
import type { SentRequest } from '../api/requests.ts'
import { filteredField, parseRowsQuery } from '../rows/rows-query.ts'
import { serviceTwin } from './service-twin.ts'
import { argumentList, declarations, type GraphqlTwin, type UsedArgument } from './twin-document.ts'

/** Null: GraphQL has no twin of it, or none that this file knows. */
export function graphqlTwin({ method, target, headers, body }: SentRequest): GraphqlTwin | null {
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const [collection = '', id, below] = path.slice(1).split('/').map(decodeURIComponent)
  if (path === '/graphql') return body === null ? null : { variables: {}, ...JSON.parse(body) }
  if (path === '/batch') return batchTwin(JSON.parse(body ?? '[]'))
  const input = body === null ? null : (JSON.parse(body) as unknown)
  const operation = model.value!.operations.find((one) => `/${one.path}` === path)
  if (operation !== undefined) return operationTwin(operation, input ?? argumentsIn(operation, query))
  const parameters = new URLSearchParams(query)
  const type = typeAt(collection)
  // A schema file may have rows of its own at `/invitations`.
  const service = type?.kind === 'rows' ? null : serviceTwin(method, path, parameters, input)
  if (service !== null) return service
  if (path === '/changes') return feedTwin(typeAt(parameters.get('resource') ?? ''), parameters.get('after'))
  if (type === undefined) return null
  if (below !== undefined && id !== undefined) return belowRow(type, id, below, method, query, input)
  if (id === undefined && method === 'GET') return listTwin(type, query, null)
  if (id === undefined) return writeTwin([manyPart(type, method, query, input)])
  if (method === 'GET') return rowTwin(type, id, query)
  const version = /^"(\d+)/.exec(headers['if-match'] ?? '')?.[1]
  if (method === 'PATCH') return writeTwin([updatePart(type, id, input, version)])
  return method === 'DELETE' ? writeTwin([deletePart(type, id, version, parameters.has('purge'))]) : null
}

/** One stream of GraphQL is about one type. */
function feedTwin(type: TypeModel | undefined, after: string | null): GraphqlTwin | null {
  if (type === undefined) return null
  const query = `subscription ($after: String) {\n  ${singleOf(type)}Changed(after: $after) { kind id version cursor }\n}`
  return { query, variables: { after: after === 'now' ? null : after } }
}

function rowTwin(type: TypeModel, id: string, query: string): GraphqlTwin {
  const { fields } = parseRowsQuery(query)
  const selection = printFields(fields ?? defaultFields(type), type, '    ')
  return { query: `query ($id: ID!) {\n  ${singleOf(type)}(id: $id) {\n${selection}\n  }\n}`, variables: { id } }
}

/** The row that a list belongs to, and the field. */
interface ListOwner {
  type: TypeModel
  id: string
  field: string
}

function listTwin(type: TypeModel, query: string, owner: ListOwner | null): GraphqlTwin | null {
  const parameters = new URLSearchParams(query)
  if (parameters.has('groupBy')) return totalsTwin(type, parameters, owner)
  const sizes = ['first', 'after', 'limit', 'offset']
  const rest = new URLSearchParams([...parameters].filter(([name]) => !sizes.includes(name)))
  const { fields, sort, search, filters, others } = parseRowsQuery(String(rest))
  if (others.some(([name]) => name === 'distinct')) return null
  const deleted = parameters.get('deleted')
  const isPage = parameters.has('first') || parameters.has('after')
  const where = whereOf(type, filters, others)
  const given: [name: string, declared: string, value: unknown][] = [
    ['first', 'Int!', numberOf(parameters.get('first'))],
    ['after', 'String', parameters.get('after')],
    ['limit', 'Int!', numberOf(parameters.get('limit'))],
    ['offset', 'Int!', numberOf(parameters.get('offset'))],
    ['where', `${type.name}Where`, where],
    ['orderBy', `[${type.name}Order!]`, sort.length === 0 ? null : sort.map(orderOf)],
    ['search', 'String', search === '' ? null : search],
    ['deleted', 'DeletedRows', deleted?.toUpperCase() ?? null],
  ]
  const used = given.filter(([, , value]) => value !== null)
  const selection = fields ?? defaultFields(type)
  const body = isPage
    ? `    edges {\n      node {\n${printFields(selection, type, '        ')}\n      }\n      cursor\n    }\n    pageInfo { hasNextPage endCursor }`
    : printFields(selection, type, '    ')
  return ownedQuery(`${owner?.field ?? listOf(type)}${isPage ? 'Connection' : ''}`, used, body, owner)
}

/** A root field, or a field of one row. */
function ownedQuery(field: string, used: readonly UsedArgument[], body: string, owner: ListOwner | null): GraphqlTwin {
  const all: readonly UsedArgument[] = owner === null ? used : [['id', 'ID!', owner.id], ...used]
  const call = `${field}${argumentList(used)} {\n${body}\n  }`
  return {
    query: `query${declarations(all)} {\n  ${owner === null ? call : `${singleOf(owner.type)}(id: $id) { ${call} }`}\n}`,
    variables: Object.fromEntries(all.map(([name, , value]) => [name, value])),
  }
}

/** `groupBy=` without a key, which the page asks for totals. */
function totalsTwin(type: TypeModel, parameters: URLSearchParams, owner: ListOwner | null): GraphqlTwin | null {
  const { fields, search, filters, others } = parseRowsQuery(
    String(new URLSearchParams([...parameters].filter(([name]) => name !== 'groupBy'))),
  )
  if (parameters.get('groupBy') !== '' || others.some(([name]) => name !== 'where')) return null
  const where = whereOf(type, filters, others)
  const used = [
    ['where', `${type.name}Where`, where],
    ['search', 'String', search === '' ? null : search],
  ].filter(([, , value]) => value !== null) as [name: string, declared: string, value: unknown][]
  const measured = Map.groupBy(
    (fields ?? []).map((name) => name.slice(1).split('.')).filter(([, field]) => field !== undefined),
    ([measure]) => measure!,
  )
  const selection = [...measured].map(([measure, names]) => `${measure} { ${names.map(([, name]) => name).join(' ')} }`)
  return ownedQuery(
    `${owner?.field ?? listOf(type)}Aggregate`,
    used,
    `    ${['count', ...selection].join('\n    ')}`,
    owner,
  )
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text)
}

function orderOf({ path, isDescending }: { path: string; isDescending: boolean }): object {
  return nested(path.split('.'), isDescending ? 'DESC' : 'ASC')
}

function nested(steps: readonly string[], value: unknown): object {
  const [first = '', ...rest] = steps
  return { [first]: rest.length === 0 ? value : nested(rest, value) }
}

function whereOf(
  type: TypeModel,
  filters: ReturnType<typeof parseRowsQuery>['filters'],
  others: ReturnType<typeof parseRowsQuery>['others'],
): object | null {
  const parts: object[] = filters.map(({ path, operator, value }) => {
    const steps = path.split('.')
    const isReference = filteredField(type, path)?.kind === 'reference'
    const full = isReference ? [...steps, 'id'] : steps
    return nested(full, { [operator]: jsonValue(type, path, operator, value) })
  })
  for (const [name, json] of others) if (name === 'where') parts.push(JSON.parse(json) as object)
  if (parts.length === 0) return null
  return parts.length === 1 ? parts[0]! : { and: parts }
}

/** The text of the address as the value that JSON has. */
function jsonValue(type: TypeModel, path: string, operator: string, text: string): unknown {
  if (operator === 'isNull') return text === 'true'
  if (operator === 'in' || operator === 'notIn' || operator === 'between')
    return text.split(',').map((one) => jsonValue(type, path, 'eq', one))
  const name = filteredField(type, path)?.type
  if (name === 'Int' || name === 'Float') return Number(text)
  return name === 'Boolean' ? text === 'true' : text
}

/** A field of a mutation: its arguments with their types and values. */
interface MutationPart {
  field: string
  args: readonly UsedArgument[]
  selection: string
}

function createPart(type: TypeModel, input: unknown): MutationPart {
  return { field: `create${type.name}`, args: [['input', `Create${type.name}Input!`, input]], selection: 'id _version' }
}

function updatePart(type: TypeModel, id: string, input: unknown, version: string | undefined): MutationPart {
  return {
    field: `update${type.name}`,
    args: [['id', 'ID!', id], ['input', `Update${type.name}Input`, input], ...ifVersion(version)],
    selection: 'id _version',
  }
}

function deletePart(type: TypeModel, id: string, version: string | undefined, isFinal = false): MutationPart {
  const args: MutationPart['args'] = [['id', 'ID!', id], ...ifVersion(version)]
  return {
    field: `delete${type.name}`,
    args: isFinal ? [...args, ['purge', 'Boolean', true]] : args,
    selection: 'success message',
  }
}

/** Many rows: a list of new ones, or those that a filter finds. */
function manyPart(type: TypeModel, method: string, query: string, input: unknown): MutationPart {
  if (method === 'POST' && !Array.isArray(input)) return createPart(type, input)
  const list = listOf(type)
  const many = list.charAt(0).toUpperCase() + list.slice(1)
  if (method === 'POST')
    return { field: `create${many}`, args: [['inputs', `[Create${type.name}Input!]!`, input]], selection: 'id' }
  const parameters = new URLSearchParams(query)
  const flags = ['all', 'dryRun'].filter((name) => parameters.has(name))
  for (const name of flags) parameters.delete(name)
  const { filters, others } = parseRowsQuery(String(parameters))
  return {
    field: `${method === 'PATCH' ? 'update' : 'delete'}${many}`,
    args: [
      ['where', `${type.name}Where!`, whereOf(type, filters, others) ?? {}],
      ...(method === 'PATCH' ? [['input', `Update${type.name}Input!`, input] as const] : []),
      ...flags.map((name) => [name, 'Boolean!', true] as const),
    ],
    selection: 'count ids',
  }
}

function ifVersion(version: string | undefined): [string, string, number][] {
  return version === undefined ? [] : [['ifVersion', 'Int', Number(version)]]
}

interface BatchPart {
  method: string
  path: string
  headers?: Record<string, string>
  body?: unknown
}

function batchTwin(parts: readonly BatchPart[]): GraphqlTwin | null {
  const fields = parts.map(({ method, path, headers = {}, body }) => {
    const [collection = '', id] = path.slice(1).split('/').map(decodeURIComponent)
    const type = typeAt(collection)
    const version = /^"(\d+)/.exec(headers['if-match'] ?? '')?.[1]
    if (type === undefined) return null
    if (method === 'POST' && id === undefined) return createPart(type, body)
    if (id === undefined) return null
    return method === 'PATCH'
      ? updatePart(type, id, body, version)
      : method === 'DELETE'
        ? deletePart(type, id, version)
        : null
  })
  return fields.every((one) => one !== null) ? writeTwin(fields) : null
}

/** Several writes are one transaction, with numbered arguments. */
function writeTwin(parts: readonly MutationPart[]): GraphqlTwin {
  const isOne = parts.length === 1
  const named = (name: string, at: number) => (isOne ? name : `${name}${at + 1}`)
  const all = parts.flatMap(({ args }, at) =>
    args.map(([name, declared, value]) => [named(name, at), declared, value] as const),
  )
  const lines = parts.map(({ field, args, selection }, at) => {
    const given = args.map(([name]) => `${name}: $${named(name, at)}`).join(', ')
    return `  ${isOne ? '' : `write${at + 1}: `}${field}(${given}) { ${selection} }`
  })
  return {
    query: `mutation${declarations(all)}${isOne ? '' : ' @transaction'} {\n${lines.join('\n')}\n}`,
    variables: Object.fromEntries(all.map(([name, , value]) => [name, withFieldNames(value)])),
  }
}

/** `$0.id` of `/batch` is the id of the first write, which GraphQL calls by its response key. */
function withFieldNames(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, one) => {
    const [, position] = (typeof one === 'string' && /^\$(\d+)\.id$/.exec(one)) || []
    return position === undefined ? one : `$write${Number(position) + 1}.id`
  })
}

function operationTwin({ kind, name, arguments: known, type }: OperationModel, values: object): GraphqlTwin {
  const used = known
    .filter((one) => Object.hasOwn(values, one.name))
    .map((one): [string, string] => [one.name, `${one.type}${one.required ? '!' : ''}`])
  const given = used.length === 0 ? '' : `(${used.map(([one]) => `${one}: $${one}`).join(', ')})`
  const rows = typeNamed(innerType(type))
  const selection =
    rows === undefined ? valueSelection(type) : ` {\n${printFields(defaultFields(rows), rows, '    ')}\n  }`
  return { query: `${kind}${declarations(used)} {\n  ${name}${given}${selection}\n}`, variables: { ...values } }
}

/** The arguments of a query, from its address: each as JSON has it. */
function argumentsIn(operation: OperationModel, query: string): Record<string, unknown> {
  const parameters = new URLSearchParams(query)
  const used = operation.arguments.filter(({ name }) => parameters.has(name))
  return Object.fromEntries(
    used.map(({ name, type }) => {
      const values = parameters.getAll(name).map((text) => jsonOf(innerType(type), text))
      return [name, isListType(type) ? values : values[0]]
    }),
  )
}

function jsonOf(type: string, text: string): unknown {
  if (type === 'Int' || type === 'Float') return Number(text)
  if (type === 'Boolean') return text === 'true'
  return model.value!.values.some(({ name }) => name === type) ? JSON.parse(text) : text
}

function valueSelection(type: string): string {
  const value = model.value!.values.find(({ name }) => name === innerType(type))
  if (value === undefined) return ''
  return ` { ${value.fields.map((one) => `${one.name}${valueSelection(one.type)}`).join(' ')} }`
}

function belowRow(
  type: TypeModel,
  id: string,
  below: string,
  method: string,
  query: string,
  input: unknown,
): GraphqlTwin | null {
  const parameters = new URLSearchParams(query)
  const list = camelCase(below)
  const to = typeNamed(innerType(type.fields.find(({ name, kind }) => name === list && kind === 'list')?.type ?? ''))
  if (to !== undefined && method === 'GET') return listTwin(to, query, { type, id, field: list })
  if (below === 'restorations')
    return writeTwin([{ field: `restore${type.name}`, args: [['id', 'ID!', id]], selection: 'id _version' }])
  if (below === 'changes' && method === 'GET') {
    const first = Number(parameters.get('first') ?? 20)
    const after = parameters.get('after')
    return {
      query: `query ($id: ID!, $first: Int!, $after: String) {\n  ${singleOf(type)}(id: $id) {\n    _changes(first: $first, after: $after) {\n      edges { node { kind version time by via changed { field before after } } cursor }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n}`,
      variables: { id, first, after },
    }
  }
  if (below === 'reversions') {
    const { version } = input as { version: number }
    return writeTwin([
      {
        field: `revert${type.name}`,
        args: [
          ['id', 'ID!', id],
          ['version', 'Int!', version],
        ],
        selection: 'id _version',
      },
    ])
  }
  if (below !== 'access') return null
  return {
    query:
      'query ($resource: String!, $id: ID!, $as: String) {\n  rowAccess(resource: $resource, id: $id, as: $as) {\n    answers { action field from to allowed because rules { rule place holds } }\n  }\n}',
    variables: { resource: type.path, id, as: parameters.get('as') },
  }
}

function defaultFields(type: TypeModel): string[] {
  return type.fields.filter(({ shown }) => shown).map(({ name }) => name)
}

type FieldTree = Map<string, FieldTree>

/** `author.id,author.name` is `author { id name }`. */
function printFields(paths: readonly string[], type: TypeModel, indent: string): string {
  const tree: FieldTree = new Map()
  for (const path of paths) {
    let level = tree
    for (const step of path.split('.')) {
      const next: FieldTree = level.get(step) ?? new Map()
      level.set(step, next)
      level = next
    }
  }
  if (type.kind === 'abstract') return indent + printInside(tree, type)
  return [...tree].map(([name, inner]) => `${indent}${printField(name, inner, type)}`).join('\n')
}

function printField(name: string, inner: FieldTree, type: TypeModel | undefined): string {
  if (name === '_type') return '__typename'
  const field = type === undefined ? undefined : fieldNamed(type, name)
  const to = field === undefined ? undefined : typeNamed(innerType(field.type))
  if (inner.size > 0) return `${name} { ${printInside(inner, to)} }`
  if (field === undefined) return name
  if (field.kind === 'reference' || field.type === 'File')
    return `${name} { ${printInside(new Map([['id', new Map()]]), to)} }`
  return name + valueSelection(field.type)
}

/** A union has no fields of its own: each of its types selects those that it has. */
function printInside(inner: FieldTree, to: TypeModel | undefined): string {
  const members = to?.members?.flatMap((name) => typeNamed(name) ?? [])
  if (members === undefined) return [...inner].map(([one, below]) => printField(one, below, to)).join(' ')
  const parts = members.flatMap((member) => {
    const own = [...inner].filter(
      ([name]) => name === 'id' || name === '_type' || fieldNamed(member, name) !== undefined,
    )
    const selected = own.map(([one, below]) => printField(one, below, member)).join(' ')
    return own.length === 0 ? [] : [`... on ${member.name} { ${selected} }`]
  })
  return parts.length === 0 ? '__typename' : parts.join(' ')
}

function singleOf({ name }: TypeModel): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}

/** `loan-requests` is `loanRequests`. */
function listOf({ path }: TypeModel): string {
  return camelCase(path)
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
