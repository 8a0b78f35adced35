// An open transaction, by the few queries and jobs that a database runs in it.

import { uuidv7 } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import type { AuthorizedPlan, PlanResult, ReadPlan, Selection, WritePlan } from '#plan'
import type { Query, QueryRows } from '../sql/query.ts'
import type { ImportStep } from '../system/import-positions.ts'
import type { NewJob } from '../system/jobs/job-store.ts'
import { fillId } from './access/stored-row.ts'
import type {
  OpenTransaction,
  PlacedWrite,
  RunOptions,
  RunWrite,
  TransactionBackend,
  WrittenChange,
} from './open-transaction.ts'
import type { RowsJob, WriteJob, Written, WrittenBatch, WrittenBulk, WrittenRows } from './steps/write-job.ts'

export class BackendTransaction implements OpenTransaction {
  hasEnqueued = false
  writtenRows = 0
  readonly #backend: TransactionBackend
  /** What was written so far, and how much of it `written` has returned. */
  #changes: WrittenChange[] = []
  #seen = 0
  #savepointDepth = 0
  #seeds: { list: string[]; used: number } | null = null

  constructor(backend: TransactionBackend) {
    this.#backend = backend
  }

  async run(
    plan: AuthorizedPlan,
    values: readonly unknown[],
    options: RunOptions,
    viewer: Viewer,
  ): Promise<PlanResult> {
    const { idempotencyKey = null } = options
    if (plan.kind === 'batch') {
      const writes = plan.writes.map((write, index) => ({
        place: plan.places?.[index] ?? String(index),
        plan: write,
        values,
      }))
      return this.#writeAll(writes, idempotencyKey, viewer)
    }
    if (plan.kind === 'write') {
      const job = this.#job(plan, values, viewer)
      return this.#backend.toWritten((await this.#apply({ ...job, idempotencyKey })) as Written, plan)
    }
    if (plan.kind === 'bulk') {
      const job = this.#backend.buildBulk(plan, values, { idempotencyKey }, viewer)
      return (await this.#apply({ ...job, write: this.#seeded(job.write) })) as WrittenBulk
    }
    const read = plan as AuthorizedPlan<ReadPlan>
    if (options.lock === true && read.kind === 'one' && read.id !== null) {
      await this.lock(read.of.name, String(values[read.id.index]))
    }
    const [rows] = await this.#backend.query(this.#backend.readQuery(read, values, options.more === true, viewer))
    return this.#backend.toAnswer(read, rows![0] ?? null)
  }

  transact(
    writes: readonly PlacedWrite[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    return this.#writeAll(writes, idempotencyKey, viewer)
  }

  async #writeAll(
    writes: readonly (Omit<PlacedWrite, 'plan'> & { plan: WritePlan })[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }> {
    const build = (plan: WritePlan, values: readonly unknown[]) => this.#job(plan, values, viewer)
    const { jobs, readBacks } = this.#backend.buildBatch(writes, build, viewer)
    const places = writes.map(({ place }) => place)
    const made = (await this.#apply({ kind: 'batch', jobs, places, readBacks, idempotencyKey })) as WrittenBatch
    const answers = made.answers.map((written, index) => this.#backend.toWritten(written, writes[index]!.plan))
    return { ...made, answers }
  }

  #job(plan: WritePlan, values: readonly unknown[], viewer: Viewer): WriteJob {
    return this.#seeded(this.#backend.buildJob(plan, values, viewer))
  }

  #seeded(job: WriteJob): WriteJob {
    if (this.#seeds === null) return job
    const { list, used } = this.#seeds
    const idSeed = list[used] ?? uuidv7()
    list[used] = idSeed
    this.#seeds.used++
    return { ...job, idSeed }
  }

  async withIdSeeds<T>(seeds: string[], work: () => Promise<T>): Promise<T> {
    const outer = this.#seeds
    this.#seeds = { list: seeds, used: 0 }
    try {
      return await work()
    } finally {
      this.#seeds = outer
    }
  }

  async #apply(job: RowsJob): Promise<WrittenRows> {
    const { result, changes } = await this.#backend.apply(job)
    this.writtenRows += changes.length
    for (const { type, id, kind } of changes) {
      this.#changes.push({ resource: this.#backend.types.current(type), id, kind })
    }
    return result
  }

  get changeCount(): number {
    return this.#changes.length
  }

  async readBack<A extends PlanResult>(
    result: A,
    writes: readonly RunWrite[],
    fromChange: number,
    viewer: Viewer,
  ): Promise<A> {
    if ('replayed' in result || (result.kind !== 'written' && result.kind !== 'batch')) return result
    const changed = new Set(this.#changes.slice(fromChange).map(({ resource, id }) => `${resource} ${id}`))
    const answers: readonly PlanResult[] = result.kind === 'batch' ? result.answers : [result]
    const reads = answers.flatMap((answer, index) => {
      if (answer.kind !== 'written') return []
      const { plan, values } = writes[index]!
      if (readsOwnColumns(plan.answer) && !changed.has(`${plan.of.name} ${answer.id}`)) return []
      const read = this.#backend.bindReadBack(plan, values, viewer)
      return read === null ? [] : [{ index, plan, answer, query: fillId(read, answer.id) }]
    })
    if (reads.length === 0) return result
    const found = await this.#backend.query(...reads.map(({ query }) => query))
    const fresh = [...answers]
    for (const [place, { index, plan, answer }] of reads.entries()) {
      const row = found[place]![0]
      if (row === undefined) continue
      const [text, version] = row as [string, number]
      fresh[index] = this.#backend.toWritten(
        { ...(answer as Written), text, version: Number(version) } as Written,
        plan,
      )
    }
    return (result.kind === 'batch' ? { ...result, answers: fresh } : fresh[0]) as A
  }

  written(): WrittenChange[] {
    const changes = this.#changes.slice(this.#seen)
    this.#seen = this.#changes.length
    return changes
  }

  enqueue(job: NewJob): Promise<string> {
    this.hasEnqueued = true
    return this.#backend.jobs.enqueue(job, (...queries) => this.#backend.query(...queries))
  }

  saveImport(step: ImportStep): Promise<void> {
    return this.#backend.imports.save(step, (query) => this.#backend.query(query))
  }

  recall<Result extends object>(key: IdempotencyKey): Promise<Result | null> {
    return this.#backend.idempotency.recall(key, (...queries) => this.#backend.query(...queries))
  }

  async remember(key: IdempotencyKey, result: object): Promise<void> {
    await this.#backend.query(...this.#backend.idempotency.save(key, result))
  }

  query(...queries: Query[]): Promise<readonly QueryRows[]> {
    return this.#backend.query(...queries)
  }

  lock(resource: string, id: string): Promise<void> {
    return this.#backend.lock(`${resource} ${id}`)
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const { release, undo } = await this.#savepoint()
    let made: T
    try {
      made = await work()
    } catch (error) {
      await undo().catch(() => {}) // a disk failure has ended the transaction
      throw error
    }
    await release()
    return made
  }

  async dryRun<T>(work: () => Promise<T>): Promise<T> {
    const { undo } = await this.#savepoint()
    try {
      return await work()
    } finally {
      await undo()
    }
  }

  async #savepoint(): Promise<{ release(): Promise<unknown>; undo(): Promise<unknown> }> {
    const point = `point_${++this.#savepointDepth}`
    const seen = this.#seen
    const changes = this.#changes
    this.#changes = [...changes]
    const release = `RELEASE ${point}`
    await this.#backend.runSoon(`SAVEPOINT ${point}`)
    return {
      release: () => {
        this.#savepointDepth--
        return this.#backend.runSoon(release)
      },
      undo: () => {
        this.#savepointDepth--
        this.#seen = seen
        this.#changes = changes
        return this.#backend.runSoon(`ROLLBACK TO ${point}`, release)
      },
    }
  }
}

/** Whether only a change of the row itself changes what is selected of it. */
function readsOwnColumns(selections: readonly Selection[]): boolean {
  return selections.every((one) => {
    switch (one.kind) {
      case 'constant':
      case 'version':
      case 'globalId':
      case 'url':
        return true
      case 'field':
      case 'value':
        return one.guard === undefined
      case 'id':
        return one.guard === undefined && one.targets === undefined && one.field.kind === 'reference'
      default:
        return false
    }
  })
}
