// What a contract with resources has for administrators: webhooks, and what was sent to them.

import { defaultPageSize } from '#plan/build'
import type { WebhookAction } from './root-fields.ts'
import { block, described } from './sdl.ts'

const url = described('Where events are sent to: `https://…`.', 'url: String')
const events = described('`post.created`, `post.*` or `*`.', 'events: [String!]')
const optional = [
  described('Only rows that this filter holds for, where all events are of one type.', 'where: JSON'),
  described(
    '`whsec_` and then base64 of 24 to 64 bytes. Made where it is left out of a create, or null.',
    'secret: String',
  ),
  described('Whether events are sent; one that was inactive goes on where it stopped.', 'active: Boolean'),
]

export const webhookTypes: readonly string[] = [
  described(
    'Events that are sent to an address, signed by Standard Webhooks. It sees what its maker may see, as of now.',
    block('type Webhook', [
      'id: ID!',
      described('Where events are sent to.', 'url: String!'),
      described('`post.created`, `post.*` or `*`.', 'events: [String!]!'),
      described('Only rows that this filter holds for.', 'where: JSON'),
      described('What messages are signed with. Given once, by the write that set it.', 'secret: String'),
      described('Whether events are sent.', 'active: Boolean!'),
      described('Why the server stopped it; null while it did not.', 'paused: String'),
      'createdAt: DateTime!',
      'updatedAt: DateTime!',
      described('Rises by one with each change, for `ifVersion`.', '_version: Int!'),
      described(
        'What was sent or is to be, the newest first.',
        `deliveries(offset: Int! = 0, limit: Int! = ${defaultPageSize}): [WebhookDelivery!]!`,
      ),
    ]),
  ),
  described(
    'A message to a webhook.',
    block('type WebhookDelivery', [
      described('The same in all attempts: the header `webhook-id`.', 'id: ID!'),
      described('`post.created`, `post.updated` or `post.deleted`.', 'type: String!'),
      described('The cursor of the change.', 'event: ID!'),
      described(
        '`pending`, `delivered`, `failed` (given up), or `dropped`: by now its maker may not see it, or it is not kept.',
        'state: String!',
      ),
      'createdAt: DateTime!',
      described('When it was over.', 'finishedAt: DateTime'),
      described('When it is tried next.', 'nextAt: DateTime'),
      'attempts: [WebhookAttempt!]!',
    ]),
  ),
  described(
    'One try to deliver a message.',
    block('type WebhookAttempt', [
      'at: DateTime!',
      described('Milliseconds.', 'took: Int!'),
      described('Of the answer; null where there was none.', 'status: Int'),
      described('The first KB of the answer.', 'answer: String'),
      described('Why it does not count as delivered.', 'error: String'),
    ]),
  ),
  block('input CreateWebhookInput', [`${url}!`, `${events}!`, ...optional]),
  block('input UpdateWebhookInput', [url, events, ...optional]),
]

export function webhookField(name: string, action: WebhookAction): string {
  switch (action) {
    case 'one':
      return described(
        'The webhook with this id; null when there is none. For the role admin.',
        `${name}(id: ID!): Webhook`,
      )
    case 'list':
      return described('All webhooks. For the role admin.', `${name}: [Webhook!]!`)
    case 'create':
      return described(
        'Makes a webhook, which is told of what happens from now on.',
        `${name}(input: CreateWebhookInput!): Webhook!`,
      )
    case 'update':
      return described(
        'Changes what is named of the webhook with this id.',
        `${name}(id: ID!, input: UpdateWebhookInput!, ifVersion: Int): Webhook!`,
      )
    case 'delete':
      return described(
        'Deletes the webhook with this id, and its deliveries.',
        `${name}(id: ID!, ifVersion: Int): DeleteResult!`,
      )
    case 'redeliver':
      return described(
        'Sends a delivery of a webhook once more.',
        `${name}(webhook: ID!, delivery: ID!): WebhookDelivery!`,
      )
  }
}
