// What the main thread and the writer thread send each other, beside jobs and their results.

import type { Model } from '#model'
import type { Layout } from '../../tables/layout.ts'
import type { Job } from '../../write/steps/write-job.ts'
import type { PackedBatch } from './pack-batch.ts'

export interface WriterData {
  file: string
  model: Model
  layout: Layout
  /** `limits.cacheBytes`, or its default. */
  cacheBytes?: number
  /** `limits.cascade`; 0: no limit. */
  maxCascade?: number
  /** `limits.walBytes`, or its default. */
  walBytes?: number
  /** The thread reports statements that take at least so many milliseconds. */
  slowMs?: number
  /** The thread writes here: the size of its caches, and when its last commit began and ended (milliseconds since 1970). */
  report?: SharedArrayBuffer
  /** The main thread writes here (`clock/sqlite-clock.ts`). Default: the thread uses the wall clock. */
  clock?: SharedArrayBuffer
}

/** The numbers of `WriterData.report`. */
export const threadReportLength = 3

/** A job of a transaction that the main thread keeps open. */
export interface ExclusiveJob {
  exclusive: Job | PackedBatch
}

/** A slow or recorded one. Sent before the results of its group. */
export interface ReportedStatement {
  sql: string
  milliseconds: number
  /** The write that it belongs to: `create Post`. */
  subject: string
  /** Of a recorded request; such statements are sent also if they are fast. */
  recording?: number
}
