import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BatchJob, JobField, WriteJob, WriteResult } from '../../write/steps/write-job.ts'
import { packBatch, packResult, unpackBatch, unpackResult } from './pack-batch.ts'

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

test('values that JSON would change cross as they are', () => {
  for (const values of [
    ['a', null, true, 1.5, '\ud800'],
    [undefined, 'b', { n: 1 }, [1], 5n],
  ]) {
    const sent = batch(...values.map((value) => job([field('x', value)])))
    assert.deepEqual(unpackBatch(structuredClone(packBatch(sent))), sent)
  }
})

test('the results of many writes cross as one text', () => {
  const written = { kind: 'written', text: '{}', id: 'a', version: 1, created: true } as const
  const many: WriteResult = { kind: 'batch', answers: [written, { ...written, id: 'b' }] }
  const change = { type: 'Post', id: 'a', kind: 'created' } as const
  const applied: WriteResult = { kind: 'applied', result: many, changes: [change] }
  for (const result of [many, applied]) {
    assert.equal(packResult(result).kind, 'packed')
    assert.deepEqual(unpackResult(structuredClone(packResult(result))), result)
  }
  assert.equal(packResult(written), written)
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
