// A job of the kind `delivery`, as the delivery of a webhook.

import type { Job, JobState } from './job-store.ts'
import type { DeliveryAttempt, WebhookDelivery } from './webhook-store.ts'

const deliveryStates: Readonly<Record<JobState, WebhookDelivery['state']>> = {
  waiting: 'pending',
  running: 'pending',
  done: 'delivered',
  failed: 'failed',
  cancelled: 'dropped',
}

export function toDelivery({
  id,
  name,
  payload,
  created,
  due,
  until,
  state,
  finished,
  attempts,
}: Job): WebhookDelivery {
  const { position, type } = JSON.parse(payload) as Pick<WebhookDelivery, 'position' | 'type'>
  return {
    id,
    webhook: name,
    position,
    type,
    created,
    due,
    until: until ?? due,
    state: deliveryStates[state],
    finished,
    attempts: attempts as readonly DeliveryAttempt[],
  }
}
