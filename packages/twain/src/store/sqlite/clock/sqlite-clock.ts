// The clock of a SQLite store. Only the system's clock says what time it is, and it may jump. So the store measures ages by the time
// that passes (`age-time.ts`), and remembers how far the system's clock was ahead of it (`clock-offsets.ts`). It stores both with the
// data.
//
// 1. They are stored once a minute while rows are written, and otherwise once an hour: an idle server writes nearly nothing. After a
//    crash they lag by what was not stored, and catch up. A jump of the clock is stored at once: otherwise it would look like a pause
//    at the next start.
// 2. The writer thread sees what `share` has written, which the main thread does before each write.

import { clearInterval, monotonicTime, setInterval, wallTime } from '#base/time'
import type { StoreClock } from '../../store-clock.ts'
import { AgeTime, type StoredAge } from './age-time.ts'
import { type ClockOffset, ClockOffsets } from './clock-offsets.ts'

const saveIntervalMs = 60_000
const idleSaveIntervalMs = 3_600_000

interface StoredClock extends StoredAge {
  offsets: readonly ClockOffset[]
}

/** How long the clock must go on after a jump before what ends by it is deleted. */
const defaultWithinMs = 30 * 24 * 3_600_000

interface SqliteClockOptions {
  /** What `save` got last; null: nothing. */
  stored: string | null
  save(text: string): Promise<unknown>
}

export class SqliteClock implements StoreClock {
  readonly #age: AgeTime
  readonly #offsets: ClockOffsets
  readonly #save: SqliteClockOptions['save']
  readonly #timer: NodeJS.Timeout
  #savedAt = monotonicTime()
  #hasWritten = false

  constructor({ stored: text, save }: SqliteClockOptions) {
    const stored = text === null ? null : ({ offsets: [], ...JSON.parse(text) } as StoredClock)
    this.#age = new AgeTime(stored)
    this.#offsets = new ClockOffsets(stored?.offsets ?? [])
    this.#noteOffset(stored?.ahead ?? this.#age.ahead())
    this.#save = save
    this.#timer = setInterval(() => void this.#saveIfDue(), saveIntervalMs).unref()
  }

  now(): number {
    return wallTime()
  }

  past(withinMs = defaultWithinMs): number {
    this.#saveJump()
    const age = this.#age.read()
    return age + this.#offsets.lowest(age - withinMs)
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
    if (this.#offsets.isJump(this.#age.ahead())) void this.#saveNow()
  }

  #noteOffset(ahead: number): void {
    this.#offsets.note({ since: this.#age.readCaughtUp(), ahead })
  }

  /** What could not be stored is stored a minute later. */
  async #saveNow(): Promise<void> {
    this.#hasWritten = false
    const age = this.#age.toStored()
    this.#noteOffset(age.ahead)
    try {
      const stored: StoredClock = { ...age, offsets: this.#offsets.toStored() }
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
