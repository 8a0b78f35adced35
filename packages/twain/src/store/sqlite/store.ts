// The SQLite store: combines its reader, its writer, the change log and the system tables.

import type { DatabaseSync } from 'node:sqlite'
import { type CacheBudget, type Gauge, unreachable } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import type { AuthorizedPlan, PlanResult, ReadPlan, SubscriptionPlan } from '#plan'
import { SqlEventProjector } from '../changes/event-projector.ts'
import { isSingleRead } from '../observe/single-read.ts'
import type { StatementObserver } from '../observe/statement-observer.ts'
import { databaseIsDamaged } from '../observe/storage-failures.ts'
import { estimateSubscription } from '../read/estimate.ts'
import type { Query } from '../sql/query.ts'
import { type Store, takesNoWrites } from '../store.ts'
import type { BackgroundDelete } from '../system/jobs/background-deletes.ts'
import type { Layout } from '../tables/layout.ts'
import type { OpenTransaction, PlacedWrite, RunOptions, TransactionOptions } from '../write/open-transaction.ts'
import type { DeletedPortion } from '../write/steps/write-job.ts'
import type { SqliteChangeLog } from './changes/change-log.ts'
import type { SqliteClock } from './clock/sqlite-clock.ts'
import { SqliteStatements } from './connect/connect.ts'
import { type FilePlace, filesHaveGone } from './connect/file-place.ts'
import type { FolderLock } from './connect/lock-folder.ts'
import { sqlite } from './dialect.ts'
import type { LongReader } from './read/long-reader.ts'
import { printQueryPlan, type QueryPlanStep } from './read/query-plan.ts'
import { type EstimatedRead, ReadCost } from './read/read-cost.ts'
import { SqliteReader } from './read/reader.ts'
import type { ResultCache } from './read/result-cache.ts'
import type { Snapshot } from './read/snapshot.ts'
import { TableSizes } from './read/table-sizes.ts'
import type { SearchMerger } from './write/search-merger.ts'
import type { WalLimit } from './write/wal-limit.ts'
import type { WriteQueue } from './write/write-queue.ts'
import { SqliteWriter } from './write/writer.ts'

interface SqliteStoreParts
  extends Pick<
    Store,
    | 'clock'
    | 'failures'
    | 'credentials'
    | 'backgroundDeletes'
    | 'files'
    | 'webhooks'
    | 'handlerPositions'
    | 'usage'
    | 'idempotency'
    | 'servedLimits'
    | 'nodes'
    | 'dataMigrations'
    | 'jobs'
    | 'images'
    | 'attempts'
    | 'codes'
    | 'imports'
  > {
  layout: Layout
  reading: DatabaseSync
  snapshot: Snapshot
  resultCache: ResultCache
  queue: WriteQueue
  ownClock: SqliteClock
  searchMerger: SearchMerger
  longReader: LongReader
  walLimit: WalLimit
  place: FilePlace
  lock: FolderLock
  changes: SqliteChangeLog
  caches: CacheBudget
  observer: StatementObserver
  /** How long custom code may keep a transaction open. */
  transactionMs: number
  minDeepOffset: number
}

export class SqliteStore implements Store {
  readonly clock: Store['clock']
  readonly failures: Store['failures']
  readonly credentials: Store['credentials']
  readonly webhooks: Store['webhooks']
  readonly handlerPositions: Store['handlerPositions']
  readonly servedLimits: Store['servedLimits']
  readonly nodes: Store['nodes']
  readonly dataMigrations: Store['dataMigrations']
  readonly jobs: Store['jobs']
  readonly images: Store['images']
  readonly attempts: Store['attempts']
  readonly codes: Store['codes']
  readonly imports: Store['imports']
  readonly usage: Store['usage']
  readonly files: Store['files']
  readonly changes: SqliteChangeLog
  readonly projector: SqlEventProjector
  readonly idempotency: Store['idempotency']
  readonly backgroundDeletes: Store['backgroundDeletes']
  readonly #parts: SqliteStoreParts
  readonly #reader: SqliteReader
  readonly #writer: SqliteWriter

