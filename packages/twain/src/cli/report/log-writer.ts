// Writes lines without ever waiting for who reads them: they are gathered, and written many at once by a thread of Node's.
//
// 1. Lines come out whole and in order: one write is under way at a time.
// 2. Memory is bounded: what a reader who has stopped reading leaves behind is dropped, and how much that was is told.
// 3. A line becomes bytes at once. Texts that wait for each other would be moved again and again by the garbage collector,
//    which cost a busy server six times what making them did.
// 4. But what is told of each request is spelled some dozens at once: alone, in the middle of a request, it finds neither its
//    code nor its data in the processor's cache, and takes several times as long.

/** Writes all of the bytes, then calls back. They may be overwritten after that. */
export type AppendBytes = (bytes: Uint8Array, done: () => void) => void

const pause = 100
/** Bytes that are written at once without waiting for more, and most that wait. */
const pageSize = 65_536
const most = 4_194_304
/** Bytes that a character of a line may take. */
const widest = 3
/** Entries that are spelled at once. */
const together = 64

export class LogWriter<Entry = never> {
  readonly #append: AppendBytes
  readonly #spell: (entry: Entry) => string
  #entries: Entry[] = []
  #page: Buffer = Buffer.allocUnsafeSlow(pageSize)
  #filled = 0
  /** Before the page, in order, and how many bytes that are. */
  readonly #waiting: Buffer[] = []
  #size = 0
  /** A page that was written, to be filled again. */
  #spare: Buffer | null = null
  #dropped = 0
  #writing = false
  #timer: NodeJS.Timeout | undefined
  #ended: (() => void) | null = null

  /** `spell` makes the line of what is gathered. */
  constructor(append: AppendBytes, spell: (entry: Entry) => string) {
    this.#append = append
    this.#spell = spell
  }

  /** A line that may wait a moment for others. */
  readonly gather = (entry: Entry): void => {
    if (this.#entries.push(entry) >= together) this.#spellAll()
    else this.#flushSoon()
  }

  /** Rare lines, such as those about a failure: they do not wait for others. */
  readonly writeNow = (line: string): void => {
    this.write(line)
    this.#flush()
  }

  readonly write = (line: string): void => {
    this.#spellAll()
    this.#put(line)
  }

  #spellAll(): void {
    if (this.#entries.length === 0) return
    const entries = this.#entries
    this.#entries = []
    for (const entry of entries) this.#put(this.#spell(entry))
  }

  #put(line: string): void {
    const room = line.length * widest
    if (this.#filled + room > this.#page.length) {
      if (this.#size + room > most) {
        this.#dropped++
        return
      }
      this.#turn(room)
    }
    this.#filled += this.#page.write(line, this.#filled)
    this.#flushSoon()
  }

  #flushSoon(): void {
    if (!this.#writing && this.#timer === undefined) this.#timer = setTimeout(this.#flush, pause)
  }

  /** Resolves when all is written. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#ended = resolve
      this.#flush()
    })
  }

  /** To a page with so many bytes of room. */
  #turn(room: number): void {
    if (this.#filled > 0) this.#waiting.push(this.#page.subarray(0, this.#filled))
    this.#size += this.#filled
    this.#open(room)
    this.#flush()
  }

  #open(room: number): void {
    this.#page =
      this.#spare !== null && room <= pageSize ? this.#spare : Buffer.allocUnsafeSlow(Math.max(room, pageSize))
    if (this.#page === this.#spare) this.#spare = null
    this.#filled = 0
  }

  readonly #flush = (): void => {
    if (!this.#writing) this.#spellAll() // which may begin a write of its own, or set the timer
    clearTimeout(this.#timer)
    this.#timer = undefined // also where this is its call: one that has fired would pass for one that will
    if (this.#writing) return
    const bytes = this.#take()
    if (bytes === null) {
      this.#ended?.()
      return
    }
    this.#writing = true
    this.#append(bytes, () => {
      this.#writing = false
      if (bytes.buffer.byteLength === pageSize) this.#spare = Buffer.from(bytes.buffer as ArrayBuffer)
      if (this.#waiting.length > 0 || this.#filled > 0 || this.#ended !== null) this.#flush()
      else if (this.#entries.length > 0) this.#flushSoon()
    })
  }

  #take(): Buffer | null {
    const first = this.#waiting.shift()
    if (first !== undefined) {
      this.#size -= first.length
      return first
    }
    if (this.#dropped > 0) this.#tellDropped()
    if (this.#filled === 0) return null
    const bytes = this.#page.subarray(0, this.#filled)
    this.#open(0)
    return bytes
  }

  #tellDropped(): void {
    const time = new Date().toISOString()
    const entries = this.#dropped
    this.#dropped = 0
    this.#put(
      `${JSON.stringify({ time, level: 'warn', message: 'log entries dropped: stderr was not read fast enough', entries })}\n`,
    )
  }
}
