// The paths of the schema itself (docs/reference/rest.md, R183, R440–R443).

import type { Model } from '#model'
import { isUnrestricted } from '#plan'
import type { OpenapiObject } from '../json-parts.ts'
import { jsonContent } from '../media.ts'
import { parameterRef } from '../parameters.ts'
import { commonFailures, failureRefs, type HeaderName, response } from '../responses.ts'

const text = { type: 'string' }
const orNull = { type: ['string', 'null'] }
const flag = { type: 'boolean' }
const number = { type: 'integer', minimum: 1 }
const place = { file: text, line: number }
const cacheHeaders: readonly HeaderName[] = ['ETag', 'Cache-Control']

/** `tag`: that of the paths that every service has. */
export function schemaPaths(model: Model, tag: string): OpenapiObject {
  const security = isUnrestricted(model) ? undefined : [{ bearer: [] }]
  const shared = { tags: [tag], security }
  const tagged = (description: string, schema: OpenapiObject) => ({
    200: response(description, cacheHeaders, jsonContent(schema)),
    304: response('The client has the current representation.', cacheHeaders),
    ...failureRefs([400, 401, 403, 406, ...commonFailures]),
  })
  return {
    '/docs/contract': {
      get: {
        operationId: 'getContract',
        ...shared,
        summary: 'The schema file and its usage',
        description: `${forAdmin} \`twain check --against\` reads it.`,
        responses: {
          200: response(
            'The served schema file, and when each type, field and operation was last used, and by which clients.',
            ['Cache-Control'],
            jsonContent(
              object({ sdl: text, since: { type: ['string', 'null'], format: 'date' }, uses: { type: 'object' } }),
            ),
          ),
          ...failureRefs([400, 401, 403, 406, ...commonFailures]),
        },
      },
    },
    '/docs/schema': {
      get: {
        operationId: 'getSchema',
        ...shared,
        summary: 'The schema as lists',
        description: `${forAdmin} Types, fields, rules, transitions, and what depends on each field. The console draws it.`,
        parameters: [parameterRef('If-None-Match')],
        responses: tagged('The lists.', picture),
      },
    },
    '/docs/schema/files': {
      get: {
        operationId: 'getSchemaFiles',
        ...shared,
        summary: 'The schema files',
        description: `${forAdmin} In \`twain dev\` also the present files with their mistakes, if they can not be served.`,
        parameters: [parameterRef('If-None-Match')],
        responses: tagged('The files.', files),
      },
    },
    '/docs/schema/changes': {
      post: {
        operationId: 'compareSchema',
        ...shared,
        summary: 'What a changed schema would change',
        description: `${forAdmin} Compares the text with the served schema, as \`twain check --against\` does. Nothing is stored or served.`,
        requestBody: {
          required: true,
          content: jsonContent(
            {
              type: 'object',
              properties: {
                text: { ...text, description: 'The changed file, or a whole schema.' },
                file: { ...orNull, description: 'The file that it replaces; default: all.' },
              },
              required: ['text'],
              additionalProperties: false,
            },
            { schema: { value: { text: 'type Note { id: ID! }' } } },
          ),
        },
        responses: {
          200: response('The differences, or the mistakes of the text.', ['Cache-Control'], jsonContent(changes)),
          ...failureRefs([400, 401, 403, 406, 413, 415, ...commonFailures]),
        },
      },
    },
  }
}

const forAdmin = 'For the role `admin`, or for everyone if the schema has no rules.'

function object(properties: OpenapiObject): OpenapiObject {
  return { type: 'object', properties, required: Object.keys(properties) }
}

function listOf(properties: OpenapiObject): OpenapiObject {
  return { type: 'array', items: object(properties) }
}

const picture = object({
  types: listOf({
    name: text,
    kind: {
      type: 'string',
      enum: ['resource', 'view', 'interface', 'union', 'value', 'input', 'enum', 'scalar', 'root'],
    },
    path: orNull,
    description: orNull,
    memberOf: { type: 'array', items: text },
    hooks: { type: 'array', items: text },
    ...place,
  }),
  fields: listOf({
    of: text,
    name: text,
    kind: { type: 'string', enum: ['value', 'reference', 'list', 'computed', 'enumValue', 'operation'] },
    type: text,
    to: orNull,
    inverse: orNull,
    unique: flag,
    description: orNull,
    deprecated: orNull,
    start: { ...orNull, description: 'The first state, if the field is a state machine.' },
    ...place,
  }),
  rules: listOf({ of: text, field: orNull, rule: text, ...place }),
  transitions: listOf({
    of: text,
    field: text,
    from: text,
    to: text,
    who: { ...text, description: 'Empty: whoever may update the row.' },
    rule: text,
    ...place,
  }),
  dependencies: listOf({
    of: text,
    field: text,
    by: {
      type: 'string',
      enum: ['rule', 'transition', 'index', 'search', 'label', 'computed', 'account', 'key'],
    },
    what: text,
    ...place,
  }),
})

const mistakes = listOf({ ...place, column: number, length: number, message: text, hint: orNull })
const schemaTexts = listOf({ name: text, text })

const files = object({
  watched: { ...flag, description: 'Whether the server notices changes of the files.' },
  files: schemaTexts,
  pending: {
    ...object({ files: schemaTexts, mistakes, reason: text }),
    type: ['object', 'null'],
    description: 'The files as they are now, if the server can not serve them.',
  },
})

const changes = object({
  verdict: { type: 'string', enum: ['same', 'additive', 'warning', 'breaking', 'mistaken'] },
  differences: listOf({
    verdict: { type: 'string', enum: ['additive', 'warning', 'breaking'] },
    path: text,
    message: text,
    affects: { type: 'string', enum: ['nobody', 'readers', 'writers', 'clients', 'viewers'] },
    instead: orNull,
    rows: { type: 'string', enum: ['stay', 'dropped', 'none', 'filled', 'unique', 'unused'] },
    used: orNull,
    ...place,
    column: number,
  }),
  mistakes,
})
