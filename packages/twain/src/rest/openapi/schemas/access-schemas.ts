// The schemas of the explanation of rights (docs/reference/rest.md, R320–R323).

import { type NamedSchema, schemaRef } from '../json-parts.ts'

const text = { type: 'string' }
const orNull = { type: ['string', 'null'] }
const flag = { type: 'boolean' }
const judgement = { type: ['boolean', 'null'], description: 'Null: it depends on values that you may not read.' }

export const accessSchemas: readonly NamedSchema[] = [
  [
    'twain.access',
    {
      type: 'object',
      properties: {
        viewer: {
          type: 'object',
          properties: { account: orNull, roles: { type: 'array', items: text }, verified: flag, locked: flag },
          required: ['account', 'roles', 'verified', 'locked'],
        },
        answers: { type: 'array', items: schemaRef('twain.accessAnswer') },
      },
      required: ['viewer', 'answers'],
    },
  ],
  [
    'twain.accessAnswer',
    {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['READ', 'UPDATE', 'DELETE'] },
        field: { ...orNull, description: 'Null: the row itself.' },
        from: { ...orNull, description: 'Of a transition: the state that the row has.' },
        to: { ...orNull, description: 'Of a transition: the next state.' },
        allowed: judgement,
        because: { type: 'string', description: 'The rule that decides, and its place in the schema file.' },
        rules: {
          type: 'array',
          items: {
            type: 'object',
            properties: { rule: text, place: text, holds: judgement },
            required: ['rule', 'place', 'holds'],
          },
        },
      },
      required: ['action', 'field', 'from', 'to', 'allowed', 'because', 'rules'],
    },
  ],
]
