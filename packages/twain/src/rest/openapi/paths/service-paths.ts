// The paths that every service has: GraphQL, the documentation, health checks and metrics.

import type { Model } from '#model'
import { type NamedSchema, type OpenapiObject, schemaRef, sentences } from '../json-parts.ts'
import { contentOf, jsonContent } from '../media.ts'
import { parameterRef } from '../parameters.ts'
import {
  commonFailures,
  type FailureStatus,
  failureRefs,
  type HeaderName,
  response,
  unlimitedResponse,
} from '../responses.ts'
import { accessMatrixPath } from './access-matrix-path.ts'
import { monitorPaths } from './monitor-paths.ts'
import { schemaPaths } from './schema-paths.ts'

/** No type can have this name: it has a space. */
export const serviceTag = { name: 'The service', description: 'The paths that every service has.' }

export function servicePaths(model: Model): OpenapiObject {
  return {
    ...graphqlPath(model),
    ...serverPaths(model),
    ...accessMatrixPath(model, serviceTag.name),
    ...monitorPaths(serviceTag.name),
  }
}

const withoutToken = { security: [] }

const graphqlAnswers = ['application/json', 'application/graphql-response+json']

/** A batch of requests gets an array, in the same order. */
const oneOrSeveral: OpenapiObject = {
  anyOf: [schemaRef('twain.graphqlAnswer'), { type: 'array', items: schemaRef('twain.graphqlAnswer') }],
}

const graphqlResponses: OpenapiObject = {
  200: response(
    'The result; `errors` lists the fields that failed.',
    [],
    contentOf(graphqlAnswers, oneOrSeveral, {
      answer: { value: { data: { __typename: 'Query' } } },
    }),
  ),
  ...failureRefs([408, 414, 431]),
  ...Object.fromEntries(
    (
      [
        [400, 'The document is not valid GraphQL for this schema, or too deep or too costly.'],
        [401, 'The token is not valid, or has expired.'],
        [405, 'Send a mutation with POST.'],
        [406, 'No format that `Accept` allows is available.'],
        [413, 'The body is too large.'],
        [415, 'The type of the body is not supported.'],
        [429, 'Too many requests.'],
        [500, 'An internal error.'],
        [503, 'Temporarily unavailable.'],
      ] as const
    ).map(([status, description]) => [status, response(description, [], contentOf(graphqlAnswers, oneOrSeveral))]),
  ),
}

export const graphqlSchemas: NamedSchema[] = [
  [
    'twain.graphqlRequest',
    {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'The document.' },
        variables: { type: ['object', 'null'] },
        operationName: { type: ['string', 'null'] },
        extensions: { type: ['object', 'null'] },
      },
      required: ['query'],
    },
  ],
  [
    'twain.graphqlAnswer',
    {
      type: 'object',
      properties: {
        data: { type: ['object', 'null'] },
        errors: {
          type: 'array',
          items: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
        },
        extensions: { type: 'object' },
      },
    },
  ],
]

/** GraphQL multipart request specification: the files follow, each with its name in `map`. */
const multipart: OpenapiObject = {
  schema: {
    type: 'object',
    description: 'A request with files: first `operations`, then `map`, then the files.',
    properties: {
      operations: schemaRef('twain.graphqlRequest'),
      map: {
        type: 'object',
        description: 'The variables of each file: `{"0": ["variables.file"]}`. They are null in `operations`.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
    },
    required: ['operations', 'map'],
    additionalProperties: { type: 'string', format: 'binary' },
  },
}

const graphqlPath = ({ file }: Model): OpenapiObject => ({
  '/graphql': {
    get: {
      operationId: 'queryGraphql',
      tags: [serviceTag.name],
      summary: 'Execute a GraphQL query by GET',
      description: 'Queries only. Introspection returns the schema.',
      parameters: [
        {
          name: 'query',
          in: 'query',
          required: true,
          description: 'The document.',
          schema: { type: 'string' },
          example: '{ __typename }',
        },
        {
          name: 'variables',
          in: 'query',
          description: 'The variables, as a JSON object.',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        {
          name: 'operationName',
          in: 'query',
          description: 'The operation of the document to execute.',
          schema: { type: 'string' },
        },
      ],
      responses: graphqlResponses,
    },
    post: {
      operationId: 'postGraphql',
      tags: [serviceTag.name],
      summary: 'Execute GraphQL',
      description: sentences(
        'Queries and mutations on the same rows. An array of requests (up to `limits.batch`) gets an array of results.',
        file !== null && 'A form with files needs a header that forces a CORS preflight, such as `X-Requested-With`.',
      ),
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemaRef('twain.graphqlRequest'), example: { query: '{ __typename }' } },
          ...(file === null ? {} : { 'multipart/form-data': multipart }),
        },
      },
      responses: graphqlResponses,
    },
  },
})

