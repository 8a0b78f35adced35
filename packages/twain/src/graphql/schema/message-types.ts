// The types of `webhookMessage`, and the field.

import { messageField, messageTypes } from '#model/names'
import { block, described } from './sdl.ts'

const { message, header } = messageTypes

export const messageTypesSdl: readonly string[] = [
  described(
    'What the server sends for a delivery: what the owner of the webhook may see now, without what you may not see.',
    block(`type ${message}`, [
      'method: String!',
      'url: String!',
      `headers: [${header}!]!`,
      described('The CloudEvent as text. Null: there is nothing to send, or nothing that you may see.', 'body: String'),
      described('The members of the body that you may not see: `data.email`.', 'leftOut: [String!]!'),
      described('Why there is no body.', 'because: String'),
    ]),
  ),
  block(`type ${header}`, ['name: String!', described('Null: each attempt has its own.', 'value: String')]),
]

export const messageRootField: string = described(
  'The message of a delivery of a webhook. For whoever may read the delivery.',
  `${messageField}(delivery: ID!): ${message}!`,
)
