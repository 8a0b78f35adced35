// UUIDv7 (RFC 9562, 5.7): 48 bits of time, then random bits; ids of one millisecond still ascend.

import { hash, randomFillSync } from 'node:crypto'

const pool = new Uint8Array(4096)
let used = pool.length
let lastTime = 0
let counter = 0

export function uuidv7(now: number = Date.now()): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, used + 10)
  used += 10
  if (now > lastTime) {
    lastTime = now
    counter = ((random[0]! << 8) | random[1]!) & 0x7ff // leaves values for later ids of the same millisecond
  } else if (++counter > 0xfff) {
    lastTime++
    counter = 0
  }
  const time = lastTime.toString(16).padStart(12, '0')
  const variant = (0x80 | (random[2]! & 0x3f)).toString(16)
  const tail = Buffer.from(random.subarray(3)).toString('hex')
  const order = counter.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${variant}${tail.slice(0, 2)}-${tail.slice(2)}`
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