const status: OpenapiObject = {
  type: 'object',
  properties: { status: { type: 'string' }, reason: { type: 'string' } },
  required: ['status'],
}

/** These paths have no rate limit and need no database. */
const serverFailures: readonly FailureStatus[] = [
  405,
  ...commonFailures.filter((status) => status !== 429 && status !== 503),
]
const cacheHeaders: readonly HeaderName[] = ['ETag', 'Cache-Control']

const serverPaths = (model: Model): OpenapiObject => ({
  '/healthz': {
    get: {
      operationId: 'getHealth',
      tags: [serviceTag.name],
      summary: 'Liveness check',
      description: 'Answers 200 while the process runs.',
      ...withoutToken,
      responses: {
        200: unlimitedResponse('The process runs.', [], jsonContent(status, { alive: { value: { status: 'ok' } } })),
        ...failureRefs(serverFailures),
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      tags: [serviceTag.name],
      summary: 'Readiness check',
      description: 'Answers 503 while the server is stopping or can not write.',
      ...withoutToken,
      responses: {
        200: unlimitedResponse(
          'The server is ready.',
          [],
          jsonContent(status, { ready: { value: { status: 'ready' } } }),
        ),
        ...failureRefs(serverFailures),
        503: unlimitedResponse(
          'The server is not ready; `reason` is the cause.',
          ['Retry-After'],
          jsonContent(status, { not: { value: { status: 'not ready', reason: 'the server is stopping' } } }),
        ),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: [serviceTag.name],
      summary: 'Metrics for Prometheus',
      description:
        'For requests from this machine and API keys with the role `metrics`, unless `http.metrics` has another value.',
      responses: {
        200: unlimitedResponse('The metrics.', ['Cache-Control'], contentOf(['text/plain'], { type: 'string' })),
        ...failureRefs([...serverFailures, 401, 403, 404, 503]),
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getOpenapi',
      tags: [serviceTag.name],
      summary: 'This document',
      description: 'The same for every viewer: the types of the schema are public.',
      parameters: [
        {
          name: 'profile',
          in: 'query',
          description: '`clients`: one shape for each request and answer, for generators. `full`: everything.',
          schema: { type: 'string', enum: ['clients', 'full'], default: 'clients' },
        },
        parameterRef('If-None-Match'),
      ],
      responses: {
        200: response('OpenAPI 3.1.', cacheHeaders, jsonContent({ type: 'object' })),
        304: response('The client has the current representation.', cacheHeaders),
        ...failureRefs([400, 401, 406, ...commonFailures]),
      },
    },
  },
  ...schemaPaths(model, serviceTag.name),
  '/docs/model': {
    get: {
      operationId: 'getModel',
      tags: [serviceTag.name],
      summary: 'The model as the viewer can use it',
      description:
        'The types and fields that the viewer can read, with their operators and rights, and the custom operations. The console is made of it.',
      parameters: [parameterRef('If-None-Match')],
      responses: {
        200: response(
          'The types and custom operations, and the values and enums that they have.',
          cacheHeaders,
          jsonContent({
            type: 'object',
            properties: {
              service: { type: 'object' },
              viewer: { type: 'object' },
              signIn: { type: ['object', 'null'] },
              limits: { type: 'object' },
              types: { type: 'array', items: { type: 'object' } },
              operations: { type: 'array', items: { type: 'object' } },
              values: { type: 'array', items: { type: 'object' } },
              enums: { type: 'array', items: { type: 'object' } },
            },
            required: ['service', 'viewer', 'signIn', 'limits', 'types', 'operations', 'values', 'enums'],
          }),
        ),
        304: response('The client has the current representation.', cacheHeaders),
        ...failureRefs([400, 401, 406, ...commonFailures]),
      },
    },
  },
  '/docs': {
    get: {
      operationId: 'getDocs',
      tags: [serviceTag.name],
      summary: 'This document as a web page',
      description: 'The page loads nothing from other sites.',
      parameters: [parameterRef('If-None-Match')],
      responses: {
        200: response('The page.', cacheHeaders, contentOf(['text/html'], { type: 'string' })),
        304: response('The client has the current representation.', cacheHeaders),
        ...failureRefs([400, 401, ...commonFailures]),
      },
    },
  },
})
