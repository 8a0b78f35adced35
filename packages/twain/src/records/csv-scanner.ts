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
