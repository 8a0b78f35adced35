import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import type { RowRead } from '#plan'
import type { UsageCount, UsageStore } from '#store'
import { Usage } from './usage.ts'
import { startUsageWriter } from './usage-writer.ts'

const [post] = loadModel('type Post { id: ID! }', 'a.graphql').resources
const read: RowRead = { kind: 'one', of: post!, id: { index: 0, accepts: { kind: 'version' } }, selections: [] }
const day = 24 * 3600 * 1000

test('counts are saved by day, and the first save of a day deletes old days', async () => {
  let now = Date.parse('2026-03-04T23:59:00Z')
  const { records, calls } = recording()
  const usage = new Usage()
  const keeping = startUsageWriter(usage, records, silent, () => now)
  await keeping.write()
  assert.deepEqual(calls, [])
  usage.count(read, 'web', false, 'rest')
  await keeping.write()
  usage.count(read, 'web', false, 'rest')
  now += day
  await keeping.stop()
  assert.deepEqual(calls, [
    'add 2026-03-04 Post web 1',
    'deleteBefore 2025-12-04',
    'add 2026-03-05 Post web 1',
    'deleteBefore 2025-12-05',
  ])
})

test('counts that could not be saved are saved later, and logged', async () => {
  const { records, calls } = recording()
  const warned: string[] = []
  const usage = new Usage()
  const log = { ...silent, warn: (_: object, sentence: string) => void warned.push(sentence) }
  let isDown = true
  const add: UsageStore['add'] = async (on, uses) => {
    if (isDown) throw new Error('the disk is full')
    await records.add(on, uses)
  }
  const keeping = startUsageWriter(usage, { ...records, add }, log, () => Date.parse('2026-03-04'))
  usage.count(read, 'web', false, 'rest')
  await keeping.write()
  isDown = false
  usage.count(read, 'web', false, 'rest')
  await keeping.stop()
  assert.deepEqual(calls, ['add 2026-03-04 Post web 2', 'deleteBefore 2025-12-04'])
  assert.deepEqual(warned, ['usage counts could not be saved'])
})

const silent = { info() {}, warn() {}, error() {} }

function recording(): { records: UsageStore; calls: string[] } {
  const calls: string[] = []
  const describeCount = ({ path, client, requested }: UsageCount) => `${path} ${client} ${requested}`
  const records: UsageStore = {
    add: async (on, uses) => void calls.push(`add ${on} ${uses.map(describeCount).join(', ')}`),
    deleteBefore: async (before) => void calls.push(`deleteBefore ${before}`),
    last: async () => ({ since: null, of: new Map() }),
    deprecatedSince: async () => new Map(),
  }
  return { records, calls }
}
