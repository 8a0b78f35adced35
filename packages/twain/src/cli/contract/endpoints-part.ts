// The part `Endpoints` of the API contract, derived from the OpenAPI document and the GraphQL schema, so that it always agrees with them.

import { type FieldDefinitionNode, Kind, type ObjectTypeDefinitionNode, parse, print } from 'graphql'
import { printSchema } from '#graphql'
import type { Model } from '#model'
import { exportPath } from '#model/names'
import type { Limits } from '#plan'
import { loadOpenapiText } from '#rest'
import { code, inline, numbered, table } from './markdown.ts'

export async function endpointsPart(model: Model, limits: Limits): Promise<string> {
  const document = JSON.parse(await loadOpenapiText(model, limits, 'full')) as OpenapiDocument
  return [
    '### 4.1 REST methods\n',
    table(['Method', 'Target', 'Purpose', 'Properties'], methods),
    'Every path below also supports `OPTIONS` (204 with `Allow`), and `HEAD` if it supports `GET`. Another of these methods is a 405 with `Allow`; a method that no path has is a 501. Request and response bodies are rows in the default representation (stored fields by name, references as ids, values as objects); `fields` selects other fields of a response.\n',
    '`*` marks required members of a body, under their own name or a previous one; `(*)` those that a `PUT` requires if it creates the row. "Without a token": `answers`, as far as the rules allow; `no rows`: a list is empty, an item is a 404; `401`.\n',
    restTable(document, model),
    filters,
    '### 4.2 GraphQL operations\n',
    envelope(model),
    graphqlTables(model),
    languageFeatures,
    '### 4.3 Pagination shapes\n',
    table(
      ['Style', 'Arguments', 'Result'],
      [
        [
          'Offset',
          '`offset: Int! = 0`, `limit: Int! = 20` (`?offset=&limit=`)',
          'a list; in REST with `Link: rel="next"/"prev"/"first"`, and `X-Total-Count` by `Prefer: count=exact`',
        ],
        [
          'Cursor',
          '`first: Int! = 20`, `after: String` (`?first=&after=`)',
          'a connection: `edges` (each with `node` and `cursor`), `pageInfo` (`hasNextPage`, `endCursor`, in GraphQL also `hasPreviousPage`, `startCursor`), in GraphQL `totalCount` if it is selected',
        ],
      ],
    ),
    '### 4.4 Client-side fetch policies\n',
    '`@twain/client` takes one for each query: `cache-first` (the default), `cache-only`, `network-only`, `no-cache`, `cache-and-network`.\n',
  ].join('\n')
}

const methods = [
  ['GET', 'item or collection', 'retrieve data', 'safe, idempotent'],
  [
    'POST',
    'collection',
    'create a row, or several with an array (all or none); the server assigns the id',
    'not idempotent by itself; with `Idempotency-Key` a retry gets the first response',
  ],
  ['PUT', 'item', 'replace the whole row, or create it', 'idempotent'],
  [
    'PATCH',
    'item',
    'partial update: JSON merge patch, or JSON patch',
    'a merge patch is idempotent; a JSON patch with `Idempotency-Key` is applied only once',
  ],
  ['DELETE', 'item', 'remove the row', 'idempotent: 204, then 404'],
  ['HEAD', 'item or collection', 'the headers of GET', 'safe, idempotent'],
  ['OPTIONS', 'any', 'the allowed methods', 'safe, idempotent'],
]

const filters =
  'Filters of collections: `?field=value`, `?field[operator]=value` (`eq ne in notIn lt lte gt gte between contains startsWith endsWith ieq icontains istartsWith iendsWith isNull`, as the type allows), through references (`?author.name=`), `?where=` with a whole filter as JSON, `?sort=-field,field`, `?search=` if the type has searched fields, `?fields=` to select fields. An unknown parameter is a 400 that names it.\n'

function envelope({ file }: Model): string {
  const uploads =
    ' Files are uploaded by a multipart request (GraphQL multipart request specification) with a header that forces a CORS preflight.'
  return numbered([
    'Endpoint: `POST /graphql` with `application/json` `{"query": …, "variables": …, "operationName": …, "extensions": …}`; queries also by `GET /graphql?query=…`; responses are `application/json` or `application/graphql-response+json`, by `Accept`.',
    `An array of such bodies is a batch; the response is an array.${file === null ? '' : uploads}`,
    'Subscriptions: WebSocket (`graphql-transport-ws`) or Server-Sent Events at the same URL.',
    '`mutation @transaction { … }` runs its fields in one transaction; REST has `POST /batch`.',
  ])
}

const languageFeatures =
  'Selection sets, arguments, aliases, variables, fragments (named and inline), `@include`, `@skip`, `@deprecated` and introspection follow the GraphQL specification; depth and cost are limited (section 8).\n'

interface OpenapiDocument {
  paths: Record<string, Record<string, OpenapiOperation>>
  components: { schemas: Record<string, OpenapiSchema>; parameters: Record<string, { name: string; in: string }> }
}

interface OpenapiOperation {
  tags: string[]
  summary?: string
  deprecated?: boolean
  security?: object[]
  parameters?: ({ $ref: string } | { name: string; in: string; required?: boolean })[]
  requestBody?: { content: Record<string, { schema: OpenapiSchema }> }
  responses: Record<string, unknown>
}

interface OpenapiSchema {
  $ref?: string
  anyOf?: OpenapiSchema[]
  oneOf?: OpenapiSchema[]
  allOf?: OpenapiSchema[]
  type?: string
  required?: string[]
  properties?: Record<string, { readOnly?: boolean }>
}

