// The queue: jobs of custom code, deliveries of webhooks, mails and deletes in the background (docs/internals/decisions/0043-queue.md).
//
// 1. A node that claims a job has a lease on it. It renews the lease while it runs the job; when the lease ends, any node may claim
//    the job again. All times are those of the database.
// 2. Jobs of one lane run one at a time, in the order in which they were enqueued. The database holds this with a unique index.
// 3. Of the jobs of a key, at most one waits for its first attempt: another one that is enqueued meanwhile is that one. Whoever
//    enqueues it locks it, so that it begins after the commit of both.
// 4. An attempt counts when it begins, so that a job which ends its process is given up, too.
// 5. A job that waits for a retry, or for its turn, and is due later than its delay allows, was enqueued by a clock that was ahead: it
//    is due anew. Whoever sets a time (`NewJob.at`) means that time.

import type { Query } from '../../sql/query.ts'
import type { IdempotentResult } from '../change-once.ts'

/** Whose work a job is. Each kind has its own worker. */
export type JobKind = 'code' | 'delivery' | 'delete' | 'mail'

export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'

export interface NewJob {
  /** A job with this id is enqueued once; default: a new id. */
  id?: string
  kind: JobKind
  name: string
  key: string | null
  /** JSON. */
  payload: string
  /** When it may begin, in milliseconds since 1970; null: now. */
  at: number | null
  /** Who causes it, as in the change log. */
  by: string
}

export interface JobAttempt {
  at: number
  /** Milliseconds. */
  took: number
  /** Why it failed; null: it did not. */
  error: string | null
}

/** Times are milliseconds since 1970. */
export interface Job {
  id: string
  kind: JobKind
  name: string
  key: string | null
  /** JSON. */
  payload: string
  by: string | null
  state: JobState
  created: number
  due: number
  until: number | null
  started: number | null
  finished: number | null
  /** Attempts that began. */
  tries: number
  /** The last ones that ended. */
  attempts: readonly JobAttempt[]
  /** Rises with each change. */
  version: number
}

/** What must hold of a change of one job. */
export interface JobChange {
  /** The version that the job must have; null: any. */
  version: number | null
  /** Saved with the change; null: the request has no idempotency key. */
  under: IdempotentResult | null
  /** Reads the job after the change, in its transaction. */
  readBack?: Query
}

export interface ChangedJob extends Job {
  /** The row of `JobChange.readBack`. */
  row: unknown[] | null
}

/** A job that this node runs. */
export interface ClaimedJob extends Job {
  /** Whether the node that ran it before has lost its lease. */
  isTakenOver: boolean
}

export interface JobLease {
  /** The node that has the lease. */
  holder: string
  leaseMs: number
}

/** How an attempt ended. */
export type JobOutcome = { attempts: readonly JobAttempt[] } & (
  | { state: 'waiting'; delayMs: number /** Whether the attempt does not count. */; isReleased?: boolean }
  | { state: 'done' | 'failed' | 'cancelled' }
)

export interface JobFilter {
  kind: JobKind
  name?: string | null
  state?: JobState | null
  offset: number
  limit: number
}

/** A row of `twain_schedule`. */
export interface StoredSchedule {
  name: string
  spec: string
  tick: number
}

export interface JobCounts {
  waiting: number
  running: number
  failed: number
}

/** Opened for the command line alone. */
export type OpenJobStore = JobStore & { close(): Promise<void> }

/** Each method that needs the time takes that of the database, unless it is opened with a clock. */
export interface JobStore {
  /** Whether other nodes may work on the same queue. */
  readonly isShared: boolean
  /** Milliseconds since 1970. */
  now(): Promise<number>

  /** Returns the id of the job; with a key, maybe that of one that waits. */
  enqueue(job: NewJob): Promise<string>
  /** Calls `listener` after jobs of this kind were enqueued by this process. */
  watch(kind: JobKind, listener: () => void): () => void
  /** Tells the listeners that a transaction which enqueued jobs was committed. */
  enqueued(kind: JobKind): void

  /** For each of the names that have unfinished jobs: in how many milliseconds one may be claimed, or its lease ends. Jobs that wait
   *  for others of their lane do not count. */
  nextDue(kind: JobKind, names: readonly string[]): Promise<Map<string, number>>
  /** Leases jobs that are due, at most `most`. */
  claim(kind: JobKind, name: string, most: number, lease: JobLease): Promise<ClaimedJob[]>
  /** Extends the leases, and returns the ids of the jobs that this node still has. */
  renew(ids: readonly string[], lease: JobLease): Promise<Set<string>>
  /** False if this node has lost its lease. */
  finish(id: string, holder: string, outcome: JobOutcome): Promise<boolean>
  /** Makes the jobs that a node runs wait again, and does not count the attempt. Null: those of a killed process, if there are no
   *  other nodes; such attempts count. */
  release(kind: JobKind, holder: string | null): Promise<void>
  /** Names of due jobs that are none of these. */
  otherNames(kind: JobKind, names: readonly string[]): Promise<string[]>
  count(kind: JobKind): Promise<JobCounts>

  /** The newest first. */
  list(filter: JobFilter): Promise<Job[]>
  find(kind: JobKind, id: string): Promise<Job | null>
  /** Makes a finished job wait again, with a new count of attempts. Null if there is none. */
  retry(kind: JobKind, id: string, change?: JobChange): Promise<ChangedJob | null>
  /** Null if there is no unfinished job with this id. The node that runs it notices when it renews its lease. */
  cancel(kind: JobKind, id: string, change?: JobChange): Promise<ChangedJob | null>
  /** Deletes jobs that finished so long ago. */
  prune(kind: JobKind, ageMs: number): Promise<number>

  schedules(): Promise<StoredSchedule[]>
  /** Saves a schedule that is new, or has changed since `previous`. */
  saveSchedule(schedule: StoredSchedule, previous: StoredSchedule | null): Promise<void>
  /** Enqueues the job of a tick that is due, and saves the next tick. False if another node has done it. */
  fire(schedule: StoredSchedule, next: number, job: NewJob): Promise<boolean>
}
