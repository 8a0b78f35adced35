// The SQLite store: plan → statement → answer. Reads that are short run here, on the main thread, where they cost least;
// reads that may be long run in a process of their own; all writes go to the one writer.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Cache, cacheGauges, Fault, type Gauge, type Once, type Viewer } from '#base'
import type { ReferenceField, Resource, ToManyField } from '#model'
import type { Answer, AuthorizedPlan, Batch, Pick, Plan, Read, Watch, Write } from '#plan'
import type { Change } from '../changes/changes.ts'
import type { SqliteChanges } from '../changes/sqlite-changes.ts'
import { type BoundRead, bind, bindRead } from '../compile/bind.ts'
import type { SqlValue } from '../compile/encode.ts'
import { type CompiledRead, compileAnswer, compileCounted, compileRead } from '../compile/read.ts'
import { sqlite } from '../compile/sqlite-dialect.ts'
import type { Extras, Inside, Placed, Store } from '../contract.ts'
import { type Estimate, estimate, estimateAnswer, estimateCounted, estimateMiss, estimateWatch } from '../estimate.ts'
import type { FileRecords } from '../files.ts'
import { type Hand, inItsTime } from '../inside.ts'
import { KeptTypes, type Layout } from '../layout.ts'
import type { LogReaders } from '../log-readers.ts'
import type { KeptWebhooks } from '../open-webhooks.ts'
import { type Account, Teller, type Told } from '../tell/teller.ts'
import type { UsageRecords } from '../usage.ts'
import type { Vault } from '../vault.ts'
import { findAnswer, keepAnswer, recalled } from '../write/apply-once.ts'
import type { Query } from '../write/ask.ts'
import type { Done, Job, JobField, JobRow, WriteJob, Written, WrittenBatch } from '../write/job.ts'
import { JobMaker } from '../write/make-job.ts'
import { isTooBig, Statements } from './connection.ts'
import { type KeptAnswers, keyOf } from './kept-answers.ts'
import type { Lock } from './lock.ts'
import { MissCounter } from './miss-counter.ts'
import type { LongReader } from './reader.ts'
import type { Snapshot } from './snapshot.ts'
import { TableSizes } from './table-sizes.ts'
import { sqliteWrites } from './write/dialect.ts'
import type { Writer } from './write/writer.ts'

/** In the units of the estimate. A row that is looked at takes about a microsecond, a wide one ten: this many stay well
 *  below 50 ms (docs/decisions/0003-long-reads.md). */
const mostWorkHere = 2000

/** In a transaction that own code holds open. */
const mostWorkInside = 20_000

/** Characters of the statements that are kept: SQLite takes 20 to 60 bytes for each. */
const mostSql = 1_000_000

interface Parts {
  layout: Layout
  reading: DatabaseSync
  snapshot: Snapshot
  kept: KeptAnswers
  writer: Writer
  longReader: LongReader
  lock: Lock
  vault: Vault
  webhooks: KeptWebhooks
  readers: LogReaders
  usage: UsageRecords
  files: FileRecords | null
  changes: SqliteChanges
  /** Milliseconds that a transaction may stay open for own code. */
  longestInside: number
}

interface Prepared extends CompiledRead {
  statement: StatementSync
  estimate: Estimate | null
  /** When its answer was last too big for here: for a while it is not tried again. */
  wasBig: number
  /** For a read that may be long by its filters alone: it counts what they turn away. Made when it is first needed. */
  counted: Counted | undefined
}

interface Counted extends CompiledRead {
  statement: StatementSync
  estimate: Estimate | null
  /** What it costs to turn a row away. */
  miss: Estimate
  /** When it last turned away too many, or its answer was too big: for a while it is not tried again. */
  wasLong: number
}

/** In milliseconds. */
const longLasts = 1000

type ReadAnswer = Extract<Answer, { kind: 'one' | 'many' }>

/** What a write answers with, read back by the id of the row. */
interface WrittenRead extends CompiledRead {
  estimate: Estimate | null
}

/** A write for the writer, and what is read after it where that may take long. */
interface PreparedWrite {
  job: WriteJob
  of: Resource
  readBack: BoundRead | null
}

export class SqliteStore implements Store {
  readonly vault: Vault
  readonly webhooks: KeptWebhooks
  readonly readers: LogReaders
  readonly usage: UsageRecords
  readonly files: FileRecords | null
  readonly changes: SqliteChanges
  readonly #parts: Parts
  /** By what is asked beside the rows (`variantOf`). The doors keep more plans than there is room for statements. */
  readonly #prepared = Array.from({ length: 4 }, () => new Cache<Plan, Prepared>(mostSql, ({ sql }) => sql.length))
  readonly #answers = new WeakMap<readonly Pick[], WrittenRead>()
  readonly #jobs: JobMaker
  readonly #sizes: TableSizes
  readonly #misses: MissCounter
  readonly #teller: Teller
  #compiled = 0

