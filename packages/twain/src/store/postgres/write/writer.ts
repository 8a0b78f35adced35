// Writes of rows: the logic of `store/write`, in a transaction each.

import { ApiError, type IdempotencyKey } from '#base'
import type { Model } from '#model'
import type { Layout } from '../../tables/layout.ts'
import { WriterContext } from '../../write/access/writer-context.ts'
import { applyJob } from '../../write/apply-job.ts'
import { complete, type Look, type Step } from '../../write/steps/query-step.ts'
import type { BatchJob, WriteJob, Written, WrittenBatch } from '../../write/steps/write-job.ts'
import { codeOf } from '../connect/database-errors.ts'
import { postgresWrites } from './dialect.ts'
import { tooLongFor } from './too-long-for.ts'
import { type Ask, driveOn } from './transact.ts'
import type { Trace, Transactions } from './transactions.ts'

/** A write in the open transaction; one that is refused has written nothing. */
export type Apply = (job: WriteJob | BatchJob) => Promise<Written | WrittenBatch>

export class PostgresWriter {
  readonly #transactions: Transactions
  readonly #model: Model
  readonly #layout: Layout
  readonly #context: WriterContext
  readonly #wrote: () => void

  /** `wrote` is called after each commit. */
  constructor(transactions: Transactions, model: Model, layout: Layout, wrote: () => void) {
    this.#wrote = wrote
    this.#transactions = transactions
    this.#model = model
    this.#layout = layout
    this.#context = new WriterContext(model, layout, postgresWrites)
  }

  write(job: WriteJob): Promise<Written> {
    const needed = job.answer === null || job.once !== null ? 'none' : 'last'
    return this.#make((time) => applyJob(job, this.#context, time), needed)
  }

  /** All of them or none. */
  writeAll(jobs: WriteJob[], places: string[] | null, once: IdempotencyKey | null): Promise<WrittenBatch> {
    return this.#make((time) => applyJob({ kind: 'batch', jobs, places, once }, this.#context, time), 'none')
  }

  /** One that stays open while `work` goes on. */
  within<T>(work: (ask: Ask, apply: Apply) => Promise<T>): Promise<T> {
    return this.#told((trace) =>
      this.#transactions.hold((ask) => {
        const time = trace.begin()
        return work(ask, async (job) => {
          await ask([{ sql: 'SAVEPOINT one', parameters: [] }])
          try {
            const written = await driveOn(complete(applyJob(job, this.#context, time)), ask)
            await ask([{ sql: 'RELEASE one', parameters: [] }])
            return written
          } catch (error) {
            if (!(error instanceof ApiError)) throw error // the transaction is lost, and made once more or not
            await ask([
              { sql: 'ROLLBACK TO one', parameters: [] },
              { sql: 'RELEASE one', parameters: [] },
            ])
            throw error
          }
        })
      }, trace.of('none')),
    )
  }

  #make<T>(start: (time: string) => Step<Look<T>>, needed: 'last' | 'none'): Promise<T> {
    return this.#told((trace) => this.#transactions.make(() => start(trace.begin()), trace.of(needed)))
  }

  async #told<T>(make: (trace: { begin(): string; of(needed: Trace['needed']): Trace }) => Promise<T>): Promise<T> {
    let time = ''
    const begin = () => {
      time = new Date().toISOString()
      return time
    }
    try {
      const made = await make({ begin, of: (needed) => ({ needed, time: () => time }) })
      this.#wrote()
      return made
    } catch (error) {
      throw codeOf(error) === '54000' ? tooLongFor(error, this.#model, this.#layout) : error
    }
  }
}
