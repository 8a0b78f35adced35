// The digest of the beginning of a file, up to any place that has been read.

import { createHash } from 'node:crypto'

export class PrefixDigest {
  readonly #hash = createHash('sha256')
  /** Read, and not yet in the hash. */
  readonly #chunks: Uint8Array[] = []
  #position = 0

  /** Passes the chunks on. */
  async *watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#chunks.push(chunk)
      yield chunk
    }
  }

  /** The digest of the bytes before the position, in hex; not before the place that it has advanced to. */
  upTo(position: number): string {
    const hash = this.#hash.copy()
    let left = position - this.#position
    for (const chunk of this.#chunks) {
      if (left <= 0) break
      hash.update(chunk.subarray(0, left))
      left -= chunk.length
    }
    return hash.digest('hex')
  }

  /** Forgets the bytes before the position. */
  advance(position: number): void {
    while (this.#position < position) {
      const chunk = this.#chunks.shift()
      if (chunk === undefined) throw new Error('these bytes have not been read')
      const part = chunk.subarray(0, position - this.#position)
      if (part.length < chunk.length) this.#chunks.unshift(chunk.subarray(part.length))
      this.#hash.update(part)
      this.#position += part.length
    }
  }
}
