import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalTimeZone, timeZoneNames } from './zone-offset.ts'
import { intervalAt, type ZoneRules, zoneRules } from './zone-rules.ts'

test('the rules have every change of the clocks, with its second', () => {
  assert.deepEqual(changesOf('Europe/Oslo', '2026'), [
    ['2026-03-29T01:00:00.000Z', 120],
    ['2026-10-25T01:00:00.000Z', 60],
  ])
  assert.deepEqual(changesOf('America/St_Johns', '1988'), [
    ['1988-04-03T03:31:00.000Z', -90],
    ['1988-10-30T01:31:00.000Z', -210],
  ])
  assert.deepEqual(changesOf('Asia/Kolkata', '2026'), [])
})

test('a summer time of a week is not missed', () => {
  assert.deepEqual(changesOf('America/Recife', '2000'), [
    ['2000-02-27T02:00:00.000Z', -180],
    ['2000-10-08T03:00:00.000Z', -120],
    ['2000-10-15T02:00:00.000Z', -180],
  ])
})

test('a zone may skip a whole day', () => {
  assert.deepEqual(changesOf('Pacific/Apia', '2011'), [
    ['2011-04-02T14:00:00.000Z', -660],
    ['2011-09-24T14:00:00.000Z', -600],
    ['2011-12-30T10:00:00.000Z', 840],
  ])
})

test('the rules agree with the local times that Intl prints', () => {
  let seed = 1
  const random = (): number => {
    seed = (seed * 48271) % 2147483647
    return seed / 2147483647
  }
  const [first, last] = [Date.UTC(1921, 0), Date.UTC(2100, 0)]
  for (const zone of ['Europe/Oslo', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Tehran']) {
    const rules = zoneRules(zone)
    const edges = rules.starts.map((start) => Date.parse(start)).filter((start) => start >= first && start < last)
    const moments = Array.from({ length: 200 }, () => Math.floor(first + random() * (last - first)))
    for (const moment of [...moments, ...edges, ...edges.map((edge) => edge - 1)]) {
      assert.equal(minutesAt(rules, moment), printedOffset(zone, moment), `${zone} ${new Date(moment).toISOString()}`)
    }
  }
})

test('what the rules say of hours and days holds', () => {
  assert.equal(zoneRules('UTC').wholeHoursFrom, '0000')
  const oslo = zoneRules('Europe/Oslo')
  assert.deepEqual([oslo.sameDayFrom, oslo.sameDayUntil], ['00:00:00.000Z', '21:59:59.999Z'])
  const losAngeles = zoneRules('America/Los_Angeles')
  assert.deepEqual([losAngeles.sameDayFrom, losAngeles.sameDayUntil], ['08:00:00.000Z', '23:59:59.999Z'])
  assert.equal(zoneRules('Asia/Kolkata').wholeHoursFrom, '9999-12-30T00:00:00.000Z')
})

test('a local date has four digits of a year', () => {
  const rules = zoneRules('Pacific/Kiritimati')
  assert.equal(intervalAt(rules, '0000-01-01T00:00:00.000Z'), -1)
  assert.equal(rules.offsets[intervalAt(rules, '9999-12-31T23:59:59.999Z')], 0)
})

test('a zone has one name, however it is written', () => {
  assert.equal(canonicalTimeZone('europe/oslo'), 'Europe/Oslo')
  assert.equal(canonicalTimeZone('+02:00'), '+02:00')
  for (const name of ['', 'Oslo', 'Europe/Olso', 'x'.repeat(100_000)]) assert.equal(canonicalTimeZone(name), null)
  assert.ok(timeZoneNames().includes('Europe/Oslo'))
})

function changesOf(zone: string, year: string): [string, number][] {
  const { starts, offsets } = zoneRules(zone)
  return starts.flatMap((start, index): [string, number][] =>
    start.startsWith(year) ? [[start, offsets[index]!]] : [],
  )
}

function minutesAt(rules: ZoneRules, moment: number): number {
  return rules.offsets[intervalAt(rules, new Date(moment).toISOString())] ?? 0
}

/** From the fields of the local time. */
function printedOffset(timeZone: string, moment: number): number {
  const local = Date.parse(`${printed(timeZone, moment).replace(' ', 'T')}Z`)
  return Math.round((local - Math.floor(moment / 1000) * 1000) / 60_000)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function printed(timeZone: string, moment: number): string {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    formats.set(timeZone, format)
  }
  return format.format(moment)
}
