// Writes lines without ever waiting for who reads them: they are gathered, and written many at once by a thread of Node's.
//
// 1. Lines come out whole and in order: one write is under way at a time.
// 2. Memory is bounded: what a reader who has stopped reading leaves behind is dropped, and how much that was is told.

/** Writes all of a text, then calls back. */
export type Append = (text: string, done: () => void) => void

const pause = 100
/** Characters that are written at once without waiting for more, and most that wait. */
const enough = 65_536
const most = 4_194_304

export class LineWriter {
  readonly #append: Append
  #waiting = ''
  #dropped = 0
  #writing = false
  #timer: NodeJS.Timeout | undefined
  #ended: (() => void) | null = null

  constructor(append: Append) {
    this.#append = append
  }

  /** Rare lines, such as those about a failure: they do not wait for others. */
  readonly writeNow = (line: string): void => {
    this.write(line)
    this.#flush()
  }

  readonly write = (line: string): void => {
    if (this.#waiting.length + line.length > most) {
      this.#dropped++
      return
    }
    this.#waiting += line
    if (this.#waiting.length >= enough) this.#flush()
    else if (!this.#writing && this.#timer === undefined) this.#timer = setTimeout(this.#flush, pause)
  }

  /** Resolves when all is written. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#ended = resolve
      this.#flush()
    })
  }

  readonly #flush = (): void => {
    if (this.#writing) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = this.#take()
    if (text === '') {
      this.#ended?.()
      return
    }
    this.#writing = true
    this.#append(text, () => {
      this.#writing = false
      if (this.#waiting !== '' || this.#ended !== null) this.#flush()
    })
  }

  #take(): string {
    const text = this.#waiting
    this.#waiting = ''
    if (this.#dropped === 0) return text
    const time = new Date().toISOString()
    const told = { time, level: 'warn', message: 'lines were dropped: nobody read them', lines: this.#dropped }
    this.#dropped = 0
    return `${text}${JSON.stringify(told)}\n`
  }
}
