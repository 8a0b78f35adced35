// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { openAggregates, type TestAggregates } from './aggregates.fixture.ts'
import { localKey } from './local-key.fixture.ts'

const parts = ['HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const
const zones = [
  'UTC',
  'Europe/Oslo',
  'America/St_Johns',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Apia',
  '-03:30',
]

describe('time parts', () => {
  let aggregates: TestAggregates
  before(async () => {
    aggregates = await openAggregates()
  })
  after(() => aggregates.close())
  const fill = (moments: readonly (string | null)[]) =>
    aggregates.fill(
      'DateTime',
      moments.map((moment) => [1, moment]),
    )

  test('an hour that happens twice is two groups, and one that is skipped is none', async () => {
    await fill([
      '2026-10-24T23:59:59.999Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
      '2026-10-25T01:59:00.000Z',
      '2026-03-29T00:59:59.999Z',
      '2026-03-29T01:00:00.000Z',
      null,
    ])
    assert.deepEqual(await aggregates.byTime('HOUR', 'Europe/Oslo'), [
      ['2026-03-29T01:00:00.000+01:00', 1],
      ['2026-03-29T03:00:00.000+02:00', 1],
      ['2026-10-25T01:00:00.000+02:00', 1],
      ['2026-10-25T02:00:00.000+02:00', 1],
      ['2026-10-25T02:00:00.000+01:00', 2],
      [null, 1],
    ])
  })

  test('hours of a zone whose clocks change by half an hour', async () => {
    await fill([
      '2026-04-04T14:15:00.000Z',
      '2026-04-04T14:59:59.999Z',
      '2026-04-04T15:00:00.000Z',
      '2026-10-03T15:30:00.000Z',
    ])
    assert.deepEqual(await aggregates.byTime('HOUR', 'Australia/Lord_Howe'), [
      ['2026-04-05T01:00:00.000+11:00', 2],
      ['2026-04-05T01:00:00.000+10:30', 1],
      ['2026-10-04T02:00:00.000+11:00', 1],
    ])
  })

  test('hours of UTC have its sign', async () => {
    await fill(['2026-04-04T14:15:00.000Z'])
    assert.deepEqual(await aggregates.byTime('HOUR', 'UTC'), [['2026-04-04T14:00:00.000Z', 1]])
  })

  test('days and longer are local dates', async () => {
    await fill([
      '2025-12-31T22:59:59.999Z',
      '2025-12-31T23:00:00.000Z',
      '2026-01-04T23:30:00.000Z',
      '2026-06-30T22:00:00.000Z',
    ])
    const keys = async (part: (typeof parts)[number]) =>
      (await aggregates.byTime(part, 'Europe/Oslo')).map(([key]) => key)
    assert.deepEqual(await keys('DAY'), ['2025-12-31', '2026-01-01', '2026-01-05', '2026-07-01'])
    assert.deepEqual(await keys('WEEK'), ['2025-12-29', '2026-01-05', '2026-06-29'])
    assert.deepEqual(await keys('MONTH'), ['2025-12-01', '2026-01-01', '2026-07-01'])
    assert.deepEqual(await keys('QUARTER'), ['2025-10-01', '2026-01-01', '2026-07-01'])
    assert.deepEqual(await keys('YEAR'), ['2025-01-01', '2026-01-01'])
  })

  test('parts of a Date know no zone', async () => {
    await aggregates.fill('Date', [
      [1, '2026-01-01'],
      [1, '2026-05-31'],
      [1, null],
    ])
    const keys = async (part: (typeof parts)[number]) =>
      (await aggregates.byTime(part, 'Pacific/Auckland')).map(([key]) => key)
    assert.deepEqual(await keys('DAY'), ['2026-01-01', '2026-05-31', null])
    assert.deepEqual(await keys('WEEK'), ['2025-12-29', '2026-05-25', null])
    assert.deepEqual(await keys('MONTH'), ['2026-01-01', '2026-05-01', null])
    assert.deepEqual(await keys('QUARTER'), ['2026-01-01', '2026-04-01', null])
    assert.deepEqual(await keys('YEAR'), ['2026-01-01', null])
  })

  test('the first and the last days of the calendar have a key', async () => {
    await fill(['0000-01-01T00:00:00.000Z', '0000-01-03T12:00:00.000Z', '9999-12-31T23:59:59.999Z'])
    for (const zone of ['Pacific/Auckland', 'America/Los_Angeles']) {
      const days = await aggregates.byTime('DAY', zone)
      assert.deepEqual(days, [
        ['0000-01-01', 1],
        ['0000-01-03', 1],
        ['9999-12-31', 1],
      ])
      const weeks = await aggregates.byTime('WEEK', zone)
      assert.deepEqual(weeks, [
        ['0000-01-01', 1],
        ['0000-01-03', 1],
        ['9999-12-27', 1],
      ])
      const hours = await aggregates.byTime('HOUR', zone)
      assert.deepEqual(hours[2], ['9999-12-31T23:00:00.000Z', 1])
      assert.deepEqual(hours[0], ['0000-01-01T00:00:00.000Z', 1])
      for (const part of ['MONTH', 'QUARTER', 'YEAR'] as const)
        assert.equal((await aggregates.byTime(part, zone)).length, 2)
    }
  })

  test('zones share a statement', async () => {
    await fill([])
    for (const part of parts) {
      await aggregates.byTime(part, 'Europe/Oslo')
      const { sql } = aggregates
      await aggregates.byTime(part, 'Asia/Kolkata')
      assert.equal(aggregates.sql, sql)
    }
  })

  test('random moments, beside the local times of Intl', async () => {
    const near = fc.sample(fc.integer({ min: Date.UTC(2019, 0), max: Date.UTC(2030, 0) }), { numRuns: 150, seed: 1 })
    const far = fc.sample(fc.integer({ min: Date.UTC(1940, 0), max: Date.UTC(2099, 0) }), { numRuns: 150, seed: 2 })
    const moments = [...near, ...far, ...edges].map((moment) => new Date(moment).toISOString())
    await fill(moments)
    for (const zone of zones) {
      for (const part of parts) {
        const expected = new Map<string, number>()
        for (const moment of moments.toSorted()) {
          const key = localKey(moment, part, zone)
          expected.set(key, (expected.get(key) ?? 0) + 1)
        }
        assert.deepEqual(await aggregates.byTime(part, zone), [...expected], `${part} ${zone}`)
      }
    }
  })
})

/** Around midnight in many zones, and around changes of the clocks. */
const edges = [
  '2026-03-29',
  '2026-04-05',
  '2026-10-04',
  '2026-10-25',
  '2011-12-30',
  '2025-12-31',
  '2026-03-31',
].flatMap((day) =>
  Array.from({ length: 48 }, (_, half) => Date.parse(`${day}T00:00:00Z`) + half * 1_800_000 - (half % 3)),
)
