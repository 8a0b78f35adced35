// A transaction that stays open while custom code runs in it (hooks). Its reads and writes see each other, nobody else sees
// them, and all are committed or none.
//
// 1. Its time is bounded, because other writes wait for it. After the timeout the store rolls it back.
// 2. A call after its end fails: custom code may have forgotten to await it.
// 3. It runs one call at a time.

import { ApiError, uuidv7 } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import type { AuthorizedPlan, PlanResult, ReadPlan, WritePlan } from '#plan'
import type { ChangeRecord } from '../changes/change-log.ts'
import type { Query, QueryRows } from '../sql/query.ts'
import type { PageExtras } from '../sql/read.ts'
import type { StorageTypeNames } from '../tables/layout.ts'
import type { BatchJob, WriteJob, Written, WrittenBatch } from './steps/write-job.ts'

/** docs/reference/custom-code.md states this limit. */
export const maxTransactionMs = 1000

export interface OpenTransaction {
  run(plan: AuthorizedPlan, values: readonly unknown[], options: RunOptions, viewer: Viewer): Promise<PlanResult>
  transact(
    writes: readonly PlacedWrite[],
    idempotencyKey: IdempotencyKey | null,
    viewer: Viewer,
  ): Promise<PlanResult & { kind: 'batch' }>
  /** Returns the changes since the last call, in their order, cascades included. The first call returns none. */
  written(): Promise<WrittenChange[]>
  /** Runs `work`, rolls back what it wrote, and returns its result. */
  dryRun<T>(work: () => Promise<T>): Promise<T>
  /** Gives these ids to the rows that `work` creates, in their order, and adds the missing ones to the list. So a second run
   *  creates the same rows. */
  withIds<T>(ids: string[], work: () => Promise<T>): Promise<T>
}

/** What a plan is run with. */
export interface RunOptions extends PageExtras {
  /** Whether the read must see the last change, because a write follows it: a replica may lack that change. */
  fresh?: boolean
  idempotencyKey?: IdempotencyKey
}

/** One write of a transaction, with its own values. */
export interface PlacedWrite {
  place: string
  plan: AuthorizedPlan<WritePlan>
  values: readonly unknown[]
}

/** One entry of the change log, in short. */
export interface WrittenChange {
  resource: string
  id: string
  kind: ChangeRecord['kind']
}

/** What a store implements to run calls in its transaction. */
export interface TransactionBackend {
  query(...queries: Query[]): Promise<readonly QueryRows[]>
  /** Applies the job. A write that fails has written nothing. */
  apply(job: WriteJob | BatchJob): Promise<unknown>
  readQuery(plan: AuthorizedPlan<ReadPlan>, values: readonly unknown[], extras: RunOptions, viewer: Viewer): Query
  toAnswer(plan: ReadPlan, row: unknown[] | null): PlanResult
  buildJob(plan: WritePlan, values: readonly unknown[], viewer: Viewer): WriteJob
  toWritten(written: Written, plan: WritePlan): Written
  /** SQL of the last change that this transaction can see, and of the changes after it. */
  lastChangeSql: string
  changesSinceSql: string
  types: StorageTypeNames
}

class BackendTransaction implements OpenTransaction {
  readonly #backend: TransactionBackend
  #lastSeen: QueryRows[number][number] | null = null
  #savepointDepth = 0
  #ids: { list: string[]; used: number } | null = null

  constructor(backend: TransactionBackend) {
    this.#backend = backend
  }

  async run(plan: AuthorizedPlan, values: readonly unknown[], extras: RunOptions, viewer: Viewer): Promise<PlanResult> {
    const { idempotencyKey = null } = extras
    if (plan.kind === 'batch') {
      const writes = plan.writes.map((write, index) => ({ place: String(index), plan: write, values }))
      return this.#writeAll(writes, idempotencyKey, viewer)
    }
    if (plan.kind === 'write') {
      const job = this.#job(plan, values, viewer)
      return this.#backend.toWritten(
        (await this.#backend.apply({ ...job, idempotencyKey: idempotencyKey })) as Written,
        plan,
      )
    }
    const read = plan as AuthorizedPlan<ReadPlan>
    const [rows] = await this.#backend.query(this.#backend.readQuery(read, values, extras, viewer))
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
    const jobs = writes.map(({ plan, values }) => this.#job(plan, values, viewer))
    const places = writes.map(({ place }) => place)
    const made = (await this.#backend.apply({
      kind: 'batch',
      jobs,
      places,
      idempotencyKey: idempotencyKey,
    })) as WrittenBatch
    const answers = made.answers.map((written, index) => this.#backend.toWritten(written, writes[index]!.plan))
    return { ...made, answers }
  }

  #job(plan: WritePlan, values: readonly unknown[], viewer: Viewer): WriteJob {
    const job = this.#backend.buildJob(plan, values, viewer)
    if (this.#ids === null || job.action !== 'create' || job.id !== null) return job
    const { list, used } = this.#ids
    const id = list[used] ?? uuidv7()
    list[used] = id
    this.#ids.used++
    return { ...job, id }
  }

  async withIds<T>(ids: string[], work: () => Promise<T>): Promise<T> {
    const outer = this.#ids
    this.#ids = { list: ids, used: 0 }
    try {
      return await work()
    } finally {
      this.#ids = outer
    }
  }

  async written(): Promise<WrittenChange[]> {
    if (this.#lastSeen === null) {
      const [last] = await this.#backend.query({ sql: this.#backend.lastChangeSql, parameters: [] })
      this.#lastSeen = last![0]![0]!
      return []
    }
    const [rows] = await this.#backend.query({ sql: this.#backend.changesSinceSql, parameters: [this.#lastSeen] })
    this.#lastSeen = rows!.at(-1)?.[0] ?? this.#lastSeen
    return rows!.map(([, type, id, kind]) => {
      return { resource: this.#backend.types.current(String(type)), id, kind } as WrittenChange
    })
  }

  async dryRun<T>(work: () => Promise<T>): Promise<T> {
    const point = `undone_${++this.#savepointDepth}`
    const seen = this.#lastSeen
    await this.#backend.query({ sql: `SAVEPOINT ${point}`, parameters: [] })
    try {
      return await work()
    } finally {
      this.#savepointDepth--
      this.#lastSeen = seen
      await this.#backend.query(
        { sql: `ROLLBACK TO ${point}`, parameters: [] },
        { sql: `RELEASE ${point}`, parameters: [] },
      )
    }
  }
}

/** Ends the transaction after the timeout (1) and refuses later calls (2). */
export async function runOpenTransaction<T>(
  backend: TransactionBackend,
  timeoutMs: number,
  work: (inside: OpenTransaction) => Promise<T>,
): Promise<T> {
  let isOver = false
  const expectOpen = () => {
    if (isOver) throw new Error('the transaction has ended: custom code must await its calls')
  }
  const guarded: TransactionBackend = {
    ...backend,
    async query(...queries) {
      expectOpen()
      return backend.query(...queries)
    },
    async apply(job) {
      expectOpen()
      return backend.apply(job)
    },
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(transactionTimeout(timeoutMs)), timeoutMs)
  })
  try {
    return await Promise.race([work(new BackendTransaction(guarded)), late])
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}

function transactionTimeout(milliseconds: number): ApiError {
  return new ApiError(
    'UNAVAILABLE',
    `The code of this write took longer than ${milliseconds / 1000} s; nothing was written.`,
    {
      hint: 'Other writes wait for this one. Do slow work after the write (on), or before it.',
      headers: { 'retry-after': '1' },
    },
  )
}
