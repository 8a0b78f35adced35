// The OpenAPI 3.1 document of the REST API (docs/reference/rest.md, R90). All of it comes from the model, in the order of the
// schema file, so that the same schema gives the same text to the byte.

import { createHash } from 'node:crypto'
import { type Json, type Model, type Resource, servedResources } from '#model'
import type { Limits } from '#plan'
import { exampleCreate, exampleMerge, exampleRow } from '#plan/explain'
import { type Route, Router } from '../request/route.ts'
import { clientComponents } from './clients/client-components.ts'
import { clientPaths } from './clients/client-paths.ts'
import { printLines } from './clients/print-lines.ts'
import {
  type NamedSchema,
  type OpenapiObject,
  type OpenapiProfile,
  optionalToken,
  schemaRef,
  sentences,
} from './json-parts.ts'
import { filterParameters, sharedParameters, typeParameters } from './parameters.ts'
import { batchPath, batchSchemas } from './paths/batch-path.ts'
import { changeSchemas, changesPath, changesTag } from './paths/changes-path.ts'
import { customOperationPaths, customTag } from './paths/custom-operation-paths.ts'
import { filePaths } from './paths/file-paths.ts'
import { identityPath, identitySchemas, providerPath } from './paths/provider-path.ts'
import { ResourcePaths } from './paths/resource-paths.ts'
import { graphqlSchemas, servicePaths, serviceTag } from './paths/service-paths.ts'
import { codePath, signInPath, signInSchemas } from './paths/sign-in-path.ts'
import { reachableComponents } from './prune-components.ts'
import { failureResponses, headerComponents, problemSchema } from './responses.ts'
import { accessSchemas } from './schemas/access-schemas.ts'
import { groupSchemas } from './schemas/group-schemas.ts'
import { listsCreating, nestedCreateName } from './schemas/input-schemas.ts'
import { jsonPatchExample, jsonPatchSchema } from './schemas/json-patch-schema.ts'
import { messageSchema } from './schemas/message-schema.ts'
import { abstractSchemas, resourceSchemas } from './schemas/row-schemas.ts'
import { enumSchemas, valueSchemas } from './schemas/stored-schema.ts'
import { whereSchemas } from './schemas/where-schemas.ts'

/** The document as text; its version is a hash of everything else in it. */
export function openapiText(
  model: Model,
  limits: Limits,
  profile: OpenapiProfile,
  origins: readonly string[] = [],
): string {
  const document = openapiDocument(model, limits, profile, origins)
  const text = profile === 'full' ? `${JSON.stringify(document, null, 1)}\n` : printLines(document)
  const version = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return text.replace(versionPlaceholder, version) // the first match: it precedes all text of the schema file
}

const versionPlaceholder = 'not yet'

function openapiDocument(
  model: Model,
  limits: Limits,
  profile: OpenapiProfile,
  origins: readonly string[],
): OpenapiObject {
  const { name } = model.service
  return {
    openapi: '3.1.0',
    info: { version: versionPlaceholder, title: name, description: describeService(model, profile) },
    servers: origins.length === 0 ? [{ url: '/' }] : origins.map((url) => ({ url })),
    ...documentContent(model, limits, profile),
  }
}

function describeService(model: Model, profile: OpenapiProfile): string {
  return sentences(
    model.service.description,
    'The REST API. The GraphQL API at `/graphql` serves the same rows.',
    ...descriptions[profile],
    'The version of this document is a hash: it changes with the schema.',
  )!
}

const descriptions: Readonly<Record<OpenapiProfile, readonly string[]>> = {
  clients: [
    'For generators of clients: one shape for each request and answer. `/openapi.json?profile=full` has everything: each filter as a parameter, `fields`, pages by cursor, sums and groups (`groupBy`), other media types, all statuses and headers, and the paths for operators.',
  ],
  full: [
    'Every path also supports `HEAD`, which is `GET` without the body, and `OPTIONS`, which lists the methods in `Allow`; any other method is a 405. A path that is not listed here is a 404, except below a unique key: what is below `/posts/{id}` is below `/posts/slug={slug}` too. A trailing slash redirects (301, 308). Nothing is ignored: an unknown parameter or field is a 400 that names it.',
    'In XML a row is an element with the name of its type, and each field is an element in it. Lists contain `<item>` elements, null is an empty element with `nil="true"`, and JSON values are text in their element.',
  ],
}

function documentContent(model: Model, limits: Limits, profile: OpenapiProfile): OpenapiObject {
  const examples = examplesIn(model)
  const collections = [...servedResources(model), ...model.abstracts]
  const filters = new Map(collections.map((of) => [of, filterParameters(of, model)]))
  const operations = new ResourcePaths(model, limits, profile, filters, new Set(examples.keys()))
  const all = {
    schemas: Object.fromEntries(schemasOf(model, limits, profile)),
    // Large schemas have tens of thousands: one object, without a copy.
    parameters: Object.fromEntries([
      ...Object.entries(sharedParameters(limits)),
      ...collections.flatMap((of) => [...typeParameters(of, profile), ...filters.get(of)!]),
    ]),
    responses: Object.fromEntries(failureResponses()),
    headers: Object.fromEntries(headerComponents()),
    examples: Object.fromEntries(examples),
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: bearerDescription(model) } },
  }
  const isFull = profile === 'full'
  const paths = isFull ? allPaths(model, limits, operations) : clientPaths(dataPaths(model, limits, operations, false))
  return {
    security: optionalToken,
    tags: [
      ...collections.map(({ name, description, path }) => ({
        name,
        description: description ?? `The rows of \`/${path}\`.`,
      })),
      ...(model.resources.length === 0 ? [] : [changesTag]),
      ...(model.operations.length === 0 ? [] : [customTag]),
      serviceTag,
    ],
    paths,
    components: reachableComponents(paths, isFull ? all : clientComponents(all)),
  }
}

