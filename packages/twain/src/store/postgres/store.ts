// The PostgreSQL store: plan → statement → answer. Every read is one statement and one round trip; the server keeps the
// plan of a statement for each connection. Writes have connections of their own.

import type { Gauge, IdempotencyKey, Viewer } from '#base'
import type { AuthorizedPlan, PlanResult, ReadPlan, WriteBatch, WritePlan } from '#plan'
import { SqlEventProjector } from '../changes/event-projector.ts'
import { CompiledReads } from '../read/compiled-reads.ts'
import { notReadBack, resultTooLarge } from '../read/read-errors.ts'
import { toResult } from '../read/to-result.ts'
import { bind } from '../sql/bind.ts'
import { type CompiledRead, compileRead } from '../sql/read.ts'
import type { Store } from '../store.ts'
import { type Layout, StorageTypeNames } from '../tables/layout.ts'
import { JobMaker } from '../write/make-job.ts'
import type { OpenTransaction, PlacedWrite, RunOptions } from '../write/open-transaction.ts'
import { type Hand, inItsTime } from '../write/open-transaction.ts'
import type { WriteJob, Written } from '../write/steps/write-job.ts'
import type { PostgresChanges } from './changes/change-log.ts'
import { postgres } from './dialect.ts'
import type { Connections } from './read/connections.ts'
import type { Replicas } from './read/replicas.ts'
import type { WordKeeper } from './search-refresher.ts'
import type { Ask } from './write/transact.ts'
import type { Transactions } from './write/transactions.ts'
import type { Apply, PostgresWriter } from './write/writer.ts'

/** The lines of the change log that a transaction has written itself: they have no positions yet. */
const ofThis = 'WHERE seq IS NULL AND tx = pg_current_xact_id()'

interface Parts
  extends Pick<Store, 'credentials' | 'files' | 'webhooks' | 'handlerPositions' | 'usage' | 'idempotency'> {
  layout: Layout
  connections: Connections
  replicas: Replicas | null
  transactions: Transactions
  writer: PostgresWriter
  changes: PostgresChanges
  words: WordKeeper
  /** Milliseconds that a transaction may stay open for own code. */
  longestInside: number
}

export class PostgresStore implements Store {
  readonly credentials: Store['credentials']
  readonly webhooks: Store['webhooks']
  readonly handlerPositions: Store['handlerPositions']
  readonly usage: Store['usage']
  readonly changes: PostgresChanges
  readonly projector: SqlEventProjector
  readonly idempotency: Store['idempotency']
  readonly files: Store['files']
  readonly #parts: Parts
  readonly #compiled: CompiledReads<CompiledRead>
  readonly #jobs: JobMaker

  constructor(parts: Parts) {
    this.credentials = parts.credentials
    this.webhooks = parts.webhooks
    this.handlerPositions = parts.handlerPositions
    this.usage = parts.usage
    this.files = parts.files
    this.changes = parts.changes
    this.idempotency = parts.idempotency
    this.#parts = parts
    this.#compiled = new CompiledReads((plan, extras) => compileRead(plan, parts.layout, extras, postgres))
    this.#jobs = new JobMaker(parts.layout, postgres)
    this.projector = new SqlEventProjector({
      layout: parts.layout,
      dialect: postgres,
      read: (sql, parameters) => parts.connections.ask(sql, parameters),
      readLong: null,
      mayBeLong: () => false,
    })
  }

  run(plan: AuthorizedPlan, values: readonly unknown[], extras: RunOptions, viewer: Viewer): Promise<PlanResult> {
    switch (plan.kind) {
      case 'write':
        return this.#noted(this.#write(plan, values, viewer, extras.idempotencyKey ?? null), viewer)
      case 'batch':
        return this.#noted(this.#writeAll(plan, values, viewer, extras.idempotencyKey ?? null), viewer)
      default:
        return this.#read(plan, values, extras, viewer)
    }
  }

