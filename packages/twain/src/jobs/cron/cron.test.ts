import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTimeZone, nextTick } from './next-tick.ts'
import { CronMistake, parseCron } from './parse-cron.ts'

const utc = 'UTC'

/** The ticks after a moment, as texts to the minute. */
function ticks(cron: string, timeZone: string, after: string, count: number): string[] {
  const parsed = parseCron(cron)
  const all: string[] = []
  for (let at = Date.parse(after); all.length < count; ) {
    at = nextTick(parsed, timeZone, at)!
    all.push(new Date(at).toISOString().slice(0, 16))
  }
  return all
}

test('values, lists, ranges, steps and names', () => {
  assert.deepEqual(ticks('0 7 * * MON', utc, '2026-11-16T07:00:00Z', 2), ['2026-11-23T07:00', '2026-11-30T07:00'])
  assert.deepEqual(ticks('*/20 9-10 * * *', utc, '2026-01-01T09:30:00Z', 4), [
    '2026-01-01T09:40',
    '2026-01-01T10:00',
    '2026-01-01T10:20',
    '2026-01-01T10:40',
  ])
  assert.deepEqual(ticks('5,1,5 0 1 jan,JUL *', utc, '2026-01-02T00:00:00Z', 3), [
    '2026-07-01T00:01',
    '2026-07-01T00:05',
    '2027-01-01T00:01',
  ])
  assert.deepEqual(ticks('50/5 23 * * fri-sat', utc, '2026-11-16T00:00:00Z', 3), [
    '2026-11-20T23:50',
    '2026-11-20T23:55',
    '2026-11-21T23:50',
  ])
  assert.deepEqual(ticks('0 0 * * 7', utc, '2026-11-16T00:00:00Z', 1), ['2026-11-22T00:00'])
})

test('the date or the weekday, if both are restricted', () => {
  assert.deepEqual(ticks('0 0 13 * FRI', utc, '2026-11-10T00:00:00Z', 3), [
    '2026-11-13T00:00',
    '2026-11-20T00:00',
    '2026-11-27T00:00',
  ])
  assert.deepEqual(ticks('0 0 */2 * MON', utc, '2026-11-10T00:00:00Z', 1), ['2026-11-23T00:00'], 'both: 23 is odd')
})

test('a rare day is found: leap days, and across the year 2100', () => {
  assert.deepEqual(ticks('0 0 29 2 *', utc, '2026-01-01T00:00:00Z', 2), ['2028-02-29T00:00', '2032-02-29T00:00'])
  assert.deepEqual(ticks('0 0 29 2 *', utc, '2096-03-01T00:00:00Z', 1), ['2104-02-29T00:00'])
})

test('a skipped local time happens once, at the shifted moment', () => {
  // Berlin, 29 March 2026: 02:00 (+1) becomes 03:00 (+2).
  assert.deepEqual(ticks('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3), [
    '2026-03-28T01:30',
    '2026-03-29T01:30',
    '2026-03-30T00:30',
  ])
  assert.deepEqual(ticks('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 5), [
    '2026-03-29T00:30',
    '2026-03-29T01:00',
    '2026-03-29T01:30',
    '2026-03-29T02:00',
    '2026-03-29T02:30',
  ])
})

test('a local time that happens twice counts the first time', () => {
  // Berlin, 25 October 2026: 03:00 (+2) becomes 02:00 (+1).
  assert.deepEqual(ticks('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ])
  assert.deepEqual(ticks('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 3), [
    '2026-10-25T00:00',
    '2026-10-25T02:00',
    '2026-10-25T03:00',
  ])
})

test('other zones: half hours, a shift of half an hour, midnight that is skipped, a day that is skipped', () => {
  assert.deepEqual(ticks('0 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', 1), ['2026-01-01T03:30'])
  assert.deepEqual(ticks('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', 2), [
    '2026-10-03T15:45',
    '2026-10-04T15:15',
  ])
  assert.deepEqual(ticks('0 0 * * *', 'America/Santiago', '2026-09-05T12:00:00Z', 2), [
    '2026-09-06T04:00',
    '2026-09-07T03:00',
  ])
  assert.deepEqual(ticks('0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00:00Z', 1), ['2011-12-30T22:00'])
})

test('ticks are the same from every moment between them', () => {
  const cron = parseCron('*/7 1-3 * * *')
  const begin = Date.parse('2026-03-28T20:00:00Z')
  for (let at = begin, next = nextTick(cron, 'Europe/Berlin', begin)!; at < begin + 8 * 3_600_000; at += 420_000) {
    while (at >= next) next = nextTick(cron, 'Europe/Berlin', next)!
    assert.equal(nextTick(cron, 'Europe/Berlin', at), next)
  }
})

test('each mistake names the field', () => {
  const mistakes: Record<string, RegExp> = {
    '* * * *': /has 4 fields; a cron expression has five/,
    '': /has 0 fields/,
    '60 * * * *': /"60" in the field minute: it takes 0 to 59/,
    '0 24 * * *': /the field hour/,
    '0 0 0 * *': /the field day of the month: it takes 1 to 31/,
    '0 0 1 FOO *': /the field month: it takes 1 to 12 or JAN to DEC/,
    '0 0 * * 8': /the field weekday: it takes 0 to 7 or SUN to SAT/,
    '0 0 * * FRI-MON': /the range ends before it begins/,
    '*/0 * * * *': /step/,
    '*/x * * * *': /step/,
    '1-2-3 * * * *': /"1-2-3" in the field minute/,
    '1/2/3 * * * *': /"1\/2\/3" in the field minute/,
    '1,,2 * * * *': /"" in the field minute/,
    '1.5 * * * *': /the field minute/,
    '-1 * * * *': /the field minute/,
    '0 0 31 2,4 *': /never happens/,
  }
  for (const [cron, message] of Object.entries(mistakes)) {
    assert.throws(
      () => parseCron(cron),
      (error: unknown) => error instanceof CronMistake && message.test(error.message),
      cron,
    )
  }
})

test('time zones by their names', () => {
  assert.deepEqual(['Europe/Berlin', 'UTC', 'Mars/Base', '', 3].map(isTimeZone), [true, true, false, false, false])
})
