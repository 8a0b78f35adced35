// What the doors see of the engine.

import type { IdempotencyKey, MaybePromise, Viewer } from '#base'
import type { AnyField, Model, Resource } from '#model'
import type { BoundPlan, CustomCall, CustomCallResult, Limits, PlanResult, SubscriptionPlan, WriteKind } from '#plan'
import type { Visibility } from '#plan/build'
import type { Deprecations } from '#plan/explain'
import type { ChangeEvent, ChangeRecord, ViewerAccount } from '#store'
import type { TransactionPart } from './transaction.ts'
import type { Usage } from './usage/usage.ts'

export interface Engine {
  readonly model: Model
  readonly limits: Limits
  /** Who uses what: doors count each plan that they were asked for. */
  readonly usage: Pick<Usage, 'count'>
  /** Null where the contract deprecates nothing. */
  readonly deprecations: Deprecations | null
  /** What this viewer can never see: doors give it to their Draft, and its key stands in the key of every plan that they keep. */
  visibility(viewer: Viewer): Visibility
  /** Before anything of a write is read: throws a Fault where no line of the contract could give it to this viewer. */
  admit(write: WriteKind, viewer: Viewer): void
  /** Before anything of a file is read: throws a Fault where this viewer could put it into no field. */
  admitUpload(viewer: Viewer): void
  /** What is told of fields that may not be read, by the lines that would let them be. */
  readonly deniedReads: DeniedReads
  /** The corridor: check → authorize → limit → run. The only way to the store. Throws a Fault, or rejects with one. */
  execute(boundPlan: BoundPlan, viewer: Viewer, options?: ExecuteOptions): MaybePromise<PlanResult>
  /** Several writes in one transaction, in their order: all of them or none. Rejects with a Fault that names those that fail
   *  by their places. */
  transact(
    parts: readonly TransactionPart[],
    viewer: Viewer,
    once?: IdempotencyKey | null,
  ): Promise<PlanResult & { kind: 'batch' }>
  /** Whether a write was made before, for a door that would else look at rows first. Throws a Fault when its key was used for
   *  something else, or it is under way. */
  hasResult(once: IdempotencyKey): Promise<boolean>
  /** An operation that own code answers. */
  call(
    boundPlan: BoundPlan<CustomCall>,
    viewer: Viewer,
    options?: Pick<ExecuteOptions, 'whole' | 'idempotencyKey'>,
  ): Promise<CustomCallResult>
  /** The same corridor for what is told of changes. Throws a Fault. */
  subscribe(
    boundPlan: BoundPlan<SubscriptionPlan>,
    viewer: Viewer,
    options?: Pick<ExecuteOptions, 'whole'>,
  ): PlannedSubscription
}

export interface DeniedReads {
  /** To the log: once for a request. */
  tell(fields: Iterable<AnyField>): void
  /** For the answer; undefined unless its callers are those who write the file. */
  hint(fields: Iterable<AnyField>): string | undefined
}

/** A question about changes that was checked, authorized and limited: what is told is found out again for each change. */
export interface PlannedSubscription {
  readonly of: Resource
  /** The same for the same question of viewers of one class: what is told of a change is found out once for all of them. */
  readonly key: string
  /** What viewers, by their accounts, are told of changes of this type: by change, then by viewer; null is not told. */
  project(changes: readonly ChangeRecord[], accounts: readonly ViewerAccount[]): Promise<(ChangeEvent | null)[][]>
}

/** What a door wants to know of a page beside its rows. */
export interface ExecuteOptions {
  /** Whether rows follow behind an offset page. */
  more?: boolean
  /** How many rows the filter matches in all. */
  total?: boolean
  /** Nothing was chosen (REST's default representation), so depth and cost are not judged. */
  whole?: boolean
  /** The rows as they are now, since a write is to follow that goes by them. */
  fresh?: boolean
  /** A write that is made once, however often it is sent (`Idempotency-Key`). */
  idempotencyKey?: IdempotencyKey
}
