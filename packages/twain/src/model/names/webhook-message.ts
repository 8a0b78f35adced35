// The names of the message of a delivery in GraphQL. A schema file may use them: then GraphQL has no such field, and REST has the path.

import type { Model } from '../model.ts'
import { areNamesFree } from './free-names.ts'

export const messageField = 'webhookMessage'
export const messageTypes = { message: 'WebhookMessage', header: 'WebhookMessageHeader' } as const

export function hasMessageField(model: Model): boolean {
  return areNamesFree(model, [messageField], Object.values(messageTypes))
}
