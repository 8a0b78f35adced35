// A fake PostgreSQL server: a test chooses what it answers.

import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { bound, columns, complete, int32, message, parsed, ready, row } from './server-messages.fixture.ts'

/** The answer to the n-th message of a connection; null: none. */
export type Respond = (socket: Socket, bytes: Buffer, at: number) => Buffer | null

export const startupReply = Buffer.concat([
  message('R', int32(0)),
  message('S', 'server_version\x0018\0'),
  message('K', int32(1), int32(2)),
  ready,
])
/** The reply to the driver's `SELECT 1`. */
export const probeReply = Buffer.concat([columns(23), row('1'), complete, ready])
export const queryReply = Buffer.concat([
  parsed,
  message('t', '\0\0'),
  columns(25),
  bound,
  row('here'),
  complete,
  ready,
])

/** As a real server does. */
export const respondNormally: Respond = (_, __, at) => [startupReply, probeReply, queryReply][Math.min(at, 2)]!

export class FakeServer {
  respond: Respond = respondNormally
  readonly sockets = new Set<Socket>()
  readonly #server: Server

  static async start(turn: Respond = respondNormally): Promise<FakeServer> {
    const server = createServer({ noDelay: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new FakeServer(server, turn)
  }

  private constructor(server: Server, turn: Respond) {
    this.#server = server
    this.respond = turn
    server.on('connection', (socket) => this.#serve(socket))
  }

  get address(): string {
    const { port } = this.#server.address() as { port: number }
    return `postgres://twain@127.0.0.1:${port}/fake`
  }

  #serve(socket: Socket): void {
    let at = 0
    this.sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.sockets.delete(socket))
    socket.on('data', (bytes) => {
      const reply = bytes[0] === 0x58 ? null : this.respond(socket, bytes, at++)
      if (reply !== null && !socket.destroyed) socket.write(reply)
    })
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
