// What is kept of webhooks: who is told of which events, and every delivery with its attempts. Events gives it its meaning; a
// store keeps it.
//
// 1. What is claimed is held by one node until a time: nobody else sends it before. A node that dies loses what it holds then.
// 2. Deliveries of one row go in the order of the log: while one is pending, those behind it are not claimed.
// 3. The cursor of a webhook moves in the same transaction that keeps the deliveries up to it: none is lost, and none is
//    there twice, since the id of a delivery is made of the webhook and the change.
//
// Times are milliseconds since 1970 here, as clocks give them.

import type { IdempotencyKey } from '#base'

export interface Webhook {
  id: string
  url: string
  /** `post.created`, `post.*` or `*`. */
  events: readonly string[]
  /** A filter as both faces write it; null: none. */
  where: unknown
  secret: string
  active: boolean
  /** Why we stopped by ourselves; null while we did not. */
  paused: string | null
  maker: WebhookOwner
  /** Rises with each change that somebody makes of it. */
  version: number
  created: number
  changed: number
  cursor: string
}

/** Whose rights it has. */
export interface WebhookOwner {
  account: string | null
  /** As they were then: they count for who has neither an account nor a key. */
  roles: readonly string[]
  /** The id of a machine's key. */
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
}

/** `dropped`: its maker may not see it any more, or the change is not kept any more. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'dropped'

export interface DeliveryAttempt {
  at: number
  /** Milliseconds. */
  took: number
  /** Null: there was no answer. */
  status: number | null
  /** The beginning of it. */
  answer: string | null
  /** Why it does not count as delivered. */
  error: string | null
}

/** A change that a webhook is to be told of. */
export type NewDelivery = Pick<WebhookDelivery, 'id' | 'position' | 'type'> & { subject: string }

export interface DeliveryLease {
  /** The node. */
  holder: string
  now: number
  until: number
}

export interface WebhookFeeding {
  webhook: string
  version: number
  from: string
  to: string
  deliveries: readonly NewDelivery[]
  now: number
  /** When the deliveries are given up. */
  until: number
}

/** What a delivery has come to: it is over, or due again. */
export type DeliveryOutcome = { attempts: readonly DeliveryAttempt[] } & (
  | { state: 'pending'; due: number }
  | { state: Exclude<DeliveryState, 'pending'>; finished: number }
)

/** Deliveries that wait begin anew. */
export interface DeliveryRestart {
  due: number
  until: number
  /** Where it reads on; null: where it is, since one at work moves by itself. */
  cursor: string | null
}

/** A change that is made once: its answer is kept with it under a key, or neither is. */
export interface IdempotentResult {
  key: IdempotencyKey
  answer: object
  now: number
}

/** Under a key, each change is not made (false) where the key is another's by now, too. */
export interface WebhookStore {
  /** What was kept under the key; null: nothing. Throws a Fault when it was used for something else. */
  recall<A extends object>(once: IdempotencyKey, now: number): Promise<A | null>
  /** An answer to what changes nothing. */
  saveResult(under: IdempotentResult): Promise<void>

  /** All of them, the oldest first. */
  list(): Promise<Webhook[]>
  find(id: string): Promise<Webhook | null>
  /** False when there are as many already. */
  add(webhook: Webhook, most: number, under?: IdempotentResult | null): Promise<boolean>
  /** What somebody may change of it, unless another did meanwhile: false then. */
  save(webhook: Webhook, was: number, anew: DeliveryRestart | null, under?: IdempotentResult | null): Promise<boolean>
  /** With its deliveries. False when there is none of this version; null: of any. */
  remove(id: string, version?: number | null, under?: IdempotentResult | null): Promise<boolean>
  /** By ourselves. False when it is not active, or somebody has changed it meanwhile: what we know is of one that it was. */
  pause(id: string, version: number, why: string, now: number): Promise<boolean>

  /** Who reads the log for it: its cursor, if that is this holder. Null, too, when it is of another version or not active. */
  lease(id: string, version: number, lease: DeliveryLease): Promise<string | null>
  /** False when its cursor is another by now, or it is of another version; then nothing is kept. */
  feed(feeding: WebhookFeeding): Promise<boolean>
  pending(webhook: string): Promise<number>

  /** Those that are due, at most so many; none when the webhook is of another version or not active. */
  claim(webhook: string, version: number, most: number, lease: DeliveryLease): Promise<WebhookDelivery[]>
  /** Only by who holds it: false for others. */
  finish(id: string, holder: string, outcome: DeliveryOutcome): Promise<boolean>
  /** When the next may be claimed; null when none waits. */
  nextDue(webhook: string, now: number): Promise<number | null>
  /** Whether any was delivered since. */
  deliveredSince(webhook: string, time: number): Promise<boolean>

  /** The newest first. */
  deliveries(webhook: string, offset: number, limit: number): Promise<WebhookDelivery[]>
  findDelivery(webhook: string, id: string): Promise<WebhookDelivery | null>
  /** Sends it once more. False when there is none, or it waits already. */
  sendAgain(webhook: string, id: string, now: number, until: number, under?: IdempotentResult | null): Promise<boolean>

  /** Forgets those that were over before this time, and those of no webhook. */
  prune(before: number): Promise<number>
  /** Forgets what was kept under keys that count no more. */
  deleteExpiredResults(now: number): Promise<void>
  /** What this holder has, for others at once; null: what anybody has, where no other node can be. */
  release(holder: string | null): Promise<void>
}
