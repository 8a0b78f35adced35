// What a server says, as bytes, for tests that say it in their own way.

/** One message of a kind: `D`, `Z`… */
export function said(kind: string, ...body: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(body.map((part) => Buffer.from(part as string)))
  const head = Buffer.alloc(5, kind)
  head.writeUInt32BE(4 + bytes.length, 1)
  return Buffer.concat([head, bytes])
}

export const parsed = said('1')
export const bound = said('2')
export const complete = said('C', 'SELECT 1\0')
export const ready = said('Z', 'I')
/** What may come between any two messages. */
export const asides = [
  said('N', 'SNOTICE\0C00000\0Mby the way\0\0'),
  said('S', 'application_name\0twain\0'),
  said('A', Buffer.alloc(4), 'bell\0\0'),
]

/** Of the types of PostgreSQL with these numbers. */
export function columns(...types: readonly number[]): Buffer {
  return said('T', int16(types.length), ...types.map(column))
}

function column(type: number): Buffer {
  return Buffer.concat([Buffer.from('name\0'), Buffer.alloc(6), int32(type), Buffer.alloc(8)])
}

export function row(...values: readonly (string | null)[]): Buffer {
  return said('D', int16(values.length), ...values.map(value))
}

function value(text: string | null): Buffer {
  if (text === null) return int32(-1)
  const bytes = Buffer.from(text)
  return Buffer.concat([int32(bytes.length), bytes])
}

export function error(code: string, severity = 'ERROR'): Buffer {
  return said('E', `S${severity}\0C${code}\0Mno\0\0`)
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
