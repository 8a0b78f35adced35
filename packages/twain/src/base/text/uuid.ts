// UUIDv7 (RFC 9562, 5.7): 48 bits of time, then random bits; ids of one millisecond still ascend.

import { hash } from 'node:crypto'
import { randomFillSync, wallTime } from '../time/index.ts'

const pool = new Uint8Array(4096)
let used = pool.length
let lastTime = 0
let counter = 0

/** The text of the last id. Its digits are replaced one by one: a text of many parts would cost three times as much. */
const text = Buffer.alloc(36, '-')
const digits = Buffer.from('0123456789abcdef')

export function uuidv7(now: number = wallTime()): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const at = used
  used += 10
  if (now > lastTime) {
    writeTime(now)
    counter = ((pool[at]! << 8) | pool[at + 1]!) & 0x7ff // leaves values for later ids of the same millisecond
  } else if (++counter > 0xfff) {
    writeTime(lastTime + 1)
    counter = 0
  }
  text[15] = digits[counter >> 8]!
  writeByte(16, counter & 0xff)
  writeByte(19, 0x80 | (pool[at + 2]! & 0x3f))
  writeByte(21, pool[at + 3]!)
  for (let byte = 0; byte < 6; byte++) writeByte(24 + 2 * byte, pool[at + 4 + byte]!)
  return text.toString('latin1')
}

function writeTime(time: number): void {
  lastTime = time
  const hex = time.toString(16).padStart(12, '0')
  text.write(`${hex.slice(0, 8)}-${hex.slice(8)}-7`, 'latin1')
}

function writeByte(at: number, byte: number): void {
  text[at] = digits[byte >> 4]!
  text[at + 1] = digits[byte & 0xf]!
}

/** Ids that ascend and are the same for the same seed, which is a UUIDv7 itself. Who knows some of them can't tell the others. */
export function seededIds(seed: string): () => string {
  const start = Number.parseInt(seed.replace('-', '').slice(0, 12), 16)
  let made = 0
  return () => {
    const time = (start + (made >> 12)).toString(16).padStart(12, '0')
    const order = (made & 0xfff).toString(16).padStart(3, '0')
    const digits = hash('sha256', `${seed} ${made++}`, 'hex')
    const variant = (0x8 | (Number.parseInt(digits[0]!, 16) & 0x3)).toString(16)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${variant}${digits.slice(1, 4)}-${digits.slice(4, 16)}`
  }
}
