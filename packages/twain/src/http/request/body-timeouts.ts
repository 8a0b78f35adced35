// Timeouts of request bodies. Each 128 KiB has its own timeout, so a large file may take as long as its connection needs,
// while a client that sends a few bytes at a time is cut off. Only time in which the server waits for the client counts.

import { type Linked, LinkedList } from '#base'
import { clearInterval, setInterval } from '#base/time'

/** The client must send so many bytes within the timeout. */
const portionBytes = 128 * 1024

export class BodyTimeout implements Linked<BodyTimeout> {
  earlier: BodyTimeout | null = null
  later: BodyTimeout | null = null
  /** Timer ticks since the last complete portion. */
  waited = 0
  /** Whether the server waits for the client. */
  isAwaited = true
  readonly tooSlow: () => void
  #missing = portionBytes

  constructor(tooSlow: () => void) {
    this.tooSlow = tooSlow
  }

  came(bytes: number): void {
    this.#missing -= bytes
    if (this.#missing > 0) return
    this.#missing = portionBytes
    this.waited = 0
  }
}

/** It counts timer ticks, not milliseconds, so a body that arrives at once never reads the clock. */
const ticksPerTimeout = 30

export class BodyTimeouts {
  readonly #open = new LinkedList<BodyTimeout>()
  readonly #timer: NodeJS.Timeout

  /** `milliseconds`: the timeout of each portion. */
  constructor(milliseconds: number) {
    this.#timer = setInterval(() => this.#tick(), milliseconds / ticksPerTimeout)
    this.#timer.unref()
  }

  begin(tooSlow: () => void): BodyTimeout {
    const timeout = new BodyTimeout(tooSlow)
    this.#open.add(timeout)
    return timeout
  }

  /** Does nothing if it has already ended. */
  end(timeout: BodyTimeout): void {
    this.#open.delete(timeout)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const overdue: BodyTimeout[] = []
    for (let timeout = this.#open.first; timeout !== null; timeout = timeout.later) {
      if (timeout.isAwaited && ++timeout.waited >= ticksPerTimeout) overdue.push(timeout)
    }
    for (const timeout of overdue) if (this.#open.delete(timeout)) timeout.tooSlow()
  }
}
