// The PostgreSQL store: plan → statement → result. Every read is one statement and one round trip, and the server caches its
// plan for each connection. Writes have their own connections.

import type { Gauge } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import type { AuthorizedPlan, PlanResult, ReadPlan, WriteBatch, WritePlan } from '#plan'
import { SqlEventProjector } from '../changes/event-projector.ts'
import { CompiledReads } from '../read/compiled-reads.ts'
import { notReadBack, resultTooLarge } from '../read/read-errors.ts'
import { toResult } from '../read/to-result.ts'
import { bind } from '../sql/bind.ts'
import { type CompiledRead, compileRead } from '../sql/read.ts'
import type { Store } from '../store.ts'
import { type Layout, StorageTypeNames } from '../tables/layout.ts'
import type { OpenTransaction, PlacedWrite, RunOptions } from '../write/open-transaction.ts'
import { runOpenTransaction, type TransactionBackend } from '../write/open-transaction.ts'
import type { WriteJob, Written } from '../write/steps/write-job.ts'
import { WriteJobBuilder } from '../write/write-job-builder.ts'
import type { PostgresChangeLog } from './changes/change-log.ts'
import { postgres } from './dialect.ts'
import type { ReadPool } from './read/read-pool.ts'
import type { Replicas } from './read/replicas.ts'
import type { SearchRefresher } from './search-refresher.ts'
import type { ApplyJob, JobRunner } from './write/job-runner.ts'
import type { RunQueries } from './write/run-step.ts'
import type { Transactions } from './write/transactions.ts'

/** The change log entries of this transaction: they have no positions yet. */
const ofThisTransaction = 'WHERE seq IS NULL AND tx = pg_current_xact_id()'

interface PostgresStoreParts
  extends Pick<Store, 'credentials' | 'files' | 'webhooks' | 'handlerPositions' | 'usage' | 'idempotency'> {
  layout: Layout
  pool: ReadPool
  replicas: Replicas | null
  transactions: Transactions
  writer: JobRunner
  changes: PostgresChangeLog
  searchRefresher: SearchRefresher
  /** How long custom code may keep a transaction open. */
  maxTransactionMs: number
}

export class PostgresStore implements Store {
  readonly credentials: Store['credentials']
  readonly webhooks: Store['webhooks']
  readonly handlerPositions: Store['handlerPositions']
  readonly usage: Store['usage']
  readonly changes: PostgresChangeLog
  readonly projector: SqlEventProjector
  readonly idempotency: Store['idempotency']
  readonly files: Store['files']
  readonly #parts: PostgresStoreParts
  readonly #compiled: CompiledReads<CompiledRead>
  readonly #jobs: WriteJobBuilder

  constructor(parts: PostgresStoreParts) {
    this.credentials = parts.credentials
    this.webhooks = parts.webhooks
    this.handlerPositions = parts.handlerPositions
    this.usage = parts.usage
    this.files = parts.files
    this.changes = parts.changes
    this.idempotency = parts.idempotency
    this.#parts = parts
    this.#compiled = new CompiledReads((plan, extras) => compileRead(plan, parts.layout, extras, postgres))
    this.#jobs = new WriteJobBuilder(parts.layout, postgres)
    this.projector = new SqlEventProjector({
      layout: parts.layout,
      dialect: postgres,
      read: (sql, parameters) => parts.pool.query(sql, parameters),
      readLong: null,
      mayBeLong: () => false,
    })
  }

  run(plan: AuthorizedPlan, values: readonly unknown[], extras: RunOptions, viewer: Viewer): Promise<PlanResult> {
    switch (plan.kind) {
      case 'write':
        return this.#notingWrite(this.#write(plan, values, viewer, extras.idempotencyKey ?? null), viewer)
      case 'batch':
        return this.#notingWrite(this.#writeAll(plan, values, viewer, extras.idempotencyKey ?? null), viewer)
      default:
        return this.#read(plan, values, extras, viewer)
    }
  }

  ready(): boolean {
    return this.#parts.pool.isReachable
  }

