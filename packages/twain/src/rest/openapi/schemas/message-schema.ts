// The schema of the message of a delivery (docs/reference/rest.md, R445).

import type { NamedSchema } from '../json-parts.ts'

const text = { type: 'string' }

export const messageSchema: NamedSchema = [
  'twain.message',
  {
    type: 'object',
    properties: {
      method: { type: 'string', const: 'POST' },
      url: text,
      headers: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: text,
            value: { type: ['string', 'null'], description: 'Null: each attempt has its own.' },
          },
          required: ['name', 'value'],
        },
      },
      body: {
        type: ['string', 'null'],
        description: 'The CloudEvent as text. Null: there is nothing to send, or nothing that you may see.',
      },
      leftOut: {
        type: 'array',
        items: text,
        description: 'The members of the body that you may not see: `data.email`.',
      },
      because: { type: ['string', 'null'], description: 'Why there is no body.' },
    },
    required: ['method', 'url', 'headers', 'body', 'leftOut', 'because'],
  },
]
