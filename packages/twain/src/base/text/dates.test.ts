import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalDateTime, formatDateTime, isDate, isTime } from './dates.ts'

test('every day of the calendar is a date', () => {
  for (let time = Date.UTC(1899, 0); time < Date.UTC(2105, 0); time += 86_400_000) {
    assert.ok(isDate(new Date(time).toISOString().slice(0, 10)))
  }
})

test('a day that does not exist is no date', () => {
  for (const text of [
    '2023-02-29',
    '1900-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
  ]) {
    assert.ok(!isDate(text), text)
  }
  for (const text of ['', '2026-1-1', '26-01-01', '2026-01-01 ', '+002026-01-01', '2026/01/01'])
    assert.ok(!isDate(text), text)
})

test('a time has an offset and is within a day', () => {
  for (const text of ['00:00:00Z', '23:59:59.999999z', '12:00:00-23:59']) assert.ok(isTime(text), text)
  for (const text of ['24:00:00Z', '12:60:00Z', '12:00:60Z', '12:00:00', '12:00Z', '12:00:00+24:00', '12:00:00+01']) {
    assert.ok(!isTime(text), text)
  }
})

test('a time stamp has one canonical form, whatever its offset', () => {
  assert.equal(canonicalDateTime('2026-01-31T00:30:00.5+01:00'), '2026-01-30T23:30:00.500Z')
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
      fc.integer({ min: -1439, max: 1439 }),
      (moment, offset) => {
        const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, -1)
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
          String(part).padStart(2, '0'),
        )
        assert.equal(canonicalDateTime(`${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`), moment.toISOString())
      },
    ),
    { seed: 1 },
  )
})

test('the canonical form stays as it is, and a form that only resembles it is checked as any other', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(-6e13), max: new Date(2e14), noInvalidDate: true }), (moment) => {
      assert.equal(canonicalDateTime(moment.toISOString()), moment.toISOString())
    }),
    { seed: 1 },
  )
  for (const text of ['2026-02-30T00:00:00.000Z', '2026-00-01T00:00:00.000Z', '2026-01-01T24:00:00.000Z'])
    assert.equal(canonicalDateTime(text), null, text)
})

test('digits beyond the millisecond are cut off, not rounded into the next one', () => {
  assert.equal(canonicalDateTime('2026-12-31T23:59:59.9999Z'), '2026-12-31T23:59:59.999Z')
})

test('a time stamp outside the years 0000 to 9999 has no canonical form', () => {
  assert.equal(canonicalDateTime('0000-01-01T00:00:00Z'), '0000-01-01T00:00:00.000Z')
  assert.equal(canonicalDateTime('0000-01-01T00:00:00+00:01'), null)
  assert.equal(canonicalDateTime('9999-12-31T23:59:59-00:01'), null)
})

test('a text that is no time stamp has no canonical form', () => {
  for (const text of ['', '2026-01-31', '2026-01-31T09:30:00', '2026-01-31 09:30:00Z', '2026-02-30T00:00:00Z', 'now']) {
    assert.equal(canonicalDateTime(text), null, text)
  }
})

test('a time as text is that of a Date, in any order of times', () => {
  const start = Date.parse('2026-12-31T23:59:58.990Z')
  const times = Array.from({ length: 3000 }, (_, index) => start + index)
  const mixed = times.map((_, index) => times[(index * 1009) % times.length]!)
  for (const time of [...times, ...mixed, 0, 7, -1, 0, 253_402_300_799_999])
    assert.equal(formatDateTime(time), new Date(time).toISOString())
})
