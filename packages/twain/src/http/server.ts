// The HTTP server: connects node:http with the plain request and reply types.
//
// 1. Every received request is answered, also while the server stops and also if its handler throws.
// 2. A client that is slow, malicious or gone costs its own connection and nothing else.

import type { Server } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Log, memoryShare, type Tracing } from '#base'
import type { SocketAcceptor } from '#base/http'
import { clearInterval, clearTimeout, setInterval, setTimeout } from '#base/time'
import { Connections } from './connections.ts'
import { HttpExchange, type ServerContext } from './exchange.ts'
import { answerMalformed, answerOnSocket, type ParserError } from './malformed-request.ts'
import type { Metrics } from './metrics.ts'
import { Cors } from './reply/cors.ts'
import type { RefusedRequest } from './reply/problem.ts'
import { BodyTimeouts } from './request/body-timeouts.ts'
import { Proxies } from './request/proxy.ts'
import { PublicOrigins } from './request/public-origins.ts'
import { RequestTimeouts } from './request/request-timeouts.ts'
import type { ServedRequest } from './request/served-request.ts'
import { RequestSlices } from './request-slices.ts'
import type { HttpHandler } from './routes.ts'
import { defaultHttpLimits, defaultHttpSettings, type HttpLimits, type HttpSettings } from './settings.ts'
import { WebSockets } from './web-sockets.ts'

export interface ListenOptions {
  handle: HttpHandler
  host: string
  /** 0 picks a free port. */
  port: number
  /** The largest request body in bytes; 0 is no limit. */
  body: number
  log: Log
  /** The time limit of a request in seconds. Default: 0, no limit. */
  time?: number
  /** Handles WebSockets at `/graphql`. Default: none are accepted. */
  sockets?: SocketAcceptor
  /** Whether `Host` must be the name of a public origin, `localhost` or a literal address. Default: if there is a public
   *  origin. */
  checksHost?: boolean
  /** Overrides of the default settings and limits. */
  http?: Partial<HttpSettings & HttpLimits>
  /** Both get the data of each request. Default: none. */
  metrics?: Metrics | null
  onServed?: ((served: ServedRequest) => void) | null
  /** Makes a span of each request. Default: nothing is traced. */
  tracing?: Tracing | null
  /** Whether results of writes wait for the event loop, so that it should turn. Default: never. */
  hasResults?: () => boolean
  /** In milliseconds: of the header, of each 128 KiB of the body or of a WebSocket message, and of each 64 KiB that the client
   *  takes of a reply. */
  timeouts?: { headers: number; body: number; send?: number }
  /** The idle timeout of a connection in milliseconds. */
  idle?: number
  /** Milliseconds after a stop until idle connections, and all connections, are closed. */
  grace?: { idle: number; all: number }
}

export interface HttpServer {
  readonly host: string
  readonly port: number
  /** Stops accepting connections, answers open requests, then resolves. */
  close(): Promise<void>
}

/** Not imported: an import evaluates all exports of node:http, which loads a client, HTTP/2 and TLS, 13 MB that a server never
 *  uses. */
const { createServer } = process.getBuiltinModule('node:http')

/** The part of `limits.drainSeconds` after which all connections are closed. The rest is for the work behind them. */
const connectionShare = 0.8

/** Connections that wait to be accepted, where the system allows so many. With Node's 511 a burst of connections keeps others out for
 *  seconds: the system drops their first packets. */
const backlog = 4096

/** Of long bodies that are compressed at the same time. */
const maxCompressingBytes = 67_108_864

/** The store has its own timeout with a better message, so the server waits a little longer. */
const storeGraceMs = 1000

