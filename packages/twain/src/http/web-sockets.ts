// Accepts WebSockets (RFC 6455) and passes them to the API as plain `Socket`s. It loads the library with the first one.
//
// 1. A page of another origin is accepted only if `http.cors` allows it: browsers do not restrict WebSockets by origin.
// 2. A client that does not answer a ping until the next one is disconnected.
// 3. The `Host` of a handshake is checked as that of any request.
// 4. Beyond `limits.sockets` new WebSockets are refused, and open ones stay.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { ApiError, type Log, stackOf } from '#base'
import { problemReply, type Socket, type SocketAcceptor, type SocketHandler } from '#base/http'
import { malformedReply, malformedTitle, writeOnSocket } from './malformed-request.ts'
import type { Cors } from './reply/cors.ts'
import { IncomingRequest, type RequestDefaults } from './request/incoming-request.ts'

interface WebSocketOptions {
  acceptor: SocketAcceptor
  path: string
  /** The supported subprotocol. Clients without it are disconnected with 4406. */
  protocol: string
  requestDefaults: RequestDefaults
  cors: Cors | null
  /** 0 is no limit. */
  maxSockets: number
  /** 0 is no limit. */
  maxMessageBytes: number
  log: Log
}

const pingIntervalMs = 20_000
/** How long a client may take to finish the close handshake. */
const closeTimeoutMs = 2000

export class WebSockets {
  readonly #options: WebSocketOptions
  readonly #open = new Set<OpenSocket>()
  #server: Promise<WebSocketServer> | null = null
  #timer: NodeJS.Timeout | null = null
  #isStopping = false

  constructor(options: WebSocketOptions) {
    this.#options = options
  }

  /** Whether this request is a WebSocket handshake; others are answered as usual. */
  isUpgrade({ url = '', headers }: IncomingMessage): boolean {
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    return path === this.#options.path && headers.upgrade?.toLowerCase() === 'websocket'
  }

  async upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const request = new IncomingRequest(message, this.#options.requestDefaults, null)
    const { headerProblem } = request
    if (headerProblem !== null) {
      writeOnSocket(socket, malformedReply(headerProblem, request), malformedTitle(headerProblem))
      return
    }
    try {
      this.#admit(request)
      const server = await this.#load()
      server.handleUpgrade(message, socket, head, (websocket) => this.#begin(request, websocket))
    } catch (error) {
      if (!(error instanceof ApiError))
        this.#options.log.error({ 'exception.stacktrace': stackOf(error) }, 'WebSocket could not be opened')
      const known = error instanceof ApiError ? error : new ApiError('INTERNAL', 'The WebSocket could not be opened.')
      writeOnSocket(socket, problemReply(known, request), known.title)
    }
  }

  /** Closes the remaining sockets. The API has already sent its close codes. */
  stop(): void {
    this.#isStopping = true
    if (this.#timer !== null) clearInterval(this.#timer)
    for (const socket of this.#open) socket.terminateAfter(closeTimeoutMs)
  }

  #admit({ headers: { origin, host }, forwardedOrigin }: IncomingRequest): void {
    const { maxSockets, cors, requestDefaults } = this.#options
    if (this.#isStopping || (maxSockets > 0 && this.#open.size >= maxSockets)) {
      throw new ApiError('UNAVAILABLE', 'Too many WebSockets are open.', { headers: { 'retry-after': '5' } })
    }
    if (origin === undefined || origin === forwardedOrigin || isSameOrigin(origin, host)) return
    if (requestDefaults.origins.includes(origin) || cors?.admits(origin) === true) return
    throw new ApiError('FORBIDDEN', `Pages of ${origin} may not open WebSockets here.`, {
      hint: 'Add the origin to the setting http.cors.',
    })
  }

  #load(): Promise<WebSocketServer> {
    const { protocol, maxMessageBytes } = this.#options
    this.#server ??= import('ws').then(
      ({ WebSocketServer }) =>
        new WebSocketServer({
          noServer: true,
          clientTracking: false,
          perMessageDeflate: false, // it would need more memory than the rest of a socket
          maxPayload: maxMessageBytes,
          handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
        }),
    )
    return this.#server
  }

  #begin(request: IncomingRequest, websocket: WebSocket): void {
    const socket = new OpenSocket(websocket, () => this.#open.delete(socket))
    this.#open.add(socket)
    this.#timer ??= setInterval(() => this.#ping(), pingIntervalMs).unref()
    if (websocket.protocol === '') socket.close(4406, 'Subprotocol not acceptable')
    else socket.handleWith(this.#options.acceptor(request, socket))
  }

  #ping(): void {
    for (const socket of this.#open) socket.ping()
  }
}

class OpenSocket implements Socket {
  readonly #socket: WebSocket
  readonly #onClose: () => void
  #handler: SocketHandler | null = null
  #hasAnsweredPing = true

  constructor(socket: WebSocket, onClose: () => void) {
    this.#socket = socket
    this.#onClose = onClose
    socket.on('pong', () => {
      this.#hasAnsweredPing = true
    })
    socket.on('close', () => this.#end())
    socket.on('error', () => {}) // the library closes it with the right code
    socket.on('message', (data, isBinary) => {
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

  close(code: number, reason: string): void {
    this.#socket.close(code, truncate(reason))
    this.terminateAfter(closeTimeoutMs)
  }

  ping(): void {
    if (!this.#hasAnsweredPing) this.#socket.terminate()
    else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
    this.#hasAnsweredPing = false
  }

  terminateAfter(after: number): void {
    const timer = setTimeout(() => this.#socket.terminate(), after).unref()
    this.#socket.once('close', () => clearTimeout(timer))
  }

  #end(): void {
    this.#onClose()
    this.#handler?.closed()
    this.#handler = null
  }
}

/** A reason has 123 bytes at most (RFC 6455, 5.5). */
function truncate(reason: string): string {
  const bytes = Buffer.from(reason)
  return bytes.length <= 123 ? reason : new TextDecoder().decode(bytes.subarray(0, 120)).replace(/\uFFFD$/, '')
}

/** Whether the page comes from this server, by its `Host`. */
function isSameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()
}
