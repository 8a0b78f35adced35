// The store of webhooks and of their deliveries, with all attempts. The module `events` uses it.
//
// 1. Deliveries are jobs of the queue (`job-store.ts`); the name of such a job is the id of its webhook.
// 2. Deliveries of one row go out in the order of the change log: the row is their lane.
// 3. The cursor of a webhook advances in the transaction that saves the deliveries up to it. None is lost, and none exists
//    twice, since the id of a delivery is made of the webhook and the change.
//
// Times are milliseconds since 1970.

import type { LogPoint } from '../../changes/epochs.ts'
import type { ChangedRow, RequestedChange } from '../change-once.ts'
import type { ClaimedJob, JobAttempt, JobLease } from '../jobs/job-store.ts'

export interface Webhook {
  id: string
  url: string
  /** `post.created`, `post.*` or `*`. */
  events: readonly string[]
  /** A filter as both APIs write it; null: none. */
  where: unknown
  secret: string
  active: boolean
  /** Why Twain paused the webhook; null if it did not. */
  paused: string | null
  owner: WebhookOwner
  /** Increases with each change. */
  version: number
  created: number
  changed: number
  /** Its deliveries up to here are queued. */
  cursor: LogPoint
}

/** The viewer whose rights the webhook has: the one who last changed its url, secret, events or filter. */
export interface WebhookOwner {
  account: string | null
  /** The roles at the time of that change: they count for an owner with neither an account nor a key. */
  roles: readonly string[]
  /** The id of an API key. */
  key: string | null
}

export interface WebhookDelivery {
  id: string
  webhook: string
  position: number
  type: string
  created: number
  due: number
  until: number
  state: DeliveryState
  finished: number | null
  attempts: readonly DeliveryAttempt[]
  version: number
}

/** `dropped`: its owner may no longer see the change, or the change log no longer has it. */
type DeliveryState = 'pending' | 'delivered' | 'failed' | 'dropped'

export interface DeliveryAttempt extends JobAttempt {
  /** Null: there was no response. */
  status: number | null
  /** The beginning of the response. */
  answer: string | null
}

/** A change that a webhook will receive. */
export type NewDelivery = Pick<WebhookDelivery, 'id' | 'position' | 'type'> & { subject: string }

export interface WebhookFeeding {
  webhook: string
  version: number
  from: LogPoint
  to: LogPoint
  deliveries: readonly NewDelivery[]
  /** How long Twain tries to deliver them. */
  windowMs: number
}

/** Restarts the pending deliveries. */
export interface DeliveryRestart {
  windowMs: number
  /** Where the webhook continues in the change log; null: at its current cursor. */
  cursor: LogPoint | null
}

/** With an idempotency key, a change also returns null if another request has the key. Reads of clients go through the engine
 *  (`system-rows.ts`). */
export interface WebhookStore {
  /** All of them, the oldest first. */
  list(): Promise<Webhook[]>
  find(id: string): Promise<Webhook | null>
  /** Null if there are `most` webhooks already. */
  add(webhook: Webhook, most: number, change?: RequestedChange): Promise<ChangedRow | null>
  /** Saves the fields that a client may change; null if the version has changed meanwhile. */
  save(
    webhook: Webhook,
    was: number,
    anew: DeliveryRestart | null,
    change?: RequestedChange,
  ): Promise<ChangedRow | null>
  /** For a request that changes nothing. */
  keep(change: RequestedChange): Promise<ChangedRow | null>
  /** Deletes the webhook and its deliveries. Null if there is none of this version; of any version, if it is null. */
  remove(id: string, version?: number | null, change?: RequestedChange): Promise<ChangedRow | null>
  /** The version after `previous`; it skips once in each epoch (`changes/epochs.ts`). */
  nextVersion(previous: number): Promise<number>
  /** Twain pauses the webhook. False if it is not active, or if a client has changed it meanwhile. */
  pause(id: string, version: number, why: string, now: number): Promise<boolean>

  /** Takes the lease to read the change log for the webhook, and returns its cursor. Null if another node has the lease, or if
   *  the webhook has another version or is not active. */
  lease(id: string, version: number, lease: JobLease): Promise<LogPoint | null>
  /** Saves new deliveries. False if the cursor or the version has changed; then nothing is saved. */
  feed(feeding: WebhookFeeding): Promise<boolean>
  pending(webhook: string): Promise<number>

  /** Leases deliveries that are due, at most `most`; none if the webhook has another version or is not active. */
  claim(webhook: string, version: number, most: number, lease: JobLease): Promise<ClaimedJob[]>
  /** Whether any delivery succeeded since then. */
  deliveredSince(webhook: string, time: number): Promise<boolean>

  findDelivery(id: string): Promise<WebhookDelivery | null>
  /** Sends a finished delivery again. Null if it has another version, or is pending. */
  sendAgain(delivery: WebhookDelivery, windowMs: number, change?: RequestedChange): Promise<ChangedRow | null>

  /** Deletes deliveries that finished so long ago, and those without a webhook. */
  prune(ageMs: number): Promise<number>
  /** Deletes the results of expired idempotency keys. */
  deleteExpiredResults(): Promise<void>
  /** Lets other nodes read the log for the webhooks of this node at once. Null: those of a killed process, if there are no other
   *  nodes; its deliveries are released, too. */
  release(holder: string | null): Promise<void>
}
