// A time that tests move: the wall clock and the monotonic clock stand still otherwise. Timers and random bytes stay the system's.

import { randomFillSync } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setTimeSource } from './time.ts'

export interface ShiftedTime {
  wall: number
  monotonic: number
  /** How long the machine has slept. */
  slept: number
  /** Both clocks go on. */
  pass(milliseconds: number): void
}

export function shiftTime(t: Pick<TestContext, 'after'>): ShiftedTime {
  const time = {
    wall: Date.parse('2026-11-19T12:00:00Z'),
    monotonic: 1000,
    slept: 0,
    pass(milliseconds: number) {
      time.wall += milliseconds
      time.monotonic += milliseconds
    },
  }
  setTimeSource({
    wallTime: () => time.wall,
    monotonicTime: () => time.monotonic,
    sleptTime: () => time.slept,
    setTimeout: globalThis.setTimeout,
    setInterval: globalThis.setInterval,
    clearTimer: (timer) => clearTimeout(timer),
    sleep,
    timeoutSignal: (milliseconds) => AbortSignal.timeout(milliseconds),
    fillRandom: (bytes) => void randomFillSync(bytes),
  })
  t.after(() => setTimeSource(null))
  return time
}
