// The connections of a server. Those that nobody uses are closed after a while: later than the 60 s after which proxies close
// theirs, so that none of them sends a request into a connection that is just going.
//
// Node would set a timer before and after every request for it, which cost a tenth of a small one. This only notes the time.

import type { Socket } from 'node:net'

interface ConnectionUse {
  /** Requests under way. A line counts as one for good. */
  requests: number
  /** By `performance.now`: when the last one was answered. */
  since: number
}

export class Connections {
  readonly #uses = new Map<Socket, ConnectionUse>()
  readonly #idle: number
  readonly #timer: NodeJS.Timeout

  /** Milliseconds that a connection may be idle. */
  constructor(idle: number) {
    this.#idle = idle
    this.#timer = setInterval(() => this.#sweep(), idle / 8).unref()
  }

  opened(socket: Socket): void {
    this.#uses.set(socket, { requests: 0, since: performance.now() })
    socket.once('close', () => this.#uses.delete(socket))
  }

  began(socket: Socket): void {
    const use = this.#uses.get(socket)
    if (use !== undefined) use.requests++
  }

  /** `now` by `performance.now`. */
  ended(socket: Socket, now: number): void {
    const use = this.#uses.get(socket)
    if (use === undefined) return
    use.requests--
    use.since = now
  }

  [Symbol.iterator](): Iterator<Socket> {
    return this.#uses.keys()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** What was answered may still be on its way to a slow reader. */
  #sweep(): void {
    const latest = performance.now() - this.#idle
    for (const [socket, { requests, since }] of this.#uses) {
      if (requests === 0 && since <= latest && socket.writableLength === 0) socket.destroy()
    }
  }
}
