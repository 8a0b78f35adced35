// Writes of rows: the logic of `store/write`, in a transaction each.

import type { Model } from '#model'
import type { Layout } from '../../layout.ts'
import { applyWrite, type Written } from '../../write/apply-write.ts'
import type { WriteJob } from '../../write/job.ts'
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

  constructor(transactions: Transactions, model: Model, layout: Layout) {
    this.#transactions = transactions
    this.#model = model
    this.#layout = layout
    this.#context = new WriterContext(model, layout, postgresWrites)
  }

  async write(job: WriteJob): Promise<Written> {
    const start = () => applyWrite(job, this.#context, new Date().toISOString())
    try {
      return await this.#transactions.make(start, job.answer === null ? 'none' : 'last')
    } catch (error) {
      throw codeOf(error) === '54000' ? tooLongFor(error, this.#model, this.#layout) : error
    }
  }
}
