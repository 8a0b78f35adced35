// CSV (RFC 4180): a record ends at a line break that is not inside quotes. Empty lines are no records.

import { isByteOrderMark } from './line-scanner.ts'
import { BadFile, type RecordScanner } from './record.ts'

const QUOTE = 0x22
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const separators = [0x2c, 0x3b, 0x09] // , ; tab

export class CsvScanner implements RecordScanner {
  #isInside = false
  #isQuoted = false
  /** A quote opens a quoted cell only here. */
  #isCellStart = true
  /** The last byte closed a quoted cell: one more quote is a quote inside it. */
  #hasClosed = false
  #quotedSince = 0
  readonly #nextQuote = new NextByte(QUOTE)
  readonly #nextLineFeed = new NextByte(LINE_FEED)

  see(byte: number, line: number): 'begin' | 'end' | null {
    if (!this.#isInside) {
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) return null
      this.#isInside = true
      this.#isCellStart = true
      this.#seeInside(byte, line)
      return 'begin'
    }
    if (byte === LINE_FEED && !this.#isQuoted) {
      this.#isInside = false
      this.#hasClosed = false
      return 'end'
    }
    this.#seeInside(byte, line)
    return null
  }

  /** What has no quotes ends at the next line break. The last byte of a chunk may be a separator. */
  next(bytes: Buffer, at: number): number {
    if (this.#isQuoted || this.#hasClosed) return at
    const end = Math.min(this.#nextLineFeed.find(bytes, at), bytes.length - 1)
    if (end === at || this.#nextQuote.find(bytes, at) <= end) return at
    this.#isCellStart = false
    return end
  }

  #seeInside(byte: number, line: number): void {
    if (this.#isQuoted) {
      if (byte !== QUOTE) return
      this.#isQuoted = false
      this.#hasClosed = true
      return
    }
    if (byte === QUOTE && (this.#isCellStart || this.#hasClosed)) {
      this.#isQuoted = true
      this.#quotedSince = line
    }
    this.#hasClosed = false
    this.#isCellStart = separators.includes(byte) || (this.#isCellStart && isByteOrderMark(byte))
  }

  finish(): boolean {
    if (this.#isQuoted)
      throw new BadFile(this.#quotedSince, 'The cell that begins with a quote here has no closing quote.')
    return this.#isInside
  }
}

/** Finds a byte, and remembers where it is until it is passed. */
class NextByte {
  readonly #byte: number
  #bytes: Buffer | null = null
  #at = 0

  constructor(byte: number) {
    this.#byte = byte
  }

  /** The length of the bytes, if it is not there. */
  find(bytes: Buffer, at: number): number {
    if (this.#bytes === bytes && this.#at >= at) return this.#at
    const found = bytes.indexOf(this.#byte, at)
    this.#bytes = bytes
    this.#at = found < 0 ? bytes.length : found
    return this.#at
  }
}
