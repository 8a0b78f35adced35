// The SQLite store: plan → statement → answer. Reads that are short run here, on the main thread, where they cost least;
// reads that may be long run in a process of their own; all writes go to the one writer.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Cache, Fault } from '#base'
import type { Resource } from '#model'
import type { Answer, AuthorizedPlan, Pick, Plan, Read, Write } from '#plan'
import { encode, type SqlValue } from '../compile/encode.ts'
import { type CompiledRead, compileAnswer, compileRead, writtenId } from '../compile/read.ts'
import type { Extras, Store } from '../contract.ts'
import { type Estimate, estimate } from '../estimate.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from './lock.ts'
import type { LongReader } from './reader.ts'
import { TableSizes } from './table-sizes.ts'
import type { WriteJob, WriteResult } from './write/job.ts'
import type { Writer } from './write/writer.ts'

/** A row that is looked at takes about a microsecond, a wide one ten: this many stay well below 50 ms
 *  (docs/decisions/0003-long-reads.md). */
const mostRowsHere = 2000

/** Characters of the statements that are kept: SQLite takes 20 to 60 bytes for each. */
const mostSql = 1_000_000

interface Parts {
  layout: Layout
  reading: DatabaseSync
  writer: Writer
  longReader: LongReader
  lock: Lock
}

interface Prepared extends CompiledRead {
  statement: StatementSync
  estimate: Estimate | null
}

/** What a write answers with, read back by the id of the row. */
interface WrittenRead extends CompiledRead {
  estimate: Estimate | null
}

export class SqliteStore implements Store {
  readonly #parts: Parts
  /** By what is asked beside the rows (`variantOf`). The doors keep more plans than there is room for statements. */
  readonly #prepared = Array.from({ length: 4 }, () => new Cache<Plan, Prepared>(mostSql, ({ sql }) => sql.length))
  readonly #answers = new WeakMap<readonly Pick[], WrittenRead>()
  readonly #sizes: TableSizes

  constructor(parts: Parts) {
    this.#parts = parts
    this.#sizes = new TableSizes(parts.reading, parts.layout)
  }

  run(plan: AuthorizedPlan, values: readonly unknown[], extras: Extras): Answer | Promise<Answer> {
    return plan.kind === 'write' ? this.#write(plan, values) : this.#read(plan, values, extras)
  }

  ready(): boolean {
    return this.#parts.writer.isAlive
  }

  async close(): Promise<void> {
    // The writer goes last: SQLite then moves the log into the database file, which is whole by itself.
    this.#parts.longReader.close()
    this.#parts.reading.close()
    await this.#parts.writer.close()
    this.#parts.lock.release()
  }

  #read(plan: AuthorizedPlan<Read>, values: readonly unknown[], extras: Extras): Answer | Promise<Answer> {
    const prepared = this.#prepare(plan, extras)
    const parameters = prepared.parameters.map(({ slot, encoding }) => encode(values[slot], encoding))
    if (this.#isLong(prepared, values)) {
      return this.#parts.longReader.read(prepared.sql, parameters).then((row) => toAnswer(plan, row))
    }
    return toAnswer(plan, (prepared.statement.get(...parameters) ?? null) as unknown[] | null)
  }

  #isLong(read: { estimate: Estimate | null }, values: readonly unknown[]): boolean {
    return read.estimate !== null && read.estimate(values, this.#sizes) > mostRowsHere
  }

  #prepare(plan: AuthorizedPlan<Read>, extras: Extras): Prepared {
    const variant = this.#prepared[variantOf(extras)]!
    const known = variant.get(plan)
    if (known !== undefined) return known
    const compiled = compileRead(plan, this.#parts.layout, extras)
    const statement = this.#parts.reading.prepare(compiled.sql)
    statement.setReturnArrays(true)
    const prepared = { ...compiled, statement, estimate: estimate(plan, extras.total) }
    variant.set(plan, prepared)
    return prepared
  }

  async #write(plan: Write, values: readonly unknown[]): Promise<Answer> {
    const back = plan.action === 'delete' ? null : this.#answer(plan.of, plan.answer)
    // The one writer must not be held up by a long answer: it is read after the commit.
    const long = back !== null && this.#isLong(back, values)
    const answer = long ? compileAnswer(plan.of, [], this.#parts.layout) : back
    const job: WriteJob = {
      action: plan.action,
      resource: plan.of.name,
      id: plan.id === null ? null : (values[plan.id.index] as string),
      set: plan.set.map(({ field, slot }) => ({
        field: field.name,
        value: values[slot.index],
        merge: slot.fits.kind === 'field' && slot.fits.merge,
      })),
      ifVersion: plan.ifVersion === null ? null : (values[plan.ifVersion.index] as number),
      answer: answer === null ? null : bindAnswer(answer, values),
    }
    const written = toWritten(await this.#parts.writer.write(job))
    return long && written.kind === 'written' ? this.#readBack(written, plan.of, bindAnswer(back, values)) : written
  }

  #answer(of: Resource, pick: Pick[]): WrittenRead {
    const known = this.#answers.get(pick)
    if (known !== undefined) return known
    const compiled = compileAnswer(of, pick, this.#parts.layout)
    const read = { ...compiled, estimate: estimate({ kind: 'one', of, id: writtenId, pick }, false) }
    this.#answers.set(pick, read)
    return read
  }

  async #readBack(written: Answer & { kind: 'written' }, of: Resource, read: BoundAnswer): Promise<Answer> {
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

function variantOf({ more, total }: Extras): number {
  return (more ? 1 : 0) + (total ? 2 : 0)
}

type BoundAnswer = WriteJob['answer'] & object

function bindAnswer({ sql, parameters }: CompiledRead, values: readonly unknown[]): BoundAnswer {
  const bound = parameters.map(({ slot, encoding }): SqlValue => (slot < 0 ? null : encode(values[slot], encoding)))
  const idAt = parameters.flatMap(({ slot }, index) => (slot === writtenId.index ? [index] : []))
  return { sql, parameters: bound, idAt }
}

function toAnswer(plan: Read, row: unknown[] | null): Answer {
  if (plan.kind === 'one') {
    return row === null
      ? { kind: 'one', text: null, version: 0 }
      : { kind: 'one', text: row[0] as string, version: row[1] as number }
  }
  const [text, found, more, total] = row as [string, number, number, number | null]
  if (found === 0) throw new Fault('NOT_FOUND', `There is no such ${plan.within!.field.owner.name}.`)
  return { kind: 'many', text, more: more === 1, total }
}

function toWritten(result: WriteResult): Answer {
  switch (result.kind) {
    case 'fault': {
      const { code, message, hint, problems } = result
      throw new Fault(code, message, { hint, problems })
    }
    case 'error': {
      const error = new Error(result.message)
      if (result.stack !== undefined) error.stack = result.stack
      throw error
    }
    default:
      return result
  }
}