  gauges(): Gauge[] {
    return this.#compiled.gauges()
  }

  async close(): Promise<void> {
    this.#parts.searchRefresher.close()
    await this.changes.close()
    await this.#parts.transactions.close()
    await this.#parts.replicas?.close()
    await this.#parts.pool.close()
  }

  async #read(
    plan: AuthorizedPlan<ReadPlan>,
    values: readonly unknown[],
    extras: RunOptions,
    viewer: Viewer,
  ): Promise<PlanResult> {
    const { sql, parameters } = this.#compiled.get(plan, extras)
    const bound = bind(parameters, values, viewer.account, postgres)
    const { pool: connections, replicas } = this.#parts
    const isHere = replicas === null || extras.fresh === true
    const [row] = await (isHere ? connections.query(sql, bound) : replicas.query(sql, bound, viewer))
    return toResult(plan, row ?? null)
  }

  #notingWrite<A>(write: Promise<A>, viewer: Viewer): Promise<A> {
    const { replicas } = this.#parts
    return replicas === null ? write : write.finally(() => replicas.wrote(viewer))
  }

  async #write(
    plan: WritePlan,
    values: readonly unknown[],
    viewer: Viewer,
    idempotencyKey: IdempotencyKey | null,
  ): Promise<PlanResult> {
    return readBack(
      await this.#parts.writer.write({ ...this.#job(plan, values, viewer), idempotencyKey: idempotencyKey }),
      plan,
    )
  }

  #writeAll(
    { writes }: WriteBatch,
    values: readonly unknown[],
    viewer: Viewer,
    idempotencyKey: IdempotencyKey | null,
  ): Promise<PlanResult> {
    const placed = writes.map((plan, index) => ({ place: String(index), plan, values }))
    return this.#writeTogether(placed, idempotencyKey, viewer)
  }

  transact(
    writes: readonly PlacedWrite[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    return this.#notingWrite(this.#writeTogether(writes, idempotencyKey, viewer), viewer)
  }

  transaction<T>(work: (inside: OpenTransaction) => Promise<T>, viewer: Viewer): Promise<T> {
    const { maxTransactionMs, writer } = this.#parts
    const made = writer.transaction((ask, apply) =>
      runOpenTransaction(this.#backend(ask, apply), maxTransactionMs, work),
    )
    return this.#notingWrite(made, viewer)
  }

  #backend(ask: RunQueries, apply: ApplyJob): TransactionBackend {
    return {
      query: (...queries) => ask(queries),
      apply,
      readQuery: (plan, values, extras, viewer) => {
        const { sql, parameters } = this.#compiled.get(plan, extras)
        return { sql, parameters: bind(parameters, values, viewer.account, postgres) }
      },
      toAnswer: toResult,
      buildJob: (plan, values, viewer) => this.#job(plan, values, viewer),
      toWritten: readBack,
      lastChangeSql: `SELECT COALESCE(max(n), 0) FROM twain_change ${ofThisTransaction}`,
      changesSinceSql: `SELECT n, resource, id, kind FROM twain_change ${ofThisTransaction} AND n > $1 ORDER BY n`,
      types: new StorageTypeNames(this.#parts.layout),
    }
  }

  async #writeTogether(
    writes: readonly (Omit<PlacedWrite, 'plan'> & { plan: WritePlan })[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    const jobs = writes.map(({ plan, values }) => this.#job(plan, values, viewer))
    const made = await this.#parts.writer.writeAll(
      jobs,
      writes.map(({ place }) => place),
      idempotencyKey,
    )
    return { ...made, answers: made.answers.map((written, index) => readBack(written, writes[index]!.plan)) }
  }

  #job(plan: WritePlan, values: readonly unknown[], viewer: Viewer): WriteJob {
    return this.#jobs.build(plan, values, this.#jobs.compileReadBack(plan), viewer)
  }
}

/** A NULL text was too long (`Dialect.answer`). */
function readBack(written: Written, { of }: WritePlan): Written {
  if (written.kind !== 'written' || written.text !== null) return written
  throw notReadBack(of, resultTooLarge())
}
