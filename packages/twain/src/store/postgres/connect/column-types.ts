// The values of columns. The server sends text. Numbers, booleans and bytes are converted; other types stay text, also JSON,
// which nobody parses.

import { protocolError } from './database-error.ts'

/** Null: the text itself. */
export type ParseText = ((text: string) => unknown) | null

const bytes = (text: string) => Buffer.from(text.slice(2), 'hex') // as \x…

const common: readonly (readonly [number, ParseText])[] = [
  ...[20, 21, 23, 26, 700, 701].map((type) => [type, Number] as const), // integers, floats
  [17, bytes],
]

/** By type OID. */
export const columnTypes: ReadonlyMap<number, ParseText> = new Map([...common, [16, (text: string) => text === 't']])

/** Writes read true as 1, as SQLite stores it: so change log entries are the same on both databases. */
export const writeColumnTypes: ReadonlyMap<number, ParseText> = new Map([
  ...common,
  [16, (text: string) => (text === 't' ? 1 : 0)],
])

export function parsersOf(fields: readonly { dataTypeID: number }[], types: ReadonlyMap<number, ParseText>) {
  return fields.map(({ dataTypeID }) => types.get(dataTypeID) ?? null)
}

/** Throws if the server sends other columns than it has described. */
export function parseRow(texts: readonly (string | null)[], parsers: readonly ParseText[]): unknown[] {
  if (texts.length !== parsers.length) throw protocolError()
  const row = new Array(texts.length)
  for (let column = 0; column < texts.length; column++) {
    const text = texts[column]!
    const parse = parsers[column]!
    row[column] = text === null || parse === null ? text : parse(text)
  }
  return row
}

/** Parameters are sent as text, except bytes. */
export function toParameter(value: unknown): string | Buffer | null {
  if (value === null || typeof value === 'string') return value
  if (value instanceof Uint8Array)
    return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.length)
  return String(value)
}

/** What a message may have. */
const maxParameters = 65_535

/** The driver would send a wrong number. */
export function expectParameters(parameters: readonly unknown[]): void {
  if (parameters.length > maxParameters) throw new RangeError(`more than ${maxParameters} parameters`)
}