  constructor(parts: Parts) {
    this.vault = parts.vault
    this.webhooks = parts.webhooks
    this.readers = parts.readers
    this.usage = parts.usage
    this.files = parts.files
    this.changes = parts.changes
    this.#parts = parts
    this.#jobs = new JobMaker(parts.layout, sqlite)
    this.#sizes = new TableSizes(parts.reading, parts.layout, (sql) => parts.longReader.read(sql, []))
    this.#misses = new MissCounter(parts.reading)
    const watching = new Statements(parts.reading)
    const estimates = new WeakMap<Watch, Estimate | null>()
    this.#teller = new Teller({
      layout: parts.layout,
      dialect: sqlite,
      read(sql, parameters) {
        parts.snapshot.hold()
        return watching.get(sql).all(...parameters) as unknown as unknown[][]
      },
      readLong: (sql, parameters) => parts.longReader.read(sql, parameters),
      isLong: (plan, values) => {
        const known = estimates.get(plan)
        const work = known === undefined ? estimateWatch(plan) : known
        if (known === undefined) estimates.set(plan, work)
        return this.#isLong({ estimate: work }, values)
      },
    })
  }

  run(plan: AuthorizedPlan, values: readonly unknown[], extras: Extras, viewer: Viewer): Answer | Promise<Answer> {
    switch (plan.kind) {
      case 'write':
        return this.#write(plan, values, viewer, extras.once ?? null)
      case 'batch':
        return this.#writeAll(plan, values, viewer, extras.once ?? null)
      default:
        return this.#read(plan as AuthorizedPlan<Read>, values, extras, viewer)
    }
  }

  async recall<A extends object = Answer>(once: Once): Promise<A | null> {
    const [rows] = await this.#parts.writer.run(findAnswer(once, new Date().toISOString(), query))
    return recalled(once, rows!)
  }

  async remember(once: Once, answer: object): Promise<void> {
    await this.#parts.writer.run(...keepAnswer(once, answer, new Date().toISOString(), query, sqliteWrites.unheld))
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
    return this.#compiled + this.#jobs.compiled
  }

  ready(): boolean {
    return this.#parts.writer.isAlive
  }

  gauges(): Gauge[] {
    return [...cacheGauges('statements', ...this.#prepared), ...this.#parts.writer.gauges()]
  }

  async close(): Promise<void> {
    // The writer goes last: SQLite then moves the log into the database file, which is whole by itself.
    this.#parts.longReader.close()
    this.#parts.reading.close()
    this.changes.close()
    await this.#parts.writer.close()
    this.#parts.lock.release()
  }

  #read(
    plan: AuthorizedPlan<Read>,
    values: readonly unknown[],
    extras: Extras,
    viewer: Viewer,
  ): Answer | Promise<Answer> {
    const prepared = this.#prepare(plan, extras)
    const parameters = bind(prepared.parameters, values, viewer.account)
    const answers = this.#parts.kept.of(prepared, this.#parts.snapshot.hold())
    const key = answers === null ? null : keyOf(parameters)
    if (answers === null || key === null) return this.#readRow(prepared, parameters, plan, values, extras, viewer)
    const known = answers.get(key)
    if (known) return known
    const answer = this.#readRow(prepared, parameters, plan, values, extras, viewer)
    if (!(answer instanceof Promise)) this.#parts.kept.keep(answers, key, answer)
    return answer
  }

  /** On the spot, or where it may be long in a process of its own. */
  #readRow(
    prepared: Prepared,
    parameters: SqlValue[],
    plan: AuthorizedPlan<Read>,
    values: readonly unknown[],
    extras: Extras,
    viewer: Viewer,
  ): ReadAnswer | Promise<ReadAnswer> {
    let here: unknown[] | null | undefined
    if (this.#isLong(prepared, values)) {
      prepared.counted ??= this.#prepareCounted(plan, extras)
      here = this.#readCounted(prepared.counted, values, viewer)
    } else if (prepared.wasBig === 0 || performance.now() - prepared.wasBig > longLasts) {
      here = rowOf(prepared.statement, parameters)
      if (here === undefined) prepared.wasBig = performance.now()
    }
    if (here !== undefined) return toAnswer(plan, here)
    return this.#parts.longReader.read(prepared.sql, parameters).then((row) => toAnswer(plan, row))
  }

  #isLong(read: { estimate: Estimate | null }, values: readonly unknown[]): boolean {
    return this.#workOf(read, values) > mostWorkHere
  }

  #workOf(read: { estimate: Estimate | null }, values: readonly unknown[]): number {
    return read.estimate === null ? 0 : read.estimate(values, this.#sizes)
  }

  /** The row that the statement gives; undefined when it may be long even so, or was, or its answer is too big. */
  #readCounted(counted: Counted, values: readonly unknown[], viewer: Viewer): unknown[] | null | undefined {
    const left = mostWorkHere - this.#workOf(counted, values)
    if (left <= 0 || performance.now() - counted.wasLong < longLasts) return undefined
    const parameters = bind(counted.parameters, values, viewer.account)
    const most = Math.floor(left / counted.miss(values, this.#sizes))
    const row = this.#misses.run(most, () => rowOf(counted.statement, parameters))
    if (row === undefined) counted.wasLong = performance.now()
    return row
  }

  #prepareCounted(plan: AuthorizedPlan<Read>, extras: Extras): Counted {
    const compiled = compileCounted(plan, this.#parts.layout, extras)
    this.#compiled++
    return {
      ...compiled,
      statement: this.#statement(compiled.sql),
      estimate: estimateCounted(plan, extras.total),
      miss: estimateMiss(plan, extras.total),
      wasLong: -longLasts,
    }
  }

  #statement(sql: string): StatementSync {
    const statement = this.#parts.reading.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }

  #prepare(plan: AuthorizedPlan<Read>, extras: Extras): Prepared {
    const variant = this.#prepared[variantOf(extras)]!
    const known = variant.get(plan)
    if (known !== undefined) return known
    const compiled = compileRead(plan, this.#parts.layout, extras)
    this.#compiled++
    const prepared: Prepared = {
      ...compiled,
      statement: this.#statement(compiled.sql),
      estimate: estimate(plan, extras.total),
      wasBig: 0,
      counted: undefined,
    }
    variant.set(plan, prepared)
    return prepared
  }

  async #write(plan: Write, values: readonly unknown[], viewer: Viewer, once: Once | null): Promise<Answer> {
    const prepared = this.#prepareWrite(plan, values, viewer)
    return this.#finishWrite(await this.#parts.writer.write({ ...prepared.job, once }), prepared)
  }

  #writeAll({ writes }: Batch, values: readonly unknown[], viewer: Viewer, once: Once | null): Promise<Answer> {
    return this.#writeTogether(
      writes.map((plan) => this.#prepareWrite(plan, values, viewer)),
      null,
      once,
    )
  }

  transact(writes: readonly Placed[], once: Once | null, viewer: Viewer): Promise<Answer & { kind: 'batch' }> {
    return this.#writeTogether(
      writes.map(({ plan, values }) => this.#prepareWrite(plan, values, viewer)),
      writes.map(({ place }) => place),
      once,
    )
  }

  within<T>(work: (inside: Inside) => Promise<T>): Promise<T> {
    const { writer } = this.#parts
    return writer.alone(async (ask) => {
      const run = async (...queries: Query[]) => ((await ask({ kind: 'statements', run: queries })) as Done).rows
      const end = (sql: string) => run({ sql, parameters: [] })
      await end('BEGIN IMMEDIATE')
      try {
        const made = await inItsTime(this.#hand(run, ask), this.#parts.longestInside, work)
        await end('COMMIT')
        writer.wrote()
        return made
      } catch (error) {
        await end('ROLLBACK').catch(() => {}) // a disk that fails has ended it already
        throw error
      }
    })
  }

  #hand(run: Hand['ask'], ask: (job: Job) => Promise<unknown>): Hand {
    return {
      ask: run,
      write: async (job) => (await ask(job)) as Written,
      writeAll: async (jobs, places, once) => (await ask({ kind: 'batch', jobs, places, once })) as WrittenBatch,
      read: (plan, values, extras, viewer) => {
        const prepared = this.#prepare(plan, extras)
        // The writer can't be interrupted, and everyone waits for it.
        if (this.#workOf(prepared, values) > mostWorkInside) throw tooLongInside()
        return { sql: prepared.sql, parameters: bind(prepared.parameters, values, viewer.account) }
      },
      toAnswer,
      job: (plan, values, viewer) => {
        const back = plan.action === 'delete' ? null : this.#answer(plan.of, plan.answer)
        if (back !== null && this.#workOf(back, values) > mostWorkInside) throw tooLongInside()
        const job = this.#jobs.make(plan, values, back, viewer)
        this.#noteSizes(plan.of, job)
        return job
      },
      toWritten: (written) => written,
      last: 'SELECT COALESCE(max(seq), 0) FROM twain_change',
      since: 'SELECT seq, resource, id, kind FROM twain_change WHERE seq > ?1 ORDER BY seq',
      types: new KeptTypes(this.#parts.layout),
    }
  }

  async #writeTogether(
    prepared: readonly PreparedWrite[],
    places: string[] | null,
    once: Once | null,
  ): Promise<Answer & { kind: 'batch' }> {
    const jobs = prepared.map(({ job }) => job)
    const made = await this.#parts.writer.writeAll(jobs, places, once)
    const finished = made.answers.map((written, index) => this.#finishWrite(written, prepared[index]!))
    return { ...made, answers: await Promise.all(finished) }
  }

  async #finishWrite(written: Written, { job, of, readBack }: PreparedWrite): Promise<Answer> {
    if (written.kind !== 'written') return written
    if (written.replayed !== true) this.#noteSizes(of, job)
    return readBack === null ? written : this.#readBack(written, of, readBack)
  }

  #prepareWrite(plan: Write, values: readonly unknown[], viewer: Viewer): PreparedWrite {
    const back = plan.action === 'delete' ? null : this.#answer(plan.of, plan.answer)
    // The one writer must not be held up by a long answer: it is read after the commit.
    const long = back !== null && this.#isLong(back, values)
    const answer = long ? compileAnswer(plan.of, [], this.#parts.layout) : back
    const job = this.#jobs.make(plan, values, answer, viewer)
    return { job, of: plan.of, readBack: long ? bindRead(back, values, viewer.account) : null }
  }

  #noteSizes(of: Resource, { set, rows: lists }: JobRow): void {
    this.#sizes.note(of, lengthOf(set))
    for (const { field, rows } of lists) {
      const made = of.fields.get(field) as ToManyField
      for (const row of rows) this.#noteSizes(made.to, row)
    }
  }

  #answer(of: Resource, pick: Pick[]): WrittenRead {
    const known = this.#answers.get(pick)
    if (known !== undefined) return known
    const compiled = compileAnswer(of, pick, this.#parts.layout)
    const read = { ...compiled, estimate: estimateAnswer(of, pick) }
    this.#compiled++
    this.#answers.set(pick, read)
    return read
  }

  async #readBack(written: Answer & { kind: 'written' }, of: Resource, read: BoundRead): Promise<Answer> {
    for (const index of read.idAt) read.parameters[index] = written.id
    try {
      const row = await this.#parts.longReader.read(read.sql, read.parameters)
      if (row === null) throw new Fault('NOT_FOUND', 'It was deleted meanwhile.')
      return { ...written, text: row[0] as string }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const { code, hint, headers } = error
      throw new Fault(code, `The ${of.name} was written, but not read back: ${error.message}`, { hint, headers })
    }
  }
}

