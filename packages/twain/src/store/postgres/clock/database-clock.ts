// The clock of a PostgreSQL store is that of the database: nodes have one each, and one of them may be wrong. This node compares its
// own at the start and then every minute, so that no statement has to ask for the time.
//
// 1. The difference is known to half of the round trip. A slow one proves little, so only what is beyond that half counts.
// 2. Between two comparisons time goes on by the monotonic clock. A wall clock that jumps meanwhile widens the interval, and is
//    compared at once. `now` does not believe it before: what it stamps is judged by other nodes.
// 3. Over five seconds the node warns, and stamps rows with the time of the database. Over a minute it is not ready, and
//    `earliest` is 1970: it deletes nothing because of its age, whatever asks.

import { exceptionFields, type Gauge, type Log } from '#base'
import { clearTimeout, monotonicTime, setTimeout, wallTime } from '#base/time'
import type { StoreClock } from '../../store-clock.ts'

/** The database's time, in milliseconds since 1970. */
type AskTime = () => Promise<number>

interface Comparison {
  /** The database's time at the moment `monotonic`. */
  database: number
  monotonic: number
  /** How far the wall clock of this node was ahead. */
  aheadMs: number
  /** How far it was ahead or behind at least (1). */
  certainMs: number
}

const intervalMs = 60_000
const wrongIntervalMs = 5_000
const toleratedMs = 5_000
const maxDifferenceMs = 60_000

export const selectTime = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text'

export class DatabaseClock implements StoreClock {
  readonly #ask: AskTime
  readonly #log: Log
  #last: Comparison
  #comparing: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  static async open(ask: AskTime, log: Log): Promise<DatabaseClock> {
    const clock = new DatabaseClock(ask, log, await compare(ask))
    clock.#compared(0)
    return clock
  }

  private constructor(ask: AskTime, log: Log, first: Comparison) {
    this.#ask = ask
    this.#log = log
    this.#last = first
  }

  now(): number {
    const [expected, corrected] = this.#estimates()
    const isTrusted = this.#last.certainMs <= toleratedMs && Math.abs(corrected - expected) <= toleratedMs
    return isTrusted ? wallTime() : expected
  }

  past(): number {
    return this.earliest()
  }

  earliest(): number {
    if (this.problem !== null) return 0
    return Math.min(...this.#estimates())
  }

  latest(): number {
    const [expected, corrected] = this.#estimates()
    const wall = wallTime()
    return Math.abs(wall - expected) <= toleratedMs ? wall : Math.max(expected, corrected)
  }

  /** Why this node is not ready and deletes nothing because of its age; null: its clock is right. */
  get problem(): string | null {
    if (this.#last.certainMs <= maxDifferenceMs) return null
    return `the clock of this node is ${describe(this.#last)} the clock of the database`
  }

  gauges(): Gauge[] {
    return [
      {
        name: 'clock_offset_seconds',
        kind: 'gauge',
        about: "How far this node's clock is ahead of the database's; negative: behind.",
        value: () => this.#last.aheadMs / 1000,
      },
    ]
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer ?? undefined)
  }

  /** By the monotonic clock, and by the wall clock (2). */
  #estimates(): [expected: number, corrected: number] {
    const { database, monotonic, aheadMs } = this.#last
    const expected = Math.round(database + monotonicTime() - monotonic)
    const corrected = Math.round(wallTime() - aheadMs)
    if (Math.abs(corrected - expected) > toleratedMs) void this.#compare()
    return [expected, corrected]
  }

  #compare(): Promise<void> {
    this.#comparing ??= this.#compareNow().finally(() => {
      this.#comparing = null
    })
    return this.#comparing
  }

  async #compareNow(): Promise<void> {
    clearTimeout(this.#timer ?? undefined)
    const before = this.#last.certainMs
    try {
      this.#last = await compare(this.#ask)
    } catch (error) {
      if (!this.#isClosed)
        this.#log.warn(exceptionFields(error), 'the clock could not be compared with that of the database')
    }
    this.#compared(before)
  }

  /** Reports a change, and waits for the next comparison. */
  #compared(before: number): void {
    if (this.#isClosed) return
    const { aheadMs, certainMs } = this.#last
    const fields = { ahead_seconds: Math.round(aheadMs / 1000) }
    if (levelOf(certainMs) > levelOf(before)) {
      this.#log.warn(fields, certainMs > maxDifferenceMs ? wrongClock : differingClocks)
    } else if (levelOf(certainMs) === 0 && levelOf(before) > 0) {
      this.#log.info(fields, 'the clock of this node is right again')
    }
    const delay = levelOf(certainMs) === 0 ? intervalMs : wrongIntervalMs
    this.#timer = setTimeout(() => void this.#compare(), delay).unref()
  }
}

const differingClocks = 'the clocks of this node and of the database differ; synchronize all machines with NTP'
const wrongClock =
  'the clock of this node is wrong: it is not ready, and deletes nothing because of its age; synchronize all machines with NTP'

/** 0: right, 1: warned of, 2: not ready. */
function levelOf(differenceMs: number): 0 | 1 | 2 {
  if (differenceMs <= toleratedMs) return 0
  return differenceMs <= maxDifferenceMs ? 1 : 2
}

function describe({ aheadMs }: Comparison): string {
  return `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
}

async function compare(ask: AskTime): Promise<Comparison> {
  const sent = monotonicTime()
  const database = await ask()
  const monotonic = monotonicTime()
  const half = (monotonic - sent) / 2
  const aheadMs = wallTime() - (database + half)
  return { database: database + half, monotonic, aheadMs, certainMs: Math.max(0, Math.abs(aheadMs) - half) }
}
