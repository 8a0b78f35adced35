// Tracks the connections of a server and closes those that cost too much.
//
// 1. An idle connection closes after a timeout longer than the 60 s of common proxies, so no proxy sends a request into a
//    connection that is being closed.
// 2. A client must take what it has requested: 64 KiB in 30 s, or all that is left. Otherwise its connection is closed.
// 3. All replies that wait for their clients together take `limits.unsentBytes` at most. Beyond it the connections go whose
//    clients have taken nothing for the longest time.
//
// Node's own keep-alive timeout sets a timer before and after every request, a tenth of the cost of a small one. This class
// only stores the time, and looks at all connections once a second.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clearInterval, monotonicTime, setInterval } from '#base/time'
import { ConnectionOrder, type OrderedRequest } from './connection-order.ts'
import type { SentStream } from './reply/write-reply.ts'
import { takenBytes } from './taken-bytes.ts'

/** See 2. */
const portionBytes = 65_536

export interface ConnectionUse {
  readonly order: ConnectionOrder
  /** Open requests. A WebSocket counts as one until it closes. */
  requests: number
  /** When the last request ended, by `performance.now`. */
  since: number
  /** All requests so far. */
  arrived: number
  /** Replies that wait behind others on this connection: the client has sent several requests at once. */
  waiting: Set<ServerResponse> | null
  /** Bodies that are being sent. */
  readonly streams: Set<SentStream>
  /** How much the client had taken when it last completed a portion, and when that was; null: nothing is unsent. */
  portion: { taken: number; at: number } | null
}

export interface ConnectionLimits {
  /** Milliseconds. */
  idle: number
  /** Milliseconds for each portion (2). */
  send: number
  /** `limits.unsentBytes` (3); 0 is no limit. */
  unsent: number
  /** Called for each connection that is closed because its client does not read. */
  onSlow: () => void
}

const ticksPerTimeout = 30

export class Connections {
  readonly #uses = new Map<Socket, ConnectionUse>()
  readonly #limits: ConnectionLimits
  readonly #timer: NodeJS.Timeout
  readonly #requests = { waiting: 0 }
  /** How many have opened so far. */
  count = 0
  /** At the last look, and what was added since. */
  #unsent = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    const interval = Math.min(limits.idle / 8, limits.send / ticksPerTimeout)
    this.#timer = setInterval(() => this.#look(), interval).unref()
  }

  opened(socket: Socket): void {
    this.count++
    const use = newUse(socket, this.#requests)
    this.#uses.set(socket, use)
    socket.once('close', () => {
      this.#uses.delete(socket)
      use.order.closed()
    })
  }

  began(socket: Socket): ConnectionUse {
    const use = this.#uses.get(socket) ?? newUse(socket, this.#requests)
    use.requests++
    use.arrived++
    return use
  }

  /** Begins the requests that waited for this one. `now` by `performance.now`. */
  ended(use: ConnectionUse, request: OrderedRequest, now: number): void {
    use.requests--
    use.since = now
    use.order.answered(request)
  }

  /** Whether so many requests wait for each other that the server reads nothing from the connection. */
  isPaused(socket: Socket): boolean {
    return this.#uses.get(socket)?.order.isPaused === true
  }

  /** The reply was written, and the client has not taken all of it. */
  unsent(response: ServerResponse): void {
    const { socket } = response.req
    const use = this.#uses.get(socket)
    if (use === undefined) return
    use.portion ??= { taken: takenBytes(socket), at: monotonicTime() }
    if (response.socket === null) {
      use.waiting ??= new Set()
      use.waiting.add(response)
    }
    const bytes = response.writableLength
    use.order.unsent(bytes)
    response.once('finish', () => use.order.taken(bytes))
    this.#unsent += bytes
    const { unsent: limit } = this.#limits
    if (limit > 0 && this.#unsent > limit) this.#look()
  }

  /** The body is being sent. */
  streams({ req: { socket } }: ServerResponse, stream: SentStream): void {
    const streams = this.#uses.get(socket)?.streams
    streams?.add(stream)
    const end = () => streams?.delete(stream)
    stream.sent.then(end, end)
  }

  /** What waits for clients, in bytes. */
  get unsentBytes(): number {
    let bytes = 0
    for (const [socket, use] of this.#uses) bytes += unsentOf(socket, use)
    return bytes
  }

  [Symbol.iterator](): Iterator<Socket> {
    return this.#uses.keys()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = monotonicTime()
    const behind: { socket: Socket; at: number; bytes: number }[] = []
    this.#unsent = 0
    for (const [socket, use] of this.#uses) {
      const bytes = unsentOf(socket, use)
      if (bytes === 0) {
        use.portion = null
        if (use.requests === 0 && now - use.since >= this.#limits.idle) socket.destroy()
        continue
      }
      const at = this.#progress(socket, use, now)
      if (now - at > this.#limits.send) {
        this.#drop(socket)
        continue
      }
      this.#unsent += bytes
      behind.push({ socket, at, bytes })
    }
    this.#shrink(behind)
  }

  /** When the client last completed a portion. */
  #progress(socket: Socket, use: ConnectionUse, now: number): number {
    const taken = takenBytes(socket)
    if (use.portion === null || taken - use.portion.taken >= portionBytes) use.portion = { taken, at: now }
    return use.portion.at
  }

  /** See 3. */
  #shrink(behind: { socket: Socket; at: number; bytes: number }[]): void {
    const { unsent: limit } = this.#limits
    if (limit === 0 || this.#unsent <= limit) return
    behind.sort((a, b) => a.at - b.at || b.bytes - a.bytes)
    for (const { socket, bytes } of behind) {
      if (this.#unsent <= limit) return
      this.#drop(socket)
      this.#unsent -= bytes
    }
  }

  #drop(socket: Socket): void {
    socket.destroy()
    this.#limits.onSlow()
  }
}

function newUse(socket: Socket, all: { waiting: number }): ConnectionUse {
  const order = new ConnectionOrder(socket, all)
  return { order, requests: 0, since: monotonicTime(), arrived: 0, waiting: null, streams: new Set(), portion: null }
}

function unsentOf(socket: Socket, { waiting, streams }: ConnectionUse): number {
  let bytes = socket.writableLength
  for (const stream of streams) bytes += stream.unsentBytes()
  if (waiting === null) return bytes
  for (const response of waiting) {
    if (response.socket === null && !response.destroyed) bytes += response.writableLength
    else waiting.delete(response) // its turn has come, and the socket counts its bytes
  }
  return bytes
}
