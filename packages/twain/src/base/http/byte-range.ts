// The request header `Range`.

/** `Range` with one range of bytes (RFC 9110, 14.1.2 and 14.2; docs/reference/rest.md, R106). `end` is exclusive. */
export interface ByteRange {
  start: number
  end: number
}

/** Null to send the whole file: without a range, with an invalid one, or with several, which a server may ignore. */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)$/i.exec(header?.trim() ?? '')
  if (match === null) return null
  const [, first = '', last = ''] = match
  if (first === '') {
    if (last === '') return null
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}
