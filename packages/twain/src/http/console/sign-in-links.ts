// The links by which `twain dev` signs the developer in to the console: `/console#key=…`. The page sends the key with a POST, so that
// opening the link alone uses nothing up, and no log has the key.
//
// 1. A key works once, within ten minutes, and only for requests from this machine.
// 2. Only the hash of the key stays in memory.

import { createHash, timingSafeEqual } from 'node:crypto'
import { randomBytes, wallTime } from '#base/time'

const validForMs = 10 * 60_000

export class SignInLinks {
  readonly #clock: () => number
  /** Shows a new key to the developer, after the one before was used or has expired. */
  readonly #show: (key: string) => void
  #current: { hash: Buffer; expires: number } | null = null

  constructor(show: (key: string) => void, clock: () => number = wallTime) {
    this.#show = show
    this.#clock = clock
  }

  /** The next key; it replaces the one before. */
  make(): string {
    const key = randomBytes(32).toString('base64url')
    this.#current = { hash: hashOf(key), expires: this.#clock() + validForMs }
    return key
  }

  /** Whether the key is valid. It is used up then, and a new one is shown. */
  use(key: string): boolean {
    const current = this.#current
    const isCurrent = current !== null && current.expires > this.#clock()
    const isValid = isCurrent && timingSafeEqual(current.hash, hashOf(key))
    if (isValid || !isCurrent) this.#show(this.make())
    return isValid
  }
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
