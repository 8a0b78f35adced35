// UUIDv7 (RFC 9562, 5.7): 48 bits of time, then random bits; ids of one millisecond still ascend.

import { randomFillSync } from 'node:crypto'

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
