// The paths that every service has, whatever its contract: tokens where one can sign in, the GraphQL face, this document
// and its page, and what watches over the server asks.

import { type Model, withAliases } from '#model'
import { exampleId, exampleTime } from '#plan/explain'
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

/** A name that no type of a file can have. */
export const serviceTag = { name: 'The service', description: 'What every service has, whatever its contract.' }
export const tokenTag = { name: 'Token', description: 'Signing in, and out.' }

export function servicePaths(model: Model): OpenapiObject {
  return {
    ...(model.account === null ? {} : tokenPaths(model.account.login.name)),
    ...graphqlPath(model),
    ...serverPaths,
  }
}

const withoutToken = { security: [] }

function tokenPaths(login: string): OpenapiObject {
  const made = { oneOf: [schemaRef('twain.token'), schemaRef('twain.ticket')] }
  const example = { id: exampleId, token: 'eyJhbGciOi…', refreshToken: 'rt_…', expiresAt: exampleTime }
  const known = { id: exampleId, createdAt: exampleTime, lastUsedAt: exampleTime, expiresAt: exampleTime }
  const signIn: OpenapiObject = {
    description: 'Sign in with the login and the password.',
    value: { [login]: 'ann@example.com', password: 'correct horse' },
  }
  const renew: OpenapiObject = {
    description: 'Renew: the next token and the next refresh token.',
    value: { refreshToken: 'rt_…' },
  }
  const ask: OpenapiObject = {
    description: 'A ticket for one stream, for what can send no header.',
    value: { for: 'stream' },
  }
  const ticket = { ticket: 'UqYl3v…', expiresAt: exampleTime }
  return {
    '/tokens': {
      get: {
        operationId: 'listTokens',
        tags: [tokenTag.name],
        summary: "List the viewer's own tokens",
        description: 'The newest first.',
        security: [{ bearer: [] }],
        parameters: [parameterRef('If-Match'), parameterRef('If-None-Match')],
        responses: {
          200: response(
            'The tokens.',
            ['ETag', 'Cache-Control'],
            jsonContent({ type: 'array', items: schemaRef('twain.tokenInfo') }, { tokens: { value: [known] } }),
          ),
          304: response('They are what the client has.', ['ETag', 'Cache-Control']),
          ...failureRefs([400, 401, 406, 412, ...commonFailures]),
        },
      },
      post: {
        operationId: 'createToken',
        tags: [tokenTag.name],
        summary: 'Sign in, renew, or get a ticket',
        description:
          'Requests then carry `authorization: Bearer <token>`. An unknown login and a wrong password are the same 401. Who is signed in gets a ticket for `?ticket=` of an event stream, which browsers open without headers.',
        security: [{}, { bearer: [] }],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: schemaRef('twain.signIn'), examples: { signIn, renew, ticket: ask } },
          },
        },
        responses: {
          201: response(
            'The token, or the ticket.',
            ['Location', 'Cache-Control'],
            jsonContent(made, { token: { value: example }, ticket: { value: ticket } }),
          ),
          ...failureRefs([400, 401, 406, 413, 415, ...commonFailures]),
        },
      },
    },
    '/tokens/{id}': {
      parameters: [
        { name: 'id', in: 'path', required: true, description: 'The id of the token.', schema: { type: 'string' } },
      ],
      delete: {
        operationId: 'deleteToken',
        tags: [tokenTag.name],
        summary: 'End a token',
        description: 'Ends one of the viewer’s own; it counts nowhere within a second.',
        security: [{ bearer: [] }],
        responses: { 204: response('It is ended.', []), ...failureRefs([400, 401, 404, ...commonFailures]) },
      },
    },
  }
}

export function tokenSchemas({ account }: Model): NamedSchema[] {
  if (account === null) return []
  const text = { type: 'string' }
  const time = { type: 'string', format: 'date-time' }
  const object = (properties: OpenapiObject, more: OpenapiObject = {}): OpenapiObject => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    ...more,
  })
  const closed = { additionalProperties: false }
  const login = { type: 'string', minLength: 1, maxLength: 4096 }
  const password = { type: 'string', format: 'password', minLength: 8, maxLength: 256 }
  return [
    [
      'twain.signIn',
      {
        oneOf: [
          ...withAliases([account.login]).map(({ name }) => object({ [name]: login, password }, closed)),
          object({ refreshToken: login }, closed),
          object({ for: { type: 'string', const: 'stream' } }, closed),
        ],
      },
    ],
    ['twain.token', object({ id: text, token: text, refreshToken: text, expiresAt: time })],
    ['twain.ticket', object({ ticket: text, expiresAt: time })],
    ['twain.tokenInfo', object({ id: text, createdAt: time, lastUsedAt: time, expiresAt: time })],
  ]
}

const graphqlAnswers = ['application/json', 'application/graphql-response+json']

/** Of a batch, in its order. */
const oneOrSeveral: OpenapiObject = {
  anyOf: [schemaRef('twain.graphqlAnswer'), { type: 'array', items: schemaRef('twain.graphqlAnswer') }],
}

