// Writes of rows: the logic of `store/write`, in a transaction each.

import type { Once } from '#base'
import type { Model } from '#model'
import type { Layout } from '../../layout.ts'
import { applyJob } from '../../write/apply-job.ts'
import type { Look, Step } from '../../write/ask.ts'
import type { WriteJob, Written, WrittenBatch } from '../../write/job.ts'
import { WriterContext } from '../../write/writer-context.ts'
import { codeOf } from '../database-faults.ts'
import { postgresWrites } from './dialect.ts'
import { tooLongFor } from './too-long-for.ts'
import type { Transactions } from './transactions.ts'

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
  writeAll(jobs: WriteJob[], places: string[] | null, once: Once | null): Promise<WrittenBatch> {
    return this.#make((time) => applyJob({ kind: 'batch', jobs, places, once }, this.#context, time), 'none')
  }

  async #make<T>(start: (time: string) => Step<Look<T>>, needed: 'last' | 'none'): Promise<T> {
    let time = ''
    const begin = () => {
      time = new Date().toISOString()
      return start(time)
    }
    try {
      const made = await this.#transactions.make(begin, { needed, time: () => time })
      this.#wrote()
      return made
    } catch (error) {
      throw codeOf(error) === '54000' ? tooLongFor(error, this.#model, this.#layout) : error
    }
  }
}
