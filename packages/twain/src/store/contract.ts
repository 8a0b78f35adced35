// What the engine sees of a store.

import type { Gauge, IdempotencyKey, Log, Viewer } from '#base'
import type { Model, ReferenceField } from '#model'
import type { AuthorizedPlan, Limits, PlanResult, SubscriptionPlan, WritePlan } from '#plan'
import type { ChangeLog, ChangeRecord } from './changes/change-log.ts'
import type { ChangeEvent, ViewerAccount } from './changes/event-projector.ts'
import type { CredentialStore } from './system/credential-store.ts'
import type { FileRecords } from './system/file-records.ts'
import type { HandlerPositions } from './system/handler-positions.ts'
import type { WebhookStoreLoader } from './system/open-webhook-store.ts'
import type { UsageStore } from './system/usage-store.ts'

export interface Store {
  /** What is kept of identity. */
  readonly credentials: CredentialStore
  /** What is kept of files; null where the contract has none. */
  readonly files: FileRecords | null
  /** What is kept of webhooks. */
  readonly webhooks: WebhookStoreLoader
  /** How far own code has come in what was committed. */
  readonly handlerPositions: HandlerPositions
  /** What is kept of who used what. */
  readonly usage: UsageStore
  /** What was committed, in the order in which it can be read. */
  readonly changes: ChangeLog
  readonly projector: EventProjector
  readonly idempotency: IdempotencyRecords
  /** The values are canonical, by slot index. Throws a Fault, or rejects with one. */
  run(
    plan: AuthorizedPlan,
    values: readonly unknown[],
    extras: RunOptions,
    viewer: Viewer,
  ): PlanResult | Promise<PlanResult>
  /** Several writes in one transaction, in their order: all of them or none. Rejects with a Fault that names those that fail
   *  by their places. */
  transact(
    writes: readonly PlacedWrite[],
    once: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }>
  /** Reads and writes in one transaction with what own code does between them. What `work` rejects with undoes all of it. It
   *  may be called again, when others came in the way. */
  transaction<T>(work: (inside: OpenTransaction) => Promise<T>, viewer: Viewer): Promise<T>
  /** False once nothing can be written any more. */
  ready(): boolean
  /** What it tells in numbers. */
  gauges(): Gauge[]
  /** Finishes the writes that wait. */
  close(): Promise<void>
}

export interface EventProjector {
  /** What viewers, by their accounts, are told of changes of the plan's type: by change, then by viewer; null is not told.
   *  All of them are of the class that the plan was authorized for. */
  project(
    plan: AuthorizedPlan<SubscriptionPlan>,
    values: readonly unknown[],
    changes: readonly ChangeRecord[],
    accounts: readonly ViewerAccount[],
  ): Promise<(ChangeEvent | null)[][]>
  /** The ids that the row of a change refers to by a field, after it and before it; what did not change stands there once. */
  referred(change: ChangeRecord, field: ReferenceField): readonly string[]
}

/** What was answered under keys (`Idempotency-Key`). */
export interface IdempotencyRecords {
  /** Of a write, or what `remember` kept; null: it was not made. Throws a Fault when the key was used for something else. */
  recall<A extends object = PlanResult>(once: IdempotencyKey): Promise<A | null>
  /** Keeps the answer of something that is no write of its own. */
  remember(once: IdempotencyKey, answer: object): Promise<void>
}

/** A transaction that is open (`inside.ts`). */
export interface OpenTransaction {
  run(plan: AuthorizedPlan, values: readonly unknown[], extras: RunOptions, viewer: Viewer): Promise<PlanResult>
  transact(
    writes: readonly PlacedWrite[],
    once: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }>
  /** What was written in it since this was asked last, in its order: whatever came along, too. The first time nothing. */
  written(): Promise<WrittenChange[]>
  /** What `work` does is undone when it has ended; what it found out is given. */
  undone<T>(work: () => Promise<T>): Promise<T>
  /** The rows that `work` is asked to make have these ids, in their order; what is missing is put there. So they are the same
   *  when it is done again. */
  withIds<T>(ids: string[], work: () => Promise<T>): Promise<T>
}

/** One line of the change log, in short. */
export interface WrittenChange {
  resource: string
  id: string
  kind: ChangeRecord['kind']
}

/** One write of a transaction, with its own values. */
export interface PlacedWrite {
  place: string
  plan: AuthorizedPlan<WritePlan>
  values: readonly unknown[]
}

/** What is asked of a page beside its rows. */
export interface RunOptions {
  more: boolean
  total: boolean
  /** Whether the rows are wanted as they are now, since a write is to follow: a replica may not have the last change. */
  fresh?: boolean
  /** A write that is made once, however often it is sent. */
  idempotencyKey?: IdempotencyKey
}

export interface OpenOptions {
  /** The data folder; made when it is not there. */
  data: string
  /** The address of a PostgreSQL database, in the place of the folder's SQLite file. */
  database?: string | null
  /** Addresses of its replicas, which reads may go to. */
  replicas?: readonly string[]
  /** How many connections to it at most. */
  poolSize?: number
  /** Seconds that a statement may take there; null is as long as an answer may. */
  statementTimeoutSeconds?: number | null
  /** Seconds that a start waits for it. */
  startupWaitSeconds?: number
  /** Ends that waiting: what is thrown then is its reason. */
  stop?: AbortSignal
  model: Model
  /** The text that the model was loaded from: it is kept with the data. */
  sdl: string
  limits: Limits
  log: Log
  /** Whether a contract may be served that breaks clients of the one that was served last. */
  allowBreaking?: boolean
  /** How many writes may share a commit; 1 is one commit each. */
  maxGroupedWrites?: number
  /** Milliseconds that a transaction may stay open for own code. */
  maxTransactionMs?: number
}
