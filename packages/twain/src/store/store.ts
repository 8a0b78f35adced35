// What the engine sees of a store. Both databases implement it (`sqlite/store.ts`, `postgres/store.ts`).

import type { Gauge } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import type { AuthorizedPlan, PlanResult, ReadPlan } from '#plan'
import type { ChangeLog } from './changes/change-log.ts'
import type { EventProjector } from './changes/event-projector.ts'
import type { StorageFailures } from './observe/storage-failures.ts'
import type { Query } from './sql/query.ts'
import type { StoreClock } from './store-clock.ts'
import type { CredentialStore } from './system/accounts/credential-store.ts'
import type { DataMigrations } from './system/data-migrations.ts'
import type { FileRecords } from './system/files/file-records.ts'
import type { BackgroundDelete, BackgroundDeletes } from './system/jobs/background-deletes.ts'
import type { SystemStores } from './system/open-system-stores.ts'
import type {
  OpenTransaction,
  PlacedWrite,
  RunOptions,
  StoreCaller,
  TransactionOptions,
} from './write/open-transaction.ts'
import type { DeletedPortion } from './write/steps/write-job.ts'

/** A reason of `Store.unready`. */
export const takesNoWrites = 'the database does not accept writes'

export interface Store extends SystemStores {
  readonly credentials: CredentialStore
  readonly clock: StoreClock
  readonly failures: StorageFailures
  /** Null where the schema has no files. */
  readonly files: FileRecords | null
  /** The committed changes, in the order in which they can be read. */
  readonly changes: ChangeLog
  readonly projector: EventProjector
  /** Runs one plan. The values are canonical, by parameter index. Throws an ApiError, or rejects with one. */
  run(
    plan: AuthorizedPlan,
    values: readonly unknown[],
    options: RunOptions,
    viewer: Viewer,
  ): PlanResult | Promise<PlanResult>
  /** Deletes a portion of what a delete in the background has left. */
  deletePortion(root: BackgroundDelete): Promise<DeletedPortion>
  readonly backgroundDeletes: BackgroundDeletes
  readonly dataMigrations: DataMigrations
  /** The read as a query that a write of a system table runs after it, in its own transaction; `toResult` reads its row. */
  queryFor(plan: AuthorizedPlan<ReadPlan>, values: readonly unknown[], viewer: Viewer): Query
  /** Runs several writes in one transaction, in their order: all of them or none. Rejects with an ApiError that names each
   *  failed write by its place. */
  transact(
    writes: readonly PlacedWrite[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
    caller?: StoreCaller,
  ): Promise<PlanResult & { kind: 'batch' }>
  /** Runs custom code, with its reads and writes, in one transaction. If `work` rejects, the store rolls everything back. The
   *  store calls `work` again after a conflict with another transaction. */
  transaction<T>(
    work: (transaction: OpenTransaction) => Promise<T>,
    viewer: Viewer,
    options?: TransactionOptions,
  ): Promise<T>
  /** How the database would run one of the store's reads, as text; null: it can't tell, because the statement is no single read. */
  explain(sql: string): Promise<string | null>
  /** Why the store can't write or read just now; null: it can. */
  unready(): string | null
  /** Throws an ApiError if the files of the database have gone: nothing is stored beside them then. */
  requirePlace(): void
  /** Whether results of writes wait for the event loop. False where a store can't know. */
  hasResults(): boolean
  gauges(): Gauge[]
  /** Finishes the pending writes first. */
  close(): Promise<void>
}
