// One open WebSocket, as the API sees it.
//
// 1. A ping is answered only while little is unsent: a client that sends pings and does not read would fill memory.
// 2. Pings and pongs of a client are counted. A client that sends hundreds in a minute is disconnected.
// 3. A message that has begun must arrive as fast as a body: 128 KiB in 30 s.
// 4. Before the API has acknowledged the client, 64 KiB are enough for any message.

import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Socket, SocketHandler } from '#base/http'
import { clearTimeout, monotonicTime, setTimeout } from '#base/time'
import type { SocketCounts } from './socket-counts.ts'

/** How long a client may take to finish the close handshake. */
export const closeTimeoutMs = 2000

/** See 1. */
const maxBufferedForPong = 65_536
/** In a minute (2). */
const maxControlFrames = 600
const minuteMs = 60_000
/** See 3. */
const portionBytes = 131_072
/** See 4. */
const maxFirstMessageBytes = 65_536

/** RFC 6455, 7.4.1. */
const CLOSE_POLICY_VIOLATION = 1008
const CLOSE_MESSAGE_TOO_BIG = 1009

interface OpenSocketOptions {
  counts: SocketCounts
  /** The client for which the socket counts at first. */
  client: string
  onClose: () => void
}

export class OpenSocket implements Socket {
  readonly #socket: WebSocket
  readonly #options: OpenSocketOptions
  #client: string
  #handler: SocketHandler | null = null
  #hasAnsweredPing = true
  #isAcknowledged = false
  #controlFrames = { count: 0, since: monotonicTime() }
  /** Bytes of the message that is arriving. */
  #arriving = 0
  /** Bytes of its current portion, and when that began (3). */
  #portion = { bytes: 0, at: 0 }

  /** `stream` is the connection of the socket. */
  constructor(socket: WebSocket, stream: Duplex, options: OpenSocketOptions) {
    this.#socket = socket
    this.#options = options
    this.#client = options.client
    stream.prependListener('data', (bytes: Buffer) => this.#came(bytes.length))
    socket.on('ping', (data) => this.#answerPing(data))
    socket.on('pong', (data) => {
      this.#hasAnsweredPing = true
      this.#countControlFrame(data)
    })
    socket.on('close', () => this.#end())
    socket.on('error', () => {}) // the library closes it with the right code
    socket.on('message', (data, isBinary) => {
      this.#arriving = 0
      if (isBinary) this.close(4400, 'Invalid message: it is not text.')
      else this.#handler?.receive(String(data))
    })
  }

  handleWith(handler: SocketHandler): void {
    this.#handler = handler
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  send(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text)
  }

  /** Queues an empty ping behind all pending messages: when it is written, they are too. */
  drained(): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return Promise.resolve()
    return new Promise((resolve) => {
      this.#socket.once('close', resolve)
      this.#socket.ping(undefined, undefined, () => {
        this.#socket.off('close', resolve)
        resolve()
      })
    })
  }

  acknowledge(client: string): boolean {
    const { counts } = this.#options
    if (client !== this.#client) {
      if (!counts.add(client)) return false
      counts.remove(this.#client)
      this.#client = client
    }
    this.#isAcknowledged = true
    return true
  }

  close(code: number, reason: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#socket.close(code, truncate(reason))
    this.terminateAfter(closeTimeoutMs)
  }

  ping(): void {
    if (!this.#hasAnsweredPing) this.#socket.terminate()
    else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
    this.#hasAnsweredPing = false
  }

  /** Ends a client whose message does not arrive in time (3). */
  expectProgress(now: number, timeoutMs: number): void {
    if (this.#arriving > 0 && now - this.#portion.at > timeoutMs) this.#socket.terminate()
  }

  terminateAfter(after: number): void {
    const timer = setTimeout(() => this.#socket.terminate(), after).unref()
    this.#socket.once('close', () => clearTimeout(timer))
  }

  #came(bytes: number): void {
    if (this.#arriving <= 0) this.#portion = { bytes: 0, at: monotonicTime() }
    this.#arriving = Math.max(0, this.#arriving) + bytes
    this.#portion.bytes += bytes
    if (this.#portion.bytes >= portionBytes) this.#portion = { bytes: 0, at: monotonicTime() }
    if (!this.#isAcknowledged && this.#arriving > maxFirstMessageBytes) {
      this.close(CLOSE_MESSAGE_TOO_BIG, 'Too long: connection_init comes first, and has 64 KiB at most')
    }
  }

  #answerPing(data: Buffer): void {
    if (!this.#countControlFrame(data)) return
    if (this.#socket.readyState !== this.#socket.OPEN || this.#socket.bufferedAmount > maxBufferedForPong) return
    this.#socket.pong(data)
  }

  /** False: there were too many. */
  #countControlFrame({ length }: Buffer): boolean {
    this.#arriving -= controlFrameHeaderBytes + length
    const now = monotonicTime()
    if (now - this.#controlFrames.since > minuteMs) this.#controlFrames = { count: 0, since: now }
    if (++this.#controlFrames.count <= maxControlFrames) return true
    if (this.#controlFrames.count === maxControlFrames + 1)
      this.close(CLOSE_POLICY_VIOLATION, 'Too many control frames')
    return false
  }

  #end(): void {
    this.#options.counts.remove(this.#client)
    this.#options.onClose()
    this.#handler?.closed()
    this.#handler = null
  }
}

/** Of a masked frame of up to 125 bytes (RFC 6455, 5.2). */
const controlFrameHeaderBytes = 6

/** A reason has 123 bytes at most (RFC 6455, 5.5). */
function truncate(reason: string): string {
  const bytes = Buffer.from(reason)
  return bytes.length <= 123 ? reason : new TextDecoder().decode(bytes.subarray(0, 120)).replace(/\uFFFD$/, '')
}
