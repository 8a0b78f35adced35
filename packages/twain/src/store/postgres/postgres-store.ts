// The PostgreSQL store: plan → statement → answer. Every read is one statement and one round trip; the server keeps the
// plan of a statement for each connection. Writes have connections of their own.

import { Cache, cacheGauges, Fault, type Gauge, type Once, type Viewer } from '#base'
import type { ReferenceField } from '#model'
import type { Answer, AuthorizedPlan, Batch, Pick, Plan, Read, Watch, Write } from '#plan'
import type { Change } from '../changes/changes.ts'
import type { PostgresChanges } from '../changes/postgres-changes.ts'
import { bind } from '../compile/bind.ts'
import type { SqlValue } from '../compile/encode.ts'
import { postgres } from '../compile/postgres-dialect.ts'
import { type CompiledRead, compileAnswer, compileRead } from '../compile/read.ts'
import type { Extras, Inside, Placed, Store } from '../contract.ts'
import type { FileRecords } from '../files.ts'
import { type Hand, inItsTime } from '../inside.ts'
import { KeptTypes, type Layout } from '../layout.ts'
import type { LogReaders } from '../log-readers.ts'
import type { KeptWebhooks } from '../open-webhooks.ts'
import { tooLarge } from '../read-faults.ts'
import { type Account, Teller, type Told } from '../tell/teller.ts'
import type { UsageRecords } from '../usage.ts'
import type { Vault } from '../vault.ts'
import { findAnswer, keepAnswer, recalled } from '../write/apply-once.ts'
import type { WriteJob, Written, WrittenBatch } from '../write/job.ts'
import { JobMaker } from '../write/make-job.ts'
import type { Connections } from './connections.ts'
import type { Replicas } from './replicas.ts'
import type { WordKeeper } from './word-keeper.ts'
import { postgresWrites } from './write/dialect.ts'
import type { Apply, PostgresWriter } from './write/postgres-writer.ts'
import type { Ask } from './write/transact.ts'
import type { Transactions } from './write/transactions.ts'

/** Characters of the statements that are kept. */
const mostSql = 1_000_000

/** The lines of the change log that a transaction has written itself: they have no positions yet. */
const ofThis = 'WHERE seq IS NULL AND tx = pg_current_xact_id()'

interface Parts {
  layout: Layout
  connections: Connections
  replicas: Replicas | null
  transactions: Transactions
  writer: PostgresWriter
  vault: Vault
  webhooks: KeptWebhooks
  readers: LogReaders
  usage: UsageRecords
  files: FileRecords | null
  changes: PostgresChanges
  words: WordKeeper
  /** Milliseconds that a transaction may stay open for own code. */
  longestInside: number
}

export class PostgresStore implements Store {
  readonly vault: Vault
  readonly webhooks: KeptWebhooks
  readonly readers: LogReaders
  readonly usage: UsageRecords
  readonly changes: PostgresChanges
  readonly files: FileRecords | null
  readonly #parts: Parts
  /** By what is asked beside the rows. */
  readonly #compiled = Array.from({ length: 4 }, () => new Cache<Plan, CompiledRead>(mostSql, ({ sql }) => sql.length))

  readonly #answers = new WeakMap<readonly Pick[], CompiledRead>()
  readonly #jobs: JobMaker
  readonly #teller: Teller

