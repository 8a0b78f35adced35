// A job of the kind `delivery`, as the delivery of a webhook.

import type { Job, JobState } from '../jobs/job-store.ts'
import type { DeliveryAttempt, WebhookDelivery } from './webhook-store.ts'

const shownStates: Readonly<Record<JobState, WebhookDelivery['state']>> = {
  waiting: 'pending',
  running: 'pending',
  done: 'delivered',
  failed: 'failed',
  cancelled: 'dropped',
}

/** The state of a job, and that of the delivery. */
export const deliveryStates = Object.entries(shownStates)

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
  version,
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
    state: shownStates[state],
    finished,
    attempts: attempts as readonly DeliveryAttempt[],
    version,
  }
}
