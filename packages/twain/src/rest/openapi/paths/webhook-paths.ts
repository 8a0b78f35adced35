// `/webhooks` in the document (docs/reference/rest.md, R135–R139, R158, R159).

import type { Model } from '#model'
import type { Limits } from '#plan'
import { defaultPageSize } from '#plan/build'
import { exampleId, exampleTime } from '#plan/explain'
import { type NamedSchema, nullable, type OpenapiObject, schemaRef } from '../json-parts.ts'
import { jsonContent } from '../media.ts'
import { parameterRef, type SharedParameter } from '../parameters.ts'
import { commonFailures, failureRefs, type HeaderName, response } from '../responses.ts'

export const webhookTag = { name: 'Webhook', description: 'Events that are sent to an address. For the role admin.' }

const admin = { tags: [webhookTag.name], security: [{ bearer: [] }] }
const collectionFailures = [401, 403, 406, ...commonFailures] as const
const itemFailures = [...collectionFailures, 404] as const
const readPreconditions = ['If-Match', 'If-None-Match'] as const
const writePreconditions = ['write.If-Match', 'write.If-None-Match', 'If-Unmodified-Since', 'Idempotency-Key'] as const
const notModified = response('It is what the client has.', ['ETag', 'Cache-Control'])
const url = 'https://example.com/hook'
const exampleDelivery = 'msg_3q2-7wABCDEFGHIJKLMNOPQ'

export function webhookPaths({ resources: [first] }: Model, limits: Limits): OpenapiObject {
  if (first === undefined) return {}
  const input = { url, events: [`${first.single}.created`] }
  const times = { createdAt: exampleTime, updatedAt: exampleTime }
  const webhook = { id: exampleId, ...input, where: null, active: true, paused: null, ...times }
  const made = { ...webhook, secret: 'whsec_…' }
  const delivery = {
    id: exampleDelivery,
    type: `${first.single}.created`,
    event: '5f1c0a9e:42:0b7d31c4',
    state: 'delivered',
    createdAt: exampleTime,
    finishedAt: exampleTime,
    nextAt: null,
    attempts: [{ at: exampleTime, took: 12, status: 204, answer: '', error: null }],
  }
  const one = schemaRef('twain.webhook')
  const id = { name: 'id', in: 'path', required: true, description: 'The id of the webhook.', schema: text }
  return {
    '/webhooks': {
      get: {
        operationId: 'listWebhooks',
        summary: 'List the webhooks',
        description: 'All of them, the oldest first.',
        ...admin,
        parameters: refs(...readPreconditions),
        responses: {
          200: webhookResponse('The webhooks.', { type: 'array', items: one }, [webhook], ['ETag']),
          304: notModified,
          ...failureRefs([400, 412, ...collectionFailures]),
        },
      },
      post: {
        operationId: 'createWebhook',
        summary: 'Make a webhook',
        description:
          'It is told of what happens from now on, as far as its maker may see it. `secret` is shown in this answer alone.',
        ...admin,
        parameters: refs('Idempotency-Key'),
        requestBody: body('twain.newWebhook', input),
        responses: {
          201: webhookResponse('The webhook.', one, made, ['ETag', 'Location', 'Idempotent-Replayed']),
          ...failureRefs([400, 409, 413, 415, ...collectionFailures]),
        },
      },
    },
    '/webhooks/{id}': {
      parameters: [id],
      get: {
        operationId: 'getWebhook',
        summary: 'Read a webhook',
        description: '`paused` says why it was stopped, if the server did it.',
        ...admin,
        parameters: refs(...readPreconditions),
        responses: {
          200: webhookResponse('The webhook.', one, webhook, ['ETag']),
          304: notModified,
          ...failureRefs([400, 412, ...itemFailures]),
        },
      },
      patch: {
        operationId: 'updateWebhook',
        summary: 'Change a webhook',
        description:
          '`secret: null` makes a new one, shown in this answer alone. One that was not active goes on where it stopped.',
        ...admin,
        parameters: refs(...writePreconditions),
        requestBody: body('twain.webhookPatch', { active: false }, 'application/merge-patch+json'),
        responses: {
          200: webhookResponse('The webhook.', one, webhook, ['ETag', 'Idempotent-Replayed']),
          ...failureRefs([400, 409, 412, 413, 415, ...itemFailures]),
        },
      },
      delete: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'With its deliveries.',
        ...admin,
        parameters: refs(...writePreconditions),
        responses: {
          204: response('It is deleted.', ['Idempotent-Replayed']),
          ...failureRefs([400, 409, 412, 413, ...itemFailures]),
        },
      },
    },
    '/webhooks/{id}/deliveries': {
      parameters: [id],
      get: {
        operationId: 'listWebhookDeliveries',
        summary: 'List what was sent',
        description: 'The newest first, each with its attempts. Those that are over are kept for 7 days.',
        ...admin,
        parameters: [
          query('limit', 'How many to give at most.', {
            ...(limits.page === 0 ? {} : { maximum: limits.page }),
            default: defaultPageSize,
          }),
          query('offset', 'How many to pass over.', { default: 0 }),
          ...refs(...readPreconditions),
        ],
        responses: {
          200: webhookResponse(
            'The deliveries.',
            { type: 'array', items: schemaRef('twain.delivery') },
            [delivery],
            ['ETag', 'Link'],
          ),
          304: notModified,
          ...failureRefs([400, 412, ...itemFailures]),
        },
      },
      post: {
        operationId: 'redeliver',
        summary: 'Send a delivery again',
        description: 'With the same id, and retried as if it were new.',
        ...admin,
        parameters: refs('Idempotency-Key'),
        requestBody: body('twain.redelivery', { delivery: exampleDelivery }),
        responses: {
          202: webhookResponse(
            'It is on its way.',
            schemaRef('twain.delivery'),
            { ...delivery, state: 'pending', finishedAt: null, nextAt: exampleTime },
            ['Idempotent-Replayed'],
          ),
          ...failureRefs([400, 409, 413, 415, ...itemFailures]),
        },
      },
    },
  }
}

