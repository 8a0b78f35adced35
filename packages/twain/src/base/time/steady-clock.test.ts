import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steadyClock } from './steady-clock.ts'

function open() {
  const at = { wall: 1_000_000_000, monotonic: 5, slept: 0 }
  const steps: number[] = []
  const clock = steadyClock({
    wall: () => at.wall,
    monotonic: () => at.monotonic,
    slept: () => at.slept,
    onStepBack: (milliseconds) => steps.push(milliseconds),
  })
  const pass = (milliseconds: number) => {
    at.wall += milliseconds
    at.monotonic += milliseconds
    return clock()
  }
  return { at, steps, clock, pass }
}

test('while the system clock runs, it is the system clock', () => {
  const { at, clock, pass, steps } = open()
  for (const milliseconds of [0, 1, 999, 60_000]) assert.equal(pass(milliseconds), at.wall)
  at.wall += 3_600_000 // set forward, or the machine slept
  assert.equal(clock(), at.wall)
  assert.deepEqual(steps, [])
})

test('when the system clock is set back, it goes on with the time that has passed', () => {
  const { at, clock, pass, steps } = open()
  const before = clock()
  at.wall -= 3_600_000
  assert.equal(clock(), before)
  assert.equal(pass(1500), before + 1500)
  assert.equal(pass(1500), before + 3000)
  assert.deepEqual(steps, [3_600_000])
  at.wall += 7_200_000
  assert.equal(clock(), at.wall)
})

test('after a step back, the time for which the machine slept has passed, too', () => {
  const { at, clock, pass } = open()
  const before = clock()
  at.wall -= 7_200_000
  assert.equal(clock(), before)
  at.wall += 3_600_000 // the monotonic clock stands still
  at.slept += 3_600_000
  assert.equal(clock(), before + 3_600_000)
  assert.equal(pass(1000), before + 3_601_000)
})

test('it never loses a part of a millisecond', () => {
  const { at, clock } = open()
  const before = clock()
  at.wall -= 3_600_000
  for (let count = 0; count < 1000; count++) {
    at.monotonic += 0.5
    clock()
  }
  assert.equal(clock(), before + 500)
})
