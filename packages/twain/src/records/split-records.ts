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

/** Throws BadFile, or RecordTooLarge. */
export async function* splitRecords(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  format: DataFormat,
  maxBytes = maxRecordBytes,
): AsyncGenerator<FileRecord> {
  const scanner = scanners[format]()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest: Buffer = Buffer.alloc(0) // the bytes of a record that has begun
  let position = 0
  let line = 1
  let beginLine = line
  let isInside = false
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    let from = 0 // where the record begins in `bytes`
    for (let at = rest.length; at < bytes.length; at++) {
      const byte = bytes[at]!
      const seen = scanner.see(byte, line)
      if (seen === 'begin') {
        from = at
        beginLine = line
        isInside = true
      }
      if (byte === LINE_FEED) line++
      if (seen !== 'end') continue
      const to = at + 1
      if (to - from > maxBytes) throw new RecordTooLarge(beginLine, maxBytes)
      const end = position + chunk.length - (bytes.length - to)
      yield { line: beginLine, text: decode(decoder, bytes.subarray(from, to), beginLine), end, endLine: line }
      isInside = false
      from = to
    }
    position += chunk.length
    rest = isInside ? bytes.subarray(from) : Buffer.alloc(0)
    if (rest.length > maxBytes) throw new RecordTooLarge(beginLine, maxBytes)
  }
  if (!scanner.finish(line)) return
  yield { line: beginLine, text: decode(decoder, rest, beginLine), end: position, endLine: line }
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array, line: number): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new BadFile(line, 'This is not UTF-8. Save the file with the encoding UTF-8.')
  }
}