function refs(...names: readonly SharedParameter[]): OpenapiObject[] {
  return names.map(parameterRef)
}

function webhookResponse(
  description: string,
  schema: OpenapiObject,
  example: OpenapiObject | OpenapiObject[],
  headers: HeaderName[] = [],
): OpenapiObject {
  return response(description, ['Cache-Control', ...headers], jsonContent(schema, { answer: { value: example } }))
}

function body(schema: string, example: OpenapiObject, ...types: string[]): OpenapiObject {
  const media = { schema: schemaRef(schema), examples: { request: { value: example } } }
  return {
    required: true,
    content: Object.fromEntries(['application/json', ...types].map((type) => [type, media])),
  }
}

function query(name: string, description: string, bounds: OpenapiObject): OpenapiObject {
  return { name, in: 'query', description, schema: { type: 'integer', minimum: 0, ...bounds } }
}

const text: OpenapiObject = { type: 'string' }
const time: OpenapiObject = { type: 'string', format: 'date-time' }
const settable = {
  url: { type: 'string', format: 'uri', maxLength: 2000, description: 'Where events are sent to.' },
  where: {
    type: ['object', 'null'],
    description: 'A filter, as `where` of the collection has it, where all events are of one type.',
  },
  active: { type: 'boolean', description: 'Whether events are sent.' },
} as const
const secret: OpenapiObject = {
  type: ['string', 'null'],
  pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$',
  description: '`whsec_` and then base64 of 24 to 64 bytes. Made where it is left out of a create, or null.',
}

function object(properties: OpenapiObject, required: readonly string[], more: OpenapiObject = {}): OpenapiObject {
  return { type: 'object', properties, required: required.length === 0 ? undefined : required, ...more }
}

const closed = { additionalProperties: false }
const webhook = {
  id: text,
  ...settable,
  events: { type: 'array', items: text, description: '`post.created`, `post.*` or `*`.' },
  paused: nullable({ type: 'string', description: 'Why the server stopped it; null while it did not.' }),
  createdAt: time,
  updatedAt: time,
}
const attempt = {
  at: time,
  took: { type: 'integer', description: 'Milliseconds.' },
  status: nullable({ type: 'integer', description: 'Of the answer; null where there was none.' }),
  answer: nullable({ type: 'string', description: 'Its first KB.' }),
  error: nullable({ type: 'string', description: 'Why it does not count as delivered.' }),
}
const delivery = {
  id: { type: 'string', description: 'The same in all attempts: the header `webhook-id`.' },
  type: { type: 'string', description: '`post.created`, `post.updated` or `post.deleted`.' },
  event: { type: 'string', description: 'The cursor of the change.' },
  state: { type: 'string', enum: ['pending', 'delivered', 'failed', 'dropped'] },
  createdAt: time,
  finishedAt: nullable(time),
  nextAt: nullable(time),
  attempts: { type: 'array', items: object(attempt, Object.keys(attempt)) },
}

export function webhookSchemas({ resources }: Model): NamedSchema[] {
  const kinds = ['created', 'updated', 'deleted', '*']
  const known = ['*', ...resources.flatMap(({ single }) => kinds.map((kind) => `${single}.${kind}`))]
  const events: OpenapiObject = { type: 'array', items: { type: 'string', enum: known }, minItems: 1, maxItems: 100 }
  const said = { ...settable, events, secret }
  return [
    ['twain.webhook', object({ ...webhook, secret: { ...text, description: 'Given once.' } }, Object.keys(webhook))],
    ['twain.newWebhook', object(said, ['url', 'events'], closed)],
    ['twain.webhookPatch', object(said, [], closed)],
    ['twain.delivery', object(delivery, Object.keys(delivery))],
    ['twain.redelivery', object({ delivery: text }, ['delivery'], closed)],
  ]
}
