// WebSockets (RFC 6455) ↔ lines, in the plain shape that the doors know. The library is loaded when the first one comes.
//
// 1. A page of another origin is let in only where `http.cors` lets it read answers: browsers send sockets anywhere unasked.
// 2. Who does not answer a ping for a whole round is gone, and its line is over.
// 3. Lines are counted: beyond `limits.sockets` a new one is refused, and those that are there stay.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { ApiError, type Log, problemReply, type Socket, type SocketAcceptor, type SocketHandler, stackOf } from '#base'
import type { Cors } from './cors.ts'
import { IncomingRequest, type RequestDefaults } from './incoming-request.ts'

interface WebSocketOptions {
  acceptor: SocketAcceptor
  path: string
  /** What a client may speak; one that speaks none of it is told so on the line. */
  protocol: string
  reception: RequestDefaults
  cors: Cors | null
  /** Lines at once; 0 is no limit. */
  most: number
  /** Bytes of one message; 0 is no limit. */
  message: number
  log: Log
}

/** Milliseconds between pings. */
const round = 20_000
/** Milliseconds that a line has to say goodbye. */
const farewell = 2000

export class WebSockets {
  readonly #parts: WebSocketOptions
  readonly #open = new Set<OpenSocket>()
  #server: Promise<WebSocketServer> | null = null
  #timer: NodeJS.Timeout | null = null
  #isStopping = false

  constructor(parts: WebSocketOptions) {
    this.#parts = parts
  }

  /** Whether this request wants to become a line; everything else is answered as usual. */
  wants({ url = '', headers }: IncomingMessage): boolean {
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    return path === this.#parts.path && headers.upgrade?.toLowerCase() === 'websocket'
  }

  async upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const request = new IncomingRequest(message, this.#parts.reception, null)
    try {
      this.#admit(request)
      const server = await this.#load()
      server.handleUpgrade(message, socket, head, (websocket) => this.#begin(request, websocket))
    } catch (error) {
      if (!(error instanceof ApiError))
        this.#parts.log.error({ 'exception.stacktrace': stackOf(error) }, 'WebSocket could not be opened')
      refuse(socket, error instanceof ApiError ? error : new ApiError('INTERNAL', 'The line could not be opened.'))
    }
  }

  /** Ends what is left: the doors have said goodbye before. */
  stop(): void {
    this.#isStopping = true
    if (this.#timer !== null) clearInterval(this.#timer)
    for (const line of this.#open) line.giveUp(farewell)
  }

  #admit({ headers: { origin, host }, origin: called }: IncomingRequest): void {
    const { most, cors } = this.#parts
    if (this.#isStopping || (most > 0 && this.#open.size >= most)) {
      throw new ApiError('UNAVAILABLE', 'There are too many lines just now.', { headers: { 'retry-after': '5' } })
    }
    if (origin === undefined || origin === called || isOf(origin, host) || cors?.admits(origin) === true) return
    throw new ApiError('FORBIDDEN', `Pages of ${origin} may not come here.`, {
      hint: 'The setting http.cors says which pages may.',
    })
  }

  #load(): Promise<WebSocketServer> {
    const { protocol, message } = this.#parts
    this.#server ??= import('ws').then(
      ({ WebSocketServer }) =>
        new WebSocketServer({
          noServer: true,
          clientTracking: false,
          perMessageDeflate: false, // it would cost each line more than all else that it has
          maxPayload: message,
          handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
        }),
    )
    return this.#server
  }

  #begin(request: IncomingRequest, websocket: WebSocket): void {
    const line = new OpenSocket(websocket, () => this.#open.delete(line))
    this.#open.add(line)
    this.#timer ??= setInterval(() => this.#ping(), round).unref()
    if (websocket.protocol === '') line.close(4406, 'Subprotocol not acceptable')
    else line.hold(this.#parts.acceptor(request, line))
  }

  #ping(): void {
    for (const line of this.#open) line.ping()
  }
}

class OpenSocket implements Socket {
  readonly #socket: WebSocket
  readonly #over: () => void
  #holder: SocketHandler | null = null
  #answers = true

  constructor(socket: WebSocket, over: () => void) {
    this.#socket = socket
    this.#over = over
    socket.on('pong', () => {
      this.#answers = true
    })
    socket.on('close', () => this.#end())
    socket.on('error', () => {}) // it closes by itself, with the code that fits
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.close(4400, 'Invalid message: it is not a text.')
      else this.#holder?.receive(String(data))
    })
  }

  hold(holder: SocketHandler): void {
    this.#holder = holder
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  send(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text)
  }

  /** An empty ping is behind all that waits: when it is written, so is the rest. */
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
    this.#socket.close(code, cut(reason))
    this.giveUp(farewell)
  }

  ping(): void {
    if (!this.#answers) this.#socket.terminate()
    else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
    this.#answers = false
  }

  giveUp(after: number): void {
    const timer = setTimeout(() => this.#socket.terminate(), after).unref()
    this.#socket.once('close', () => clearTimeout(timer))
  }

  #end(): void {
    this.#over()
    this.#holder?.closed()
    this.#holder = null
  }
}

/** A reason has 123 bytes at most (RFC 6455, 5.5). */
function cut(reason: string): string {
  const bytes = Buffer.from(reason)
  return bytes.length <= 123 ? reason : new TextDecoder().decode(bytes.subarray(0, 120)).replace(/\uFFFD$/, '')
}

/** Whether it is a page of our own, by the name that the client calls us. */
function isOf(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()
}

function refuse(socket: Duplex, fault: ApiError): void {
  const { status, headers, body } = problemReply(fault)
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${status} ${fault.title}\r\nconnection: close\r\n${fields.join('')}` +
      `content-length: ${Buffer.byteLength(body as string)}\r\n\r\n${body}`,
  )
}
