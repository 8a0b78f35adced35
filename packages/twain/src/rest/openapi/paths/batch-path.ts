// `/batch` in the document: several writes in one transaction.

import type { Model } from '#model'
import type { Limits } from '#plan'
import { type NamedSchema, type OpenapiObject, schemaRef } from '../json-parts.ts'
import { jsonContent } from '../media.ts'
import { parameterRef } from '../parameters.ts'
import { commonFailures, failureRefs, response } from '../responses.ts'
import { serviceTag } from './service-paths.ts'

export function batchPath({ resources }: Model, { transaction }: Limits): OpenapiObject {
  if (resources.length === 0) return {}
  return {
    '/batch': {
      post: {
        operationId: 'batch',
        tags: [serviceTag.name],
        summary: 'Several writes in one transaction',
        description:
          'The server makes all writes in their order, or none. On failure the response is that of the first failed operation, and each path in `errors` begins with its index. `$0.id` in a path, or as an id in a body, is the id of the row of operation 0.',
        parameters: [parameterRef('Idempotency-Key')],
        requestBody: {
          required: true,
          content: jsonContent(
            {
              type: 'array',
              items: schemaRef('twain.operation'),
              minItems: 1,
              maxItems: transaction === 0 ? undefined : transaction,
            },
            { operations: { value: [{ method: 'DELETE', path: `/${resources[0]!.path}/p1` }] } },
          ),
        },
        responses: {
          200: response(
            'The response of each operation, in their order.',
            ['Idempotent-Replayed'],
            jsonContent({ type: 'array', items: schemaRef('twain.outcome') }),
          ),
          ...failureRefs([400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, ...commonFailures]),
        },
      },
    },
  }
}

export function batchSchemas({ resources }: Model): NamedSchema[] {
  if (resources.length === 0) return []
  const text = { type: 'string' }
  const conditions = { 'if-match': text, 'if-none-match': text, 'if-unmodified-since': text }
  return [
    [
      'twain.operation',
      {
        type: 'object',
        description: 'One write, as in a request of its own; a patch is a merge patch.',
        properties: {
          method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
          path: {
            type: 'string',
            pattern: '^(/[A-Za-z0-9_.$:-]{1,64}){1,4}(\\?fields=[A-Za-z0-9_.,]{1,200})?$',
            description: 'The path, optionally with `fields`.',
          },
          body: { description: 'As in a request of its own; left out if there is none.' },
          headers: { type: 'object', properties: conditions, additionalProperties: false },
        },
        required: ['method', 'path'],
        additionalProperties: false,
      },
    ],
    [
      'twain.outcome',
      {
        type: 'object',
        properties: {
          status: { type: 'integer' },
          headers: { type: 'object', additionalProperties: text },
          body: { description: 'The row, if there is one.' },
        },
        required: ['status', 'headers'],
      },
    ],
  ]
}