function tooLongInside(): Fault {
  return new Fault('QUERY_TOO_COSTLY', 'This may take too long inside a write, for which all others wait.', {
    hint: 'Let the code of a write ask for less: by an id, or by fields that have an index.',
  })
}

/** What a write brings, about. */
function lengthOf(set: readonly JobField[]): number {
  let length = 0
  for (const { value } of set) {
    if (typeof value === 'string') length += value.length
    else if (typeof value === 'object' && value !== null) length += JSON.stringify(value).length
  }
  return length
}

function variantOf({ more, total }: Extras): number {
  return (more ? 1 : 0) + (total ? 2 : 0)
}

const query = (text: string, ...parameters: SqlValue[]) => ({ sql: sqliteWrites.text(text), parameters })

/** Undefined when the answer is too big to be made here. */
function rowOf(statement: StatementSync, parameters: SqlValue[]): unknown[] | null | undefined {
  try {
    return (statement.get(...parameters) ?? null) as unknown[] | null
  } catch (error) {
    if (isTooBig(error)) return undefined
    throw error
  }
}

function toAnswer(plan: Read, row: unknown[] | null): ReadAnswer {
  if (plan.kind === 'one') {
    return row === null
      ? { kind: 'one', text: null, version: 0 }
      : { kind: 'one', text: row[0] as string, version: row[1] as number }
  }
  const [text, found, more, total] = row as [string, number, number, number | null]
  if (found === 0) throw new Fault('NOT_FOUND', `There is no such ${plan.within!.field.owner.name}.`)
  return { kind: 'many', text, more: more === 1, total }
}
