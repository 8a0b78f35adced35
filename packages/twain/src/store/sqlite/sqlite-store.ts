// The SQLite store: its reads (`reads.ts`), its writes (`writes.ts`), what is told of changes, and what is kept beside the
// rows, put together.

import type { DatabaseSync } from 'node:sqlite'
import type { Gauge, Once, Viewer } from '#base'
import type { ReferenceField } from '#model'
import type { Answer, AuthorizedPlan, Read, Watch } from '#plan'
import type { Change } from '../changes/changes.ts'
import type { SqliteChanges } from '../changes/sqlite-changes.ts'
import { sqlite } from '../compile/sqlite-dialect.ts'
import type { Extras, Inside, Placed, Store } from '../contract.ts'
import { estimateWatch } from '../estimate.ts'
import type { FileRecords } from '../files.ts'
import type { Layout } from '../layout.ts'
import type { LogReaders } from '../log-readers.ts'
import type { KeptWebhooks } from '../open-webhooks.ts'
import { type Account, Teller, type Told } from '../tell/teller.ts'
import type { UsageRecords } from '../usage.ts'
import type { Vault } from '../vault.ts'
import type { OnceRecords } from '../write/once-records.ts'
import { Statements } from './connection.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { Lock } from './lock.ts'
import type { LongReader } from './reader.ts'
import { Reads } from './reads.ts'
import type { Snapshot } from './snapshot.ts'
import { TableSizes } from './table-sizes.ts'
import { type Estimated, Work } from './work.ts'
import type { Writer } from './write/writer.ts'
import { Writes } from './writes.ts'

interface Parts {
  layout: Layout
  reading: DatabaseSync
  snapshot: Snapshot
  kept: KeptAnswers
  writer: Writer
  longReader: LongReader
  lock: Lock
  once: OnceRecords
  vault: Vault
  webhooks: KeptWebhooks
  readers: LogReaders
  usage: UsageRecords
  files: FileRecords | null
  changes: SqliteChanges
  /** Milliseconds that a transaction may stay open for own code. */
  longestInside: number
}

export class SqliteStore implements Store {
  readonly vault: Vault
  readonly webhooks: KeptWebhooks
  readonly readers: LogReaders
  readonly usage: UsageRecords
  readonly files: FileRecords | null
  readonly changes: SqliteChanges
  readonly #parts: Parts
  readonly #reads: Reads
  readonly #writes: Writes
  readonly #teller: Teller

  constructor(parts: Parts) {
    this.vault = parts.vault
    this.webhooks = parts.webhooks
    this.readers = parts.readers
    this.usage = parts.usage
    this.files = parts.files
    this.changes = parts.changes
    this.#parts = parts
    const sizes = new TableSizes(parts.reading, parts.layout, (sql) => parts.longReader.read(sql, []))
    const work = new Work(sizes)
    this.#reads = new Reads({ ...parts, work })
    this.#writes = new Writes({ ...parts, reads: this.#reads, sizes, work })
    this.#teller = tellerOf(parts, work)
  }

  run(plan: AuthorizedPlan, values: readonly unknown[], extras: Extras, viewer: Viewer): Answer | Promise<Answer> {
    switch (plan.kind) {
      case 'write':
        return this.#writes.write(plan, values, viewer, extras.once ?? null)
      case 'batch':
        return this.#writes.writeAll(plan, values, viewer, extras.once ?? null)
      default:
        return this.#reads.read(plan as AuthorizedPlan<Read>, values, extras, viewer)
    }
  }

  transact(writes: readonly Placed[], once: Once | null, viewer: Viewer): Promise<Answer & { kind: 'batch' }> {
    return this.#writes.transact(writes, once, viewer)
  }

  within<T>(work: (inside: Inside) => Promise<T>): Promise<T> {
    return this.#writes.within(work)
  }

  recall<A extends object = Answer>(once: Once): Promise<A | null> {
    return this.#parts.once.recall(once)
  }

  remember(once: Once, answer: object): Promise<void> {
    return this.#parts.once.remember(once, answer)
  }

  tell(
    plan: AuthorizedPlan<Watch>,
    values: readonly unknown[],
    changes: readonly Change[],
    accounts: readonly Account[],
  ): Promise<(Told | null)[][]> {
    return this.#teller.tell(plan, values, changes, accounts)
  }

  referred(change: Change, field: ReferenceField): readonly string[] {
    return this.#teller.referred(change, field)
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

function tellerOf({ layout, reading, snapshot, longReader }: Parts, work: Work): Teller {
  const statements = new Statements(reading)
  const estimates = new WeakMap<Watch, Estimated>()
  return new Teller({
    layout,
    dialect: sqlite,
    read(sql, parameters) {
      snapshot.hold()
      return statements.get(sql).all(...parameters) as unknown as unknown[][]
    },
    readLong: (sql, parameters) => longReader.read(sql, parameters),
    isLong(plan, values) {
      const estimated = estimates.get(plan) ?? { estimate: estimateWatch(plan) }
      estimates.set(plan, estimated)
      return work.isLong(estimated, values)
    },
  })
}
