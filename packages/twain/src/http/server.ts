// Sockets ↔ plain request and reply shapes, on node:http directly.
//
// 1. A request that has come in is answered: also while the server stops, also when its door throws.
// 2. A client can be slow, rude or gone; it costs its own connection and nothing else.

import type { Server } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Log, SocketAcceptor } from '#base'
import { BodyTimeouts } from './body-timeouts.ts'
import { Connections } from './connections.ts'
import { Cors } from './cors.ts'
import { HttpExchange, type ServedRequest, type ServerContext } from './exchange.ts'
import { answerMalformed } from './malformed-request.ts'
import type { Metrics } from './metrics.ts'
import { Proxies } from './proxy.ts'
import { RequestTimeouts } from './request-timeouts.ts'
import type { HttpHandler } from './routes.ts'
import { defaultHttpLimits, defaultHttpSettings, type HttpLimits, type HttpSettings } from './settings.ts'
import { WebSockets } from './web-sockets.ts'

export interface ListenOptions {
  handle: HttpHandler
  host: string
  /** 0 takes any free port. */
  port: number
  /** Bytes of a request body; 0 is no limit. */
  body: number
  log: Log
  /** Seconds that an answer may take; 0 or left out: any time. */
  time?: number
  /** Who answers those who want a line at `/graphql`; left out: nobody does. */
  sockets?: SocketAcceptor
  /** Left out: the defaults. */
  http?: Partial<HttpSettings & HttpLimits>
  /** What is told of each request, to whom; left out: nothing. */
  metrics?: Metrics | null
  onServed?: ((served: ServedRequest) => void) | null
  /** Milliseconds for the header, and for each 128 KiB of the body. */
  timeouts?: { headers: number; body: number }
  /** Milliseconds that a connection may be idle. */
  idle?: number
  /** Milliseconds that connections get to see their last reply when the server stops. */
  grace?: { idle: number; all: number }
}

export interface HttpServer {
  readonly host: string
  readonly port: number
  /** Takes no new connection, answers what has come in, then resolves. */
  close(): Promise<void>
}

/** Not imported: an import reads every name that the module has, and behind some of node:http's wait a client, HTTP/2 and
 *  TLS, 13 MB that a server never uses. */
const { createServer } = process.getBuiltinModule('node:http')

/** The store ends a read that takes too long by itself, and can say more about it: it gets this many milliseconds to. */
const storeGraceMs = 1000

/** Rejects with Node's own error when the port is taken (`EADDRINUSE`) or may not be used. */
export async function listen(options: ListenOptions): Promise<HttpServer> {
  const { headers: headersTimeout, body } = options.timeouts ?? { headers: 10_000, body: 30_000 }
  const settings = { ...defaultHttpSettings, ...defaultHttpLimits, ...options.http }
  const arrivals = new BodyTimeouts(body)
  const connections = new Connections(options.idle ?? 72_000)
  const context = contextOf(options, settings, arrivals, connections)
  const lines = options.sockets === undefined ? null : socketsOf(options, options.sockets, context, settings)
  const server = createServer({
    headersTimeout,
    requestTimeout: 0, // it would cut large files however fast they come
    keepAliveTimeout: 0, // `connections.ts`
    optimizeEmptyRequests: true, // most have no body, and need no stream for it
    connectionsCheckingInterval: headersTimeout >> 2,
    requireHostHeader: false, // we say it ourselves, in the words of all our failures
    maxHeaderSize: settings.headerBytes + settings.urlBytes, // the parser counts both as one
    shouldUpgradeCallback: (message) => lines?.wants(message) === true,
  })
  server.on('request', (message, response) => new HttpExchange(message, response, false, context).run())
  server.on('checkContinue', (message, response) => new HttpExchange(message, response, true, context).run())
  server.on('checkExpectation', (message, response) =>
    new HttpExchange(message, response, true, context).refuse('expectation'),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
    answerMalformed(error, socket as Socket, context),
  )

  server.on('upgrade', (message, socket, head) => {
    connections.began(message.socket)
    void lines?.upgrade(message, socket, head)
  })
  server.on('connection', (socket) => connections.opened(socket))

  await open(server, options)
  const { port } = server.address() as AddressInfo
  return {
    host: options.host,
    port,
    async close() {
      context.stopping = true
      lines?.stop()
      await drain(server, connections, options.grace ?? { idle: 500, all: 30_000 })
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
  const { handle, body, log, time = 0, metrics = null, onServed = null } = options
  const { cors, trustProxy, compression: compress, serverTiming: timing, urlBytes: url } = settings
  return {
    handle,
    body,
    arrivals,
    connections,
    log,
    compress,
    timing,
    url,
    cors: cors === null ? null : new Cors(cors),
    proxies: trustProxy === null ? null : new Proxies(trustProxy),
    deadlines: time === 0 ? null : new RequestTimeouts(time * 1000 + storeGraceMs),
    metrics,
    onServed,
    stopping: false,
  }
}

function socketsOf(
  options: ListenOptions,
  door: SocketAcceptor,
  context: ServerContext,
  { sockets }: HttpLimits,
): WebSockets {
  const { body, log } = options
  const { cors } = context
  return new WebSockets({
    acceptor: door,
    path: '/graphql',
    protocol: 'graphql-transport-ws',
    reception: context,
    cors,
    most: sockets,
    message: body,
    log,
  })
}

function open(server: Server, { port, host }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** http.Server.close would end idle connections at once, and with them requests that are on their way. So those get a
 *  moment to come in and be told `Connection: close`; then what is idle is closed, and at last whatever is left.
 *
 *  What has come may lie with the system when the loop is late: timers run before it is looked at, and to close a listener or a
 *  connection then would reset what a proxy takes for sent, and may not send again. So each close is behind such a look. */
async function drain(server: Server, connections: Connections, grace: { idle: number; all: number }): Promise<void> {
  await look()
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  const closeIdle = () => {
    server.closeIdleConnections()
    // Node does not count those as idle that were opened ahead and never said anything, as browsers do.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
  const idle = setInterval(() => void look().then(closeIdle), grace.idle)
  const all = setTimeout(() => {
    for (const socket of connections) socket.destroy() // lines too, which the server does not count
  }, grace.all)
  await closed
  clearInterval(idle)
  clearTimeout(all)
}

/** Resolves when the loop has been round: connections that waited are taken by then, and what they said is read. */
async function look(): Promise<void> {
  for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve))
}