  constructor(parts: SqliteStoreParts) {
    this.clock = parts.clock
    this.failures = parts.failures
    this.credentials = parts.credentials
    this.webhooks = parts.webhooks
    this.handlerPositions = parts.handlerPositions
    this.servedLimits = parts.servedLimits
    this.nodes = parts.nodes
    this.dataMigrations = parts.dataMigrations
    this.jobs = parts.jobs
    this.images = parts.images
    this.attempts = parts.attempts
    this.codes = parts.codes
    this.imports = parts.imports
    this.usage = parts.usage
    this.files = parts.files
    this.changes = parts.changes
    this.idempotency = parts.idempotency
    this.backgroundDeletes = parts.backgroundDeletes
    this.#parts = parts
    const sizes = new TableSizes(parts.reading, parts.layout, (sql) => parts.longReader.read(sql, []), parts.failures)
    const cost = new ReadCost(sizes)
    this.#reader = new SqliteReader({ ...parts, cost })
    this.#writer = new SqliteWriter({ ...parts, reader: this.#reader, sizes, cost })
    this.projector = createProjector(parts, cost)
  }

  run(
    plan: AuthorizedPlan,
    values: readonly unknown[],
    options: RunOptions,
    viewer: Viewer,
  ): PlanResult | Promise<PlanResult> {
    switch (plan.kind) {
      case 'write':
        return this.#writer.write(plan, values, viewer, options)
      case 'batch':
        return this.#writer.writeAll(plan, values, viewer, options.idempotencyKey ?? null)
      case 'bulk':
        return this.#writer.writeBulk(plan, values, viewer, options)
      case 'one':
      case 'many':
      case 'groups':
        return this.#reader.read(plan as AuthorizedPlan<ReadPlan>, values, options, viewer)
      default:
        return unreachable(plan)
    }
  }

  queryFor(plan: AuthorizedPlan<ReadPlan>, values: readonly unknown[], viewer: Viewer): Query {
    return this.#reader.queryFor(plan, values, false, viewer)
  }

  transact(
    writes: readonly PlacedWrite[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    return this.#writer.transact(writes, idempotencyKey, viewer)
  }

  transaction<T>(
    work: (inside: OpenTransaction) => Promise<T>,
    _viewer: Viewer,
    options?: TransactionOptions,
  ): Promise<T> {
    return this.#writer.transaction(work, options)
  }

  /** How many statements were compiled so far: one for a plan, whatever the number of viewers. */
  get compiled(): number {
    return this.#reader.compiled + this.#writer.compiled
  }

  deletePortion(root: BackgroundDelete): Promise<DeletedPortion> {
    return this.#parts.queue.deletePortion(root)
  }

  async explain(sql: string): Promise<string | null> {
    if (!isSingleRead(sql)) return null
    const { reading, snapshot } = this.#parts
    snapshot.acquire()
    const steps = reading.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown as QueryPlanStep[]
    return printQueryPlan(steps)
  }

  unready(): string | null {
    if (this.#parts.place.hasGone) return filesHaveGone
    if (this.failures.isDamaged) return databaseIsDamaged
    return this.#parts.queue.isWritable ? null : takesNoWrites
  }

  requirePlace(): void {
    this.#parts.place.look()
    this.#parts.place.require()
  }

  hasResults(): boolean {
    return this.#parts.queue.hasResults
  }

  gauges(): Gauge[] {
    return [...this.#parts.queue.gauges(), this.#parts.walLimit.gauge(), ...this.failures.gauges()]
  }

  async close(): Promise<void> {
    // The writer closes last: SQLite then moves the write-ahead log into the database file.
    await this.#parts.ownClock.close()
    this.#parts.place.close()
    await this.#parts.longReader.close()
    this.#parts.reading.close()
    this.changes.close()
    await this.#parts.searchMerger.stop()
    await this.#parts.queue.close()
    this.#parts.lock.release()
  }
}

function createProjector(
  { layout, reading, snapshot, longReader, caches, failures }: SqliteStoreParts,
  cost: ReadCost,
): SqlEventProjector {
  const statements = new SqliteStatements(reading, caches)
  const estimates = new WeakMap<SubscriptionPlan, EstimatedRead>()
  return new SqlEventProjector({
    layout,
    dialect: sqlite,
    read(sql, parameters) {
      snapshot.acquire()
      return failures.reading(() => statements.get(sql).all(...parameters) as unknown as unknown[][])
    },
    readLong: (sql, parameters) => longReader.read(sql, parameters),
    mayBeLong(plan, values) {
      const estimated = estimates.get(plan) ?? { estimate: estimateSubscription(plan) }
      estimates.set(plan, estimated)
      return cost.isLong(estimated, values)
    },
  })
}
