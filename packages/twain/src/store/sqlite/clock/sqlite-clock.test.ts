import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ShiftedTime, shiftTime } from '#shifted-time'
import { SqliteClock } from './sqlite-clock.ts'

const hour = 3_600_000
const day = 24 * hour

test('while the wall clock is right, all times are its time', (t) => {
  const { time, clock } = open(t)
  for (const passed of [0, 1, 60_000, 30 * day]) {
    time.pass(passed)
    assert.deepEqual(timesOf(clock), [time.wall, time.wall, time.wall])
  }
})

test('no jump of the wall clock changes what is kept, also if it stays', (t) => {
  const { time, clock } = open(t)
  const began = time.wall
  for (const jump of [9 * day, -9 * day, -30 * day, 365 * day]) {
    time.wall += jump
    assert.equal(clock.now(), time.wall)
    time.pass(day)
  }
  assert.deepEqual([clock.earliest(), clock.latest()], [began + 4 * day, began + 4 * day])
})

test('no jump of the wall clock makes what was there before older', (t) => {
  const { time, clock } = open(t)
  const age = (stamp: number) => clock.past(8 * day) - stamp
  const before = time.wall
  time.wall += 9 * day
  time.pass(hour)
  const ahead = time.wall
  assert.deepEqual([age(before), age(ahead)], [hour, -9 * day])
  time.pass(8 * day)
  assert.deepEqual([age(before), age(ahead)], [17 * day + hour, 8 * day], 'what is left of before is older than 8 days')
  time.wall -= 9 * day
  assert.equal(clock.past(8 * day), time.wall, 'never after the wall clock')
  time.wall += 9 * day
  time.pass(day)
  assert.equal(clock.past(8 * day), time.wall - 9 * day)
})

test('a restart forgets no jump', async (t) => {
  const { time, clock, reopen } = open(t)
  const before = time.wall
  time.wall += 9 * day
  clock.wrote()
  await clock.close()
  time.pass(hour)
  const next = reopen()
  time.pass(day)
  assert.deepEqual([next.past(8 * day), next.past(hour)], [before + day + hour, time.wall])
})

test('after very many jumps the lowest of the first ones counts for all of them', (t) => {
  const { time, clock } = open(t)
  const [began, count] = [time.wall, 200]
  for (let jump = 1; jump <= count; jump++) {
    time.wall += (jump === 5 ? -1 : 1) * hour
    time.pass(hour)
    clock.latest()
  }
  const passed = count * hour
  assert.deepEqual([clock.past(passed), clock.past(2.5 * hour)], [began + passed, time.wall - 3 * hour])
})

test('after a pause it catches up ten times as fast as time passes, and a jump before the pause is none', async (t) => {
  const { time, clock, reopen } = open(t)
  time.wall += 9 * day
  clock.wrote()
  await clock.close()
  const stopped = clock.earliest()
  time.wall += 10 * hour // the machine was off; its monotonic clock begins again
  time.monotonic = 0
  const next = reopen()
  assert.equal(next.earliest(), stopped)
  const deletedAt = next.latest() // what begins meanwhile is kept for the whole time
  time.pass(hour)
  assert.equal(next.latest(), deletedAt + hour)
  assert.equal(next.earliest(), stopped + 10 * hour)
  time.pass(day)
  assert.equal(next.earliest(), stopped + 10 * hour + hour + day)
})

test('the time for which the machine slept is a pause, also for the next start', (t) => {
  const { time, clock, reopen } = open(t)
  const asleep = time.wall
  time.wall += 10 * hour // the monotonic clock stands still
  time.slept += 10 * hour
  assert.deepEqual(timesOf(clock), [asleep, asleep, time.wall])
  const next = reopen()
  for (const one of [clock, next]) assert.equal(one.latest(), time.wall)
  time.pass(hour)
  for (const one of [clock, next]) assert.equal(one.earliest(), asleep + 10 * hour)
  time.pass(day)
  for (const one of [clock, next]) assert.deepEqual(timesOf(one), [time.wall, time.wall, time.wall])
})

test('a jump is stored at the next write, so that it is no pause for the next start', async (t) => {
  const { time, clock, reopen } = open(t)
  for (const jump of [-9 * day, 9 * day]) {
    time.wall += jump
    clock.latest()
  }
  time.monotonic = 0 // killed, and started again at once
  const next = reopen()
  const begun = next.earliest()
  time.pass(hour)
  assert.equal(next.earliest(), begun + hour)
})

test('it is stored when rows were written, and only then', async (t) => {
  const { clock, saved } = open(t)
  await clock.close()
  assert.deepEqual(saved, [])
  clock.wrote()
  await clock.close()
  assert.equal(saved.length, 1)
})

function open(t: TestContext) {
  const time: ShiftedTime = shiftTime(t)
  const saved: string[] = []
  const save = async (text: string) => void saved.push(text)
  const openOne = (stored: string | null) => {
    const clock = new SqliteClock({ stored, save })
    t.after(() => clock.close())
    return clock
  }
  return { time, saved, clock: openOne(null), reopen: () => openOne(saved.at(-1) ?? null) }
}

function timesOf(clock: SqliteClock): number[] {
  return [clock.past(), clock.earliest(), clock.latest()]
}
