// `/changes` in the document (docs/reference/rest.md, R120–R134), and the schemas of the history of a row (R171–R177).

import type { Model } from '#model'
import type { Limits } from '#plan'
import { exampleId, exampleTime } from '#plan/explain'
import { type NamedSchema, type OpenapiObject, schemaRef } from '../json-parts.ts'
import { parameterRef, ticketParameter } from '../parameters.ts'
import { commonFailures, failureRefs, response } from '../responses.ts'

export const changesTag = { name: 'Change', description: 'The change feed, as CloudEvents.' }

const exampleCursor = '5f1c0a9e:42:0b7d31c4'

export function changesPath(model: Model, limits: Limits): OpenapiObject {
  const [first] = model.resources
  if (first === undefined) return {}
  const event = {
    specversion: '1.0',
    id: exampleCursor,
    source: `/${first.path}`,
    type: `${first.single}.created`,
    subject: exampleId,
    time: exampleTime,
    version: 1,
    data: { id: exampleId },
  }
  const page = {
    edges: [{ node: event, cursor: exampleCursor }],
    pageInfo: { hasNextPage: false, endCursor: exampleCursor },
  }
  return {
    '/changes': {
      get: {
        operationId: 'listChanges',
        tags: [changesTag.name],
        summary: 'List the changes',
        description:
          'Every committed change that the viewer may see, in the order of the change log: a page, a long poll with `Prefer: wait=20`, or an event stream with `Accept: text/event-stream`. A row that the viewer may no longer see appears as deleted.',
        parameters: [
          query('first', 'The maximum number of changes.', {
            type: 'integer',
            minimum: 0,
            ...(limits.page === 0 ? {} : { maximum: limits.page }),
            default: 20,
          }),
          query(
            'after',
            'The cursor after which to begin: `endCursor` of the previous page, the `id` of any event, or `now`. By default a page begins with the oldest stored change, and a stream with the next change.',
            { type: 'string' },
          ),
          query('resource', 'Only changes of this collection; its filters are then allowed.', {
            type: 'string',
            enum: model.resources.map(({ path }) => path),
          }),
          ...(model.account === null ? [] : [ticketParameter]),
          header('Prefer', '`wait=20` makes a long poll of up to 20 seconds.'),
          header('Last-Event-ID', 'As `after`, for a stream: browsers send it when they reconnect.'),
          parameterRef('If-None-Match'),
        ],
        responses: {
          200: response('The changes.', ['ETag', 'Cache-Control', 'Vary', 'Preference-Applied'], {
            'application/json': { schema: schemaRef('twain.changes'), examples: { page: { value: page } } },
            'text/event-stream': {
              schema: {
                type: 'string',
                description: 'Server-Sent Events: `id` is the cursor, `data` the event as JSON.',
                'x-itemSchema': schemaRef('twain.change'),
              },
            },
          }),
          304: response('The client has the current representation.', ['ETag', 'Cache-Control', 'Vary']),
          ...failureRefs([400, 401, 406, 410, ...commonFailures]),
        },
      },
    },
  }
}

function query(name: string, description: string, schema: OpenapiObject): OpenapiObject {
  return { name, in: 'query', description, schema }
}

function header(name: string, description: string): OpenapiObject {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

const text: OpenapiObject = { type: 'string' }

export const changeSchemas: NamedSchema[] = [
  [
    'twain.change',
    {
      type: 'object',
      description: 'A CloudEvent (CloudEvents 1.0).',
      properties: {
        specversion: { type: 'string', const: '1.0' },
        id: { type: 'string', description: 'The cursor of the change.' },
        source: { type: 'string', description: 'The collection.' },
        type: { type: 'string', description: '`post.created`, `post.updated` or `post.deleted`.' },
        subject: { type: 'string', description: 'The id of the row.' },
        time: { type: 'string', format: 'date-time' },
        version: { type: 'integer', description: 'Of the row.' },
        by: {
          type: 'string',
          description:
            'Who made the change, such as `account:1`, `key:1`, `operator`, `hook:before.Post`. Only for viewers with AUDIT.',
        },
        via: { type: 'string', description: 'The name of the client that made it. Only for viewers with AUDIT.' },
        data: {
          type: 'object',
          description: 'The row as of the change, less what the viewer may not see; of a delete its id.',
          properties: { id: text },
          required: ['id'],
        },
      },
      required: ['specversion', 'id', 'source', 'type', 'subject', 'time', 'version', 'data'],
    },
  ],
  [
    'twain.changes',
    {
      type: 'object',
      properties: {
        edges: {
          type: 'array',
          items: {
            type: 'object',
            properties: { node: schemaRef('twain.change'), cursor: text },
            required: ['node', 'cursor'],
          },
        },
        pageInfo: schemaRef('twain.pageInfo'),
      },
      required: ['edges', 'pageInfo'],
    },
  ],
  [
    'twain.history',
    {
      type: 'object',
      properties: {
        edges: {
          type: 'array',
          items: {
            type: 'object',
            properties: { node: schemaRef('twain.rowChange'), cursor: text },
            required: ['node', 'cursor'],
          },
        },
        pageInfo: schemaRef('twain.pageInfo'),
      },
      required: ['edges', 'pageInfo'],
    },
  ],
  [
    'twain.reversion',
    {
      type: 'object',
      properties: {
        version: {
          type: 'integer',
          minimum: 0,
          maximum: 2147483647,
          description: 'A version of its history.',
          examples: [1],
        },
      },
      required: ['version'],
      additionalProperties: false,
    },
  ],
  [
    'twain.rowChange',
    {
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['CREATED', 'UPDATED', 'DELETED'] },
        version: { type: 'integer' },
        time: { type: 'string', format: 'date-time' },
        by: { type: ['string', 'null'], description: 'Who made the change; null for viewers without AUDIT.' },
        via: { type: ['string', 'null'] },
        changed: {
          type: 'array',
          items: {
            type: 'object',
            properties: { field: text, before: {}, after: {} },
            required: ['field', 'before', 'after'],
          },
        },
      },
    },
  ],
]