  constructor(parts: Parts) {
    this.vault = parts.vault
    this.webhooks = parts.webhooks
    this.readers = parts.readers
    this.usage = parts.usage
    this.files = parts.files
    this.changes = parts.changes
    this.#parts = parts
    this.#jobs = new JobMaker(parts.layout, postgres)
    this.#teller = new Teller({
      layout: parts.layout,
      dialect: postgres,
      read: (sql, parameters) => parts.connections.ask(sql, parameters),
      readLong: null,
      isLong: () => false,
    })
  }

  run(plan: AuthorizedPlan, values: readonly unknown[], extras: Extras, viewer: Viewer): Promise<Answer> {
    switch (plan.kind) {
      case 'write':
        return this.#noted(this.#write(plan, values, viewer, extras.once ?? null), viewer)
      case 'batch':
        return this.#noted(this.#writeAll(plan, values, viewer, extras.once ?? null), viewer)
      default:
        return this.#read(plan, values, extras, viewer)
    }
  }

  async recall<A extends object = Answer>(once: Once): Promise<A | null> {
    const [rows] = await this.#parts.transactions.run(findAnswer(once, new Date().toISOString(), query))
    return recalled(once, rows!)
  }

  async remember(once: Once, answer: object): Promise<void> {
    await this.#parts.transactions.run(
      ...keepAnswer(once, answer, new Date().toISOString(), query, postgresWrites.unheld),
    )
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

  ready(): boolean {
    return this.#parts.connections.areThere
  }

  gauges(): Gauge[] {
    return cacheGauges('statements', ...this.#compiled)
  }

  async close(): Promise<void> {
    this.#parts.words.close()
    await this.changes.close()
    await this.#parts.transactions.close()
    await this.#parts.replicas?.close()
    await this.#parts.connections.close()
  }

  async #read(plan: AuthorizedPlan<Read>, values: readonly unknown[], extras: Extras, viewer: Viewer): Promise<Answer> {
    const { sql, parameters } = this.#compile(plan, extras)
    const bound = bind(parameters, values, viewer.account, postgres)
    const { connections, replicas } = this.#parts
    const isHere = replicas === null || extras.now === true
    const [row] = await (isHere ? connections.ask(sql, bound) : replicas.ask(sql, bound, viewer))
    return toAnswer(plan, row ?? null)
  }

  #noted<A>(write: Promise<A>, viewer: Viewer): Promise<A> {
    const { replicas } = this.#parts
    return replicas === null ? write : write.finally(() => replicas.wrote(viewer))
  }

  async #write(plan: Write, values: readonly unknown[], viewer: Viewer, once: Once | null): Promise<Answer> {
    return readBack(await this.#parts.writer.write({ ...this.#job(plan, values, viewer), once }), plan)
  }

  #writeAll({ writes }: Batch, values: readonly unknown[], viewer: Viewer, once: Once | null): Promise<Answer> {
    const placed = writes.map((plan, index) => ({ place: String(index), plan, values }))
    return this.#writeTogether(placed, once, viewer)
  }

  transact(writes: readonly Placed[], once: Once | null, viewer: Viewer): Promise<Answer & { kind: 'batch' }> {
    return this.#noted(this.#writeTogether(writes, once, viewer), viewer)
  }

  within<T>(work: (inside: Inside) => Promise<T>, viewer: Viewer): Promise<T> {
    const { longestInside, writer } = this.#parts
    const made = writer.within((ask, apply) => inItsTime(this.#hand(ask, apply), longestInside, work))
    return this.#noted(made, viewer)
  }

  #hand(ask: Ask, apply: Apply): Hand {
    return {
      ask: (...queries) => ask(queries),
      write: async (job) => (await apply(job)) as Written,
      writeAll: async (jobs, places, once) => (await apply({ kind: 'batch', jobs, places, once })) as WrittenBatch,
      read: (plan, values, extras, viewer) => {
        const { sql, parameters } = this.#compile(plan, extras)
        return { sql, parameters: bind(parameters, values, viewer.account, postgres) }
      },
      toAnswer,
      job: (plan, values, viewer) => this.#job(plan, values, viewer),
      toWritten: readBack,
      last: `SELECT COALESCE(max(n), 0) FROM twain_change ${ofThis}`,
      since: `SELECT n, resource, id, kind FROM twain_change ${ofThis} AND n > $1 ORDER BY n`,
      types: new KeptTypes(this.#parts.layout),
    }
  }

  async #writeTogether(
    writes: readonly (Omit<Placed, 'plan'> & { plan: Write })[],
    once: Once | null,
    viewer: Viewer,
  ): Promise<Answer & { kind: 'batch' }> {
    const jobs = writes.map(({ plan, values }) => this.#job(plan, values, viewer))
    const made = await this.#parts.writer.writeAll(
      jobs,
      writes.map(({ place }) => place),
      once,
    )
    return { ...made, answers: made.answers.map((written, index) => readBack(written, writes[index]!.plan)) }
  }

  #job(plan: Write, values: readonly unknown[], viewer: Viewer): WriteJob {
    return this.#jobs.make(plan, values, plan.action === 'delete' ? null : this.#answer(plan), viewer)
  }

  #answer({ of, answer: pick }: Write): CompiledRead {
    const known = this.#answers.get(pick)
    if (known !== undefined) return known
    const compiled = compileAnswer(of, pick, this.#parts.layout, postgres)
    this.#answers.set(pick, compiled)
    return compiled
  }

  #compile(plan: AuthorizedPlan<Read>, extras: Extras): CompiledRead {
    const variant = this.#compiled[(extras.more ? 1 : 0) + (extras.total ? 2 : 0)]!
    const known = variant.get(plan)
    if (known !== undefined) return known
    const compiled = compileRead(plan, this.#parts.layout, extras, postgres)
    variant.set(plan, compiled)
    return compiled
  }
}

const query = (text: string, ...parameters: SqlValue[]) => ({ sql: postgresWrites.text(text), parameters })

/** A text that is NULL was too long (`Dialect.answer`). */
function readBack(written: Written, { of }: Write): Written {
  if (written.kind !== 'written' || written.text !== null) return written
  const { code, message, hint } = tooLarge()
  throw new Fault(code, `The ${of.name} was written, but not read back: ${message}`, { hint })
}

/** As above. */
function toAnswer(plan: Read, row: unknown[] | null): Answer {
  if (plan.kind === 'one') {
    if (row === null) return { kind: 'one', text: null, version: 0 }
    const [text, version] = row as [string | null, number]
    if (text === null) throw tooLarge()
    return { kind: 'one', text, version }
  }
  const [text, found, more, total] = row as [string | null, boolean | number, boolean | number, number | null]
  if (found === false || found === 0) throw new Fault('NOT_FOUND', `There is no such ${plan.within!.field.owner.name}.`)
  if (text === null) throw tooLarge()
  return { kind: 'many', text, more: more === true || more === 1, total }
}