const graphqlResponses: OpenapiObject = {
  200: response(
    'The answer; `errors` has what went wrong in parts of it.',
    [],
    contentOf(graphqlAnswers, oneOrSeveral, {
      answer: { value: { data: { __typename: 'Query' } } },
    }),
  ),
  ...failureRefs([408, 414, 431]),
  ...Object.fromEntries(
    (
      [
        [400, 'The document is no GraphQL, does not fit the schema, or is too deep or too costly.'],
        [401, 'The token is not valid, or not any more.'],
        [405, 'A mutation is sent with POST.'],
        [406, 'None of what `Accept` allows can be given.'],
        [413, 'The body is too large.'],
        [415, 'The body is of a type that is not taken.'],
        [429, 'Too many requests.'],
        [500, 'A mistake of ours.'],
        [503, 'Not available just now.'],
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

/** GraphQL multipart request specification: the files stand behind the two, each under its name in `map`. */
const multipart: OpenapiObject = {
  schema: {
    type: 'object',
    description: 'A request with files: first `operations`, then `map`, then the files.',
    properties: {
      operations: schemaRef('twain.graphqlRequest'),
      map: {
        type: 'object',
        description: 'The places of each file: `{"0": ["variables.file"]}`. They are null in the variables.',
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
      summary: 'Ask in GraphQL, by GET',
      description: 'Queries only. The schema is there by introspection.',
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
          description: 'Which operation of the document.',
          schema: { type: 'string' },
        },
      ],
      responses: graphqlResponses,
    },
    post: {
      operationId: 'postGraphql',
      tags: [serviceTag.name],
      summary: 'Ask in GraphQL',
      description: sentences(
        'The same rows through the other face: queries and mutations. An array of requests (`limits.batch`) is answered with an array.',
        file !== null &&
          'A form with files needs a header that no other site can send unasked, such as `X-Requested-With`.',
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

/** These are not counted, and need no database. */
const serverFailures: readonly FailureStatus[] = [
  405,
  ...commonFailures.filter((status) => status !== 429 && status !== 503),
]
const cacheHeaders: readonly HeaderName[] = ['ETag', 'Cache-Control']

const serverPaths: OpenapiObject = {
  '/healthz': {
    get: {
      operationId: 'getHealth',
      tags: [serviceTag.name],
      summary: 'Is it alive',
      description: 'As long as the process answers.',
      ...withoutToken,
      responses: {
        200: unlimitedResponse('It is.', [], jsonContent(status, { alive: { value: { status: 'ok' } } })),
        ...failureRefs(serverFailures),
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      tags: [serviceTag.name],
      summary: 'Does it take requests',
      description: 'Not while it stops, or can not write.',
      ...withoutToken,
      responses: {
        200: unlimitedResponse('It does.', [], jsonContent(status, { ready: { value: { status: 'ready' } } })),
        ...failureRefs(serverFailures),
        503: unlimitedResponse(
          'Not now; `reason` says why.',
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
      summary: 'Numbers for Prometheus',
      description: 'For this machine, and for keys with the role `metrics`, unless `http.metrics` says otherwise.',
      responses: {
        200: unlimitedResponse('The numbers.', ['Cache-Control'], contentOf(['text/plain'], { type: 'string' })),
        ...failureRefs([...serverFailures, 401, 403, 404, 503]),
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getOpenapi',
      tags: [serviceTag.name],
      summary: 'This document',
      description: 'The same for every viewer: the contract is no secret, the rows are.',
      parameters: [parameterRef('If-None-Match')],
      responses: {
        200: response('OpenAPI 3.1.', cacheHeaders, jsonContent({ type: 'object' })),
        304: response('The client has it already.', cacheHeaders),
        ...failureRefs([400, 401, 406, ...commonFailures]),
      },
    },
  },
  '/docs/contract': {
    get: {
      operationId: 'getContract',
      tags: [serviceTag.name],
      summary: 'The schema file, and who uses what of it',
      description: 'For the role `admin`, unless everyone may do everything: `twain check --against` asks for it.',
      responses: {
        200: response(
          'The file as it is served, and of each type, field and operation when it was last used.',
          ['Cache-Control'],
          jsonContent({
            type: 'object',
            properties: {
              sdl: { type: 'string' },
              since: { type: ['string', 'null'], format: 'date' },
              uses: { type: 'object' },
            },
            required: ['sdl', 'since', 'uses'],
          }),
        ),
        ...failureRefs([400, 401, 403, 406, ...commonFailures]),
      },
    },
  },
  '/docs': {
    get: {
      operationId: 'getDocs',
      tags: [serviceTag.name],
      summary: 'This document, for people',
      description: 'A page that needs nothing from elsewhere.',
      parameters: [parameterRef('If-None-Match')],
      responses: {
        200: response('The page.', cacheHeaders, contentOf(['text/html'], { type: 'string' })),
        304: response('The client has it already.', cacheHeaders),
        ...failureRefs([400, 401, ...commonFailures]),
      },
    },
  },
}
