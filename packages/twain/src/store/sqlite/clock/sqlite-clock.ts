// The clock of a SQLite store. Only the system's clock says what time it is, and it may jump. So the store measures ages by the time
// that passes (`age-time.ts`), and believes new times of the system's clock slowly (`paced-time.ts`). It stores both with the data.
//
// 1. They are stored once a minute while rows are written, and otherwise once an hour: an idle server writes nearly nothing. After a
//    crash they lag by what was not stored, and catch up. A jump of the clock is stored at once.
// 2. The writer thread sees what `share` has written, which the main thread does before each write.

import { clearInterval, monotonicTime, setInterval, wallTime } from '#base/time'
import type { StoreClock } from '../../store-clock.ts'
import { AgeTime, type StoredAge } from './age-time.ts'
import { PacedTime } from './paced-time.ts'

const saveIntervalMs = 60_000
const idleSaveIntervalMs = 3_600_000

interface StoredClock extends StoredAge {
  paced: number
}

interface SqliteClockOptions {
  /** What `save` got last; null: nothing. */
  stored: string | null
  save(text: string): Promise<unknown>
}

export class SqliteClock implements StoreClock {
  readonly #age: AgeTime
  readonly #paced: PacedTime
  readonly #save: SqliteClockOptions['save']
  readonly #timer: NodeJS.Timeout
  #savedAt = monotonicTime()
  #hasWritten = false
  /** As stored last. */
  #stored: StoredAge

  constructor({ stored: text, save }: SqliteClockOptions) {
    const stored = text === null ? null : (JSON.parse(text) as StoredClock)
    this.#age = new AgeTime(stored)
    this.#stored = stored ?? this.#age.toStored()
    this.#paced = new PacedTime(stored?.paced ?? wallTime())
    this.#save = save
    this.#timer = setInterval(() => void this.#saveIfDue(), saveIntervalMs).unref()
  }

  now(): number {
    return wallTime()
  }

  past(): number {
    return Math.min(wallTime(), this.#paced.read())
  }

  earliest(): number {
    this.#saveJump()
    return this.#age.read()
  }

  latest(): number {
    this.#saveJump()
    return this.#age.readCaughtUp()
  }

  /** Rows were written. */
  wrote(): void {
    this.#hasWritten = true
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#hasWritten) await this.#saveNow()
  }

  async #saveIfDue(): Promise<void> {
    if (this.#hasWritten || monotonicTime() - this.#savedAt >= idleSaveIntervalMs) await this.#saveNow()
  }

  #saveJump(): void {
    if (this.#age.hasJumped(this.#stored)) void this.#saveNow()
  }

  /** What could not be stored is stored a minute later. */
  async #saveNow(): Promise<void> {
    this.#hasWritten = false
    this.#stored = this.#age.toStored()
    try {
      const stored: StoredClock = { ...this.#stored, paced: Math.floor(this.#paced.read()) }
      await this.#save(JSON.stringify(stored))
      this.#savedAt = monotonicTime()
    } catch {
      this.#hasWritten = true
    }
  }
}

/** The numbers that the threads share. */
export const sharedClockLength = 3

export function share(clock: StoreClock, numbers: Float64Array): void {
  numbers.set([clock.past(), clock.earliest(), clock.latest()])
}

/** The clock in the writer thread. */
export function sharedClock(numbers: Float64Array): StoreClock {
  return {
    now: wallTime,
    past: () => numbers[0]!,
    earliest: () => numbers[1]!,
    latest: () => numbers[2]!,
  }
}
