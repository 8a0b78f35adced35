// The idempotency keys of the writes in flight on this node. A second request with the same key does not wait: it gets a
// retryable error.

import { type IdempotencyKey, requestInFlight } from '#base/http'

export class InFlightKeys {
  readonly #ids = new Set<string>()

  async run<T>(key: IdempotencyKey, work: () => Promise<T>): Promise<T> {
    this.expectIdle(key)
    this.#ids.add(key.id)
    try {
      return await work()
    } finally {
      this.#ids.delete(key.id)
    }
  }

  expectIdle({ id }: IdempotencyKey): void {
    if (this.#ids.has(id)) throw requestInFlight()
  }
}
