// Remembers keys that came once, in little memory: strings by a short digest, in two generations.

import { hash } from 'node:crypto'

const maxDigests = 5000

export class FirstSights {
  readonly #objects = new WeakSet<object>()
  #young = new Set<string>()
  #old = new Set<string>()

  /** Whether the key came before; it counts from now on. */
  isRepeated(key: string | object): boolean {
    if (typeof key === 'object') {
      if (this.#objects.has(key)) return true
      this.#objects.add(key)
      return false
    }
    const digest = hash('sha1', key, 'base64').slice(0, 16)
    if (this.#young.has(digest) || this.#old.has(digest)) return true
    if (this.#young.size >= maxDigests) {
      this.#old = this.#young
      this.#young = new Set()
    }
    this.#young.add(digest)
    return false
  }
}
