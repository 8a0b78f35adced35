// NDJSON: a record on each line. Empty lines are no records.

import type { RecordScanner } from './record.ts'

export class LineScanner implements RecordScanner {
  #isInside = false

  see(byte: number): 'begin' | 'end' | null {
    if (this.#isInside) {
      if (byte !== LINE_FEED) return null
      this.#isInside = false
      return 'end'
    }
    if (isSpace(byte)) return null
    this.#isInside = true
    return 'begin'
  }

  next(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LINE_FEED, at)
    return end < 0 ? bytes.length - 1 : end
  }

  finish(): boolean {
    return this.#isInside
  }
}

const LINE_FEED = 0x0a

/** The white space of JSON, and the byte order mark, whose bytes occur nowhere else at the start of a value. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || isByteOrderMark(byte)
}

export function isByteOrderMark(byte: number): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf
}
