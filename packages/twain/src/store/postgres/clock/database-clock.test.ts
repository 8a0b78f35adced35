import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { shiftTime } from '#shifted-time'
import { DatabaseClock } from './database-clock.ts'

const second = 1000
const minute = 60_000
const day = 86_400_000

test('a clock that is a few seconds off is used as it is', async (t) => {
  const { clock, time, offset, told } = await open(t, 4 * second)
  assert.deepEqual([clock.now(), clock.earliest(), clock.problem], [time.wall, time.wall - 4 * second, null])
  assert.equal(offset(), 4)
  assert.deepEqual(told, [])
})

test('over five seconds it warns, and rows get the time of the database', async (t) => {
  for (const ahead of [10 * second, -10 * second]) {
    const { clock, time, told } = await open(t, ahead)
    assert.deepEqual([clock.now(), clock.earliest()], [time.wall - ahead, time.wall - ahead])
    assert.equal(clock.problem, null)
    assert.equal(told.length, 1)
    assert.match(told[0]!, /warn the clocks of this node and of the database differ.*NTP/)
  }
})

test('over a minute it deletes nothing and is not ready, and recovers by itself', async (t) => {
  for (const ahead of [9 * day, -9 * day]) {
    const { clock, time, told } = await open(t, ahead)
    assert.equal(clock.earliest(), 0)
    assert.equal(clock.latest(), time.wall - ahead)
    assert.match(clock.problem!, /777600 s/)
    time.wall -= ahead // NTP sets it; the next look at the time notices
    clock.latest()
    await until(() => clock.problem === null)
    assert.equal(clock.earliest(), time.wall)
    assert.deepEqual([told.length, told[1]], [2, 'info the clock of this node is right again'])
  }
})

test('a jump between two comparisons deletes nothing, keeps nothing for too short a time, and is compared at once', async (t) => {
  for (const jump of [9 * day, -9 * day]) {
    const { clock, time } = await open(t, 0)
    time.pass(minute / 2)
    const right = time.wall
    time.wall += jump
    assert.equal(clock.now(), right)
    assert.ok(clock.earliest() <= right)
    assert.ok(clock.latest() >= right)
    await until(() => clock.problem !== null)
    assert.deepEqual([clock.earliest(), clock.latest()], [0, right])
  }
})

test('a machine that slept has the time again after the next comparison', async (t) => {
  const { clock, time, database } = await open(t, 0)
  time.wall += 8 * 60 * minute // its monotonic clock stood still
  database.now += 8 * 60 * minute
  assert.equal(clock.latest(), time.wall)
  await until(() => clock.earliest() === time.wall)
  assert.equal(clock.problem, null)
})

test('a slow round trip proves no difference', async (t) => {
  const { clock, told } = await open(t, 0, 5 * minute)
  assert.deepEqual([clock.problem, told], [null, []])
})

async function open(t: TestContext, ahead: number, roundTrip = 0) {
  const time = shiftTime(t)
  const told: string[] = []
  const database = { now: time.wall - ahead }
  const began = time.monotonic
  const ask = async () => {
    time.pass(roundTrip)
    return database.now + (time.monotonic - began)
  }
  const tell = (level: string) => (_fields: unknown, text?: string) => void told.push(`${level} ${text}`)
  const clock = await DatabaseClock.open(ask, { info: tell('info'), warn: tell('warn'), error: tell('error') })
  t.after(() => clock.close())
  return { clock, time, told, database, offset: () => clock.gauges()[0]!.value() }
}

async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; turns < 1000 && !holds(); turns++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(holds())
}
