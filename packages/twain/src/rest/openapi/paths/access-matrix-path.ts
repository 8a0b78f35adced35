// `/docs/access` in the OpenAPI document.

import { type Model, servedResources } from '#model'
import { isUnrestricted } from '#plan'
import { entryActions, viewerKinds } from '#plan/explain'
import type { OpenapiObject } from '../json-parts.ts'
import { jsonContent } from '../media.ts'
import { commonFailures, failureRefs, response } from '../responses.ts'

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }

/** `tag` is that of the paths that every service has. */
export function accessMatrixPath(model: Model, tag: string): Record<string, OpenapiObject> {
  const parameter = (name: string, values: readonly string[], description: string) => ({
    ...{ name, in: 'query', description },
    schema: { type: 'string', enum: values },
  })
  const types = [...servedResources(model).map(({ name }) => name), ...model.operations.map(({ root }) => root)]
  return {
    '/docs/access': {
      get: {
        operationId: 'getAccessMatrix',
        tags: [tag],
        summary: 'Who may do what',
        description:
          'Each type, field, transition and custom operation, each action and each kind of viewer, with the rules of the schema file that decide. For the role `admin`, or for everyone if the schema has no rules.',
        security: isUnrestricted(model) ? undefined : [{ bearer: [] }],
        parameters: [
          parameter('type', [...new Set(types)], 'Only this type.'),
          parameter(
            'as',
            viewerKinds(model).map(({ name }) => name),
            'Only this kind of viewer.',
          ),
          parameter('action', entryActions, 'Only this action.'),
        ],
        responses: {
          200: response('The kinds of viewers, and one entry for each cell.', ['Cache-Control'], jsonContent(matrix)),
          ...failureRefs([400, 401, 403, 406, ...commonFailures]),
        },
      },
    },
  }
}

const object = (properties: OpenapiObject): OpenapiObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

const matrix = object({
  viewers: { type: 'array', items: text },
  entries: {
    type: 'array',
    items: object({
      type: text,
      field: textOrNull,
      action: { type: 'string', enum: entryActions },
      from: textOrNull,
      to: textOrNull,
      viewer: text,
      allowed: { type: 'string', enum: ['ALWAYS', 'WHERE', 'NEVER'] },
      when: text,
      rules: { type: 'array', items: object({ rule: text, place: text, decides: { type: 'boolean' } }) },
    }),
  },
})
