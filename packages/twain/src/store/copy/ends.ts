// The two ends of a copy, whichever database they are. Rows go in batches; their values are those that SQLite keeps, but
// that a truth may be one (`compile/encode.ts`).

import type { Model } from '#model'
import type { Layout } from '../layout.ts'
import type { Former } from '../refuse-breaking.ts'
import type { CopiedTable } from './copied-tables.ts'

export type Cell = string | number | null
export type Batch = Cell[][]

/** Which log it is, and the last position that was given in it. */
export interface LogMark {
  id: string
  last: number
}

/** All of it as of one moment. */
export interface Source {
  /** For sentences: never a password. */
  place: string
  contract: Former
  log: LogMark
  count(table: CopiedTable): Promise<number>
  rows(table: CopiedTable): AsyncIterable<Batch>
  close(): Promise<void>
}

/** Nothing of it can be served before `finish`; `close` without it leaves nothing behind. */
export interface Target {
  place: string
  /** Makes the tables; throws StartRefused where there are some. */
  prepare(model: Model, layout: Layout, tables: readonly CopiedTable[]): Promise<void>
  take(table: CopiedTable, batches: AsyncIterable<Batch>): Promise<void>
  /** Indexes, keys, counters and the log's mark. */
  complete(log: LogMark): Promise<void>
  count(table: CopiedTable): Promise<number>
  /** From here on it is a service. */
  finish(): Promise<void>
  close(): Promise<void>
}

export const rowsInBatch = 500
