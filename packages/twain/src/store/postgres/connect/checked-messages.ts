// Splits the bytes of a server into messages and checks each one before the driver parses it. The driver trusts the server: it
// would read values beyond the end of their message, search for ever for the end of an error, or throw where nobody can catch it.

import { protocolError } from './database-error.ts'

/** No result is near this size. */
const maxMessageBytes = 256 * 1024 * 1024

export class CheckedMessages {
  /** The received parts of an incomplete message, and how many bytes it needs. */
  #parts: Buffer[] = []
  #received = 0
  #needed = 5

  /** Returns the complete messages of these bytes and of those before, or null if there is none yet. Throws if one is malformed.
   *  `onMessage` gets the kind of each, the bytes and where its body begins. */
  take(bytes: Buffer, onMessage: ((kind: number, bytes: Buffer, at: number) => void) | null): Buffer | null {
    let all = bytes
    if (this.#received > 0) {
      this.#parts.push(bytes)
      this.#received += bytes.length
      if (this.#received < this.#needed) return null
      all = Buffer.concat(this.#parts, this.#received)
      this.#parts = []
      this.#received = 0
    }
    let at = 0
    let needed = 5
    while (all.length - at >= 5) {
      const length = all.readUInt32BE(at + 1)
      if (length < 4 || length > maxMessageBytes) throw protocolError()
      needed = 1 + length
      if (all.length - at < needed) break
      const kind = all[at]!
      if (!isWellFormed(kind, all, at + 5, at + needed)) throw protocolError()
      onMessage?.(kind, all, at + 5)
      at += needed
      needed = 5
    }
    if (at === all.length) return all
    this.#parts.push(all.subarray(at))
    this.#received = all.length - at
    this.#needed = needed
    return at === 0 ? null : all.subarray(0, at)
  }
}

/** `at` is behind the length of the message and `end` behind its last byte. */
function isWellFormed(kind: number, bytes: Buffer, at: number, end: number): boolean {
  switch (kind) {
    case 0x44: // D, a row
      return isRow(bytes, at, end)
    case 0x31: // 1, parsed
    case 0x32: // 2, bound
    case 0x33: // 3, closed
    case 0x49: // I, an empty query
    case 0x6e: // n, no columns
    case 0x73: // s, suspended
    case 0x63: // c, the end of COPY
      return at === end
    case 0x43: // C, complete
      return hasTexts(1, bytes, at, end)
    case 0x5a: // Z, ready
      return end - at === 1
    case 0x54: // T, the columns
      return isColumns(bytes, at, end)
    case 0x74: // t, the parameters
      return end - at >= 2 && end - at === 2 + 4 * bytes.readUInt16BE(at)
    case 0x45: // E, an error
    case 0x4e: // N, a notice
      return isFields(bytes, at, end)
    case 0x53: // S, a setting
      return hasTexts(2, bytes, at, end)
    case 0x41: // A, a notification
      return hasTexts(2, bytes, at + 4, end)
    case 0x4b: // K, the key of the session
      return end - at >= 8
    case 0x52: // R, authentication
      return end - at >= 4
    case 0x47: // G, COPY in
    case 0x48: // H, COPY out
      return end - at >= 3 && end - at === 3 + 2 * bytes.readUInt16BE(at + 1)
    case 0x64: // d, COPY data
      return true
    default:
      return false
  }
}

function isRow(bytes: Buffer, at: number, end: number): boolean {
  if (end - at < 2) return false
  let start = at + 2
  for (let left = bytes.readUInt16BE(at); left > 0; left--) {
    if (end - start < 4) return false
    const length = bytes.readInt32BE(start)
    if (length < -1) return false
    start += length === -1 ? 4 : 4 + length
  }
  return start === end
}

/** Each has a name and 18 bytes. */
function isColumns(bytes: Buffer, at: number, end: number): boolean {
  if (end - at < 2) return false
  let start = at + 2
  for (let left = bytes.readUInt16BE(at); left > 0; left--) {
    const zero = bytes.indexOf(0, start)
    if (zero < 0 || zero >= end) return false
    start = zero + 19
  }
  return start === end
}

/** Texts, each with the byte of its kind before it, and a zero. */
function isFields(bytes: Buffer, at: number, end: number): boolean {
  let start = at
  while (start < end && bytes[start] !== 0) {
    const zero = bytes.indexOf(0, start)
    if (zero < 0) return false
    start = zero + 1
  }
  return start === end - 1
}

function hasTexts(count: number, bytes: Buffer, at: number, end: number): boolean {
  let start = at
  for (let left = count; left > 0; left--) {
    const zero = bytes.indexOf(0, start)
    if (zero < 0 || zero >= end) return false
    start = zero + 1
  }
  return start === end
}