/** Rejects with Node's error if the port is taken (`EADDRINUSE`) or not permitted. */
export async function listen(options: ListenOptions): Promise<HttpServer> {
  const { headers: headersTimeout, body, send = 30_000 } = options.timeouts ?? { headers: 10_000, body: 30_000 }
  const settings = { ...defaultHttpSettings, ...defaultHttpLimits, ...options.http }
  const arrivals = new BodyTimeouts(body)
  const connections = new Connections({
    idle: options.idle ?? 72_000,
    send,
    unsent: settings.unsentBytes,
    onSlow: () => options.metrics?.slowReader(),
  })
  options.metrics?.watchUnsent(() => connections.unsentBytes)
  const context = contextOf(options, settings, arrivals, connections)
  const sockets = options.sockets === undefined ? null : socketsOf(options, options.sockets, context, settings, body)
  const server = createServer({
    headersTimeout,
    requestTimeout: 0, // it would cut off large uploads, however fast they are
    keepAliveTimeout: 0, // `connections.ts`
    optimizeEmptyRequests: true, // most requests have no body and need no stream
    connectionsCheckingInterval: headersTimeout >> 2,
    requireHostHeader: false, // this server checks it and answers with problem+json
    maxHeaderSize: settings.headerBytes + settings.urlBytes, // the parser counts both together; the exchange checks each
    shouldUpgradeCallback: (message) => sockets?.isUpgrade(message) === true,
  })
  server.on('request', (message, response) => new HttpExchange(message, response, false, context).run())
  server.on('checkContinue', (message, response) => new HttpExchange(message, response, true, context).run())
  server.on('checkExpectation', (message, response) =>
    new HttpExchange(message, response, true, context).refuse('expectation'),
  )
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    // The rest of the header may have come: the server reads nothing while many requests wait.
    const isUnread = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connections.isPaused(socket as Socket)
    if (!isUnread) answerMalformed(error, socket as Socket, context)
  })
  server.on('connect', (message, socket) =>
    answerOnSocket(
      'unknown_method',
      { path: '', headers: message.headers as RefusedRequest['headers'] },
      socket as Socket,
      context,
    ),
  )

  server.on('upgrade', (message, socket, head) => {
    // The handshake waits for no earlier request: it reads and writes no rows.
    connections.began(message.socket)
    void sockets?.upgrade(message, socket, head)
  })
  server.on('connection', (socket) => connections.opened(socket))

  await open(server, options)
  const { port } = server.address() as AddressInfo
  return {
    host: options.host,
    port,
    async close() {
      context.stopping = true
      sockets?.stop()
      await drain(
        server,
        connections,
        options.grace ?? { idle: 500, all: settings.drainSeconds * connectionShare * 1000 },
      )
      context.deadlines?.close()
      arrivals.close()
      connections.close()
    },
  }
}

function contextOf(
  options: ListenOptions,
  settings: HttpSettings & HttpLimits,
  arrivals: BodyTimeouts,
  connections: Connections,
): ServerContext {
  const { handle, body, log, time = 0, metrics = null, onServed = null, tracing = null } = options
  const {
    origin,
    basePath,
    cors,
    trustProxy,
    compression,
    serverTiming: timing,
    urlBytes: url,
    headerBytes: maxHeaderBytes,
  } = settings
  return {
    handle,
    body,
    maxHeaderBytes,
    arrivals,
    connections,
    log,
    compression: compression ? { bytes: 0, maxBytes: memoryShare(maxCompressingBytes, 1 / 8) } : null,
    timing,
    url,
    cors: cors === null ? null : new Cors(cors),
    proxies: trustProxy === null ? null : new Proxies(trustProxy),
    basePath: basePath ?? '',
    origins: new PublicOrigins(origin),
    checksHost: options.checksHost ?? origin !== null,
    deadlines: time === 0 ? null : new RequestTimeouts(time * 1000 + storeGraceMs),
    slices: new RequestSlices(options.hasResults ?? (() => false), () => connections.count),
    metrics,
    tracing,
    onServed,
    stopping: false,
  }
}

function socketsOf(
  options: ListenOptions,
  acceptor: SocketAcceptor,
  context: ServerContext,
  { sockets, socketsPerClient }: HttpLimits,
  messageMs: number,
): WebSockets {
  const { body, log } = options
  const { cors } = context
  return new WebSockets({
    acceptor,
    path: `${context.basePath}/graphql`,
    protocol: 'graphql-transport-ws',
    requestDefaults: context,
    cors,
    maxSockets: sockets,
    maxSocketsPerClient: socketsPerClient,
    maxMessageBytes: body,
    messageMs,
    log,
  })
}

function open(server: Server, { port, host }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** http.Server.close would close idle connections at once and lose requests in transit. So those get some time to arrive and to
 *  be answered with `Connection: close`. Then idle connections are closed, and finally all others.
 *
 *  If the event loop is late, received bytes may still be in the kernel: timers run before the poll phase. Closing a listener or
 *  a connection then would reset a request that a proxy has sent and may not retry. So each close waits for a poll first. */
async function drain(server: Server, connections: Connections, grace: { idle: number; all: number }): Promise<void> {
  await pollSockets()
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  const closeIdle = () => {
    server.closeIdleConnections()
    // Node does not count a connection as idle that has never sent anything, as browsers open them in advance.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
  const idle = setInterval(() => void pollSockets().then(closeIdle), grace.idle)
  const closeAll = () => {
    for (const socket of connections) socket.destroy() // also WebSockets, which the server does not count
  }
  const all = grace.all === 0 ? undefined : setTimeout(closeAll, grace.all)
  await closed
  clearInterval(idle)
  clearTimeout(all)
}

/** Resolves after two turns of the event loop: by then waiting connections are accepted and their bytes are read. */
async function pollSockets(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
}
