// One record of a file: a line of NDJSON, an item of a JSON list, or a record of CSV.

export type DataFormat = 'csv' | 'ndjson' | 'json'

export const dataFormats: readonly DataFormat[] = ['csv', 'ndjson', 'json']

export interface FileRecord {
  /** Where it begins, counted from 1. */
  line: number
  text: string
  /** The byte behind it, and the line that this byte is on. */
  end: number
  endLine: number
}

/** Finds the records in the bytes that it is given, one byte after the other. */
export interface RecordScanner {
  /** `begin`: a record begins with this byte. `end`: it ends with this byte. Throws BadFile. */
  see(byte: number, line: number): 'begin' | 'end' | null
  /** Inside a record: the index of the next byte that it must see, from `at` on. It skips no line break. */
  next?(bytes: Buffer, at: number): number
  /** Called behind the last byte. Whether a record ends there. Throws BadFile if the file is not complete. */
  finish(line: number): boolean
}

/** A file that can't be read as what it should be. `line` is where. */
export class BadFile extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`)
    this.line = line
  }
}

/** A record that is too long, or that has no end. */
export class RecordTooLarge extends BadFile {
  constructor(line: number, maxBytes: number) {
    super(line, `The record that begins here has no end within ${maxBytes} bytes.`)
  }
}
