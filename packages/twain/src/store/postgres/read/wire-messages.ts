// The few messages of the PostgreSQL protocol that a read needs. Values travel as text, except bytes, which are sent as
// binary.

import type { SqlValue } from '../../sql/encode.ts'

/** Parses the text of a column. */
export type ParseColumn = (bytes: Buffer, start: number, end: number) => unknown

/** An error of the server. */
export class DatabaseError extends Error {
  readonly code: string
  /** The function of the server that reported it. */
  readonly routine: string | undefined

  constructor(message: string, code: string, routine?: string) {
    super(message)
    this.code = code
    this.routine = routine
  }
}

/** The code is protocol_violation: callers see an unavailable database. */
export function protocolError(): DatabaseError {
  return new DatabaseError('The server sent an unexpected message.', '08P01')
}

const executeAndSync = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])
export const terminate = Buffer.from([0x58, 0, 0, 0, 4])

/** A longer text is measured before it is written: three bytes for each character would be too many. */
const maxShortTextChars = 1000

/** Bind, Execute, Sync. */
export function bindAndExecute(statement: string, parameters: readonly SqlValue[]): Buffer {
  const texts = parameters.map(asText)
  let size = 5 + 1 + statement.length + 1 + 2 + 2 * texts.length + 2 + 2 + executeAndSync.length
  for (const text of texts) size += 4 + maxBytesOf(text)
  const message = Buffer.allocUnsafe(size)
  message[0] = 0x42
  message[5] = 0 // the portal without a name
  let at = 6 + message.write(statement, 6, 'latin1')
  message[at] = 0
  at = message.writeUInt16BE(texts.length, at + 1)
  for (const text of texts) at = message.writeUInt16BE(typeof text === 'object' && text !== null ? 1 : 0, at)
  at = message.writeUInt16BE(texts.length, at)
  for (const text of texts) at = writeValue(text, message, at)
  at = message.writeUInt16BE(0, at) // all columns come as text
  message.writeUInt32BE(at - 1, 1)
  at += executeAndSync.copy(message, at)
  return message.subarray(0, at)
}

/** Parse, Describe. The statement declares the types of its parameters. */
export function prepare(statement: string, sql: string): Buffer {
  return Buffer.concat([stringMessage(0x50, `${statement}\0${sql}\0\0\0`), stringMessage(0x44, `S${statement}\0`)])
}

/** Frees a prepared statement. */
export function closeStatement(statement: string): Buffer {
  return stringMessage(0x43, `S${statement}\0`)
}

function stringMessage(kind: number, text: string): Buffer {
  const head = Buffer.allocUnsafe(5)
  head[0] = kind
  head.writeUInt32BE(4 + Buffer.byteLength(text), 1)
  return Buffer.concat([head, Buffer.from(text)])
}

function asText(value: SqlValue): string | Uint8Array | null {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
}

function maxBytesOf(text: string | Uint8Array | null): number {
  if (text === null) return 0
  if (typeof text !== 'string') return text.length
  return text.length <= maxShortTextChars ? 3 * text.length : Buffer.byteLength(text)
}

function writeValue(text: string | Uint8Array | null, message: Buffer, at: number): number {
  if (text === null) return message.writeInt32BE(-1, at)
  let length: number
  if (typeof text === 'string') length = message.write(text, at + 4)
  else {
    message.set(text, at + 4)
    length = text.length
  }
  message.writeUInt32BE(length, at)
  return at + 4 + length
}

// Of those that come, `at` is behind the length of the message and `end` behind its last byte. What does not end there is not what
// it seems, and throws.

export function readRow(bytes: Buffer, at: number, end: number, columns: readonly ParseColumn[]): unknown[] {
  const row = new Array(columns.length)
  let start = at + 2
  for (let column = 0; column < columns.length; column++) {
    const length = bytes.readInt32BE(start)
    start += 4
    if (length === -1) row[column] = null
    else {
      row[column] = columns[column]!(bytes, start, start + length)
      start += length
    }
  }
  if (start !== end) throw protocolError()
  return row
}

export function readColumns(bytes: Buffer, at: number, end: number): ParseColumn[] {
  const columns = new Array<ParseColumn>(bytes.readUInt16BE(at))
  let start = at + 2
  for (let column = 0; column < columns.length; column++) {
    const name = bytes.indexOf(0, start) + 1
    columns[column] = parsers.get(bytes.readUInt32BE(name + 6)) ?? text
    start = name + 18
  }
  if (start !== end) throw protocolError()
  return columns
}

export function readError(bytes: Buffer, at: number, end: number): DatabaseError {
  const fields = new Map<string, string>()
  for (let start = at; bytes[start] !== 0; ) {
    const zero = bytes.indexOf(0, start)
    if (zero < 0 || zero >= end) throw protocolError()
    fields.set(String.fromCharCode(bytes[start]!), bytes.toString('utf8', start + 1, zero))
    start = zero + 1
  }
  return new DatabaseError(fields.get('M') ?? '', fields.get('C') ?? '', fields.get('R'))
}

/** The bytes after the last complete message. */
export function unfinished(bytes: Buffer): Buffer {
  let at = 0
  while (bytes.length - at >= 5 && bytes.length - at > bytes.readUInt32BE(at + 1)) at += 1 + bytes.readUInt32BE(at + 1)
  return bytes.subarray(at)
}

const text: ParseColumn = (bytes, start, end) => bytes.toString('utf8', start, end)
const number: ParseColumn = (bytes, start, end) => Number(bytes.toString('latin1', start, end))

/** By type OID. Other types are text, also JSON, which nobody parses. */
const parsers = new Map<number, ParseColumn>([
  [16, (bytes, start) => bytes[start] === 0x74], // bool
  [17, (bytes, start, end) => Buffer.from(bytes.toString('latin1', start + 2, end), 'hex')], // bytea, as \x…
  ...[20, 21, 23, 26, 700, 701].map((type) => [type, number] as const), // integers, floats
])
