// Writes log entries without blocking on the reader: it buffers them, and a thread of Node's pool writes many at once.
//
// 1. Entries are written whole and in order: only one write runs at a time.
// 2. Memory is bounded: if the reader stops reading, the writer drops entries and later logs how many.
// 3. Each formatted entry becomes bytes at once. The garbage collector would copy waiting strings again and again, which cost
//    a busy server six times as much as formatting them.
// 4. Request entries are formatted in groups. One alone, in the middle of a request, misses the processor's cache and takes
//    several times as long.

import { clearTimeout, setTimeout, wallTime } from '#base/time'

/** Writes all bytes, then calls back. The caller may reuse the buffer after that. */
export type AppendBytes = (bytes: Uint8Array, done: () => void) => void

const flushDelayMs = 100
/** A full page is written without waiting for more entries. */
const pageBytes = 65_536
const maxBufferedBytes = 4_194_304
/** UTF-8 bytes of one UTF-16 code unit. */
const maxBytesPerCharacter = 3
/** Request entries that are formatted together. */
const formatGroupSize = 64

export class LogWriter<Entry = never> {
  readonly #append: AppendBytes
  readonly #format: (entry: Entry) => string
  #entries: Entry[] = []
  #page: Buffer = Buffer.allocUnsafeSlow(pageBytes)
  #filled = 0
  /** Full pages before the current one, in order. `bufferedBytes` is their total size. */
  readonly #waiting: Buffer[] = []
  #bufferedBytes = 0
  /** A written page, ready for reuse. */
  #spare: Buffer | null = null
  #dropped = 0
  #writing = false
  #timer: NodeJS.Timeout | undefined
  #ended: (() => void) | null = null

  /** `format` turns a gathered entry into text. */
  constructor(append: AppendBytes, format: (entry: Entry) => string) {
    this.#append = append
    this.#format = format
  }

  /** Adds an entry that may wait for others, such as a request entry. */
  readonly gather = (entry: Entry): void => {
    if (this.#entries.push(entry) >= formatGroupSize) this.#formatAll()
    else this.#flushSoon()
  }

  /** Writes a rare text, such as an error, without waiting for others. */
  readonly writeNow = (text: string): void => {
    this.write(text)
    this.#flush()
  }

  readonly write = (text: string): void => {
    this.#formatAll()
    this.#put(text)
  }

  #formatAll(): void {
    if (this.#entries.length === 0) return
    const entries = this.#entries
    this.#entries = []
    for (const entry of entries) this.#put(this.#format(entry))
  }

  #put(text: string): void {
    const neededBytes = text.length * maxBytesPerCharacter
    if (this.#filled + neededBytes > this.#page.length) {
      if (this.#bufferedBytes + neededBytes > maxBufferedBytes) {
        this.#dropped++
        return
      }
      this.#turn(neededBytes)
    }
    this.#filled += this.#page.write(text, this.#filled)
    this.#flushSoon()
  }

  #flushSoon(): void {
    if (!this.#writing && this.#timer === undefined) this.#timer = setTimeout(this.#flush, flushDelayMs)
  }

  /** Resolves when everything is written. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#ended = resolve
      this.#flush()
    })
  }

  /** Opens a new page with space for so many bytes. */
  #turn(neededBytes: number): void {
    if (this.#filled > 0) this.#waiting.push(this.#page.subarray(0, this.#filled))
    this.#bufferedBytes += this.#filled
    this.#open(neededBytes)
    this.#flush()
  }

  #open(neededBytes: number): void {
    this.#page =
      this.#spare !== null && neededBytes <= pageBytes
        ? this.#spare
        : Buffer.allocUnsafeSlow(Math.max(neededBytes, pageBytes))
    if (this.#page === this.#spare) this.#spare = null
    this.#filled = 0
  }

  readonly #flush = (): void => {
    if (!this.#writing) this.#formatAll() // it may start a write itself, or set the timer
    clearTimeout(this.#timer)
    this.#timer = undefined // also if this is its call: a fired timer must not look like a pending one
    if (this.#writing) return
    const bytes = this.#take()
    if (bytes === null) {
      this.#ended?.()
      return
    }
    this.#writing = true
    this.#append(bytes, () => {
      this.#writing = false
      if (bytes.buffer.byteLength === pageBytes) this.#spare = Buffer.from(bytes.buffer as ArrayBuffer)
      if (this.#waiting.length > 0 || this.#filled > 0 || this.#ended !== null) this.#flush()
      else if (this.#entries.length > 0) this.#flushSoon()
    })
  }

  #take(): Buffer | null {
    const first = this.#waiting.shift()
    if (first !== undefined) {
      this.#bufferedBytes -= first.length
      return first
    }
    if (this.#dropped > 0) this.#logDropped()
    if (this.#filled === 0) return null
    const bytes = this.#page.subarray(0, this.#filled)
    this.#open(0)
    return bytes
  }

  #logDropped(): void {
    const time = new Date(wallTime()).toISOString()
    const entries = this.#dropped
    this.#dropped = 0
    this.#put(
      `${JSON.stringify({ time, level: 'warn', message: 'log entries dropped: stderr was not read fast enough', entries })}\n`,
    )
  }
}