  ready(): boolean {
    return this.#parts.connections.areThere
  }

  gauges(): Gauge[] {
    return this.#compiled.gauges()
  }

  async close(): Promise<void> {
    this.#parts.words.close()
    await this.changes.close()
    await this.#parts.transactions.close()
    await this.#parts.replicas?.close()
    await this.#parts.connections.close()
  }

  async #read(
    plan: AuthorizedPlan<ReadPlan>,
    values: readonly unknown[],
    extras: RunOptions,
    viewer: Viewer,
  ): Promise<PlanResult> {
    const { sql, parameters } = this.#compiled.get(plan, extras)
    const bound = bind(parameters, values, viewer.account, postgres)
    const { connections, replicas } = this.#parts
    const isHere = replicas === null || extras.fresh === true
    const [row] = await (isHere ? connections.ask(sql, bound) : replicas.ask(sql, bound, viewer))
    return toResult(plan, row ?? null)
  }

  #noted<A>(write: Promise<A>, viewer: Viewer): Promise<A> {
    const { replicas } = this.#parts
    return replicas === null ? write : write.finally(() => replicas.wrote(viewer))
  }

  async #write(
    plan: WritePlan,
    values: readonly unknown[],
    viewer: Viewer,
    once: IdempotencyKey | null,
  ): Promise<PlanResult> {
    return readBack(await this.#parts.writer.write({ ...this.#job(plan, values, viewer), once }), plan)
  }

  #writeAll(
    { writes }: WriteBatch,
    values: readonly unknown[],
    viewer: Viewer,
    once: IdempotencyKey | null,
  ): Promise<PlanResult> {
    const placed = writes.map((plan, index) => ({ place: String(index), plan, values }))
    return this.#writeTogether(placed, once, viewer)
  }

  transact(
    writes: readonly PlacedWrite[],
    once: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    return this.#noted(this.#writeTogether(writes, once, viewer), viewer)
  }

  transaction<T>(work: (inside: OpenTransaction) => Promise<T>, viewer: Viewer): Promise<T> {
    const { longestInside, writer } = this.#parts
    const made = writer.within((ask, apply) => inItsTime(this.#hand(ask, apply), longestInside, work))
    return this.#noted(made, viewer)
  }

  #hand(ask: Ask, apply: Apply): Hand {
    return {
      ask: (...queries) => ask(queries),
      apply,
      read: (plan, values, extras, viewer) => {
        const { sql, parameters } = this.#compiled.get(plan, extras)
        return { sql, parameters: bind(parameters, values, viewer.account, postgres) }
      },
      toAnswer: toResult,
      job: (plan, values, viewer) => this.#job(plan, values, viewer),
      toWritten: readBack,
      last: `SELECT COALESCE(max(n), 0) FROM twain_change ${ofThis}`,
      since: `SELECT n, resource, id, kind FROM twain_change ${ofThis} AND n > $1 ORDER BY n`,
      types: new StorageTypeNames(this.#parts.layout),
    }
  }

  async #writeTogether(
    writes: readonly (Omit<PlacedWrite, 'plan'> & { plan: WritePlan })[],
    once: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    const jobs = writes.map(({ plan, values }) => this.#job(plan, values, viewer))
    const made = await this.#parts.writer.writeAll(
      jobs,
      writes.map(({ place }) => place),
      once,
    )
    return { ...made, answers: made.answers.map((written, index) => readBack(written, writes[index]!.plan)) }
  }

  #job(plan: WritePlan, values: readonly unknown[], viewer: Viewer): WriteJob {
    return this.#jobs.make(plan, values, this.#jobs.answer(plan), viewer)
  }
}

/** A text that is NULL was too long (`Dialect.answer`). */
function readBack(written: Written, { of }: WritePlan): Written {
  if (written.kind !== 'written' || written.text !== null) return written
  throw notReadBack(of, resultTooLarge())
}