function restTable(document: OpenapiDocument, { resources, views, abstracts }: Model): string {
  const collections = new Set([...resources, ...views, ...abstracts].map(({ name }) => name))
  const rows = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, operation]) => [
        method.toUpperCase(),
        code(path),
        `${inline(operation.summary ?? '')}${operation.deprecated === true ? ' (deprecated)' : ''}`,
        withoutKeyMarks(inputOf(operation, document, method === 'put'), path),
        Object.keys(operation.responses)
          .filter((status) => status < '400')
          .join(', '),
        withoutToken(method, path, operation, collections),
      ]),
  )
  return table(['Method', 'Path', 'Purpose', 'Parameters and body', 'Success', 'Without a token'], rows)
}

/** A read of rows needs no token: rules decide row by row. An export is for one account, and rights are explained to the role admin. */
function withoutToken(
  method: string,
  path: string,
  { security, tags }: OpenapiOperation,
  collections: ReadonlySet<string>,
): string {
  const isClosed =
    security !== undefined && security.length > 0 && security.every((scheme) => Object.keys(scheme).length > 0)
  if (!isClosed) return 'answers'
  const isOfRows =
    collections.has(tags[0] ?? '') && ![`/{id}/${exportPath}`, '/access'].some((end) => path.endsWith(end))
  return method === 'get' && isOfRows ? 'no rows' : '401'
}

/** The parameters of a collection beside its filters, which are one for each field and operator. */
const collectionParameters = ['limit', 'offset', 'first', 'after', 'sort', 'fields', 'where', 'search', 'groupBy']

function inputOf(
  { parameters = [], requestBody }: OpenapiOperation,
  { components }: OpenapiDocument,
  mayCreate: boolean,
): string {
  const named: string[] = []
  let hasFilters = false
  for (const parameter of parameters) {
    const found = '$ref' in parameter ? components.parameters[lastOf(parameter.$ref)] : parameter
    if (found === undefined || found.in === 'path') continue
    const isShared =
      collectionParameters.includes(found.name) || ('$ref' in parameter && parameter.$ref.endsWith('/access.as'))
    if ('$ref' in parameter && found.in === 'query' && !isShared) hasFilters = true
    else named.push(code(found.name))
  }
  if (hasFilters) named.push('filters')
  const schema = requestBody?.content['application/json']?.schema
  const body = schema === undefined ? '' : printMembers(schema, components.schemas, mayCreate)
  const parts = [...(named.length === 0 ? [] : [named.join(', ')]), ...(body === '' ? [] : [`body: ${body}`])]
  return parts.join('; ')
}

/** The body of a write by a unique key may leave the key out. */
function withoutKeyMarks(input: string, path: string): string {
  const keys = [...path.matchAll(/(\w+)=\{/g)].map(([, name]) => name!)
  return keys.reduce((text, name) => text.replace(new RegExp(`\`${name}(?:\\*|\\(\\*\\))\``), code(name)), input)
}

function lastOf(ref: string): string {
  return ref
    .slice(ref.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
}

/** The members of an object; of one of several objects those of each. */
function printMembers(schema: OpenapiSchema, schemas: Record<string, OpenapiSchema>, mayCreate: boolean): string {
  const { $ref } = schema
  if ($ref !== undefined) {
    const name = lastOf($ref)
    const created = mayCreate ? schemas[name.replace(/\.replace(\.by\..+)?$/, '.create')] : undefined
    return printObject(schemas[name] ?? {}, schemas, created)
  }
  return printObject(schema, schemas)
}

function printObject(
  schema: OpenapiSchema,
  schemas: Record<string, OpenapiSchema>,
  created: OpenapiSchema = schema,
): string {
  const alternatives = (schema.oneOf ?? schema.anyOf ?? []).filter(({ type }) => type !== 'array')
  if (alternatives.length > 0) {
    return [...new Set(alternatives.map((one) => printMembers(one, schemas, false)))].join(' or ')
  }
  const [needed, neededToCreate] = [requiredNames(schema), requiredNames(created)]
  const names = Object.keys(schema.properties ?? {})
  return names.map((name) => code(name + (needed.has(name) ? '*' : neededToCreate.has(name) ? '(*)' : ''))).join(' ')
}

/** Of a member that has a previous name too, one of the two is required: the first is the present name. */
function requiredNames({ required = [], allOf = [] }: OpenapiSchema): Set<string> {
  return new Set([...required, ...allOf.flatMap(({ anyOf = [] }) => anyOf[0]?.required ?? [])])
}

function graphqlTables(model: Model): string {
  const { definitions } = parse(printSchema(model))
  const roots = definitions.filter(
    (node): node is ObjectTypeDefinitionNode =>
      node.kind === Kind.OBJECT_TYPE_DEFINITION && ['Query', 'Mutation', 'Subscription'].includes(node.name.value),
  )
  return roots
    .map((root) => {
      const rows = (root.fields ?? []).map((field) => [printField(field), inline(field.description?.value ?? '')])
      return `**${root.name.value}**\n\n${table(['Field', 'Purpose'], rows)}`
    })
    .join('\n')
}

function printField({ name, arguments: args = [], type }: FieldDefinitionNode): string {
  const printed = args.map((arg) => {
    const fallback = arg.defaultValue === undefined ? '' : ` = ${print(arg.defaultValue)}`
    return `${arg.name.value}: ${print(arg.type)}${fallback}`
  })
  return code(`${name.value}${printed.length === 0 ? '' : `(${printed.join(', ')})`}: ${print(type)}`)
}
