// The PostgreSQL store: combines its reader, its writer, the change log and the system tables.

import { type CacheBudget, type Gauge, unreachable } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import type { AuthorizedPlan, PlanResult, ReadPlan } from '#plan'
import { SqlEventProjector } from '../changes/event-projector.ts'
import { isSingleRead } from '../observe/single-read.ts'
import type { StatementObserver } from '../observe/statement-observer.ts'
import { databaseIsDamaged } from '../observe/storage-failures.ts'
import type { Query } from '../sql/query.ts'
import { type Store, takesNoWrites } from '../store.ts'
import type { BackgroundDelete } from '../system/jobs/background-deletes.ts'
import type { Layout } from '../tables/layout.ts'
import type {
  OpenTransaction,
  PlacedWrite,
  RunOptions,
  StoreCaller,
  TransactionOptions,
} from '../write/open-transaction.ts'
import type { DeletedPortion } from '../write/steps/write-job.ts'
import type { PostgresChangeLog } from './changes/change-log.ts'
import type { DatabaseClock } from './clock/database-clock.ts'
import { postgres } from './dialect.ts'
import type { ReadPool } from './read/read-pool.ts'
import { PostgresReader } from './read/reader.ts'
import type { Replicas } from './read/replicas.ts'
import type { SearchRefresher } from './search-refresher.ts'
import type { JobRunner } from './write/job-runner.ts'
import type { Transactions } from './write/transactions.ts'
import { PostgresWriter } from './write/writer.ts'

interface PostgresStoreParts
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
  databaseClock: DatabaseClock
  pool: ReadPool
  /** Null without views. */
  viewPool: ReadPool | null
  replicas: Replicas | null
  transactions: Transactions
  jobRunner: JobRunner
  changes: PostgresChangeLog
  searchRefresher: SearchRefresher
  caches: CacheBudget
  observer: StatementObserver
  /** How long custom code may keep a transaction open. */
  transactionMs: number
  minDeepOffset: number
}

export class PostgresStore implements Store {
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
  readonly changes: PostgresChangeLog
  readonly projector: SqlEventProjector
  readonly idempotency: Store['idempotency']
  readonly backgroundDeletes: Store['backgroundDeletes']
  readonly #parts: PostgresStoreParts
  readonly #reader: PostgresReader
  readonly #writer: PostgresWriter

  constructor(parts: PostgresStoreParts) {
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
    this.#reader = new PostgresReader(parts)
    this.#writer = new PostgresWriter({
      ...parts,
      reader: this.#reader,
      isSerializable: parts.transactions.isSerializable,
    })
    this.projector = new SqlEventProjector({
      layout: parts.layout,
      dialect: postgres,
      read: (sql, parameters) => parts.pool.query(sql, parameters),
      readLong: null,
      mayBeLong: () => false,
    })
  }

  run(plan: AuthorizedPlan, values: readonly unknown[], options: RunOptions, viewer: Viewer): Promise<PlanResult> {
    switch (plan.kind) {
      case 'write':
        return this.#writer.write(plan, values, viewer, options)
      case 'batch':
        return this.#writer.writeAll(plan, values, viewer, options)
      case 'bulk':
        return this.#writer.writeBulk(plan, values, viewer, options)
      case 'one':
      case 'many':
      case 'groups':
        return this.#reader.read(plan, values, options, viewer)
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
    caller?: StoreCaller,
  ): Promise<PlanResult & { kind: 'batch' }> {
    return this.#writer.transact(writes, { idempotencyKey, caller }, viewer)
  }

  transaction<T>(
    work: (inside: OpenTransaction) => Promise<T>,
    viewer: Viewer,
    options?: TransactionOptions,
  ): Promise<T> {
    return this.#writer.transaction(work, viewer, options)
  }

  deletePortion(root: BackgroundDelete): Promise<DeletedPortion> {
    return this.#parts.jobRunner.deletePortion(root)
  }

  /** Without values, from version 16 on. */
  async explain(sql: string): Promise<string | null> {
    if (!isSingleRead(sql)) return null
    const parameters = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
    const nulls = new Array<null>(Math.max(0, ...parameters)).fill(null) // the protocol wants values, a generic plan uses none
    const lines = await this.#parts.pool.query(`EXPLAIN (GENERIC_PLAN) ${sql}`, nulls)
    return lines.map(([line]) => String(line)).join('\n')
  }

  unready(): string | null {
    const { databaseClock, pool, transactions } = this.#parts
    if (this.failures.isDamaged) return databaseIsDamaged
    return pool.isReachable && transactions.isWritable ? databaseClock.problem : takesNoWrites
  }

  requirePlace(): void {}

  hasResults(): boolean {
    return false
  }

  gauges(): Gauge[] {
    return [...this.#parts.pool.gauges(), ...this.#parts.databaseClock.gauges(), ...this.failures.gauges()]
  }

  async close(): Promise<void> {
    this.#parts.databaseClock.close()
    this.#parts.searchRefresher.close()
    await this.changes.close()
    await this.#parts.transactions.close()
    await this.#parts.replicas?.close()
    await Promise.all([this.#parts.pool.close(), this.#parts.viewPool?.close()])
  }
}
