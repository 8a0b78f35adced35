// Tracks the connections of a server and closes idle ones. The idle timeout is longer than the 60 s of common proxies, so no
// proxy sends a request into a connection that is being closed.
//
// Node's own keep-alive timeout sets a timer before and after every request, a tenth of the cost of a small one. This class
// only stores the time.

import type { Socket } from 'node:net'

interface ConnectionUse {
  /** Open requests. A WebSocket counts as one until it closes. */
  requests: number
  /** When the last request ended, by `performance.now`. */
  since: number
}

export class Connections {
  readonly #uses = new Map<Socket, ConnectionUse>()
  readonly #idleMs: number
  readonly #timer: NodeJS.Timeout

  constructor(idleMs: number) {
    this.#idleMs = idleMs
    this.#timer = setInterval(() => this.#sweep(), idleMs / 8).unref()
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

  /** A connection with unsent bytes is not idle: a slow client still reads the last reply. */
  #sweep(): void {
    const latest = performance.now() - this.#idleMs
    for (const [socket, { requests, since }] of this.#uses) {
      if (requests === 0 && since <= latest && socket.writableLength === 0) socket.destroy()
    }
  }
}
