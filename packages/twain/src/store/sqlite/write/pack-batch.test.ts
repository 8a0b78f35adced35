import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BatchJob, JobField, WriteJob } from '../../write/steps/write-job.ts'
import { packBatch, unpackBatch } from './pack-batch.ts'

const field = (name: string, value: unknown): JobField => ({ field: name, value, merge: false, change: undefined })
const job = (set: JobField[], more: object = {}) =>
  ({
    kind: 'write',
    action: 'create',
    resource: 'Post',
    id: null,
    rows: [],
    lists: [],
    ...more,
    set,
  }) as unknown as WriteJob
const batch = (...jobs: WriteJob[]): BatchJob => {
  return { kind: 'batch', jobs, places: jobs.map((_, index) => String(index)), readBacks: null, idempotencyKey: null }
}

test('creates of one shape cross as their values, and come out as they were', () => {
  const sent = batch(...['a', 'b', 'c'].map((text, n) => job([field('title', text), field('size', { n })])))
  const packed = packBatch(sent)
  assert.equal(packed.kind, 'packed')
  assert.deepEqual(unpackBatch(structuredClone(packed)), sent)
})

test('jobs of different shapes stay as they are', () => {
  const one = job([field('title', 'a')])
  const others = [
    job([field('text', 'a')]),
    job([field('title', 'a'), field('text', 'b')]),
    job([{ ...field('title', 'a'), merge: true }]),
    job([field('title', 'a')], { resource: 'Note' }),
    job([field('title', 'a')], { id: 'x' }),
    job([field('title', 'a')], { rows: [{ field: 'comments', checks: null, rows: [] }] }),
  ]
  for (const other of others) assert.equal(packBatch(batch(one, other)).kind, 'batch')
  for (const none of [batch(one), batch(job([]), job([])), one]) assert.equal(unpackBatch(packBatch(none)), none)
})
