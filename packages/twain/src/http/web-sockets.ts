// Accepts WebSockets (RFC 6455) and passes them to the API as plain `Socket`s. It loads the library with the first one.
//
// 1. A page of another origin is accepted only if `http.cors` allows it: browsers do not restrict WebSockets by origin.
// 2. A client that does not answer a ping until the next one is disconnected.
// 3. The `Host` of a handshake is checked as that of any request.
// 4. Beyond `limits.sockets` new WebSockets are refused, and open ones stay. So beyond `limits.socketsPerClient`: a socket
//    counts for its address, and once the viewer is known for the viewer.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { ApiError, type Log, stackOf } from '#base'
import { networkOf, problemReply, type SocketAcceptor } from '#base/http'
import { clearInterval, monotonicTime, setInterval } from '#base/time'
import { malformedReply, malformedTitle, writeOnSocket } from './malformed-request.ts'
import { closeTimeoutMs, OpenSocket } from './open-socket.ts'
import type { Cors } from './reply/cors.ts'
import { IncomingRequest, type RequestDefaults } from './request/incoming-request.ts'
import { SocketCounts } from './socket-counts.ts'

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
  maxSocketsPerClient: number
  /** 0 is no limit. */
  maxMessageBytes: number
  /** The timeout of each portion of a message, in milliseconds. */
  messageMs: number
  log: Log
}

/** RFC 6455, 4.4. */
const webSocketVersion = '13'

const pingIntervalMs = 20_000
/** Looks at arriving messages within each of their timeouts. */
const looksPerTimeout = 30

export class WebSockets {
  readonly #options: WebSocketOptions
  readonly #open = new Set<OpenSocket>()
  readonly #counts: SocketCounts
  #server: Promise<WebSocketServer> | null = null
  #timers: NodeJS.Timeout[] = []
  #isStopping = false

  constructor(options: WebSocketOptions) {
    this.#options = options
    this.#counts = new SocketCounts(options.maxSocketsPerClient)
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
    if (message.headers['sec-websocket-version'] !== webSocketVersion) {
      const reply = malformedReply('upgrade', request)
      const headers = { ...reply.headers, upgrade: 'websocket', 'sec-websocket-version': webSocketVersion }
      writeOnSocket(socket, { ...reply, headers }, malformedTitle('upgrade'))
      return
    }
    try {
      this.#admit(request)
      const server = await this.#load()
      server.handleUpgrade(message, socket, head, (websocket) => this.#begin(request, websocket, socket))
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
    for (const timer of this.#timers) clearInterval(timer)
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
          autoPong: false, // `OpenSocket` answers
          handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
        }),
    )
    return this.#server
  }

  #begin(request: IncomingRequest, websocket: WebSocket, stream: Duplex): void {
    const client = networkOf(request.address)
    const counts = this.#counts
    if (!counts.add(client)) {
      websocket.close(1013, 'Too many WebSockets of this address are open')
      return
    }
    const socket = new OpenSocket(websocket, stream, { counts, client, onClose: () => this.#open.delete(socket) })
    this.#open.add(socket)
    if (this.#timers.length === 0) this.#startTimers()
    if (websocket.protocol === '') socket.close(4406, 'Subprotocol not acceptable')
    else socket.handleWith(this.#options.acceptor(request, socket))
  }

  #startTimers(): void {
    const { messageMs } = this.#options
    this.#timers = [
      setInterval(() => this.#ping(), pingIntervalMs).unref(),
      setInterval(() => this.#expectProgress(messageMs), messageMs / looksPerTimeout).unref(),
    ]
  }

  #expectProgress(messageMs: number): void {
    const now = monotonicTime()
    for (const socket of this.#open) socket.expectProgress(now, messageMs)
  }

  #ping(): void {
    for (const socket of this.#open) socket.ping()
  }
}

/** Whether the page comes from this server, by its `Host`. */
function isSameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()
}
