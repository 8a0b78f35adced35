// `/webhooks` in the document (docs/reference/rest.md, R135–R139, R158, R159).

import type { Model } from '#model'
import type { Limits } from '#plan'
import { defaultPageSize } from '#plan/build'
import { exampleId, exampleTime } from '#plan/explain'
import { type NamedSchema, nullable, type OpenapiObject, schemaRef } from '../json-parts.ts'
import { jsonContent } from '../media.ts'
import { parameterRef, type SharedParameter } from '../parameters.ts'
import { commonFailures, failureRefs, type HeaderName, response } from '../responses.ts'

export const webhookTag = { name: 'Webhook', description: 'Sends events to a URL. For the role admin.' }

const admin = { tags: [webhookTag.name], security: [{ bearer: [] }] }
const collectionFailures = [401, 403, 406, ...commonFailures] as const
const itemFailures = [...collectionFailures, 404] as const
const readPreconditions = ['If-Match', 'If-None-Match'] as const
const writePreconditions = ['write.If-Match', 'write.If-None-Match', 'If-Unmodified-Since', 'Idempotency-Key'] as const
const notModified = response('The client has the current representation.', ['ETag', 'Cache-Control'])
const url = 'https://example.com/hook'
const exampleDelivery = 'msg_3q2-7wABCDEFGHIJKLMNOPQ'

export function webhookPaths({ resources: [first] }: Model, limits: Limits): OpenapiObject {
  if (first === undefined) return {}
  const input = { url, events: [`${first.single}.created`] }
  const times = { createdAt: exampleTime, updatedAt: exampleTime }
  const webhook = { id: exampleId, ...input, where: null, active: true, paused: null, ...times }
  const created = { ...webhook, secret: 'whsec_…' }
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
        description: 'All webhooks, the oldest first.',
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
        summary: 'Create a webhook',
        description:
          'It receives the changes from now on that its owner may see: whoever last changed its `url`, `secret`, `events` or `where`. Only this response contains `secret`.',
        ...admin,
        parameters: refs('Idempotency-Key'),
        requestBody: body('twain.newWebhook', input),
        responses: {
          201: webhookResponse('The webhook.', one, created, ['ETag', 'Location', 'Idempotent-Replayed']),
          ...failureRefs([400, 409, 413, 415, ...collectionFailures]),
        },
      },
    },
    '/webhooks/{id}': {
      parameters: [id],
      get: {
        operationId: 'getWebhook',
        summary: 'Read a webhook',
        description: '`paused` has the reason if the server paused it.',
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
          '`secret: null` creates a new secret, which only this response contains. A webhook that becomes active continues where it stopped.',
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
        description: 'Deletes the webhook and its deliveries.',
        ...admin,
        parameters: refs(...writePreconditions),
        responses: {
          204: response('The webhook is deleted.', ['Idempotent-Replayed']),
          ...failureRefs([400, 409, 412, 413, ...itemFailures]),
        },
      },
    },
    '/webhooks/{id}/deliveries': {
      parameters: [id],
      get: {
        operationId: 'listWebhookDeliveries',
        summary: 'List the deliveries',
        description: 'The newest first, each with its attempts. Finished deliveries are stored for 7 days.',
        ...admin,
        parameters: [
          query('limit', 'The maximum number of deliveries.', {
            ...(limits.page === 0 ? {} : { maximum: limits.page }),
            default: defaultPageSize,
          }),
          query('offset', 'The number of deliveries to skip.', { default: 0 }),
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
        description: 'Sends the delivery again with the same id and new retries.',
        ...admin,
        parameters: refs('Idempotency-Key'),
        requestBody: body('twain.redelivery', { delivery: exampleDelivery }),
        responses: {
          202: webhookResponse(
            'The delivery is scheduled.',
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
  url: { type: 'string', format: 'uri', maxLength: 2000, description: 'The URL that receives the events.' },
  where: {
    type: ['object', 'null'],
    description: 'A filter as in `where` of the collection; only if all events are of one type.',
  },
  active: { type: 'boolean', description: 'Whether the server sends events.' },
} as const
const secret: OpenapiObject = {
  type: ['string', 'null'],
  pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$',
  description: '`whsec_` and base64 of 24 to 64 bytes. The server creates one if it is null, or absent in a create.',
}

function object(properties: OpenapiObject, required: readonly string[], more: OpenapiObject = {}): OpenapiObject {
  return { type: 'object', properties, required: required.length === 0 ? undefined : required, ...more }
}

const closed = { additionalProperties: false }
const webhook = {
  id: text,
  ...settable,
  events: { type: 'array', items: text, description: '`post.created`, `post.*` or `*`.' },
  paused: nullable({ type: 'string', description: 'Why the server paused it; null if it did not.' }),
  createdAt: time,
  updatedAt: time,
}
const attempt = {
  at: time,
  took: { type: 'integer', description: 'Milliseconds.' },
  status: nullable({ type: 'integer', description: 'The status of the response; null without a response.' }),
  answer: nullable({ type: 'string', description: 'The first KB of the response.' }),
  error: nullable({ type: 'string', description: 'Why the attempt failed.' }),
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
  const input = { ...settable, events, secret }
  return [
    [
      'twain.webhook',
      object(
        { ...webhook, secret: { ...text, description: 'Only in the response of the write that set it.' } },
        Object.keys(webhook),
      ),
    ],
    ['twain.newWebhook', object(input, ['url', 'events'], closed)],
    ['twain.webhookPatch', object(input, [], closed)],
    ['twain.delivery', object(delivery, Object.keys(delivery))],
    ['twain.redelivery', object({ delivery: text }, ['delivery'], closed)],
  ]
}
