// The SQLite store: its reads (`reads.ts`), its writes (`writes.ts`), what is told of changes, and what is kept beside the
// rows, put together.

import type { DatabaseSync } from 'node:sqlite'
import type { Gauge, IdempotencyKey, Viewer } from '#base'
import type { AuthorizedPlan, PlanResult, ReadPlan, SubscriptionPlan } from '#plan'
import { SqlEventProjector } from '../changes/event-projector.ts'
import { estimateSubscription } from '../read/estimate.ts'
import type { Store } from '../store.ts'
import type { Layout } from '../tables/layout.ts'
import type { OpenTransaction, PlacedWrite, RunOptions } from '../write/open-transaction.ts'
import type { SqliteChanges } from './changes/change-log.ts'
import { Statements } from './connection.ts'
import { sqlite } from './dialect.ts'
import type { Lock } from './lock.ts'
import type { LongReader } from './read/reader.ts'
import { Reads } from './read/reads.ts'
import type { KeptAnswers } from './read/result-cache.ts'
import type { Snapshot } from './read/snapshot.ts'
import { TableSizes } from './read/table-sizes.ts'
import { type Estimated, Work } from './read/work.ts'
import type { Writer } from './write/writer.ts'
import { Writes } from './write/writes.ts'

interface Parts
  extends Pick<Store, 'credentials' | 'files' | 'webhooks' | 'handlerPositions' | 'usage' | 'idempotency'> {
  layout: Layout
  reading: DatabaseSync
  snapshot: Snapshot
  kept: KeptAnswers
  writer: Writer
  longReader: LongReader
  lock: Lock
  changes: SqliteChanges
  /** Milliseconds that a transaction may stay open for own code. */
  longestInside: number
}

export class SqliteStore implements Store {
  readonly credentials: Store['credentials']
  readonly webhooks: Store['webhooks']
  readonly handlerPositions: Store['handlerPositions']
  readonly usage: Store['usage']
  readonly files: Store['files']
  readonly changes: SqliteChanges
  readonly projector: SqlEventProjector
  readonly idempotency: Store['idempotency']
  readonly #parts: Parts
  readonly #reads: Reads
  readonly #writes: Writes

  constructor(parts: Parts) {
    this.credentials = parts.credentials
    this.webhooks = parts.webhooks
    this.handlerPositions = parts.handlerPositions
    this.usage = parts.usage
    this.files = parts.files
    this.changes = parts.changes
    this.idempotency = parts.idempotency
    this.#parts = parts
    const sizes = new TableSizes(parts.reading, parts.layout, (sql) => parts.longReader.read(sql, []))
    const work = new Work(sizes)
    this.#reads = new Reads({ ...parts, work })
    this.#writes = new Writes({ ...parts, reads: this.#reads, sizes, work })
    this.projector = tellerOf(parts, work)
  }

  run(
    plan: AuthorizedPlan,
    values: readonly unknown[],
    extras: RunOptions,
    viewer: Viewer,
  ): PlanResult | Promise<PlanResult> {
    switch (plan.kind) {
      case 'write':
        return this.#writes.write(plan, values, viewer, extras.idempotencyKey ?? null)
      case 'batch':
        return this.#writes.writeAll(plan, values, viewer, extras.idempotencyKey ?? null)
      default:
        return this.#reads.read(plan as AuthorizedPlan<ReadPlan>, values, extras, viewer)
    }
  }

  transact(
    writes: readonly PlacedWrite[],
    once: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    return this.#writes.transact(writes, once, viewer)
  }

  transaction<T>(work: (inside: OpenTransaction) => Promise<T>): Promise<T> {
    return this.#writes.within(work)
  }

  /** How many statements were compiled so far: one for a plan, however many viewers ask. */
  get compiled(): number {
    return this.#reads.compiled + this.#writes.compiled
  }

  ready(): boolean {
    return this.#parts.writer.isAlive
  }

  gauges(): Gauge[] {
    return [...this.#reads.gauges(), ...this.#parts.writer.gauges()]
  }

  async close(): Promise<void> {
    // The writer goes last: SQLite then moves the log into the database file, which is whole by itself.
    this.#parts.longReader.close()
    this.#parts.reading.close()
    this.changes.close()
    await this.#parts.writer.close()
    this.#parts.lock.release()
  }
}

function tellerOf({ layout, reading, snapshot, longReader }: Parts, work: Work): SqlEventProjector {
  const statements = new Statements(reading)
  const estimates = new WeakMap<SubscriptionPlan, Estimated>()
  return new SqlEventProjector({
    layout,
    dialect: sqlite,
    read(sql, parameters) {
      snapshot.hold()
      return statements.get(sql).all(...parameters) as unknown as unknown[][]
    },
    readLong: (sql, parameters) => longReader.read(sql, parameters),
    mayBeLong(plan, values) {
      const estimated = estimates.get(plan) ?? { estimate: estimateSubscription(plan) }
      estimates.set(plan, estimated)
      return work.isLong(estimated, values)
    },
  })
}