/** The paths of an application's client. */
function dataPaths(model: Model, limits: Limits, operations: ResourcePaths, isFull: boolean): OpenapiObject {
  const routes = new Router(model).routes().filter(({ kind }) => isFull || kind !== 'message') // for operators
  // The methods of these types that are no reads or writes of rows.
  const own: Record<string, OpenapiObject> = { ...signInPath(model), ...identityPath(model), ...filePaths(model) }
  const rowPath = (route: Route) => ({ ...operations.path(route), ...own[`/${route.key}`] })
  return {
    ...Object.fromEntries(routes.map((route) => [`/${route.key}`, rowPath(route)])),
    ...codePath(model),
    ...changesPath(model, limits),
    ...batchPath(model, limits),
    ...customOperationPaths(model),
  }
}

function allPaths(model: Model, limits: Limits, operations: ResourcePaths): OpenapiObject {
  const aliases = new Router(model).aliases()
  return {
    ...dataPaths(model, limits, operations, true),
    ...providerPath(model), // for a browser, which it redirects
    ...Object.fromEntries(aliases.map(([key, route]) => [`/${key}`, operations.alias(route)])),
    ...servicePaths(model),
  }
}

function schemasOf(model: Model, limits: Limits, profile: OpenapiProfile): NamedSchema[] {
  return [
    ...servedResources(model).flatMap((of) => resourceSchemas(of, model)),
    ...model.abstracts.flatMap((of) => abstractSchemas(of, model)),
    ...[...model.values, ...model.system.values, ...model.inputs].flatMap(valueSchemas),
    ...[...model.enums, ...model.system.enums].flatMap(enumSchemas),
    ...model.scalars.map(({ name, description, specifiedBy }): [string, OpenapiObject] => [
      name,
      { description: sentences(description ?? `Any JSON (${name}).`, specifiedBy !== null && `See ${specifiedBy}`) },
    ]),
    ...whereSchemas(model),
    ...signInSchemas(model, profile),
    ...identitySchemas(model),
    ...changeSchemas,
    ...accessSchemas,
    messageSchema,
    ...batchSchemas(model),
    ...graphqlSchemas,
    ['twain.pageInfo', pageInfo],
    ...(profile === 'full' ? groupSchemas([...model.resources, ...model.views, ...model.abstracts]) : []),
    ['twain.bulk', bulkResult],
    ...(profile === 'full' ? [resultLines] : []),
    ['twain.problem', problemSchema],
    ['twain.jsonPatch', jsonPatchSchema(limits)],
  ]
}

const bulkResult: OpenapiObject = {
  type: 'object',
  description: 'The rows that were written, or would be with `dryRun`.',
  properties: { count: { type: 'integer' }, ids: { type: 'array', items: { type: 'string' } } },
  required: ['count', 'ids'],
}

const resultLines: NamedSchema = [
  'twain.resultLines',
  {
    type: 'string',
    description: 'A result on each line, in the order of the rows.',
    // Not a component of its own: to linters and generators, a reference in an extension is none.
    'x-itemSchema': {
      type: 'object',
      description: 'What became of one row: it has an `id`, or a `problem`.',
      properties: {
        line: { type: 'integer', description: 'The line of the body where the row begins, from 1.' },
        index: {
          type: 'integer',
          description: 'In the place of `line`: the index of the row in a JSON array, from 0.',
        },
        status: { type: 'integer' },
        id: { type: 'string' },
        problem: schemaRef('twain.problem'),
      },
      required: ['status'],
    },
  },
]

const pageInfo: OpenapiObject = {
  type: 'object',
  properties: { hasNextPage: { type: 'boolean' }, endCursor: { type: ['string', 'null'] } },
  required: ['hasNextPage', 'endCursor'],
}

function bearerDescription({ account }: Model): string {
  const others = 'A token from `twain token`, or an API key from `twain key`.'
  return account === null ? others : `A token from \`POST /tokens\`. ${others}`
}

function examplesIn(model: Model): ReadonlyMap<string, OpenapiObject> {
  return new Map([
    ...servedResources(model).flatMap((of) => examplesOf(of, model)),
    ...model.resources.slice(0, 1).map((of) => jsonPatchExample(of, model)),
  ])
}

function examplesOf(of: Resource, model: Model): [name: string, example: OpenapiObject][] {
  const row = exampleRow(of)
  const cursor = 'WyJ…'
  const page = (node: Json) => ({ edges: [{ node, cursor }], pageInfo: { hasNextPage: false, endCursor: cursor } })
  const found: [string, string, Json | undefined][] = [
    [of.name, `A ${of.name}`, row],
    [`${of.name}.page`, 'A page by offset', row && [row]],
    [`${of.name}.connection`, 'A page by cursor', row && page(row)],
    [`${of.name}.create`, `A new ${of.name}`, exampleCreate(of, model)],
    [`${of.name}.merge`, 'One change', exampleMerge(of, model)],
    ...listsCreating(of, model).map((field): [string, string, Json | undefined] => [
      nestedCreateName(field),
      `A new ${of.name} of a ${field.owner.name}`,
      exampleCreate(of, model, { owner: field.via }),
    ]),
  ]
  return found.flatMap(([name, summary, value]) => (value === undefined ? [] : [[name, { summary, value }]]))
}
