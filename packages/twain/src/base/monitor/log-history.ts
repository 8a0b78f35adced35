// The last entries of the log, for its tail in the APIs. They are those that the command writes, so that they have no secrets that
// the log has not.
//
// 1. Memory is bounded: `maxEntries` entries, each with at most `maxEntryLength` characters. Requests are kept as they are: their path
//    has at most `limits.urlBytes`.
// 2. A request costs the assignment of one reference. It becomes text when somebody reads the tail.

import { type Problem, validationError } from '../errors/api-error.ts'
import type { Log } from '../telemetry.ts'
import { clearTimeout, randomBytes, setTimeout, wallTime } from '../time/index.ts'

export const logLevels = ['info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

interface LogEntry {
  time: string
  level: LogLevel
  message: string
  /** All other members. */
  fields: Record<string, unknown>
}

export interface LogTail {
  /** The oldest first. */
  entries: LogEntry[]
  /** For `after`. */
  endCursor: string
  /** Whether entries after the cursor are lost: they were too many, or the server has started again. */
  missed: boolean
  hasMore: boolean
}

export interface LogFilter {
  /** The lowest level. */
  level: LogLevel
  /** All of them must be in the entry, in any case of letters. */
  words: readonly string[]
  first: number
  /** Cursors, of one node each, separated by commas: each node goes on from its own. Null: the newest entries. */
  after: string | null
}

const maxEntries = 1000
const maxEntryLength = 8192
/** Of so many nodes a reader can go on. */
const maxCursors = 100
const maxValueLength = 1000
/** A waiting reader is woken at most so often, because its own requests are entries, too. */
const wakeDelayMs = 250

/** `Request` is what `gather` takes. */
export class LogHistory<Request extends object = never> {
  readonly #format: (request: Request) => string
  readonly #now: () => number
  /** JSON, or a request that is not text yet. The entry with the number n is at n modulo `maxEntries`. */
  readonly #ring: (string | Request)[] = []
  /** The number of the next entry. */
  #next = 0
  /** Tells cursors of another process, or of another node, from those of this one. */
  readonly #start: string = randomBytes(6).toString('hex')
  readonly #waiting = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined

  /** `format` gives the JSON of a request. */
  constructor(format: (request: Request) => string, now: () => number = wallTime) {
    this.#format = format
    this.#now = now
  }

  /** A log that also keeps its entries here. */
  keeping(log: Log): Log {
    const entry = (level: LogLevel) => (fields: object, message: string) => {
      this.#keep(this.#textOf(level, fields, message))
      log[level](fields, message)
    }
    return { info: entry('info'), warn: entry('warn'), error: entry('error') }
  }

  readonly gather = (request: Request): void => this.#keep(request)

  tail({ level, words, first, after }: LogFilter, place = 'after'): LogTail {
    const oldest = Math.max(0, this.#next - maxEntries)
    const wanted = after === null ? oldest : this.#numberOf(after, place)
    const start = wanted === null ? oldest : Math.max(wanted, oldest)
    const matching: { entry: LogEntry; number: number }[] = []
    const numbers = Array.from({ length: this.#next - start }, (_, index) => start + index)
    for (const number of after === null ? numbers.toReversed() : numbers) {
      if (matching.length > first) break
      const text = this.#textAt(number)
      if (!words.every((word) => text.toLowerCase().includes(word.toLowerCase()))) continue
      const entry = entryOf(text)
      if (logLevels.indexOf(entry.level) >= logLevels.indexOf(level)) matching.push({ entry, number })
    }
    const shown = matching.slice(0, first)
    const hasMore = matching.length > first
    const end = after !== null && hasMore ? shown.at(-1)!.number + 1 : this.#next
    if (after === null) shown.reverse()
    return {
      entries: shown.map(({ entry }) => entry),
      endCursor: `${this.#start}.${end}`,
      missed: after !== null && (wanted === null || wanted < oldest),
      hasMore,
    }
  }

  /** Resolves when there are more entries, or after so many milliseconds. */
  changed(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      this.#waiting.add(done)
    })
  }

  /** Ends all waiting. */
  wake(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const done of this.#waiting) done()
  }

  #keep(entry: string | Request): void {
    this.#ring[this.#next % maxEntries] = entry
    this.#next++
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => this.wake(), wakeDelayMs)
  }

  #textOf(level: LogLevel, fields: object, message: string): string {
    const time = new Date(this.#now()).toISOString()
    const text = JSON.stringify({ time, level, message, ...fields })
    if (text.length <= maxEntryLength) return text
    const cut = JSON.stringify({ time, level, message, ...fields }, (_, value: unknown) =>
      typeof value === 'string' && value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value,
    )
    if (cut.length <= maxEntryLength) return cut
    return JSON.stringify({ time, level, message: message.slice(0, maxValueLength), cut: true })
  }

  #textAt(number: number): string {
    const kept = this.#ring[number % maxEntries]!
    return typeof kept === 'string' ? kept : this.#format(kept)
  }

  /** Null: the cursors are those of other processes. */
  #numberOf(cursors: string, place: string): number | null {
    const found = cursors.split(',').map((cursor) => /^([0-9a-f]{12})\.(\d{1,15})$/.exec(cursor))
    if (found.length > maxCursors || found.includes(null)) {
      const message = found.length > maxCursors ? `has more than ${maxCursors} cursors.` : 'is not a cursor of the log.'
      const problem: Problem = { path: place, code: 'PATTERN', message }
      throw validationError([problem])
    }
    const number = Number(found.find((one) => one![1] === this.#start)?.[2] ?? Number.NaN)
    return number <= this.#next ? number : null
  }
}

function entryOf(text: string): LogEntry {
  const { time, level, message, ...fields } = JSON.parse(text) as LogEntry
  return { time, level, message, fields: fields as unknown as Record<string, unknown> }
}
