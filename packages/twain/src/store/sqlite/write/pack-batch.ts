// Many creates of one shape on their way to the writer thread: what they share once, and their values as one list. A message copies
// every object with the names of its members, and so thousands of jobs would take longer to copy than to write.

import { isDeepStrictEqual } from 'node:util'
import type { BatchJob, Job, JobField, WriteJob } from '../../write/steps/write-job.ts'

export interface PackedBatch extends Omit<BatchJob, 'kind' | 'jobs'> {
  kind: 'packed'
  first: WriteJob
  /** Of all jobs, the fields of each in the order of the first one. */
  values: readonly unknown[]
}

/** The job itself, if its writes have different shapes. */
export function packBatch(job: Job): Job | PackedBatch {
  if (job.kind !== 'batch' || job.jobs.length < 2) return job
  const { kind: _, jobs, ...rest } = job
  const first = jobs[0]!
  if (!jobs.every((one) => hasShapeOf(first, one))) return job
  return { kind: 'packed', ...rest, first, values: jobs.flatMap(({ set }) => set.map(({ value }) => value)) }
}

export function unpackBatch(job: Job | PackedBatch): Job {
  if (job.kind !== 'packed') return job
  const { kind: _, first, values, ...rest } = job
  const width = first.set.length
  const jobs = Array.from({ length: values.length / width }, (_job, row): WriteJob => {
    return { ...first, set: first.set.map((field, at) => ({ ...field, value: values[row * width + at] })) }
  })
  return { kind: 'batch', jobs, ...rest }
}

/** Whether they differ in nothing but the values of their fields. */
function hasShapeOf(first: WriteJob, job: WriteJob): boolean {
  if (job.set.length !== first.set.length || job.set.length === 0) return false
  if (!job.set.every((field, at) => isSameField(field, first.set[at]!))) return false
  for (const name in first) {
    const member = name as keyof WriteJob
    if (member === 'set' || job[member] === first[member]) continue
    if (!isDeepStrictEqual(job[member], first[member])) return false
  }
  return true
}

function isSameField(a: JobField, b: JobField): boolean {
  return a.field === b.field && a.merge === b.merge && a.change === b.change && a.isFileOfRow === b.isFileOfRow
}
