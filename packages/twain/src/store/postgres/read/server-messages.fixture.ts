// The messages of a PostgreSQL server, as bytes.

/** One message of a kind: `D`, `Z`… */
export function message(kind: string, ...body: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(body.map((part) => Buffer.from(part as string)))
  const head = Buffer.alloc(5, kind)
  head.writeUInt32BE(4 + bytes.length, 1)
  return Buffer.concat([head, bytes])
}

export const parsed = message('1')
export const bound = message('2')
export const complete = message('C', 'SELECT 1\0')
export const ready = message('Z', 'I')
/** Messages that may come between any two others. */
export const asyncMessages = [
  message('N', 'SNOTICE\0C00000\0Mby the way\0\0'),
  message('S', 'application_name\0twain\0'),
  message('A', Buffer.alloc(4), 'bell\0\0'),
]

/** Describes columns of the types with these OIDs. */
export function columns(...types: readonly number[]): Buffer {
  return message('T', int16(types.length), ...types.map(column))
}

function column(type: number): Buffer {
  return Buffer.concat([Buffer.from('name\0'), Buffer.alloc(6), int32(type), Buffer.alloc(8)])
}

export function row(...values: readonly (string | null)[]): Buffer {
  return message('D', int16(values.length), ...values.map(value))
}

function value(text: string | null): Buffer {
  if (text === null) return int32(-1)
  const bytes = Buffer.from(text)
  return Buffer.concat([int32(bytes.length), bytes])
}

export function error(code: string, severity = 'ERROR'): Buffer {
  return message('E', `S${severity}\0C${code}\0Mno\0\0`)
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
