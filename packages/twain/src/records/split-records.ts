// Splits the bytes of a file into records, chunk by chunk, so that a file of any size needs little memory. Each format has a
// scanner, which sees every byte once and finds where records begin and end. All bytes that matter to it are ASCII, which no
// byte of a longer UTF-8 character equals.

import { CsvScanner } from './csv-scanner.ts'
import { JsonScanner } from './json-scanner.ts'
import { LineScanner } from './line-scanner.ts'
import { BadFile, type DataFormat, type FileRecord, type RecordScanner, RecordTooLarge } from './record.ts'

const scanners: Record<DataFormat, () => RecordScanner> = {
  csv: () => new CsvScanner(),
  ndjson: () => new LineScanner(),
  json: () => new JsonScanner(),
}

const LINE_FEED = 0x0a

/** No row is larger; a scan that finds no end must not fill the memory. */
const maxRecordBytes = 64 * 1024 * 1024

/** The records that end in each chunk. Reading them throws BadFile, or RecordTooLarge. */
export async function* splitRecords(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  format: DataFormat,
  maxBytes = maxRecordBytes,
): AsyncGenerator<Iterable<FileRecord>> {
  const splitter = new RecordSplitter(scanners[format](), maxBytes)
  for await (const chunk of chunks) yield splitter.recordsIn(chunk)
  yield splitter.finish()
}

class RecordSplitter {
  readonly #scanner: RecordScanner
  readonly #maxBytes: number
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  /** The bytes of a record that has begun. */
  #rest: Buffer = Buffer.alloc(0)
  #position = 0
  #line = 1
  #beginLine = 1
  #isInside = false

  constructor(scanner: RecordScanner, maxBytes: number) {
    this.#scanner = scanner
    this.#maxBytes = maxBytes
  }

  /** Must be read to its end before the next chunk. */
  *recordsIn(chunk: Uint8Array): Iterable<FileRecord> {
    const scanner = this.#scanner
    const rest = this.#rest
    const bytes =
      rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk])
    let from = 0 // where the record begins in `bytes`
    for (let at = rest.length; at < bytes.length; at++) {
      if (this.#isInside && scanner.next !== undefined) at = scanner.next(bytes, at)
      const byte = bytes[at]!
      const seen = scanner.see(byte, this.#line)
      if (seen === 'begin') {
        from = at
        this.#beginLine = this.#line
        this.#isInside = true
      }
      if (byte === LINE_FEED) this.#line++
      if (seen !== 'end') continue
      const to = at + 1
      this.#isInside = false
      yield this.#record(bytes.subarray(from, to), this.#position + chunk.length - (bytes.length - to))
      from = to
    }
    this.#position += chunk.length
    this.#rest = this.#isInside ? bytes.subarray(from) : Buffer.alloc(0)
    if (this.#rest.length > this.#maxBytes) throw new RecordTooLarge(this.#beginLine, this.#maxBytes)
  }

  *finish(): Iterable<FileRecord> {
    if (this.#scanner.finish(this.#line)) yield this.#record(this.#rest, this.#position)
  }

  #record(bytes: Uint8Array, end: number): FileRecord {
    const line = this.#beginLine
    if (bytes.length > this.#maxBytes) throw new RecordTooLarge(line, this.#maxBytes)
    return { line, text: decode(this.#decoder, bytes, line), end, endLine: this.#line }
  }
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array, line: number): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new BadFile(line, 'This is not UTF-8. Save the file with the encoding UTF-8.')
  }
}
