// The types and fields of webhooks and their deliveries, for administrators.

import { defaultPageSize } from '#plan/build'
import type { WebhookAction } from './root-fields.ts'
import { block, described } from './sdl.ts'

const url = described('The URL that receives the events: `https://…`.', 'url: String')
const events = described('`post.created`, `post.*` or `*`.', 'events: [String!]')
const optional = [
  described('A filter of rows, if all events are of one type.', 'where: JSON'),
  described(
    '`whsec_` and base64 of 24 to 64 bytes. The server generates it if it is null, or left out of a create.',
    'secret: String',
  ),
  described(
    'Whether the server sends events; a webhook that becomes active again resumes where it stopped.',
    'active: Boolean',
  ),
]

export const webhookTypes: readonly string[] = [
  described(
    'A subscription that the server sends to a URL, signed by Standard Webhooks. It has the permissions of its owner: whoever last changed its url, secret, events or where.',
    block('type Webhook', [
      'id: ID!',
      described('The URL that receives the events.', 'url: String!'),
      described('`post.created`, `post.*` or `*`.', 'events: [String!]!'),
      described('A filter of rows.', 'where: JSON'),
      described('The key of the signatures. Only the write that set it returns it.', 'secret: String'),
      described('Whether the server sends events.', 'active: Boolean!'),
      described('Why the server paused it; null if it did not.', 'paused: String'),
      'createdAt: DateTime!',
      'updatedAt: DateTime!',
      described('The version. It rises with each write. See `ifVersion`.', '_version: Int!'),
      described(
        'The deliveries, the newest first.',
        `deliveries(offset: Int! = 0, limit: Int! = ${defaultPageSize}): [WebhookDelivery!]!`,
      ),
    ]),
  ),
  described(
    'A message to a webhook.',
    block('type WebhookDelivery', [
      described('The header `webhook-id`, the same in all attempts.', 'id: ID!'),
      described('`post.created`, `post.updated` or `post.deleted`.', 'type: String!'),
      described('The cursor of the change.', 'event: ID!'),
      described(
        '`pending`, `delivered`, `failed` (no more attempts), or `dropped`: its owner may no longer see the row, or the log no longer has the change.',
        'state: String!',
      ),
      'createdAt: DateTime!',
      described('When it was delivered, failed or dropped.', 'finishedAt: DateTime'),
      described('The time of the next attempt.', 'nextAt: DateTime'),
      'attempts: [WebhookAttempt!]!',
    ]),
  ),
  described(
    'One attempt to deliver a message.',
    block('type WebhookAttempt', [
      'at: DateTime!',
      described('The duration in milliseconds.', 'took: Int!'),
      described('The status of the response; null without a response.', 'status: Int'),
      described('The first KB of the response.', 'answer: String'),
      described('Why the attempt failed.', 'error: String'),
    ]),
  ),
  block('input CreateWebhookInput', [`${url}!`, `${events}!`, ...optional]),
  block('input UpdateWebhookInput', [url, events, ...optional]),
]

export function webhookField(name: string, action: WebhookAction): string {
  switch (action) {
    case 'one':
      return described(
        'The webhook with this id; null if there is none. For the role admin.',
        `${name}(id: ID!): Webhook`,
      )
    case 'list':
      return described('All webhooks. For the role admin.', `${name}: [Webhook!]!`)
    case 'create':
      return described(
        'Creates a webhook. It receives the changes from now on.',
        `${name}(input: CreateWebhookInput!): Webhook!`,
      )
    case 'update':
      return described(
        'Changes the fields in `input` of the webhook with this id.',
        `${name}(id: ID!, input: UpdateWebhookInput!, ifVersion: Int): Webhook!`,
      )
    case 'delete':
      return described(
        'Deletes the webhook with this id, and its deliveries.',
        `${name}(id: ID!, ifVersion: Int): DeleteResult!`,
      )
    case 'redeliver':
      return described('Sends a delivery of a webhook again.', `${name}(webhook: ID!, delivery: ID!): WebhookDelivery!`)
  }
}
