// Many creates of one shape on their way to the writer thread, and their results on the way back. A message copies every object
// with the names of its members, and so thousands of jobs would take longer to copy than to write: what the jobs share crosses
// once, and the rest as one text.

import { isDeepStrictEqual } from 'node:util'
import type { BatchJob, Job, JobField, WriteJob, WriteResult } from '../../write/steps/write-job.ts'

export interface PackedBatch extends Omit<BatchJob, 'kind' | 'jobs' | 'places'> {
  kind: 'packed'
  first: WriteJob
  /** `PackedValues` as JSON; the values themselves, if one of them is an object. */
  rows: string | PackedValues
}

interface PackedValues {
  places: BatchJob['places']
  /** Of all jobs, the fields of each in the order of the first one. */
  values: readonly unknown[]
}

/** A result as JSON. */
export interface PackedResult {
  kind: 'packed'
  text: string
}

/** The job itself, if its writes have different shapes. */
export function packBatch(job: Job): Job | PackedBatch {
  if (job.kind !== 'batch' || job.jobs.length < 2) return job
  const { kind: _, jobs, places, ...rest } = job
  const first = jobs[0]!
  if (!jobs.every((one) => hasShapeOf(first, one))) return job
  const values: unknown[] = []
  for (const { set } of jobs) for (const { value } of set) values.push(value)
  const rows = { places, values }
  return { kind: 'packed', ...rest, first, rows: values.every(isPlain) ? JSON.stringify(rows) : rows }
}

/** Whether JSON gives back just this value. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || value === null || typeof value === 'boolean' || Number.isFinite(value)
}

export function unpackBatch(job: Job | PackedBatch): Job {
  if (job.kind !== 'packed') return job
  const { kind: _, first, rows, ...rest } = job
  const { places, values } = typeof rows === 'string' ? (JSON.parse(rows) as PackedValues) : rows
  const width = first.set.length
  const jobs = Array.from({ length: values.length / width }, (_job, row): WriteJob => {
    return { ...first, set: first.set.map((field, at) => ({ ...field, value: values[row * width + at] })) }
  })
  return { kind: 'batch', jobs, places, ...rest }
}

export function packResult(result: WriteResult): WriteResult | PackedResult {
  const written = result.kind === 'applied' ? result.result : result
  return written.kind === 'batch' ? { kind: 'packed', text: JSON.stringify(result) } : result
}

export function unpackResult(result: WriteResult | PackedResult): WriteResult {
  return result.kind === 'packed' ? (JSON.parse(result.text) as WriteResult) : result
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
