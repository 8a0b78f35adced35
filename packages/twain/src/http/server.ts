// Sockets ↔ plain request and reply shapes, on node:http directly.
//
// 1. A request that has come in is answered: also while the server stops, also when its door throws.
// 2. A client can be slow, rude or gone; it costs its own connection and nothing else.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type HttpReply, type Log, stackOf } from '#base'
import { Incoming } from './incoming.ts'
import { problem } from './problem.ts'
import { refuse } from './refuse.ts'
import type { Handle } from './routes.ts'
import { writeReply } from './write-reply.ts'

export interface ListenOptions {
  handle: Handle
  host: string
  /** 0 takes any free port. */
  port: number
  /** Bytes of a request body; 0 is no limit. */
  body: number
  log: Log
  /** Milliseconds; product.md gives a slow client 30 s at most. */
  timeouts?: { headers: number; request: number }
  /** Milliseconds that connections get to see their last reply when the server stops. */
  grace?: { idle: number; all: number }
}

export interface HttpServer {
  readonly host: string
  readonly port: number
  /** Takes no new connection, answers what has come in, then resolves. */
  close(): Promise<void>
}

/** Rejects with Node's own error when the port is taken (`EADDRINUSE`) or may not be used. */
export async function listen(options: ListenOptions): Promise<HttpServer> {
  const { handle, body, log } = options
  const { headers: headersTimeout, request: requestTimeout } = options.timeouts ?? { headers: 10_000, request: 30_000 }
  let stopping = false

  const answer = (message: IncomingMessage, response: ServerResponse, expects: boolean) => {
    const request = new Incoming(message, body, expects ? response : null)
    const send = (reply: HttpReply) => {
      try {
        writeReply(response, reply, stopping, request.unwanted)?.catch((error) => fail(response, error, log))
      } catch (error) {
        fail(response, error, log)
      }
    }
    handle(request).then(send, (error) => send(problem(error, log)))
  }

  const server = createServer({ headersTimeout, requestTimeout, connectionsCheckingInterval: headersTimeout >> 2 })
  server.on('request', (message, response) => answer(message, response, false))
  server.on('checkContinue', (message, response) => answer(message, response, true))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => refuse(error, socket))

  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  await open(server, options)
  const { port } = server.address() as AddressInfo
  return {
    host: options.host,
    port,
    close() {
      stopping = true
      return drain(server, sockets, options.grace ?? { idle: 500, all: 30_000 })
    },
  }
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

/** A reply that can't be put on the wire, such as one with a line break in a header, is a bug of a door. */
function fail(response: ServerResponse, error: unknown, log: Log): void {
  if (response.headersSent) {
    log.error({ error: stackOf(error) }, 'a reply broke off')
    response.destroy()
    return
  }
  writeReply(response, problem(error, log), true, false)
}

/** http.Server.close would end idle connections at once, and with them requests that are on their way. So those get a
 *  moment to come in and be told `Connection: close`; then what is idle is closed, and at last whatever is left. */
async function drain(server: Server, sockets: Set<Socket>, grace: { idle: number; all: number }): Promise<void> {
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  const idle = setInterval(() => {
    server.closeIdleConnections()
    // Node does not count those as idle that were opened ahead and never said anything, as browsers do.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }, grace.idle)
  const all = setTimeout(() => server.closeAllConnections(), grace.all)
  await closed
  clearInterval(idle)
  clearTimeout(all)
}
